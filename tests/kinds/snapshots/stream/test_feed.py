"""Records as they come, gathered into snapshots."""

import numpy as np
import pyarrow as pa
import pytest

from sfumato.kinds.snapshots.stream.feed import SnapshotFeed


@pytest.mark.parametrize("sizes", [[1, 1, 1, 1, 1, 1], [2, 4], [6], [5, 1]])
def test_a_feed_gives_the_same_snapshots_however_records_are_batched(sizes):
    times = np.array([1, 1, 4, 3, 4, 6])
    table = pa.table({"ill": list("abcdef")})
    feed, closed, at = SnapshotFeed(), [], 0
    for size in sizes:
        closed += feed.add(times[at : at + size], table.slice(at, size))
        at += size
    closed += feed.finish()
    assert [[(s.time, s.rows.tolist()) for s in part.snapshots] for part in closed] == [
        [(1, [0, 1])],
        [(3, [3]), (4, [2, 4])],
        [(6, [5])],
    ]
    assert [part.rows for part in closed] == [2, 5, 6]
    assert list(feed.add(np.empty(0, np.int64), table.slice(0, 0))) == []
