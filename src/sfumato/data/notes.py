"""What happened to data on the way, as records: what it was, how often, of which columns; as texts, its sentences."""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sfumato.messages import Message, Setting

__all__ = ["Note", "add_counts", "list_names", "merge_notes"]

_MOST_JOINED = 4
"""Names up to which the last one follows an "and"."""


@dataclasses.dataclass(frozen=True)
class Note:
    """One thing that a reader or a method did or saw; as a text, the sentence about it.

    Parameters
    ----------
    code
        What it is, for programs: the same whatever the sentence says.
    template
        The sentence, with names of counts and details in braces, and ``{columns}`` for the columns. What depends on a
        number stands behind its name: ``{rows:row|rows}``, ``{columns:is|are}``.
    counts
        How often, by name. Counts of notes that say the same of several partitions are added up.
    columns
        Columns it is about.
    details
        Whatever else the sentence names: a file, a unit, an option that would help.

    Examples
    --------
    >>> note = Note("empty-rows", "Left out {rows} {rows:row|rows} with empty {columns}.", {"rows": 1200}, ("a", "b"))
    >>> str(note)
    'Left out 1,200 rows with empty `a` and `b`.'
    """

    code: str
    template: str
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)
    columns: tuple[str, ...] = ()
    details: Mapping[str, str | Setting] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        """Return the sentence, as Python says it."""
        return str(self.message)

    @property
    def message(self) -> Message:
        """The sentence, whose options each way in writes its own way.

        Examples
        --------
        >>> from sfumato.messages import option
        >>> Note("late", "Sort them: {option}.", details={"option": option("force", True)}).message.parts
        ('Sort them: ', Setting(name='force', value=True, of_method=False), '.')
        """
        parts: list[str | Setting] = []
        for text, name, numbered, _ in string.Formatter().parse(self.template):
            parts += [text] if text else []
            parts += [self._fill(name, numbered or "")] if name is not None else []
        return Message(*parts)

    @property
    def key(self) -> tuple[object, ...]:
        """What notes have in common that differ in their counts only."""
        named = ((name, str(Message(value))) for name, value in self.details.items())
        return self.code, self.template, self.columns, *named

    def _fill(self, name: str, numbered: str) -> str | Setting:
        if name in self.details:
            return self.details[name]
        number = len(self.columns) if name == "columns" else self.counts[name]
        if numbered:
            one, _, many = numbered.partition("|")
            return (one if number == 1 else many).format(**self.details)
        return list_names(self.columns) if name == "columns" else f"{number:,}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, of which :meth:`from_dict` makes the same note."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Note:
        """Make the note that plain values are of.

        Examples
        --------
        >>> note = Note("late", "Sorted {rows} rows.", {"rows": 2}, ("time",))
        >>> Note.from_dict(note.to_dict()) == note
        True
        """
        details = {
            name: value if isinstance(value, str) else Setting(**value) for name, value in fields["details"].items()
        }
        return cls(fields["code"], fields["template"], fields["counts"], tuple(fields["columns"]), details)


def list_names(names: Iterable[str]) -> str:
    """Return names of columns as sentences list them.

    Examples
    --------
    >>> list_names(["a"]), list_names("abc"), list_names("abcde")
    ('`a`', '`a`, `b` and `c`', '`a`, `b`, `c`, `d`, `e`')
    """
    quoted = [f"`{name}`" for name in names]
    if not 1 < len(quoted) <= _MOST_JOINED:
        return ", ".join(quoted)
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def merge_notes(notes: Iterable[Note]) -> list[Note]:
    """Add up the counts of notes that say the same of several partitions, in the order in which they come first.

    Examples
    --------
    >>> read = Note("rows-read", "Read {rows} rows of {file}.", {"rows": 2}, details={"file": "a.csv"})
    >>> [str(note) for note in merge_notes([read, read])]
    ['Read 4 rows of a.csv.']
    """
    merged: dict[tuple[object, ...], list[Note]] = {}
    for note in notes:
        merged.setdefault(note.key, []).append(note)
    return [add_counts(same) for same in merged.values()]


def add_counts(same: Sequence[Note]) -> Note:
    """Return one note for several that say the same, with the counts of all.

    Examples
    --------
    >>> str(add_counts([Note("late", "{rows} late.", {"rows": rows}) for rows in (2, 3)]))
    '5 late.'
    """
    counts = {name: sum(note.counts[name] for note in same) for name in same[0].counts}
    return dataclasses.replace(same[0], counts=counts)
