"""Counting what matches: the fast way equals trying everything."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.naive import attack as naive
from tests.kinds.trajectories.recodings import PLACES, SENSITIVE, groupings, rows_of_places, rows_with_sensitive, sizes
from tests.kinds.trajectories.verify.releases import make_release, recode

from sfumato.checks import records
from sfumato.checks.records import membership
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError
from sfumato.kinds.trajectories.attacks import attack
from sfumato.kinds.trajectories.guarantees import KlmAnonymity
from sfumato.kinds.trajectories.knowledge import anonymity_sets, count_matches, matching_rows


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
        patch.setattr(records, "_ROW_BATCH", min(portion, 512))
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
    assert count_matches(release, ListColumn.from_lists(known)).tolist() == expected


def test_membership_lists_exact_and_generalised_values() -> None:
    release = make_release([["ab", "c"]], {"ab": ["a", "b"]})
    values, places = membership(release, ["a", "b", "c", "d"])
    assert values.tolist() == [0, 0, 1]
    assert places.tolist() == [0, 1, 2]


def test_knowledge_must_have_a_size() -> None:
    data = Dataset.of("trajectories", [["a"]])
    with pytest.raises(ParameterError, match="m must be at least 1"):
        anonymity_sets(make_release([["a"]]), data, 0)


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
