"""k^m-anonymity of sets: what is claimed, and what the original says, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.examples import CLUSTERS, PEOPLE, ROWS, chunk, figure_2, nested, people
from tests.kinds.sets.naive import attack as naive
from tests.kinds.sets.releases import generalised

from sfumato.data.dataset import Dataset
from sfumato.exceptions import VerificationError
from sfumato.kinds.sets.attacks import attack
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.sets.verify.km_items import verify, verify_against
from sfumato.kinds.trajectories.guarantees import KmAnonymity

ABC = {"{a|b}": ["a", "b"]}


def test_one_value_may_account_for_several_items() -> None:
    release = generalised([["{a|b}"], ["{a|b}"], ["{a|b}", "c"], ["c"]], ABC, KmItems(k=2, m=3))
    data = Dataset.of("sets", [["a", "b"], ["a"], ["b", "c"], ["c"]])
    verdict = verify_against(release, data, np.arange(4))
    assert not verdict.holds
    assert verdict.counterexample == {"size": 2, "matches": 1, "rows": [3]}
    assert attack(release, data).set_sizes.tolist() == [3, 3, 1, 2]


def test_published_people_match_and_withheld_people_need_not() -> None:
    data = Dataset.of("sets", [["a", "c"], ["b", "c"], ["d"]])
    good = generalised([["{a|b}", "c"]] * 2, ABC, suppressed_records=1)
    assert verify_against(good, data, np.array([0, 1])).holds
    assert verify_against(good, data).holds
    wrong = verify_against(good, data, np.array([0, 2]))
    assert not wrong.checks["published records match"]
    assert not verify_against(good, Dataset.of("sets", PEOPLE)).checks[
        "the original has as many records as the release says"
    ]
    assert not verify_against(good, data, np.array([0, 0])).checks["every record is published at most once"]


def test_suppressed_items_tell_nothing() -> None:
    data = Dataset.of("sets", [["a", "z"], ["a"], ["a", "z"]])
    release = generalised([["a"]] * 3, suppressed=["z"])
    assert verify_against(release, data, np.arange(3)).holds
    assert attack(release, data).set_sizes.tolist() == [3, 3, 3]


ITEMS = "abcdef"
GROUPS = {"P": ["a", "b"], "Q": ["a", "b", "c"], "R": ["d", "e"]}
sets = st.lists(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=5, unique=True), min_size=1, max_size=7)
values = st.lists(
    st.lists(st.sampled_from([*ITEMS[:5], *GROUPS]), min_size=1, max_size=4, unique=True), min_size=1, max_size=7
)


@settings(max_examples=150)
@given(values, sets, st.integers(1, 3))
def test_the_attacker_counts_like_brute_force(published: list[list[str]], original: list[list[str]], m: int) -> None:
    """Any values at all: overlapping ones within a record, and values of which one includes the other."""
    release = generalised(published, GROUPS, KmItems(k=2, m=m), suppressed=["f"], records_in=len(original))
    data = Dataset.of("sets", original)
    expected = naive.smallest_sets(published, GROUPS, ["f"], original, m)
    risk = attack(release, data)
    assert risk.set_sizes.tolist() == [smallest for smallest, _ in expected]
    verdict = verify_against(release, data)
    reached = [smallest for smallest, _ in expected if smallest]
    assert verdict.measured["matches"] == min(reached, default=len(published))
    counted = verify(generalised(published, GROUPS, KmItems(k=2, m=m)))
    assert counted.holds == (min(naive.itemset_supports(published, m).values()) >= 2)


def test_another_guarantee_is_refused() -> None:
    release = figure_2(KmAnonymity(k=2, m=2))
    for act in (verify, lambda r: verify_against(r, people())):
        with pytest.raises(VerificationError, match="claims km-anonymity"):
            act(release)


def test_people_withheld_from_chunks_face_none_or_k() -> None:
    rows = [*PEOPLE, ["h"], ["g", "w"]]
    release = nested(records_in=14, suppressed_records={"too long": 2})
    assert verify_against(release, people(rows), ROWS).holds
    assert attack(release, people(rows), ROWS).set_sizes[12:].tolist() == [0, 0]
    clusters = [*CLUSTERS, ("t", None, 1)]
    rare = nested(chunk("t", 0, "h"), clusters=clusters, records_in=15, suppressed_records={"too long": 2})
    assert not verify_against(rare, people([*PEOPLE, ["z"], ["h"], ["g"]]), np.arange(13)).holds


def test_disassociated_people_of_whom_something_is_published_nowhere_are_noticed() -> None:
    swapped = [*PEOPLE]
    swapped[0], swapped[8] = ["g"], ["a", "b", "e", "f", "z"]
    verdict = verify_against(nested(), people(swapped), ROWS)
    assert not verdict.checks["published records match"]
    assert "rows" not in (verdict.counterexample or {})
