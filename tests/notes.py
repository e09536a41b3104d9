"""Notes of readers and methods, found by their codes."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.data.notes import Note


def find_notes(notes: Iterable[Note], code: str) -> list[Note]:
    return [note for note in notes if note.code == code]


def find_note(notes: Iterable[Note], code: str) -> Note:
    (note,) = find_notes(notes, code)
    return note


def list_sentences(notes: Iterable[Note]) -> list[str]:
    return [str(note) for note in notes]
