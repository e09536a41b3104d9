"""Sequences that are read bucket by bucket."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sfumato.data.dataset import Dataset
from sfumato.kinds.sequences.reader.values import WORDS, read_hierarchies
from sfumato.kinds.sequences.reader.weblog import looks_like_weblog
from sfumato.readers.constraints import resolve_monitored
from sfumato.readers.layouts import looks_like_spmf
from sfumato.readers.options import Reading
from sfumato.readers.ownership import OWNER
from sfumato.readers.partitioned.gathering import All, Gathering, ReadWhole, leave_out
from sfumato.readers.roles import assign_roles

__all__ = ["GATHERING"]


def _keep_together(names: Sequence[str], reading: Reading) -> str:
    if reading.user_key is not None:
        raise ReadWhole("web logs are read so")
    columns = assign_roles("", names, reading, WORDS).columns
    if OWNER in columns:
        raise ReadWhole("a record must be of one owner, which all rows decide")
    column = columns.get("person") or columns.get("session")
    if column is None:
        raise ReadWhole("there is no column for the person")
    return column


def _is_table(sample: Sequence[str], reading: Reading) -> bool:
    declared = reading.format or reading.header or reading.delimiter
    return bool(declared) or not (looks_like_weblog(sample[:5]) or looks_like_spmf(sample[:5]))


def _settle(summary: All, reading: Reading) -> tuple[Dataset, list[str]]:
    """Say which events are monitored, and what they can be generalised to."""
    data = summary.dataset
    labels = list(data.view_history().labels)
    schema = dataclasses.replace(data.schema, monitored=resolve_monitored(reading.monitored, labels, summary.name))
    hierarchies = read_hierarchies(reading, summary.name, labels, [1] * len(labels))
    return dataclasses.replace(data, schema=schema, hierarchies=hierarchies), []


def _rebuild(summary: All, _: Sequence[Sequence[str]]) -> dict[str, str]:
    """Say how many there are of everything."""
    events, kinds = int(summary.survey.counts.sum()), len(summary.survey.counts)
    count = summary.dataset.unit.count(summary.records)
    return {"Found ": f"Found {count} and {events:,} events of {kinds:,} kinds."}


def _loosen(reading: Reading) -> Reading:
    return leave_out(reading, ("monitored", "hierarchies"))


GATHERING = Gathering(_keep_together, _is_table, _settle, _rebuild, _loosen, layouts=True)
