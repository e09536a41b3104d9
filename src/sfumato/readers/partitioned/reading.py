"""How a kind of data is read in buckets: what keeps rows together, and what is settled when all buckets were read."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sfumato.data.dataset import Dataset
from sfumato.data.sort_key import Survey
from sfumato.readers.options import ReadOptions

__all__ = ["All", "PartitionedReading", "ReadWhole", "leave_out"]


class ReadWhole(Exception):  # noqa: N818
    """A file has to be read whole; why, in words that go on after "because".

    It never leaves this program: whoever catches it reads the file whole, and what is wrong with the file, if anything
    is, is said by whoever reads it then.
    """


@dataclasses.dataclass(frozen=True, eq=False)
class All:
    """What is known when all buckets were read.

    Parameters
    ----------
    dataset
        The data without their records: values, places and all that is the same for everybody.
    survey
        How often every value comes.
    decisions
        What was decided by all rows.
    name
        Of the file, for messages.
    records
        How many there are.
    """

    dataset: Dataset
    survey: Survey
    decisions: Mapping[str, Any]
    name: str
    records: int


@dataclasses.dataclass(frozen=True)
class PartitionedReading:
    """What a reader needs to be given buckets of rows instead of a whole file.

    Parameters
    ----------
    find_person_column
        Returns the column whose equal cells are the rows of one person, or None where every row is a record; raises
        :class:`ReadWhole` where the options need all rows at once. It is given the names of all columns.
    is_table
        Tells by the first lines of a text whether it is a plain table.
    finish
        Returns the data with what the reading says about values, and the notes on that.
    summarise
        Returns notes whose numbers do not add up, by how they begin.
    relax
        Returns the options to read buckets with: without those that only make sense when all values are known.
    layouts
        Whether files without a header are known by their look.
    growth
        Returns how many times as large records are as their rows, about, where that is much.
    """

    find_person_column: Callable[[Sequence[str], ReadOptions], str | None]
    is_table: Callable[[Sequence[str], ReadOptions], bool]
    finish: Callable[[All, ReadOptions], tuple[Dataset, list[str]]]
    summarise: Callable[[All, Sequence[Sequence[str]]], dict[str, str]]
    relax: Callable[[ReadOptions], ReadOptions]
    layouts: bool = False
    growth: Callable[[ReadOptions], float] = lambda _read_options: 1.0


def leave_out(read_options: ReadOptions, names: Sequence[str]) -> ReadOptions:
    """Return a reading without some options.

    Examples
    --------
    >>> leave_out(ReadOptions("sets", sensitive=("wine",)), ["sensitive"]).sensitive
    ()
    """
    empty: dict[str, Any] = {name: {} if isinstance(getattr(read_options, name), Mapping) else () for name in names}
    return dataclasses.replace(read_options, **empty)
