"""What is decided for all rows of a file at once, where the file is read bucket by bucket.

Readers see one bucket of people at a time and decide as if it were everything. What they decide by all rows, such as
whether times have a zone or when the first slot begins, is recorded here. Then the buckets are compared: what must be
the same in all of them, what is the least or the most of all, what adds up.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

from sfumato.data.notes import Note, add_counts
from sfumato.readers.notes import EMPTY_ROWS

__all__ = [
    "DISAGREED",
    "Decision",
    "agree",
    "merge_decisions",
    "note_count",
    "record_decisions",
    "unite_notes",
]

T = TypeVar("T")

DISAGREED = object()
"""What comes of buckets that decided differently where all must be the same."""


class Decision(NamedTuple):
    """What one bucket decided, and how that of all comes of it."""

    how: str
    """``same``, ``sum``, ``low`` and ``high``; ``least`` and ``most`` where a bucket is read again with that of all."""
    value: Any


class _DecisionLog(NamedTuple):
    recorded: dict[str, Decision]
    decisions: Mapping[str, Any]


_active_log: ContextVar[_DecisionLog | None] = ContextVar("active_log", default=None)


@contextlib.contextmanager
def record_decisions(decisions: Mapping[str, Any] | None = None) -> Iterator[dict[str, Decision]]:
    """Record what all rows decide inside of a ``with`` block; what is known of all buckets is decided already.

    Examples
    --------
    >>> with record_decisions({"the first moment": 3}) as recorded:
    ...     agree("the first moment", 5, "least")
    3
    >>> recorded
    {'the first moment': Decision(how='least', value=5)}
    """
    log = _DecisionLog({}, decisions or {})
    before = _active_log.set(log)
    try:
        yield log.recorded
    finally:
        _active_log.reset(before)


def agree(what: str, value: T, how: str = "same") -> T:
    """Record what these rows decide; return what all rows decide, where that is known.

    Examples
    --------
    >>> agree("the first moment", 5, "least")
    5
    """
    log = _active_log.get()
    if log is None:
        return value
    log.recorded[what] = Decision(how, value)
    decision: T = log.decisions.get(what, value)
    return decision


def note_count(notes: list[Note], note: Note) -> None:
    """Add a note on how often something was found, if it was; in buckets always, so that merged notes keep their order.

    Examples
    --------
    >>> notes = []
    >>> for rows in (0, 1200):
    ...     note_count(notes, Note("cut", "Cut {rows} rows.", {"rows": rows}))
    >>> [str(note) for note in notes]
    ['Cut 1,200 rows.']
    """
    if any(note.counts.values()) or _active_log.get() is not None:
        notes.append(note)


def merge_decisions(all_decisions: Iterable[Mapping[str, Decision]]) -> dict[str, Any]:
    """Return what all buckets decide together.

    Examples
    --------
    >>> merge_decisions(
    ...     [{"first": Decision("least", 5), "zone": Decision("same", True)}, {"first": Decision("least", 3)}]
    ... )
    {'first': 3, 'zone': True}
    >>> merge_decisions([{"zone": Decision("same", True)}, {"zone": Decision("same", False)}])["zone"] is DISAGREED
    True
    """
    decisions: dict[str, Any] = {}
    for statements in all_decisions:
        for what, (how, value) in statements.items():
            if what not in decisions:
                decisions[what] = value
            elif how == "sum":
                decisions[what] = decisions[what] + value  # not in place: the first bucket keeps its own
            elif how in {"least", "low"}:
                decisions[what] = min(decisions[what], value)
            elif how in {"most", "high"}:
                decisions[what] = max(decisions[what], value)
            elif decisions[what] != value:
                decisions[what] = DISAGREED
    return decisions


def unite_notes(all_notes: Sequence[Sequence[Note]], summary: Mapping[str, Note | None]) -> list[Note] | None:
    """Return the notes that one reader of everything would have taken; None where buckets were read differently.

    Counts are added up. Notes whose counts do not add up are taken from the summary. A note without counts must be
    the same in all buckets.

    Parameters
    ----------
    all_notes
        The notes of every bucket.
    summary
        Notes on all rows by their codes, None for those to leave out.

    Examples
    --------
    >>> read, found = Note("rows-read", "Read {rows} rows.", {"rows": 2}), Note("found", "Found {items}.", {"items": 1})
    >>> summary = {"found": Note("found", "Found {items}.", {"items": 5})}
    >>> [str(note) for note in unite_notes([[read, found], [read]], summary)]
    ['Read 4 rows.', 'Found 5.']
    >>> unite_notes([[Note("times-without-zone", "Times have no time zone.")], []], {}) is None
    True
    """
    order: list[tuple[object, ...]] = []
    by_key: dict[tuple[object, ...], list[Note]] = {}
    for notes in all_notes:
        at = 0
        for note in notes:
            key = (note.code,) if note.code in summary or note.code == EMPTY_ROWS else note.key
            at = _insert(order, key, at)
            by_key.setdefault(key, []).append(note)
    merged: list[Note | None] = []
    for same in map(by_key.__getitem__, order):
        code, counts = same[0].code, same[0].counts
        if not counts and code not in summary and len(same) < len(all_notes):
            return None
        merged.append(summary[code] if code in summary else _merge(same))
    return [note for note in merged if note is not None]


def _merge(same: Sequence[Note]) -> Note | None:
    """Return one note for those of several buckets; None where nothing was counted in any of them."""
    merged = add_counts(same)
    columns: list[str] = []
    for note in same:
        at = 0
        for column in note.columns:
            at = _insert(columns, column, at)
    if merged.counts and not any(merged.counts.values()):
        return None
    return dataclasses.replace(merged, columns=tuple(columns))


def _insert(order: list[T], entry: T, at: int) -> int:
    """Put an entry at a place of a list if it is not in it yet; return the place behind it."""
    if entry not in order:
        order.insert(at, entry)
    return order.index(entry) + 1
