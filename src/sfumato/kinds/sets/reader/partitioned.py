"""Reading of sets bucket by bucket."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.exceptions import SfumatoError
from sfumato.kinds.sets.reader.values import WORDS, find_hierarchies, note_items, read_constraints, recognise
from sfumato.readers.constraints import resolve_sensitive
from sfumato.readers.notes import SUMMARY
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER
from sfumato.readers.partitioned.reading import All, PartitionedReading, ReadWhole, leave_out
from sfumato.readers.roles import assign_roles

__all__ = ["PARTITIONED_READING"]


def _find_person_column(names: Sequence[str], read_options: ReadOptions) -> str:
    columns = assign_roles("", names, read_options, WORDS).columns
    if OWNER in columns:
        raise ReadWhole("a record must be of one owner, which all rows decide")
    column = columns.get("person") or columns.get("transaction")
    if column is None:
        raise ReadWhole("records have no names")
    return column


def _is_table(sample: Sequence[str], read_options: ReadOptions) -> bool:
    if read_options.format or read_options.columns or read_options.header:
        return True
    try:
        return recognise("", sample, read_options, quoted=any('"' in line for line in sample))[0] == "csv"
    except SfumatoError:
        return False


def _finish(summary: All, read_options: ReadOptions) -> tuple[Dataset, list[Note]]:
    """Add which items are sensitive, and what they can be generalised to."""
    data, notes = summary.dataset, list[Note]()
    labels = list(data.view_history().labels)
    schema = dataclasses.replace(data.schema, sensitive=resolve_sensitive(read_options.sensitive, labels, summary.name))
    trees = find_hierarchies(read_options, summary.name, labels, summary.survey.counts.tolist(), [1] * len(labels))
    constraints = read_constraints(read_options, labels, notes)
    return dataclasses.replace(data, schema=schema, hierarchies=trees, constraints=constraints), notes


def _summarise(summary: All, _: Sequence[Sequence[Note]]) -> dict[str, Note | None]:
    """Note how many there are of everything."""
    items, kinds = int(summary.survey.counts.sum()), len(summary.survey.counts)
    return {SUMMARY: note_items(summary.dataset.unit, summary.records, items, kinds)}


def _relax(read_options: ReadOptions) -> ReadOptions:
    return leave_out(read_options, ("sensitive", "hierarchies", "constraints"))


PARTITIONED_READING = PartitionedReading(_find_person_column, _is_table, _finish, _summarise, _relax)
