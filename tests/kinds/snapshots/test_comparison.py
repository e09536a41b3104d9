"""Original and published counts side by side, against plain counting."""

import itertools

import numpy as np
from tests.kinds.snapshots.naive.people import publish_cases

from sfumato.kinds.snapshots.comparison import SnapshotComparison, ValueCounts, merge_snapshots, suppress_plainly

DATA, RESULT, COMPARISON = publish_cases()


def plain_count(times, values, value, begin, length):
    return sum(v == value and begin <= t < begin + length for t, v in zip(times, values, strict=True))


def test_window_counts_are_counts():
    found = SnapshotComparison(COMPARISON)
    values = DATA.table["condition"].to_pylist()
    published = [
        (row["snapshot"] - int(DATA.table["time"].to_numpy().min()), row["condition"])
        for row in RESULT.release.extra_tables["sensitive"].table.to_pylist()
        for _ in range(row["count"])
    ]
    for (code, value), begin, length in itertools.product(list(enumerate(found.values))[:3], (0, 7, 30), (1, 4)):
        at = np.array([begin])
        assert found.original_counts.count_in(code, at, length) == plain_count(
            found.times, values, value, begin, length
        )
        expected = plain_count(*zip(*published, strict=True), value, begin, length)
        assert found.published_counts.count_in(code, at, length) == expected


def test_alternatives_are_eligible():
    truth = SnapshotComparison(COMPARISON).original_counts
    for counts in (suppress_plainly(truth, 3), merge_snapshots(truth, 3)):
        for first in np.unique(counts.first):
            mine = counts.count[counts.first == first]
            assert 3 * mine.max() <= mine.sum()
        assert counts.count.sum() <= truth.count.sum()
    whole = ValueCounts(*(np.array(part) for part in ([0, 1], [0, 1], [0, 1], [4, 1])))
    assert merge_snapshots(whole, 2).count.tolist() == [1, 1]
