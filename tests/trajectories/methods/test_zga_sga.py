"""ZGA and SGA: the printed orders and clusters, and clusters that cannot stand alone."""

import numpy as np
import pytest
from tests.trajectories.examples import XY, six_with_sensitive

from sfumato.core.dataset import Dataset
from sfumato.core.errors import InfeasibleError
from sfumato.core.row_clusters import cut
from sfumato.core.run import Run
from sfumato.kinds.trajectories.methods.sga import Sga
from sfumato.kinds.trajectories.methods.zga import Zga
from sfumato.kinds.trajectories.model.histories import Trajectories


def test_sga_orders_people_as_printed():
    order = Sga(k=2, m=2, clusters=2, top=2).order(Trajectories.of(six_with_sensitive()))
    assert [(part + 1).tolist() for part in cut(order, 2, 2)] == [[5, 1, 3], [4, 6, 2]]


def test_sga_releases_the_printed_second_cluster():
    result = Sga(k=2, m=2, l=2, clusters=2, top=2).anonymize(six_with_sensitive(), Run(bytes([1] * 32)))
    rows = dict(zip(result.trace.rows.tolist(), result.release.history().lists(), strict=True))
    abd = "{a|b|d}"
    assert rows[3] == [abd, abd, "e", "c"]
    assert rows[5] == [abd, "e"]
    assert rows[1] == [abd, abd, "e", "c"]


def test_zga_orders_people_as_printed():
    order = Zga(k=2, m=2, clusters=2).order(Trajectories.of(six_with_sensitive()))
    assert [(part + 1).tolist() for part in cut(order, 2, 2)] == [[6, 3, 1], [4, 2, 5]]


def test_zga_releases_the_printed_clusters():
    result = Zga(k=2, m=2, l=2, clusters=2).anonymize(six_with_sensitive(), Run(bytes([1] * 32)))
    rows = dict(zip(result.trace.rows.tolist(), result.release.history().lists(), strict=True))
    acde, abd = "{a|c|d|e}", "{a|b|d}"
    assert [rows[i] for i in (5, 2, 0)] == [[acde] * 2, [acde] * 3 + ["f"], [acde] * 4]
    assert [rows[i] for i in (3, 1, 4)] == [[abd, abd, "e", "c"], [abd, abd, "e", "c"], [abd, "g", "c"]]


def test_clusters_of_the_gray_order_are_consecutive():
    assert [part.tolist() for part in cut(np.array([5, 2, 0, 3, 1, 4]), 2, 2)] == [[5, 2, 0], [3, 1, 4]]


def test_small_last_clusters_join_the_one_before():
    assert [len(part) for part in cut(np.arange(11), 5, 3)] == [3, 3, 5]


@pytest.mark.parametrize("method", [Zga(k=2, m=2, l=2, clusters=3), Sga(k=2, m=2, l=2, clusters=3)])
def test_a_cluster_that_cannot_stand_alone_joins_its_neighbour(method):
    # Everybody who visits a also visits p, so a cluster of them alone is never diverse.
    rows = [["a", "p"], ["a", "p"], ["b"], ["b"], ["b"], ["b"]]
    data = Dataset.of("trajectories", rows, {**XY, "p": (9, 9)}, sensitive=("p",))
    run = Run(bytes([1] * 32))
    release = method.anonymize(data, run).release
    assert run.counters["clusters_joined"] >= 1
    assert len(release) == 6


def test_when_one_cluster_is_left_and_still_fails_the_answer_is_infeasible():
    rows = [["a", "p"], ["a", "p"], ["b", "p"], ["b"]]
    data = Dataset.of("trajectories", rows, {**XY, "p": (9, 9)}, sensitive=("p",))
    with pytest.raises(InfeasibleError, match="No l of 2 or more"):
        Zga(k=2, m=1, l=2, clusters=2).anonymize(data, Run())
