"""Clusters that are merged: the relational loss kept up to date is that from scratch."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.rt.drawing import datasets
from tests.kinds.rt.naive.anonymity import bit_distance

from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.rt.dataset import known_items
from sfumato.kinds.rt.methods._base.clusters import Clusters
from sfumato.kinds.rt.methods.lexicographic import RFirst
from sfumato.kinds.rt.metrics.ncp import Ncp
from sfumato.kinds.table.dataset import Attribute, attributes_of
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run


def ncp_of_cell(attribute: Attribute, rows: list[int]) -> float:
    """NCP of the hull of some records, in the words of the guide."""
    codes = {int(attribute.codes[row]) for row in rows}
    if len(codes) == 1:
        return 0.0
    if -1 in codes:
        return 1.0
    if attribute.axis is not None:
        axis = attribute.axis
        return float((axis[max(codes)] - axis[min(codes)]) / (axis[-1] - axis[0]))
    if attribute.hierarchy is not None and attribute.leaf is not None:
        node = attribute.hierarchy.lca(*(int(attribute.leaf[code]) for code in codes))
        return float(attribute.hierarchy.leaf_count(node) / len(attribute.hierarchy.leaf_labels))
    return len(codes) / len(attribute.labels)


def rum_from_scratch(data: Dataset, group: list[int]) -> float:
    attributes = attributes_of(data)
    total = float(sum(g < 0 for g in group))
    for cluster in set(group) - {-1}:
        rows = [row for row, g in enumerate(group) if g == cluster]
        total += len(rows) * sum(ncp_of_cell(attribute, rows) for attribute in attributes) / len(attributes)
    return total / len(group)


@given(datasets(), st.randoms(use_true_random=False))
def test_incremental_rum_equals_rum_from_scratch_after_every_merge(data: Dataset, random) -> None:
    count = random.randint(1, 6)
    group = np.array([random.randrange(-1, count) for _ in range(len(data))])
    known = sorted(set(group.tolist()) - {-1})
    group = np.array([known.index(g) if g >= 0 else -1 for g in group.tolist()], np.int64)
    if not known:
        return
    clusters = Clusters(attributes_of(data), group, known_items(data))
    assert clusters.rum == pytest.approx(rum_from_scratch(data, group.tolist()), abs=1e-12)
    while len(clusters) > 1:
        into, gone = random.sample(clusters.listed(), 2)
        price = clusters.price_with(into)
        told = clusters.loss_with(into, price)[gone] / len(data)
        clusters.merge(into, gone)
        scratch = rum_from_scratch(data, clusters.groups().tolist())
        assert clusters.rum == pytest.approx(scratch, abs=1e-12)
        assert told == pytest.approx(scratch, abs=1e-12)
        assert sorted(row for rows in clusters.rows for row in rows) == np.flatnonzero(group >= 0).tolist()


@given(datasets(), st.integers(2, 4), st.sampled_from(["cluster", "incognito"]))
def test_rum_is_what_is_measured_of_the_release_in_every_digit(data: Dataset, k: int, relational: str) -> None:
    method = RFirst(k=k, m=1, relational=relational, transaction="coat")
    try:
        result = method.anonymize(data, Run(bytes(32), max_suppressed_records=0.5))
    except InfeasibleError:
        return
    group = np.full(len(data), -1, np.int64)
    cells = [str(row[:-1]) for row in zip(*(column.to_pylist() for column in result.release.table), strict=True)]
    group[result.owner_record.rows] = np.unique(cells, return_inverse=True)[1]
    clusters = Clusters(attributes_of(data), group, known_items(data))
    assert clusters.rum == Ncp().measure(Comparison(data, result.release)).value


@given(datasets(), st.randoms(use_true_random=False))
def test_clusters_are_rewound_to_what_they_were(data: Dataset, random) -> None:
    group = np.unique([random.randrange(6) for _ in range(len(data))], return_inverse=True)[1]
    clusters = Clusters(attributes_of(data), group, known_items(data))
    states = []
    while len(clusters) > 1:
        states.append((clusters.groups_as_numbered().tolist(), clusters.rum, clusters.versions()))
        clusters.merge(*random.sample(clusters.listed(), 2))
    for merges, (groups, rum, versions) in enumerate(states):
        earlier = clusters.rewind(merges)
        assert earlier.groups_as_numbered().tolist() == groups
        assert earlier.rum == pytest.approx(rum, abs=1e-12)
        assert earlier.versions() == versions
        assert earlier.rewind(merges // 2).groups_as_numbered().tolist() == states[merges // 2][0]
    held: dict[tuple[int, int], set[tuple[int, ...]]] = defaultdict(set)
    for groups, _, versions in states:
        for version in versions:
            held[version].add(tuple(row for row, at in enumerate(groups) if at == version[0]))
    assert all(len(rows) == 1 for rows in held.values())  # a version never means two different clusters


def test_clusters_that_are_published_alike_are_merged() -> None:
    data = Dataset.of("rt", [(1,), (3,), (1,), (3,), (9,)], ("age",), [["a"]] * 5)
    clusters = Clusters(attributes_of(data), np.array([0, 0, 1, 1, 2]), known_items(data))
    before = clusters.rum
    clusters.merge_equal()
    assert clusters.listed() == [0, 2]
    assert clusters.rum == before


def test_some_records_of_a_large_cluster_speak_for_it(monkeypatch) -> None:
    """Evenly spaced ones: the distance is the mean of what they have alone, with the whole cluster around them."""
    monkeypatch.setattr("sfumato.kinds.rt.methods._base.clusters._SAMPLE_SIZE", 3)
    sets = [["a"], ["b"], ["a", "b"], ["c"], ["a"], ["a", "c"], ["b", "c"], ["a", "b", "c"]]
    data = Dataset.of("rt", [(1,)] * 6 + [(9,)] * 2, ("age",), sets)
    clusters = Clusters(attributes_of(data), np.array([0] * 6 + [1] * 2), known_items(data))
    asked = [(set(sets[at]), [set(other) for other in sets]) for at in (0, 2, 4)]
    reach = [sorted(bit_distance(record, other) for other in everybody)[2] for record, everybody in asked]
    assert clusters.distance_with(0, 3).tolist() == pytest.approx([np.inf, sum(reach) / 3])
