"""(k,l)^m-anonymity on the printed examples and on claims that are too high."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.naive import attack as naive
from tests.kinds.trajectories.recodings import SENSITIVE, groupings, rows_with_sensitive, sizes
from tests.kinds.trajectories.verify.examples import ABD, SIX_SENSITIVE, THREE, six_published, three_published
from tests.kinds.trajectories.verify.releases import make_release, recode, values_table

from sfumato.data.dataset import Dataset
from sfumato.exceptions import VerificationError
from sfumato.kinds.trajectories.attacks import attack
from sfumato.kinds.trajectories.guarantees import KlmAnonymity, KmAnonymity
from sfumato.kinds.trajectories.verify import klm_anonymity, km_anonymity
from sfumato.kinds.trajectories.verify.klm_anonymity import verify, verify_against

F_AND_G = ("f", "g")


def test_six_people_are_2_2_1_anonymous() -> None:
    release = make_release(SIX_SENSITIVE, guarantee=KlmAnonymity(k=2, m=1, l=2, sensitive=F_AND_G))
    verdict = verify(release)
    assert verdict.holds
    # One of the three who visit a visits f.
    assert verdict.measured["l"] == 3
    assert verdict.measured["base_share"] == [1 / 6, 1 / 6]
    assert verify_against(release, Dataset.of("trajectories", SIX_SENSITIVE), np.arange(6))


def test_six_people_are_not_2_2_2_anonymous() -> None:
    release = make_release(SIX_SENSITIVE, guarantee=KlmAnonymity(k=2, m=2, l=2, sensitive=F_AND_G))
    verdict = verify(release)
    assert not verdict.holds
    # (a, d) occurs in one record, and that one visits f.
    assert (verdict.measured["k"], verdict.measured["l"]) == (1, 1)
    assert not verdict.checks["every ordinary sequence occurs k times"]
    assert not verdict.checks["no sensitive place is visited by more than 1 in l"]
    assert not verify_against(release, Dataset.of("trajectories", SIX_SENSITIVE))


def test_the_printed_cluster_is_2_2_2_anonymous() -> None:
    release, data = three_published(), Dataset.of("trajectories", THREE)
    verdict = verify(release) & verify_against(release, data) & verify_against(release, data, np.arange(3))
    assert verdict.holds
    assert (verdict.measured["k"], verdict.measured["l"]) == (2, 3)
    assert verdict.measured["share"] == 1 / 3
    assert attack(release, data, np.arange(3)).max_sensitive_share == 1 / 3


@pytest.mark.parametrize(
    ("k", "m", "l", "broken"),
    [
        (3, 2, 2, "every ordinary sequence occurs k times"),
        (3, 1, 2, "every ordinary sequence occurs k times"),
        (2, 2, 4, "no sensitive place is visited by more than 1 in l"),
    ],
)
def test_claiming_more_breaks(k: int, m: int, l: int, broken: str) -> None:
    release = three_published(k, m, l)
    verdict = verify(release)
    assert [name for name, right in verdict.checks.items() if not right] == [broken]
    assert verdict.counterexample is not None
    assert verdict.counterexample["support"] >= 1
    assert not verify_against(release, Dataset.of("trajectories", THREE))


def test_a_sensitive_place_that_is_too_frequent() -> None:
    rows = [[*recode(row, ABD)] for row in THREE]
    rows[0].insert(2, "g")
    release = make_release(rows, ABD, KlmAnonymity(k=2, m=2, l=2, sensitive=F_AND_G))
    verdict = verify(release)
    assert verdict.counterexample == {
        "sequence": ["{a|b|d}"],
        "support": 3,
        "size": 1,
        "place": "g",
        "visitors": 2,
    }
    semantic = verify_against(release, Dataset.of("trajectories", [list("bdgec"), *THREE[1:]]))
    assert not semantic.checks["no sensitive place is likelier than 1 in l"]
    assert semantic.counterexample == {"size": 1, "matches": 3, "visitors": 2, "rows": [1, 2, 3]}


def test_the_share_is_compared_exactly() -> None:
    """One in three visits g: l=3 holds although 1/3 has no exact decimal."""
    rows = [["a", "g"], ["a"], ["a"]]
    for l, holds in ((3, True), (4, False)):
        release = make_release(rows, guarantee=KlmAnonymity(k=3, m=1, l=l, sensitive=("g",)))
        assert verify(release).holds is holds
        assert verify_against(release, Dataset.of("trajectories", rows)).holds is holds


def test_sensitive_places_are_no_knowledge() -> None:
    """g occurs once, which is fine: nobody is looked for by a sensitive place."""
    rows = [["a", "g"], ["a"], ["a"]]
    release = make_release(rows, guarantee=KlmAnonymity(k=3, m=3, l=2, sensitive=("g",)))
    assert verify(release).measured["k"] == 3
    assert attack(release, Dataset.of("trajectories", rows)).smallest_anonymity_set == 3


@pytest.mark.parametrize("groups", [{**ABD, "{c|g}": ["c", "g"]}, {**ABD, "g": ["c", "x"]}])
def test_a_sensitive_place_may_not_be_generalised(groups: dict[str, list[str]]) -> None:
    release = make_release(
        [recode(row, ABD) for row in THREE],
        guarantee=three_published().guarantee,
        values=values_table(groups),
    )
    verdict = verify(release)
    assert not verdict.checks["sensitive places are published as they are"]
    assert verdict.counterexample == {"value": list(groups)[1]}
    assert isinstance(verify_against(release, Dataset.of("trajectories", THREE)).holds, bool)


def test_nothing_sensitive_is_visited() -> None:
    release = make_release([["a"], ["a"]], guarantee=KlmAnonymity(k=2, m=2, l=2, sensitive=("g",)))
    verdict = verify(release)
    assert verdict.holds
    assert verdict.measured["l"] is None
    assert verdict.measured["base_share"] == [0.0]


def test_records_of_sensitive_places_only_still_need_k_of_them() -> None:
    guarantee = KlmAnonymity(k=2, m=2, l=2, sensitive=("g",))
    assert verify(make_release([["g"], ["g"]], guarantee=guarantee)).holds
    assert not verify(make_release([["g"]], guarantee=guarantee)).holds


def test_another_guarantee_is_refused() -> None:
    for act in (verify, lambda r: verify_against(r, Dataset.of("trajectories", THREE))):
        with pytest.raises(VerificationError, match="claims km-anonymity"):
            act(six_published())


@given(rows_with_sensitive, groupings(), sizes, st.integers(2, 3))
def test_structural_l_is_the_largest_that_holds(
    original: list[list[str]], groups: dict[str, list[str]], m: int, l: int
) -> None:
    published = [recode(row, groups) for row in original]
    release = make_release(published, groups, KlmAnonymity(k=2, m=m, l=l, sensitive=SENSITIVE))
    verdict = verify(release)
    ordinary = [[place for place in row if place not in SENSITIVE] for row in published]
    allowed = naive.measured_l(published, m, SENSITIVE)
    assert verdict.measured["k"] == naive.measured_k(ordinary, m)
    assert verdict.measured["l"] == allowed
    assert verdict.holds == (verdict.measured["k"] >= 2 and (allowed is None or allowed >= l))
    shares = [np.mean([place in row for row in published]) for place in SENSITIVE]
    assert verdict.measured["base_share"] == shares


@given(rows_with_sensitive, st.lists(groupings(), min_size=1, max_size=3), sizes)
def test_what_holds_in_the_release_holds_for_the_attacker(
    original: list[list[str]], per_cluster: list[dict[str, list[str]]], m: int
) -> None:
    published = [recode(row, per_cluster[i % len(per_cluster)]) for i, row in enumerate(original)]
    groups = {value: members for cluster in per_cluster for value, members in cluster.items()}
    data = Dataset.of("trajectories", original)
    rows = np.arange(len(original))
    for guarantee, module in (
        (KmAnonymity(k=2, m=m), km_anonymity),
        (KlmAnonymity(k=2, m=m, l=2, sensitive=SENSITIVE), klm_anonymity),
    ):
        release = make_release(published, groups, guarantee)
        if module.verify(release):
            assert module.verify_against(release, data)
            assert module.verify_against(release, data, rows)
