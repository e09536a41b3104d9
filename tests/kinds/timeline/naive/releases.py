"""A good release of a timeline, and ways to damage it."""

import dataclasses

import pyarrow as pa

import sfumato as sf
from sfumato.data.lists import ListColumn

ROWS = [{"a": 2, "b": 3, "c": 1}, {"a": 4, "c": 5}, {"b": 6, "c": 4}, {"a": 9, "b": 9, "c": 4}]
TWINS = [{"s": 3, "t": 2, "u": 2, "b": 9}, {"s": 1, "b": 9}, {"s": 2, "t": 1, "u": 1, "b": 4}]


def good(delta="1/4", **options):
    """Return data with their release and its trace."""
    data = sf.Dataset.of("timeline", ROWS, sensitive=("a",))
    return data, sf.anonymize(data, sf.methods.Odesa(delta=delta, **options), max_suppressed_records=1)


def covered():
    """Return data with a release in which s hides behind t and u."""
    data = sf.Dataset.of("timeline", TWINS, sensitive=("s",))
    return data, sf.anonymize(data, sf.methods.Odesa(delta="1/4", cover=3))


def with_rows(release, rows, times=None):
    """Return the release with other contents, one list of (event, count) per time point."""
    events = ListColumn.from_lists([[event for event, _ in row] for row in rows])
    counts = pa.array([[count for _, count in row] for row in rows], pa.list_(pa.int64()))
    when = release.table.column("time") if times is None else pa.array(times, release.table.schema.field("time").type)
    table = pa.table({"time": when, "events": events.to_arrow(), "counts": counts})
    return dataclasses.replace(release, table=table)


def rows_of(release):
    """Return the contents of a release, one list of (event, count) per time point."""
    events, counts = release.history().lists(), release.table.column("counts").to_pylist()
    return [list(zip(*row, strict=True)) for row in zip(events, counts, strict=True)]
