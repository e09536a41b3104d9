"""Claims judged from the files alone, where generalised values share members."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets import releases as set_releases
from tests.kinds.trajectories.naive import attack
from tests.kinds.trajectories.verify.releases import make_release

from sfumato.checks.records import Records
from sfumato.data.dataset import Dataset
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.sets.verify import km_items
from sfumato.kinds.trajectories.guarantees import KlmAnonymity, KmAnonymity
from sfumato.kinds.trajectories.verify import klm_anonymity, km_anonymity

GROUPS = {f"V{i}": ["a", f"x{i}"] for i in range(8)}


def sixteen_of_eighteen() -> list[list[str]]:
    """Two harmless records hold all eight values; every value has two visitors of its own."""
    names = list(GROUPS)
    return [list(names), list(names), *([name, "g"] for name in names for _ in range(2))]


def test_values_that_share_a_place_are_counted_together() -> None:
    guarantee = KlmAnonymity(k=2, m=1, l=2, sensitive=("g",))
    release = make_release(sixteen_of_eighteen(), GROUPS, guarantee)
    verdict = klm_anonymity.verify(release)
    assert verdict.outcome == "broken"
    assert verdict.counterexample == {"sequence": ["a"], "support": 18, "size": 1, "place": "g", "visitors": 16}
    assert verdict.measured["l"] == 1
    assert not verdict.checks["no sensitive place is visited by more than 1 in l"]
    assert verdict.checks["every ordinary sequence occurs k times"]


def test_the_same_records_are_fine_where_the_values_share_nothing() -> None:
    apart = {name: [f"y{i}", f"x{i}"] for i, name in enumerate(GROUPS)}
    assert klm_anonymity.verify(make_release(sixteen_of_eighteen(), apart, KlmAnonymity(2, 1, 2, ("g",)))).holds


def test_values_that_overlap_between_records_only_need_no_more() -> None:
    """As the clusters of zga and sga publish them: every record has values of its own cluster."""
    groups = {"P": ["a", "b"], "Q": ["b", "c"]}
    rows = [["P", "g"], ["P"], ["Q"], ["Q", "g"]]
    verdict = klm_anonymity.verify(make_release(rows, groups, KlmAnonymity(2, 1, 2, ("g",))))
    assert verdict
    assert verdict.measured["l"] == 2


def test_too_much_to_count_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(klm_anonymity, "MOST_READINGS", 3)
    rows = [["P", "Q"], ["P", "Q"]]
    groups = {"P": ["a", "b", "c"], "Q": ["b", "c", "d"]}
    verdict = klm_anonymity.verify(make_release(rows, groups, KlmAnonymity(2, 2, 2, ("g",))))
    assert verdict.outcome == "unsettled"
    assert "2 records have overlapping values" in verdict.unsettled[0]


PLACES = "abcd"


@st.composite
def releases(draw):
    """Random releases whose generalised values overlap as they like."""
    sets = draw(st.lists(st.sets(st.sampled_from(PLACES), min_size=2), min_size=1, max_size=3, unique_by=frozenset))
    groups = {f"V{i}": sorted(members) for i, members in enumerate(sets)}
    values = [*groups, *PLACES, "g", "h"]
    rows = draw(st.lists(st.lists(st.sampled_from(values), min_size=1, max_size=4), min_size=2, max_size=10))
    copies = draw(st.integers(1, 3))
    return [row for row in rows for _ in range(copies)], groups


def all_knowledge(m: int):
    return [known for size in range(1, m + 1) for known in product(PLACES, repeat=size)]


@settings(max_examples=300)
@given(releases(), st.integers(1, 3), st.integers(2, 3), st.integers(2, 4))
def test_what_is_verified_holds_whatever_places_are_known(release, m, k, l):
    rows, groups = release
    sensitive = ("g", "h")
    verdict = klm_anonymity.verify(make_release(rows, groups, KlmAnonymity(k, m, l, sensitive)))
    worst = 0.0
    smallest = len(rows)
    for known in all_knowledge(m):
        matching = [row for row in rows if attack.contains(row, known, groups)]
        if matching:
            smallest = min(smallest, len(matching))
            worst = max([worst, *(sum(place in row for row in matching) / len(matching) for place in sensitive)])
    if verdict.holds:
        assert smallest >= k
        assert l * worst <= 1 + 1e-12
    # The share is never judged too high either, beyond what sequences of published values show.
    by_values = attack.measured_l(rows, m, sensitive)
    if verdict.counterexample and "place" in verdict.counterexample:
        assert l * worst > 1 or (by_values is not None and by_values < l)
    assert verdict.measured["k"] <= smallest


@settings(max_examples=200)
@given(releases(), st.integers(1, 3), st.integers(2, 3))
def test_k_counted_by_values_is_never_too_high(release, m, k):
    rows, groups = release
    verdict = km_anonymity.verify(make_release(rows, groups, KmAnonymity(k, m)))
    for known in product([*PLACES, "g", "h"], repeat=min(m, 2)):
        matching = sum(attack.contains(row, known, groups) for row in rows)
        assert matching == 0 or matching >= verdict.measured["k"]


@settings(max_examples=200)
@given(releases(), st.integers(1, 3))
def test_k_of_sets_counted_by_values_is_never_too_high(release, m):
    rows, groups = release
    verdict = km_items.verify(set_releases.generalised(rows, groups, KmItems(k=2, m=m)))
    for size in range(1, m + 1):
        for known in combinations([*PLACES, "g", "h"], size):
            matching = sum(all(any(i in groups.get(v, [v]) for v in row) for i in known) for row in rows)
            assert matching == 0 or matching >= verdict.measured["k"] or not verdict.holds


@settings(max_examples=200)
@given(releases(), st.integers(1, 3))
def test_readings_are_all_sequences_that_match(release, size):
    rows, groups = release
    published = make_release(rows, groups, KlmAnonymity(2, size, 2, ("g", "h")))
    records = Records.of(published, list(PLACES))
    found = records.readings(np.ones(len(rows), bool), size, 10**6)
    assert found is not None
    expected = {
        sum(int(records.kind[PLACES.index(p)]) * records.base**i for i, p in enumerate(reversed(known)))
        for known in product(PLACES, repeat=size)
        if any(attack.contains(row, known, groups) for row in rows)
    }
    assert set(found.tolist()) == expected


def test_against_the_original_the_same_is_found() -> None:
    rows = sixteen_of_eighteen()
    guarantee = KlmAnonymity(k=2, m=1, l=2, sensitive=("g",))
    original = Dataset.of("trajectories", [["a" if v in GROUPS else v for v in row] for row in rows])
    assert not klm_anonymity.verify_against(make_release(rows, GROUPS, guarantee), original)
