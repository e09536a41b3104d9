"""Notes of an answer, and what becomes of them when the answers of the partitions of a release are added up."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.data.record_unit import RecordUnit

__all__ = ["LeftOut", "WholeNote", "unite_notes"]


class WholeNote(str):
    """A note that is true of a whole release only if it is true of every partition."""

    __slots__ = ()


class LeftOut(str):
    """A note that says how many records were left out; those of partitions add up.

    Examples
    --------
    >>> from sfumato.data.record_unit import PERSON
    >>> LeftOut(PERSON, 2)
    '2 people left out of the release may be anything: they count as possible.'
    """

    unit: RecordUnit
    number: int

    def __new__(cls, unit: RecordUnit, number: int) -> LeftOut:
        """Write the note."""
        written = super().__new__(
            cls, f"{unit.count(number)} left out of the release may be anything: they count as possible."
        )
        written.unit, written.number = unit, number
        return written


def unite_notes(left: Sequence[str], right: Sequence[str], only: type[str] = str) -> tuple[str, ...]:
    """Return the notes of two partitions that are true of both together, or only those of a kind.

    Examples
    --------
    >>> from sfumato.data.record_unit import PERSON
    >>> here, there = (WholeNote("no wine."), LeftOut(PERSON, 1)), ("Sets have no order.", LeftOut(PERSON, 2))
    >>> unite_notes(here, there)
    ('3 people left out of the release may be anything: they count as possible.', 'Sets have no order.')
    """
    number = sum(note.number for note in (*left, *right) if isinstance(note, LeftOut))
    merged: dict[str, None] = {}
    for note in (*left, *right):
        if isinstance(note, LeftOut):
            merged.setdefault(LeftOut(note.unit, number))
        elif not isinstance(note, WholeNote) or (note in left and note in right):
            merged.setdefault(note)
    return tuple(note for note in merged if isinstance(note, only))
