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
    "Said",
    "agree",
    "count_owners",
    "listen",
    "note_count",
    "unite_notes",
    "unite_said",
]

T = TypeVar("T")

DISAGREED = object()
"""What comes of buckets that decided differently where all must be the same."""


class Said(NamedTuple):
    """What one bucket decided, and how that of all comes of it."""

    how: str
    """``same``, ``sum``, ``low`` and ``high``; ``least`` and ``most`` where a bucket is read again with that of all."""
    value: Any


class _Ear(NamedTuple):
    said: dict[str, Said]
    known: Mapping[str, Any]


_listening: ContextVar[_Ear | None] = ContextVar("listening", default=None)


@contextlib.contextmanager
def listen(decisions: Mapping[str, Any] | None = None) -> Iterator[dict[str, Said]]:
    """Be told what is decided by all rows inside of a ``with`` block; what is known of all buckets is decided already.

    Examples
    --------
    >>> with listen({"the first moment": 3}) as said:
    ...     agree("the first moment", 5, "least")
    3
    >>> said
    {'the first moment': Said(how='least', value=5)}
    """
    ear = _Ear({}, decisions or {})
    before = _listening.set(ear)
    try:
        yield ear.said
    finally:
        _listening.reset(before)


def agree(what: str, value: T, how: str = "same") -> T:
    """Tell what these rows decide; return what all rows decide, where that is known.

    Examples
    --------
    >>> agree("the first moment", 5, "least")
    5
    """
    ear = _listening.get()
    if ear is None:
        return value
    ear.said[what] = Said(how, value)
    decision: T = ear.known.get(what, value)
    return decision


def note_count(notes: list[str], what: str, count: int) -> None:
    """Note how often something was found, if it was; of one bucket also if not, so that notes of all keep their order.

    Examples
    --------
    >>> notes = []
    >>> note_count(notes, "Empty", 0), note_count(notes, "Cut", 1200), notes
    (None, None, ['Cut: 1,200.'])
    """
    if count or _listening.get() is not None:
        notes.append(f"{what}: {count:,}.")


def unite_said(all_said: Iterable[Mapping[str, Said]]) -> dict[str, Any]:
    """Return what all buckets decide together.

    Examples
    --------
    >>> unite_said([{"first": Said("least", 5), "zone": Said("same", True)}, {"first": Said("least", 3)}])
    {'first': 3, 'zone': True}
    >>> unite_said([{"zone": Said("same", True)}, {"zone": Said("same", False)}])["zone"] is DISAGREED
    True
    """
    decisions: dict[str, Any] = {}
    for statements in all_said:
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


def unite_notes(all_notes: Sequence[Sequence[str]], rebuilt: Mapping[str, str]) -> list[str] | None:
    """Return the notes that one reader of everything would have taken; None where buckets were read differently.

    Counts are added up. A note that begins as one that is given is taken from there: what it counts does not add up.
    Any other note must stand in all buckets, word for word.

    Parameters
    ----------
    all_notes
        The notes of every bucket.
    rebuilt
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
        for note in (_take_apart(text, rebuilt) for text in notes):
            if note.key not in order:
                order.insert(at, note.key)
            at = order.index(note.key) + 1
            by_key.setdefault(note.key, []).append(note)
    united = []
    for key in order:
        same = by_key[key]
        if not same[0].numbers and key not in rebuilt and len(same) < len(all_notes):
            return None
        united.append(_put_together(key, same, rebuilt))
    return [text for text in united if text]


def _take_apart(text: str, rebuilt: Mapping[str, str]) -> _Note:
    begun = next((begin for begin in rebuilt if text.startswith(begin)), None)
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


def _put_together(key: str, same: Sequence[_Note], rebuilt: Mapping[str, str]) -> str:
    if key in rebuilt:
        return rebuilt[key]
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
