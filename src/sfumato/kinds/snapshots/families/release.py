"""All snapshots of a dataset as one release."""

from __future__ import annotations

import numpy as np

from sfumato.core.dataset import Dataset
from sfumato.core.errors import InfeasibleError
from sfumato.core.method import Method
from sfumato.core.release import Result, Trace
from sfumato.core.run import Run
from sfumato.kinds.snapshots.families.stream import SnapshotStream, make_release

__all__ = ["release_snapshots"]


def release_snapshots(method: Method, dataset: Dataset, stream: SnapshotStream, run: Run) -> Result:
    """Push every snapshot of a dataset through a stream and return what left it as one release."""
    leaving = []
    with run.phase("reposition"):
        for snapshot in stream.cut(dataset):
            leaving += stream.push(snapshot)
            run.progress("reposition", int(snapshot.rows[-1]) + 1, len(dataset))
        leaving += stream.flush()
    published = [snapshot for snapshot in leaving if snapshot.table.num_rows]
    if not published:
        raise InfeasibleError(
            f"{type(method).__name__}: no snapshot can be published: none has {stream.l} sensitive values that are "
            f"frequent enough, within {stream.window} snapshots. Lower l, widen the window or cut time more coarsely."
        )
    release = make_release(stream, method.name, published, stream.withheld)
    rows = np.concatenate([snapshot.rows for snapshot in published])
    distance = np.concatenate([snapshot.time - snapshot.homes for snapshot in published])
    run.counters |= {
        "snapshots": len(published),
        "records_published_late": int((distance > 0).sum()),
        "longest_delay": int(distance.max()),
    }
    late, lost = int((distance > 0).sum()), sum(release.withheld.values())
    run.notes.append(
        f"Of {len(dataset):,} records {len(rows) - late:,} are published on time, {late:,} late and {lost:,} never."
    )
    trace = Trace(rows, run.secret, run.seconds, run.counters, method.parameters(), original=dataset)
    return Result(release, trace)
