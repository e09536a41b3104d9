"""What the verifiers count, against brute force, on any records at all."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.rt.examples import FIGURE_2A, NAMES, PEOPLE, by_hand, customers
from tests.kinds.rt.naive.anonymity import candidates, largest_share, smallest_group

import sfumato as sf
from sfumato.checks.compiled import set_smallest
from sfumato.exceptions import VerificationError
from sfumato.kinds.rt.attacks import attack, attack_original
from sfumato.kinds.rt.guarantees import KKmAnonymity
from sfumato.kinds.rt.verify.kkm_anonymity import verify, verify_against
from sfumato.kinds.rt.verify.structure import find_smallest_groups

AGES = ((19, 22), (19, 70), (28, 39), (55, 70))
WORDS = ("A", "B", "C", "E", "F", "AB", "CD", "EF", "BCF", "G", "H")
row = st.tuples(
    st.sampled_from(AGES),
    st.sampled_from(["Europe", "Africa", None]),
    st.sampled_from(["Male", None]),
    st.lists(st.sampled_from(WORDS), max_size=3, unique=True),
)


def disjoint(words: list[str]) -> str:
    """Leave out values that have an item in common with one before."""
    kept: list[str] = []
    for word in words:
        if not any(set(word) & set(other) for other in kept):
            kept.append(word)
    return " ".join(kept)


releases = st.lists(row, min_size=1, max_size=8).map(
    lambda rows: [(age, origin, gender, disjoint(words)) for age, origin, gender, words in rows]
)
people = st.lists(
    st.tuples(st.sampled_from(PEOPLE), st.lists(st.sampled_from("ABCDEFGH"), max_size=4, unique=True)),
    min_size=1,
    max_size=6,
)


def test_it_says_which_guarantee_it_verifies() -> None:
    table = sf.Dataset.of("table", [(1,), (1,)], ("age",))
    with pytest.raises(VerificationError, match="use the verifier of that guarantee"):
        verify(sf.anonymize(table, sf.methods.Mondrian(k=2)).release)


@settings(max_examples=150)
@given(releases, st.integers(1, 3), st.integers(1, 3))
def test_it_counts_like_brute_force(rows, m: int, l: int) -> None:
    guarantee = KKmAnonymity(2, m, l, NAMES, ("G", "H"))
    classes = [row[:3] for row in rows]
    sets = [set(row[3].split()) for row in rows]
    smallest = smallest_group(classes, [values - {"G", "H"} for values in sets], m)
    share = largest_share(classes, sets, {"G", "H"}, m)
    verdict = verify(by_hand(rows, guarantee))
    assert verdict.holds == (smallest >= 2 and (l == 1 or share <= 1 / l + 1e-12))
    if verdict.holds:
        assert verdict.measured["k"] == smallest
        if l > 1:
            assert verdict.measured["largest_share"] == pytest.approx(share, abs=1e-6)


@settings(max_examples=150)
@given(releases, people, st.integers(1, 3))
def test_candidates_are_those_of_brute_force(rows, known, m: int) -> None:
    release = by_hand(rows, KKmAnonymity(2, m, 1, NAMES, ("G", "H")))
    original = sf.Dataset.of(
        "rt",
        [person for person, _ in known],
        NAMES,
        [items for _, items in known],
        sensitive_items=("G", "H"),
        hierarchies=dict(customers().hierarchies),
    )
    cells = [tuple(record[name] for name in NAMES) for record in release.table.to_pylist()]
    values = [set(labels) - {"G", "H"} for labels in release.history().lists()]
    members = {"Europe": ["France", "Greece", "Germany", "Spain"], "Africa": ["Algeria", "Nigeria"]}
    members |= {value: list(items) for value, items in release.members().items()}
    expected = []
    for person, items in known:
        told = sorted(set(items) - {"G", "H"})
        counts = [
            len(candidates(cells, values, members, person, some))
            for size in range(m + 1)
            for some in combinations(told, size)
        ]
        expected.append(min((count for count in counts if count), default=0))
    verdict, risk = verify_against(release, original), attack(release, original)
    assert risk.set_sizes.tolist() == expected
    with set_smallest(0):
        release = dataclasses.replace(release)  # nothing is known of it
        assert attack(release, original).to_dict() == risk.to_dict()
        assert verify_against(release, original).to_dict() == verdict.to_dict()
    reached = [count for count in expected if count]
    assert verdict.measured["fitting"] == min(reached, default=len(rows))


def test_published_people_must_fit_and_withheld_people_need_not() -> None:
    release = by_hand(FIGURE_2A)
    assert verify_against(release, customers(), np.arange(6)).holds
    assert not verify_against(release, customers(), np.array([0, 0, 2, 3, 4, 5])).holds
    others = sf.Dataset.of("rt", [*PEOPLE[:5], (90, "Spain", "Male")], NAMES, [["A"]] * 6)
    assert not verify_against(release, others, np.arange(6)).holds


def test_the_original_is_attacked_with_ever_more_items() -> None:
    found = attack_original(customers(), 2)
    assert [risk.m for risk in found] == [0, 1, 2]
    assert [risk.unique_share for risk in found] == [1.0, 1.0, 1.0]
    alike = sf.Dataset.of("rt", [(1,)] * 4, ("age",), [["a", "b"], ["a", "b"], ["a", "c"], ["c"]])
    assert [risk.set_sizes.tolist() for risk in attack_original(alike, 2)] == [
        [4, 4, 4, 4],
        [2, 2, 2, 2],
        [2, 2, 1, 2],
    ]


def test_crowds_are_classes_and_sets_in_them() -> None:
    release = by_hand(FIGURE_2A)
    smallest_groups = list(find_smallest_groups(release, customers(), np.arange(6), np.array([0, 0, 1, 2, 3, 4])))
    assert min(smallest_groups) == (1, 2)


def twelve_items() -> sf.Dataset:
    """People of one age with up to four of twelve items, two of each sort."""
    rng = np.random.default_rng(0)
    sets = [sorted({str(item) for item in rng.choice(list("abcdefghijkl"), 4)}) for _ in range(30)]
    return sf.Dataset.of("rt", [(1,)] * 60, ("age",), sets * 2)


def test_more_known_items_than_anybody_has_are_all_of_them() -> None:
    data = twelve_items()
    verdicts = {}
    for m in (4, 20):
        result = sf.anonymize(data, sf.methods.RFirst(k=2, m=m, transaction="coat"), secret=bytes(32))
        verdicts[m] = verify_against(result.release, data, result.owner_record.rows)
        assert verdicts[m].holds
    assert verdicts[20].measured == verdicts[4].measured
