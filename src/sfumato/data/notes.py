"""What happened to data on the way, as records: what it was, how often, of which columns; as texts, its sentences."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Note", "merge_notes"]


@dataclasses.dataclass(frozen=True)
class Note:
    """One thing that a reader or a method did or saw; as a text, the sentence about it.

    Parameters
    ----------
    code
        What it is, for programs: the same whatever the sentence says.
    template
        The sentence, with names of counts and details in braces, and ``{columns}`` for the columns.
    counts
        How often, by name. Counts of notes that say the same of several partitions are added up.
    columns
        Columns it is about.
    details
        Whatever else the sentence names: a file, a unit, a format.

    Examples
    --------
    >>> note = Note("empty-rows", "Rows with empty cells in {columns}, left out: {rows:,}.", {"rows": 1200}, ("a", "b"))
    >>> str(note)
    'Rows with empty cells in `a`, `b`, left out: 1,200.'
    """

    code: str
    template: str
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)
    columns: tuple[str, ...] = ()
    details: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        """Return the sentence."""
        names = ", ".join(f"`{column}`" for column in self.columns)
        return self.template.format(columns=names, **self.counts, **self.details)


def merge_notes(notes: Iterable[Note]) -> list[Note]:
    """Add up the counts of notes that say the same of several partitions, in the order in which they come first.

    Examples
    --------
    >>> read = Note("rows-read", "Read {rows:,} rows of {file}.", {"rows": 2}, details={"file": "a.csv"})
    >>> [str(note) for note in merge_notes([read, read])]
    ['Read 4 rows of a.csv.']
    """
    merged: dict[tuple[object, ...], list[Note]] = {}
    for note in notes:
        merged.setdefault((note.code, note.template, note.columns, *note.details.items()), []).append(note)
    return [_add_up(same) for same in merged.values()]


def _add_up(same: Sequence[Note]) -> Note:
    counts = {name: sum(note.counts[name] for note in same) for name in same[0].counts}
    return dataclasses.replace(same[0], counts=counts)
