"""k^m-anonymity on the printed examples and on claims that are too high."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.kinds.trajectories.naive import attack as naive
from tests.kinds.trajectories.naive.attack import supports
from tests.kinds.trajectories.recodings import groupings, rows_of_places, sizes
from tests.kinds.trajectories.verify.examples import ABC, SIX, six_published, three_published
from tests.kinds.trajectories.verify.releases import make_release, recode

from sfumato.checks.subsequences import decode_key, support
from sfumato.data.dataset import Dataset
from sfumato.exceptions import VerificationError
from sfumato.kinds.trajectories.attacks import attack, risk_of_original
from sfumato.kinds.trajectories.guarantees import KmAnonymity
from sfumato.kinds.trajectories.verify.km_anonymity import verify, verify_against


def test_six_people_are_2_1_anonymous() -> None:
    verdict = verify(make_release(SIX, guarantee=KmAnonymity(k=2, m=1)))
    assert verdict.holds
    assert verdict.counterexample is None
    assert verdict.measured == {"k": 2, "m": 1, "size": 1, "sequences": 5}


def test_six_people_are_1_3_anonymous_only() -> None:
    verdict = verify(make_release(SIX, guarantee=KmAnonymity(k=2, m=3)))
    assert not verdict.holds
    assert verdict.measured["k"] == 1


def test_six_people_are_not_2_2_anonymous_for_five_pairs() -> None:
    verdict = verify(make_release(SIX, guarantee=KmAnonymity(k=2, m=2)))
    assert not verdict.holds
    assert verdict.measured["size"] == 2
    five = {("d", "a"), ("c", "e"), ("b", "a"), ("a", "d"), ("b", "d")}
    assert {pair for pair, count in supports(SIX, 2).items() if count == 1} == five
    history = make_release(SIX).history()
    keys, counts = support(history, 2)
    assert {decode_key(int(key), 2, history.labels) for key in keys[counts == 1]} == five
    assert verdict.counterexample is not None
    assert tuple(verdict.counterexample["sequence"]) in five
    assert (verdict.counterexample["support"], verdict.counterexample["size"]) == (1, 2)


def test_generalising_three_places_makes_them_2_2_anonymous() -> None:
    release, data = six_published(), Dataset.of("trajectories", SIX)
    verdict = verify(release) & verify_against(release, data) & verify_against(release, data, np.arange(6))
    assert verdict.holds
    assert verdict.measured["k"] == 2
    assert verdict.measured["matches"] == 2
    assert all(verdict.checks.values())


def test_risk_before_and_after() -> None:
    data = Dataset.of("trajectories", SIX)
    before, after = risk_of_original(data, 2), attack(six_published(), data, np.arange(6))
    assert before.smallest_anonymity_set == 1
    assert before.set_sizes.tolist() == [1, 1, 1, 1, 3, 4]
    assert after.smallest_anonymity_set == 2
    assert after.max_success == 0.5
    assert list(after.to_dict())[:4] == ["smallest_anonymity_set", "mean_success", "max_success", "knowledge"]
    assert after.to_dict()["mean_success_random"] <= after.mean_success <= before.mean_success


@pytest.mark.parametrize(("k", "m"), [(3, 2), (6, 1), (3, 3), (2, 4)])
def test_claiming_more_breaks(k: int, m: int) -> None:
    release = six_published(k, m)
    verdict = verify(release)
    assert not verdict.holds
    assert verdict.claimed == {"k": k, "m": m}
    assert verdict.counterexample is not None
    published = release.history().lists()
    found = supports(published, verdict.counterexample["size"])[tuple(verdict.counterexample["sequence"])]
    assert found == verdict.counterexample["support"] == verdict.measured["k"] < k
    assert not verify_against(release, Dataset.of("trajectories", SIX))


def test_sizes_longer_than_every_record_need_no_counting() -> None:
    assert verify(make_release([["a"], ["a"]], guarantee=KmAnonymity(k=2, m=500))).holds


def test_withheld_people_may_match_nothing_but_published_people_may_not() -> None:
    original = [["a", "b"], ["a", "b"], ["z", "a"]]
    data = Dataset.of("trajectories", original)
    good = make_release(original[:2], guarantee=KmAnonymity(k=2, m=2), suppressed_records=1)
    assert verify_against(good, data)
    assert verify_against(good, data, np.array([0, 1]))
    wrong = verify_against(good, data, np.array([0, 2]))
    assert not wrong
    assert not wrong.checks["published records match"]
    assert wrong.counterexample == {"people": 3, "records_in": 3, "unmatched": 1}


def test_more_people_match_nothing_than_were_withheld() -> None:
    data = Dataset.of("trajectories", [["a"], ["a"], ["z"]])
    verdict = verify_against(make_release([["a"], ["a"], ["a"]], guarantee=KmAnonymity(k=2, m=1)), data)
    assert not verdict.checks["published records match"]


def test_few_matches_are_a_breach_even_for_withheld_people() -> None:
    """Everybody published matches three records; b, whom nobody published visits, matches one."""
    data = Dataset.of("trajectories", [["a"], ["a"], ["a"], ["b"]])
    release = make_release([["P"], ["a"], ["a"]], {"P": ["a", "b"]}, KmAnonymity(k=2, m=1), suppressed_records=1)
    verdict = verify_against(release, data, np.arange(3))
    assert not verdict.holds
    assert verdict.counterexample == {"size": 1, "matches": 1, "rows": [1]}
    risk = attack(release, data, np.arange(3))
    assert risk.smallest_anonymity_set == 1
    assert risk.set_sizes.tolist() == [3, 3, 3, 0]


def test_the_wrong_original_is_noticed() -> None:
    verdict = verify_against(six_published(), Dataset.of("trajectories", SIX[:5]))
    assert not verdict.checks["the original has as many records as the release says"]


def test_the_witness_names_published_rows_and_no_original_place() -> None:
    rows = [recode(row, ABC) for row in SIX]
    rows[0] = ["d", "a", "{a|b|c}", "e"]
    release = make_release(rows, ABC, KmAnonymity(k=6, m=2))
    verdict = verify_against(release, Dataset.of("trajectories", SIX))
    assert verdict.counterexample is not None
    assert set(verdict.counterexample) == {"size", "matches", "rows"}
    assert len(verdict.counterexample["rows"]) == verdict.counterexample["matches"]


def test_another_guarantee_is_refused() -> None:
    for act in (verify, lambda r: verify_against(r, Dataset.of("trajectories", SIX))):
        with pytest.raises(VerificationError, match="claims klm-anonymity"):
            act(three_published())


@given(rows_of_places, groupings(), sizes)
def test_structural_k_is_the_smallest_support(original: list[list[str]], groups: dict[str, list[str]], m: int) -> None:
    published = [recode(row, groups) for row in original]
    verdict = verify(make_release(published, groups, KmAnonymity(k=2, m=m)))
    expected = naive.measured_k(published, m)
    assert verdict.measured["k"] == expected
    assert verdict.measured["sequences"] == sum(len(naive.supports(published, s)) for s in range(1, m + 1))
    assert verdict.holds == (expected >= 2)
    if not verdict.holds:
        assert verdict.counterexample is not None
        assert (
            naive.supports(published, verdict.counterexample["size"])[tuple(verdict.counterexample["sequence"])]
            == expected
        )
