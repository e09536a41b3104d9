"""Counting what matches: the fast way equals trying everything."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.trajectories.naive import attack as naive
from tests.trajectories.verifiers.releases import make_release, recode

from sfumato.checking import records
from sfumato.checking.records import membership
from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError
from sfumato.core.ragged import Ragged
from sfumato.kinds.trajectories.attacker import attack, risk_of_original
from sfumato.kinds.trajectories.guarantees.klm_anonymity import KlmAnonymity
from sfumato.kinds.trajectories.guarantees.km_anonymity import KmAnonymity
from sfumato.kinds.trajectories.knowledge import anonymity_sets, count_matches, matching_rows
from sfumato.kinds.trajectories.verifiers import klm_anonymity, km_anonymity

PLACES = "abcdef"
SENSITIVE = ("x", "y")

rows_of_places = st.lists(st.lists(st.sampled_from(PLACES), min_size=1, max_size=5), min_size=1, max_size=8)
rows_with_sensitive = st.lists(
    st.lists(st.sampled_from([*PLACES, *SENSITIVE]), min_size=1, max_size=5), min_size=1, max_size=8
)
sizes = st.integers(1, 3)


@st.composite
def groupings(draw: Any, tag: str = "") -> dict[str, list[str]]:
    """Cut the places into groups; groups of one are published as they are."""
    labels = draw(st.lists(st.integers(0, 3), min_size=len(PLACES), max_size=len(PLACES)))
    groups = [[p for p, g in zip(PLACES, labels, strict=True) if g == number] for number in range(4)]
    return {"{" + tag + "|".join(group) + "}": group for group in groups if len(group) > 1}


def check(release: Any, original: list[list[str]], m: int, sensitive: tuple[str, ...] = ()) -> None:
    published, members = release.history().lists(), release.members()
    expected = naive.answers(published, members, release.suppressed(), original, m, sensitive)
    found = anonymity_sets(release, Dataset.of("trajectories", original, sensitive=sensitive), m)
    assert found.smallest.tolist() == [answer.smallest for answer in expected]
    assert found.unmatched.tolist() == [answer.unmatched for answer in expected]
    if sensitive:
        assert found.sensitive_share is not None
        assert found.sensitive_share.tolist() == [answer.share for answer in expected]
    else:
        assert found.sensitive_share is None
    for best in (found.rarest, found.most_revealing):
        if best is not None:
            assert best.size == len(best.places)
            assert best.matches == len(matching_rows(release, best.places))
    reached = [answer.smallest for answer in expected if answer.smallest]
    if found.rarest is not None:
        assert found.rarest.matches == min(reached)


@given(rows_of_places, groupings(), sizes)
def test_global_recoding(original: list[list[str]], groups: dict[str, list[str]], m: int) -> None:
    check(make_release([recode(row, groups) for row in original], groups), original, m)


@given(rows_of_places, groupings(), sizes, st.sets(st.sampled_from(PLACES)), st.integers(0, 8))
def test_suppressed_and_withheld(
    original: list[list[str]], groups: dict[str, list[str]], m: int, gone: set[str], kept: int
) -> None:
    rest = {value: left for value, members in groups.items() if len(left := [p for p in members if p not in gone]) > 1}
    published = [row for row in (recode(row, rest, gone) for row in original[:kept]) if row]
    check(make_release(published, rest, suppressed=sorted(gone)), original, m)


@given(rows_with_sensitive, st.lists(groupings(), min_size=1, max_size=3), sizes, st.integers(1, 9))
def test_local_recoding_with_sensitive_places(
    original: list[list[str]], per_cluster: list[dict[str, list[str]]], m: int, kept: int
) -> None:
    published = [recode(row, per_cluster[i % len(per_cluster)]) for i, row in enumerate(original[:kept])]
    groups = {value: members for cluster in per_cluster for value, members in cluster.items()}
    release = make_release(published, groups, KlmAnonymity(k=2, m=m, l=2, sensitive=SENSITIVE))
    check(release, original, m, SENSITIVE)


@given(
    rows_with_sensitive,
    st.dictionaries(
        st.sampled_from(["P", "Q", "R", "a"]),
        st.lists(st.sampled_from([*PLACES, *SENSITIVE]), min_size=1, unique=True),
    ),
    st.lists(st.lists(st.sampled_from([*"PQRabx", "unknown"]), max_size=5), max_size=6),
    st.sets(st.sampled_from(PLACES)),
    sizes,
    st.sampled_from([1, 3, 4_000_000]),
)
def test_damaged_releases(
    original: list[list[str]],
    groups: dict[str, list[str]],
    published: list[list[str]],
    gone: set[str],
    m: int,
    portion: int,
) -> None:
    """Values that overlap within a record, records that belong to nobody, places both removed and published.

    Counting in small portions changes nothing.
    """
    guarantee = KlmAnonymity(k=2, m=m, l=2, sensitive=SENSITIVE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "_BUDGET", portion)
        patch.setattr(records, "_ROWS_AT_ONCE", min(portion, 512))
        check(make_release(published, groups, guarantee, sorted(gone)), original, m, SENSITIVE)


@given(rows_of_places, groupings(), sizes, st.sets(st.sampled_from(PLACES)))
def test_counting_given_knowledge(
    original: list[list[str]], groups: dict[str, list[str]], m: int, gone: set[str]
) -> None:
    rest = {value: members for value, members in groups.items() if gone.isdisjoint(members)}
    release = make_release([recode(row, rest, gone) for row in original], rest, suppressed=sorted(gone))
    known = [list(chosen) for row in original for chosen in itertools.combinations(row, min(m, len(row)))]
    members = release.members()
    expected = [
        sum(
            naive.contains(record, [p for p in places if p not in gone], members)
            for record in release.history().lists()
        )
        for places in known
    ]
    assert count_matches(release, Ragged.from_lists(known)).tolist() == expected


@given(rows_with_sensitive, sizes)
def test_risk_of_the_original(original: list[list[str]], m: int) -> None:
    expected = naive.answers(original, {}, (), original, m, SENSITIVE)
    risk = risk_of_original(Dataset.of("trajectories", original, sensitive=SENSITIVE), m)
    assert risk.set_sizes.tolist() == [answer.smallest for answer in expected]
    assert risk.smallest_anonymity_set == min(answer.smallest for answer in expected)
    assert risk.mean_success == pytest.approx(np.mean([1 / answer.smallest for answer in expected]))
    assert risk.max_success == 1 / risk.smallest_anonymity_set
    assert risk.unique_share == np.mean([answer.smallest == 1 for answer in expected])
    assert risk.max_sensitive_share == max(answer.share for answer in expected)


@given(rows_of_places, groupings(), sizes)
def test_structural_k_is_the_smallest_support(original: list[list[str]], groups: dict[str, list[str]], m: int) -> None:
    published = [recode(row, groups) for row in original]
    verdict = km_anonymity.verify(make_release(published, groups, KmAnonymity(k=2, m=m)))
    expected = naive.measured_k(published, m)
    assert verdict.measured["k"] == expected
    assert verdict.measured["sequences"] == sum(len(naive.supports(published, s)) for s in range(1, m + 1))
    assert verdict.holds == (expected >= 2)
    if not verdict.holds:
        assert verdict.witness is not None
        assert naive.supports(published, verdict.witness["size"])[tuple(verdict.witness["sequence"])] == expected


@given(rows_with_sensitive, groupings(), sizes, st.integers(2, 3))
def test_structural_l_is_the_largest_that_holds(
    original: list[list[str]], groups: dict[str, list[str]], m: int, l: int
) -> None:
    published = [recode(row, groups) for row in original]
    release = make_release(published, groups, KlmAnonymity(k=2, m=m, l=l, sensitive=SENSITIVE))
    verdict = klm_anonymity.verify(release)
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


@given(rows_of_places, groupings(), sizes, st.integers(0, 5))
def test_attack_sums_up_the_matches(original: list[list[str]], groups: dict[str, list[str]], m: int, kept: int) -> None:
    published = [recode(row, groups) for row in original[:kept]]
    release = make_release(published, groups, KmAnonymity(k=2, m=m))
    data = Dataset.of("trajectories", original)
    rows = np.arange(len(published))
    risk, again = attack(release, data, rows), attack(release, data, rows)
    expected = naive.answers(published, release.members(), (), original, m)
    sizes_expected = [answer.smallest for answer in expected[: len(published)]]
    assert risk.set_sizes.tolist() == sizes_expected + [0] * (len(original) - len(published))
    assert risk.mean_success == pytest.approx(sum(1 / size for size in sizes_expected) / len(original))
    assert risk.mean_success_random is not None
    assert risk.mean_success_random <= risk.mean_success + 1e-12
    assert risk.to_dict() == again.to_dict()


def test_membership_lists_exact_and_generalised_values() -> None:
    release = make_release([["ab", "c"]], {"ab": ["a", "b"]})
    values, places = membership(release, ["a", "b", "c", "d"])
    assert values.tolist() == [0, 0, 1]
    assert places.tolist() == [0, 1, 2]


def test_knowledge_must_have_a_size() -> None:
    data = Dataset.of("trajectories", [["a"]])
    with pytest.raises(ParameterError, match="m must be at least 1"):
        anonymity_sets(make_release([["a"]]), data, 0)


def test_a_guarantee_without_m_cannot_be_attacked() -> None:
    release = make_release([["a"]], guarantee=SimpleNamespace(name="other"))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="how many places"):
        attack(release, Dataset.of("trajectories", [["a"]]))


def test_places_of_the_owner_are_not_shown() -> None:
    found = anonymity_sets(make_release([["a"], ["b"]]), Dataset.of("trajectories", [["a"], ["b"]]), 1)
    assert found.rarest is not None
    assert found.rarest.places == ("a",)
    assert "'a'" not in repr(found.rarest)
    assert "a" not in attack(make_release([["a"]]), Dataset.of("trajectories", [["a"]])).to_dict().values()


def test_labels_that_no_record_uses_are_not_published() -> None:
    """A slice keeps the dictionary of the whole: z is still in it, and still tells nothing."""
    whole = make_release([["z"], ["a"], ["a"]], suppressed=["z"])
    release = make_release([], suppressed=["z"], table=whole.table.slice(1), records_in=2)
    assert "z" in release.history().labels
    found = anonymity_sets(release, Dataset.of("trajectories", [["a", "z"], ["a"]]), 2)
    assert found.smallest.tolist() == [2, 2]
    assert not found.unmatched.any()
