"""Sets that are read bucket by bucket."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sfumato.data.dataset import Dataset
from sfumato.exceptions import SfumatoError
from sfumato.kinds.sets.reader.values import WORDS, find_hierarchies, read_constraints, recognise
from sfumato.readers.constraints import resolve_sensitive
from sfumato.readers.options import Reading
from sfumato.readers.ownership import OWNER
from sfumato.readers.partitioned.gathering import All, Gathering, ReadWhole, leave_out
from sfumato.readers.roles import assign_roles

__all__ = ["GATHERING"]


def _keep_together(names: Sequence[str], reading: Reading) -> str:
    columns = assign_roles("", names, reading, WORDS).columns
    if OWNER in columns:
        raise ReadWhole("a record must be of one owner, which all rows decide")
    column = columns.get("person") or columns.get("transaction")
    if column is None:
        raise ReadWhole("records have no names")
    return column


def _is_table(sample: Sequence[str], reading: Reading) -> bool:
    if reading.format or reading.columns or reading.header:
        return True
    try:
        return recognise("", sample, reading, quoted=any('"' in line for line in sample))[0] == "csv"
    except SfumatoError:
        return False


def _settle(summary: All, reading: Reading) -> tuple[Dataset, list[str]]:
    """Say which items are sensitive, and what they can be generalised to."""
    data, notes = summary.dataset, list[str]()
    labels = list(data.view_history().labels)
    schema = dataclasses.replace(data.schema, sensitive=resolve_sensitive(reading.sensitive, labels, summary.name))
    trees = find_hierarchies(reading, summary.name, labels, summary.survey.counts.tolist(), [1] * len(labels))
    constraints = read_constraints(reading, labels, notes)
    return dataclasses.replace(data, schema=schema, hierarchies=trees, constraints=constraints), notes


def _rebuild(summary: All, _: Sequence[Sequence[str]]) -> dict[str, str]:
    """Say how many there are of everything."""
    items, kinds = int(summary.survey.counts.sum()), len(summary.survey.counts)
    count = summary.dataset.unit.count(summary.records)
    return {"Found ": f"Found {count} and {items:,} items of {kinds:,} kinds."}


def _loosen(reading: Reading) -> Reading:
    return leave_out(reading, ("sensitive", "hierarchies", "constraints"))


GATHERING = Gathering(_keep_together, _is_table, _settle, _rebuild, _loosen)
