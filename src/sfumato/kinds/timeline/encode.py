"""What is left of a timeline, as a release."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.timeline import KIND
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

__all__ = ["NOTHING_LEFT", "publish"]

Ints = npt.NDArray[np.int64]

(NOTHING_LEFT,) = KIND.suppression_reasons


def publish(
    dataset: Dataset, timeline: Timeline, left: Ints, method: Method, guarantee: Guarantee
) -> tuple[Release, Ints]:
    """Return a release of what is left of every entry of a timeline, and the time points that are published.

    A time point that has become empty is suppressed. Where a time point without events is a row, one that has become
    empty is nothing special and stays.

    Examples
    --------
    >>> from sfumato.kinds.timeline.guarantees import PrefixFrequency
    >>> data = Dataset.of("timeline", [{"b": 3, "a": 2}, {"a": 1}], sensitive=("a",))
    >>> from sfumato.kinds.timeline.methods.sanitisation import Odesa
    >>> guarantee = PrefixFrequency("1/3", events=("a",))
    >>> release, rows = publish(data, Timeline.of(data), np.array([3, 1, 0]), Odesa("1/3"), guarantee)
    >>> release.history().lists(), release.table.column("counts").to_pylist(), rows.tolist()
    ([['a', 'b']], [[1, 3]], [0])
    """
    events = np.bincount(timeline.points[left > 0], minlength=len(timeline))
    rows = np.arange(len(timeline)) if (np.diff(timeline.offsets) == 0).any() else np.flatnonzero(events)
    suppressed_records = len(timeline) - len(rows)
    columns, table = _make_table(dataset, timeline, left, rows)
    release = Release(
        kind=dataset.kind,
        method=method.name,
        method_note=method.note(guarantee),
        guarantee=guarantee,
        columns=columns,
        table=table,
        values=pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")}),
        records_in=len(timeline),
        suppressed_records={NOTHING_LEFT: suppressed_records} if suppressed_records else {},
        unit=dataset.unit,
    )
    return release, rows


def _make_table(
    dataset: Dataset, timeline: Timeline, left: Ints, rows: Ints
) -> tuple[tuple[PublishedColumn, ...], pa.Table]:
    """Return what is published of some time points, in time order, with the events in alphabetical order.

    The dictionary is sorted and holds only what is left: the order in which events were first seen would tell what
    stood before a deleted one.
    """
    used = np.unique(timeline.codes[left > 0]).tolist()
    labels = sorted(timeline.labels[code] for code in used)
    position = {label: i for i, label in enumerate(labels)}
    recode = np.array([position.get(label, -1) for label in timeline.labels], dtype=np.int64)
    entries = np.flatnonzero(left > 0)
    entries = entries[
        np.argsort(timeline.points[entries] * len(labels) + recode[timeline.codes[entries]], kind="stable")
    ]
    sizes = np.bincount(timeline.points[entries], minlength=len(timeline))[rows]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    events = ListColumn(offsets, recode[timeline.codes[entries]].astype(np.int32), tuple(labels))
    counts = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(left[entries], pa.int64()))
    time_unit = dataset.time_unit
    names = {column.role: column.name for column in dataset.schema.columns}
    columns = (
        PublishedColumn(names["time"], "time", ValueFormat("exact", time_unit.published_type)),
        PublishedColumn(names["history"], "history", ValueFormat("category", history=True)),
        PublishedColumn(names["count"], "count", ValueFormat("exact", "int64", history=True)),
    )
    cells = (time_unit.to_arrow(timeline.times[rows]), events.to_arrow(), counts)
    return columns, pa.table({column.name: cell for column, cell in zip(columns, cells, strict=True)})
