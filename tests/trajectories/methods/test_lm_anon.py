"""l^m-ANON: Example 7, diversity, and the claim the paper states below Definition 3."""

import pytest
from tests.trajectories.examples import XY, in_original_order, six_with_sensitive

from sfumato.core.dataset import Dataset
from sfumato.core.errors import InfeasibleError
from sfumato.core.run import Run
from sfumato.kinds.trajectories.methods.lm_anon import LmAnon


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
    with pytest.raises(InfeasibleError, match=r"visited in 2 of 5 records, more than 1 in l=3.*Use l=2"):
        LmAnon(k=2, m=1, l=3).anonymize(data, Run())
