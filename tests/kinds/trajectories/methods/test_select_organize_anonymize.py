"""l^m-ANON, ZGA and SGA: the printed orders and clusters, diversity, and clusters that cannot stand alone."""

import numpy as np
import pytest
from tests.kinds.trajectories.examples import XY, in_original_order, six_with_sensitive

from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.trajectories.dataset.histories import Trajectories
from sfumato.kinds.trajectories.methods.select_organize_anonymize import LmAnon, Sga, Zga
from sfumato.release.row_clusters import cut
from sfumato.release.run import Run


def test_example_7_gives_the_printed_cluster():
    result = LmAnon(k=2, m=2, l=2).anonymize(six_with_sensitive("425"), Run(bytes([1] * 32)))
    abd = "{a|b|d}"
    assert in_original_order(result) == [[abd, abd, "e", "c"], [abd, abd, "e", "c"], [abd, "g", "c"]]
    assert result.release.members() == {abd: ("a", "b", "d")}


def test_sensitive_places_stay_exact():
    release = LmAnon(k=3, m=2, l=2).anonymize(six_with_sensitive(), Run(bytes([1] * 32))).release
    assert {"f", "g"} <= set(release.history().labels)
    assert not any({"f", "g"} & set(members) for members in release.members().values())


def test_merging_can_break_diversity_that_held_before_and_is_repaired():
    # Supporters of a and of b each visit p in half of the cases; those of {a,b} in two thirds.
    xy = {"a": (0, 0), "b": (0.1, 0), "c": (1, 0), "p": (9, 9)}
    rows = [["a", "p"], ["a", "b"], ["b", "p"], ["c"], ["c"], ["c"]]
    data = Dataset.of("trajectories", rows, xy, sensitive=("p",))
    release = LmAnon(k=3, m=2, l=2, infeasible="suppress").anonymize(data, Run(bytes([1] * 32))).release
    histories = release.history().lists()
    for value in set(release.history().labels) - {"p"}:
        holders = [h for h in histories if value in h]
        assert sum("p" in h for h in holders) * 2 <= len(holders)


def test_a_sensitive_place_too_frequent_is_infeasible_with_the_largest_l():
    rows = [["a", "p"], ["a", "p"], ["a"], ["a"], ["a"]]
    data = Dataset.of("trajectories", rows, {**XY, "p": (9, 9)}, sensitive=("p",))
    with pytest.raises(InfeasibleError, match=r"2 of 5 records visit .* more than 1 in l=3.*Use l=2"):
        LmAnon(k=2, m=1, l=3).anonymize(data, Run())


def test_sga_orders_people_as_printed():
    order = Sga(k=2, m=2, clusters=2, top=2).order(Trajectories.of(six_with_sensitive()))
    assert [(part + 1).tolist() for part in cut(order, 2, 2)] == [[5, 1, 3], [4, 6, 2]]


def test_sga_releases_the_printed_second_cluster():
    result = Sga(k=2, m=2, l=2, clusters=2, top=2).anonymize(six_with_sensitive(), Run(bytes([1] * 32)))
    rows = dict(zip(result.owner_record.rows.tolist(), result.release.history().lists(), strict=True))
    abd = "{a|b|d}"
    assert rows[3] == [abd, abd, "e", "c"]
    assert rows[5] == [abd, "e"]
    assert rows[1] == [abd, abd, "e", "c"]


def test_zga_orders_people_as_printed():
    order = Zga(k=2, m=2, clusters=2).order(Trajectories.of(six_with_sensitive()))
    assert [(part + 1).tolist() for part in cut(order, 2, 2)] == [[6, 3, 1], [4, 2, 5]]


def test_zga_releases_the_printed_clusters():
    result = Zga(k=2, m=2, l=2, clusters=2).anonymize(six_with_sensitive(), Run(bytes([1] * 32)))
    rows = dict(zip(result.owner_record.rows.tolist(), result.release.history().lists(), strict=True))
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
