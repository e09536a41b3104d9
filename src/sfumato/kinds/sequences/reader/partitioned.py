"""Reading of sequences bucket by bucket."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.kinds.sequences.reader.values import WORDS, note_events, read_hierarchies
from sfumato.kinds.sequences.reader.weblog import is_weblog
from sfumato.readers.constraints import resolve_monitored
from sfumato.readers.layouts import is_spmf
from sfumato.readers.notes import SUMMARY
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER
from sfumato.readers.partitioned.reading import All, PartitionedReading, ReadWhole, leave_out
from sfumato.readers.roles import assign_roles

__all__ = ["PARTITIONED_READING"]


def _find_person_column(names: Sequence[str], read_options: ReadOptions) -> str:
    if read_options.user_key is not None:
        raise ReadWhole("web logs are read so")
    columns = assign_roles("", names, read_options, WORDS).columns
    if OWNER in columns:
        raise ReadWhole("a record must be of one owner, which all rows decide")
    column = columns.get("person") or columns.get("session")
    if column is None:
        raise ReadWhole("there is no column for the person")
    return column


def _is_table(sample: Sequence[str], read_options: ReadOptions) -> bool:
    declared = read_options.format or read_options.header or read_options.delimiter
    return bool(declared) or not (is_weblog(sample[:5]) or is_spmf(sample[:5]))


def _finish(summary: All, read_options: ReadOptions) -> tuple[Dataset, list[Note]]:
    """Add which events are monitored, and what they can be generalised to."""
    data = summary.dataset
    labels = list(data.view_history().labels)
    schema = dataclasses.replace(data.schema, monitored=resolve_monitored(read_options.monitored, labels, summary.name))
    hierarchies = read_hierarchies(read_options, summary.name, labels, [1] * len(labels))
    return dataclasses.replace(data, schema=schema, hierarchies=hierarchies), []


def _summarise(summary: All, _: Sequence[Sequence[Note]]) -> dict[str, Note | None]:
    """Note how many there are of everything."""
    events, kinds = int(summary.survey.counts.sum()), len(summary.survey.counts)
    return {SUMMARY: note_events(summary.dataset.unit, summary.records, events, kinds)}


def _relax(read_options: ReadOptions) -> ReadOptions:
    return leave_out(read_options, ("monitored", "hierarchies"))


PARTITIONED_READING = PartitionedReading(_find_person_column, _is_table, _finish, _summarise, _relax, layouts=True)
