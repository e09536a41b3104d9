"""Reading of a kind of data in buckets: the key of rows, and the results of all buckets."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.data.sort_key import Survey
from sfumato.readers.options import ReadOptions

__all__ = ["All", "PartitionedReading", "ReadWhole", "leave_out"]


class ReadWhole(Exception):  # noqa: N818
    """A file must be read whole; the text is the reason, to follow "because".

    Callers catch it and read the file whole, which then raises the errors of the file.
    """


@dataclasses.dataclass(frozen=True, eq=False)
class All:
    """The results of all buckets.

    Parameters
    ----------
    dataset
        The data without records: values, places and all that is the same for all people.
    survey
        The frequency of every value.
    decisions
        Decisions that depend on all rows.
    name
        Of the file, for messages.
    records
        The number of records.
    """

    dataset: Dataset
    survey: Survey
    decisions: Mapping[str, Any]
    name: str
    records: int


@dataclasses.dataclass(frozen=True)
class PartitionedReading:
    """What a reader needs to read buckets of rows instead of a whole file.

    Parameters
    ----------
    find_person_column
        Returns the column whose equal cells are the rows of one person, or None where every row is a record; raises
        :class:`ReadWhole` where the options need all rows at once. It is given the names of all columns.
    is_table
        Returns whether a text is a table, by its first lines.
    finish
        Returns the data with the options on values applied, and notes on them.
    summarise
        Returns the notes whose counts do not add up, by their codes, given those of all buckets.
    relax
        Returns the options to read buckets with: without those that need all values.
    layouts
        Whether files without a header are recognised.
    growth
        Returns the approximate size of records relative to their rows, where that is large.
    """

    find_person_column: Callable[[Sequence[str], ReadOptions], str | None]
    is_table: Callable[[Sequence[str], ReadOptions], bool]
    finish: Callable[[All, ReadOptions], tuple[Dataset, list[Note]]]
    summarise: Callable[[All, Sequence[Sequence[Note]]], dict[str, Note | None]]
    relax: Callable[[ReadOptions], ReadOptions]
    layouts: bool = False
    growth: Callable[[ReadOptions], float] = lambda _read_options: 1.0


def leave_out(read_options: ReadOptions, names: Sequence[str]) -> ReadOptions:
    """Return options with the defaults of some of them.

    Examples
    --------
    >>> leave_out(ReadOptions("sets", sensitive=("wine",)), ["sensitive"]).sensitive
    ()
    """
    empty: dict[str, Any] = {name: {} if isinstance(getattr(read_options, name), Mapping) else () for name in names}
    return dataclasses.replace(read_options, **empty)
