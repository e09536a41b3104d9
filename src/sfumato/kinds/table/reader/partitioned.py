"""Reading of tables bucket by bucket."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.hierarchies.rules import RULES
from sfumato.kinds.table.reader.doubts import IDENTIFIER_ROWS, IDENTIFIER_VALUES, doubt_identifiers
from sfumato.kinds.table.reader.roles import name_columns
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER
from sfumato.readers.partitioned.reading import All, PartitionedReading, ReadWhole

__all__ = ["PARTITIONED_READING", "doubt_merged_identifiers", "find_person_column", "refuse_derived"]


def find_person_column(names: Sequence[str], read_options: ReadOptions) -> str | None:
    """Return the one identifier of a table, so that repetitions are found; None without any.

    Examples
    --------
    >>> find_person_column(["name", "age"], ReadOptions("table", identifier=("name",), quasi=("age",)))
    'name'
    """
    if OWNER in read_options.columns or read_options.weight is not None or read_options.population is not None:
        raise ReadWhole("people, weights or a population need all rows")
    if read_options.missing not in {"keep", "error"}:
        raise ReadWhole("rows are left out or filled in")
    refuse_derived(read_options.hierarchies)
    named = [column for column in name_columns(read_options.identifier, list(names)) if column in names]
    if len(named) > 1:
        raise ReadWhole("it has several identifiers")
    return named[0] if named else None


def refuse_derived(hierarchies: Mapping[str, str]) -> None:
    """Require all rows where a hierarchy is derived from the values of all people."""
    if any(given.split(":")[0] in RULES for given in hierarchies.values()):
        raise ReadWhole("hierarchies are derived from all values")


def _finish(summary: All, _: ReadOptions) -> tuple[Dataset, list[Note]]:
    return doubt_merged_identifiers(summary), []


def doubt_merged_identifiers(summary: All) -> Dataset:
    """Return the data of all buckets, with doubts about identifiers that have few values in all of them.

    A value of the identifier is in one bucket only, so that numbers of values add up.
    """
    values, rows = summary.decisions[IDENTIFIER_VALUES], summary.decisions[IDENTIFIER_ROWS]
    return dataclasses.replace(summary.dataset, doubts=tuple(doubt_identifiers(values, rows)))


PARTITIONED_READING = PartitionedReading(
    find_person_column,
    lambda _sample, _read_options: True,
    _finish,
    lambda _dataset, _notes: {},
    lambda read_options: read_options,
)
