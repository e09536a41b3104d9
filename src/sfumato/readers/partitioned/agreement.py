"""What is decided for all rows of a file at once, where the file is read bucket by bucket.

Readers see one bucket of people at a time and decide as if it were everything. What they decide by all rows, such as
whether times have a zone or when the first slot begins, they tell here. Whoever reads the buckets compares: what must
be the same in all of them, what is the least or the most of all, what adds up.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

__all__ = [
    "DISAGREED",
    "Decision",
    "agree",
    "count_owners",
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
    """Be told what is decided by all rows inside of a ``with`` block; what is known of all buckets is decided already.

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
    """Tell what these rows decide; return what all rows decide, where that is known.

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


def note_count(notes: list[str], what: str, count: int) -> None:
    """Note how often something was found, if it was; of one bucket also if not, so that notes of all keep their order.

    Examples
    --------
    >>> notes = []
    >>> note_count(notes, "Empty", 0), note_count(notes, "Cut", 1200), notes
    (None, None, ['Cut: 1,200.'])
    """
    if count or _active_log.get() is not None:
        notes.append(f"{what}: {count:,}.")


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
                decisions[what] += value
            elif how in {"least", "low"}:
                decisions[what] = min(decisions[what], value)
            elif how in {"most", "high"}:
                decisions[what] = max(decisions[what], value)
            elif decisions[what] != value:
                decisions[what] = DISAGREED
    return decisions


_NUMBER = r"(\d[\d,]*)"
_READ = re.compile(rf"Read {_NUMBER} (rows of .*)", re.DOTALL)
_COUNTED = re.compile(rf"(.*): {_NUMBER}\.", re.DOTALL)
_LEFT_OUT = re.compile(rf"Rows with empty cells in (.*), which were left out: {_NUMBER}\.", re.DOTALL)
_EMPTY = re.compile(rf"{_NUMBER} empty cells? in (`.*`) (?:is|are) kept as a value of (?:its|their) own\.", re.DOTALL)
_OWNERS = re.compile(rf"There are {_NUMBER} .* of {_NUMBER} [^,]*, up to {_NUMBER} of one\. .*", re.DOTALL)


class _Note(NamedTuple):
    """A note without what differs between buckets, and that."""

    key: str
    numbers: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


def unite_notes(all_notes: Sequence[Sequence[str]], summary: Mapping[str, str]) -> list[str] | None:
    """Return the notes that one reader of everything would have taken; None where buckets were read differently.

    Counts are added up. A note that begins as one that is given is taken from there: what it counts does not add up.
    Any other note must stand in all buckets, word for word.

    Parameters
    ----------
    all_notes
        The notes of every bucket.
    summary
        Notes on all rows, by how they begin.

    Examples
    --------
    >>> notes = [["Read 2 rows of a.csv.", "Empty: 1.", "Found 1."], ["Read 3 rows of a.csv."]]
    >>> unite_notes(notes, {"Found": "Found 5."})
    ['Read 5 rows of a.csv.', 'Empty: 1.', 'Found 5.']
    >>> unite_notes([["Times have no zone."], []], {}) is None
    True
    """
    order: list[str] = []
    by_key: dict[str, list[_Note]] = {}
    for notes in all_notes:
        at = 0
        for note in (_take_apart(text, summary) for text in notes):
            if note.key not in order:
                order.insert(at, note.key)
            at = order.index(note.key) + 1
            by_key.setdefault(note.key, []).append(note)
    merged = []
    for key in order:
        same = by_key[key]
        if not same[0].numbers and key not in summary and len(same) < len(all_notes):
            return None
        merged.append(_merge_notes(key, same, summary))
    return [text for text in merged if text]


def _take_apart(text: str, summary: Mapping[str, str]) -> _Note:
    begun = next((begin for begin in summary if text.startswith(begin)), None)
    if begun is not None:
        return _Note(begun)
    if match := _LEFT_OUT.fullmatch(text):
        return _Note("left out", (_count(match[2]),), tuple(re.findall(r"`[^`]*`", match[1])))
    if match := _READ.fullmatch(text):
        return _Note(f"Read # {match[2]}", (_count(match[1]),))
    if match := _EMPTY.fullmatch(text):
        return _Note(f"empty {match[2]}", (_count(match[1]),), (match[2],))
    if match := _COUNTED.fullmatch(text):
        return _Note(f"{match[1]}: #.", (_count(match[2]),))
    return _Note(text)


def _merge_notes(key: str, same: Sequence[_Note], summary: Mapping[str, str]) -> str:
    if key in summary:
        return summary[key]
    if not same[0].numbers:
        return key
    total = sum(note.numbers[0] for note in same)
    if not total:
        return ""
    if key == "left out":
        names: list[str] = []
        for note in same:
            at = 0
            for name in note.names:
                if name not in names:
                    names.insert(at, name)
                at = names.index(name) + 1
        return f"Rows with empty cells in {', '.join(names)}, which were left out: {total:,}."
    if key.startswith("empty `"):
        cells, are, their = ("cells", "are", "their") if total > 1 else ("cell", "is", "its")
        return f"{total:,} empty {cells} in {same[0].names[0]} {are} kept as a value of {their} own."
    return key.replace("#", f"{total:,}", 1)


def _count(digits: str) -> int:
    return int(digits.replace(",", ""))


def count_owners(notes: Iterable[str]) -> tuple[int, int]:
    """Return how many people notes speak of, and the most records of one.

    Examples
    --------
    >>> count_owners(["There are 3 days of 2 people, up to 2 of one. The promise counts days."])
    (2, 2)
    """
    matches = [match for note in notes if (match := _OWNERS.fullmatch(note))]
    return sum(_count(match[2]) for match in matches), max((_count(match[3]) for match in matches), default=0)
