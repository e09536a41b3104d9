"""From clusters to a release: hulls of the quasi-identifiers, and the sets as each cluster recodes them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.table.encode import CodedColumn, encode_exact, make_table, make_values
from sfumato.release.encode import AT_LEAST_ONE, publishing_secret
from sfumato.release.recoding import name_values
from sfumato.release.release import OwnerRecord, PublishedColumn, Release, Result
from sfumato.release.run import Run
from sfumato.release.text import ValueFormat

__all__ = ["ItemValues", "publish_rt"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class ItemValues:
    """The sets of some records, as values that stand for one item or several.

    Parameters
    ----------
    rows
        Records, in any order; those that are not listed have nothing to publish.
    values
        Their values, as positions in ``groups``.
    groups
        Members of every value.

    Examples
    --------
    >>> some = ItemValues(np.array([2, 0]), ListColumn.from_lists([["x"], ["y"]]), [("a", "b"), ("c",)])
    >>> some.spread(3).lists()
    [['c'], [], ['{a|b}']]
    """

    rows: Ints
    values: ListColumn
    groups: Sequence[tuple[str, ...]]

    def spread(self, records: int) -> ListColumn:
        """Return the values of all records by name, in alphabetical order."""
        names = name_values(self.groups)
        labels = sorted({names[code] for code in np.unique(self.values.codes).tolist()})
        place = {name: at for at, name in enumerate(labels)}
        codes = np.array([place.get(name, -1) for name in names], np.int32)
        lengths = np.zeros(records, np.int64)
        lengths[self.rows] = self.values.lengths
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        order = np.argsort(self.rows, kind="stable")
        taken = self.values.take(order).codes
        return ListColumn(offsets, codes[taken] if len(codes) else taken, tuple(labels)).distinct()

    def members(self) -> list[tuple[str, str]]:
        """Return (value, member) of every value that several items are published as and that a record has."""
        used = np.unique(self.values.codes).tolist()
        named = dict(zip(name_values(self.groups), self.groups, strict=True))
        names = name_values(self.groups)
        shown = {names[code] for code in used}
        return [(name, member) for name, group in named.items() if name in shown and len(group) > 1 for member in group]


def publish_rt(
    dataset: Dataset,
    method: Method,
    guarantee: Guarantee,
    rows: Ints,
    quasi: Sequence[CodedColumn],
    items: ItemValues,
    run: Run,
    *,
    suppressed_records: Mapping[str, int] | None = None,
) -> Result:
    """Make the release and its trace: columns in the order of the original, records in a random one.

    Parameters
    ----------
    dataset, method, guarantee
        What is published, by whom, and what is guaranteed of it.
    rows
        Original rows that are published.
    quasi
        Quasi-identifiers of these rows.
    items
        Their sets.
    run
        Its secret orders the records.
    suppressed_records
        Records left out, by reason.
    """
    history = dataset.schema.history
    parts = {part.column.name: part for part in quasi}
    for column in dataset.schema.columns:
        if column.role in {"sensitive", "plain"}:
            parts[column.name] = encode_exact(dataset, column.name, rows)
    published = PublishedColumn(history, "history", ValueFormat("category", history=True, meaning=AT_LEAST_ONE))
    sets = items.spread(len(dataset)).take(rows)
    members = tuple(items.members())
    # The column of sets is put in below, record by record: it has hardly two equal cells.
    parts[history] = CodedColumn(published, pa.nulls(0), np.empty(0, np.int64), members)
    columns = [parts[column.name] for column in dataset.schema.columns if column.name in parts]
    order = publishing_secret(dataset, method, run).order(len(rows), "records")
    table = make_table([part for part in columns if part.column is not published], order)
    table = table.append_column(history, sets.take(order).to_arrow()).select([part.column.name for part in columns])
    release = Release(
        kind=dataset.kind,
        method=method.name,
        method_note=method.note(guarantee),
        guarantee=guarantee,
        columns=tuple(part.column for part in columns),
        table=table,
        values=make_values(columns),
        records_in=len(dataset),
        suppressed_records={reason: count for reason, count in (suppressed_records or {}).items() if count},
        unit=dataset.unit,
    )
    owner_record = OwnerRecord(rows[order], run.secret, run.seconds, run.counters, method.parameters(), None, dataset)
    return Result(release, owner_record)
