"""Counting what a receiver matches: the fast way equals trying everything, and to know all is the strongest."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive import knowledge as naive
from tests.kinds.sequences.naive.knowledge import Event, Record, make_release

from sfumato.checks.compiled import set_smallest
from sfumato.data.dataset import Dataset
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import ParameterError
from sfumato.kinds.sequences.attacks.monitored_events import attack, risk_of_original
from sfumato.kinds.sequences.decode import find_last
from sfumato.kinds.sequences.guarantees import GlDiversity, GroupAnonymity
from sfumato.kinds.sequences.knowledge import class_matches, matches
from sfumato.kinds.sequences.knowledge.matches import count_matches
from sfumato.kinds.sequences.knowledge.windows import Windows
from sfumato.kinds.sequences.verify import gl_diversity, group_anonymity
from sfumato.kinds.sequences.verify.faithful import verify_faithful
from sfumato.plugins import find_attacker, find_verifier
from sfumato.release.release import Release

MONITORED = ("m", "n")
FARTHEST = 2**63 - 1

person = st.lists(st.tuples(st.sampled_from("mnab"), st.integers(0, 9)), max_size=6)
group = st.lists(person, min_size=1, max_size=9)
windows = st.integers(0, 6)


@st.composite
def monitored_parts(draw: Any) -> list[naive.Pair]:
    """Draw intervals that ascend and do not meet, with any category."""
    bounds = sorted(draw(st.lists(st.integers(0, 9), max_size=6, unique=True)))
    ends = [(lo, hi) for lo, hi in zip(bounds[::2], bounds[1::2], strict=False)]
    return [(draw(st.sampled_from(["m", "n", "{m|n}"])), lo, hi) for lo, hi in ends]


def claim(g: int, l: int = 2, k: int = 1) -> GlDiversity:
    return GlDiversity(g=g, l=l, k=k, monitored=MONITORED)


def check(release: Release, rows: list[Record], original: list[list[Event]], g: int) -> None:
    members = release.members()
    data = Dataset.of("sequences", original)
    found = count_matches(release, data, windows=Windows(g, 2))
    known = [naive.known_of(row, MONITORED) for row in original]
    sets = [[row for row in rows if naive.matches_all(row, told, members)] for told in known]
    assert found.sizes.tolist() == [len(matched) for matched in sets]
    assert found.knowledges == len({tuple(told) for told in known})
    shares = [naive.most_in_window(matched, g) / len(matched) for matched in sets if matched]
    assert found.share == max(shares, default=0.0)
    if found.likeliest is None:
        assert found.share == 0.0
    else:
        assert found.likeliest.people / found.likeliest.records == found.share
    smallest = min((len(matched) for matched in sets if matched), default=None)
    assert (None if found.rarest is None else len(found.rarest)) == smallest


@given(group, st.integers(1, 3), windows, st.integers(0, 9))
def test_true_releases(original: list[list[Event]], groups: int, g: int, kept: int) -> None:
    rows = naive.publish(original[:kept], [i % groups for i in range(len(original[:kept]))], MONITORED)
    check(make_release(rows, claim(g)), rows, original, g)


@given(st.lists(st.tuples(monitored_parts(), person), max_size=8), group, windows, st.sampled_from([1, 3, 10**6]))
@settings(max_examples=200)
def test_any_release(drawn: list[Any], original: list[list[Event]], g: int, portion: int) -> None:
    """Also records that belong to nobody; portions of any size give the same."""
    rows = [Record(pairs, sorted((e for e in row if e[0] in "ab"), key=lambda e: e[1])) for pairs, row in drawn]
    release = make_release(rows, claim(g), {"{m|n}": ["m", "n"]})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_matches, "_PORTION", portion)
        check(release, rows, original, g)
    with set_smallest(0):
        check(dataclasses.replace(release), rows, original, g)


@given(st.lists(st.tuples(monitored_parts(), person), max_size=8), group, st.sampled_from([1, 3, 10**6]))
def test_releases_that_leave_events_out(drawn: list[Any], original: list[list[Event]], portion: int) -> None:
    rows = [Record(pairs, []) for pairs, _ in drawn]
    release = make_release(rows, GroupAnonymity(2, MONITORED, suppressing=True), {"{m|n}": ["m", "n"]})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_matches, "_PORTION", portion)
        found = count_matches(release, Dataset.of("sequences", original))
    with set_smallest(0):
        compiled = count_matches(release, Dataset.of("sequences", original))
    assert compiled.sizes.tolist() == found.sizes.tolist()
    known = [naive.known_of(row, MONITORED) for row in original]
    expected = [sum(naive.matches_with_gaps(row, told, release.members()) for row in rows) for told in known]
    assert found.sizes.tolist() == expected
    smallest = min((size for size in expected if size), default=None)
    assert (None if found.rarest is None else len(found.rarest)) == smallest


@given(st.lists(st.tuples(monitored_parts(), person), min_size=1, max_size=8), group, windows, st.integers(2, 4))
def test_stopping_early_bounds_the_share_and_changes_no_verdict(
    drawn: list[Any], original: list[list[Event]], g: int, l: int
) -> None:
    rows = [Record(pairs, sorted((e for e in row if e[0] in "ab"), key=lambda e: e[1])) for pairs, row in drawn]
    release = make_release(rows, claim(g, l), {"{m|n}": ["m", "n"]})
    data = Dataset.of("sequences", original)
    exact, verdict = count_matches(release, data, windows=Windows(g, l)), gl_diversity.verify_against(release, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matches, "_EFFORT", 0)
        early = count_matches(release, data, windows=Windows(g, l))
        again = gl_diversity.verify_against(release, data)
    assert exact.share is not None
    assert early.share is not None
    assert exact.share <= early.share <= naive.worst_share(rows, g)
    assert verdict.checks == again.checks
    assert verdict.holds == again.holds


@given(st.lists(st.tuples(monitored_parts(), person), min_size=1, max_size=6), person, windows)
@settings(max_examples=200)
def test_to_know_all_is_the_strongest(drawn: list[Any], someone: list[Event], g: int) -> None:
    """Who knows a part matches all that the whole matches, whole classes, and predicts no better than the worst."""
    rows = [Record(pairs, [e for e in row if e[0] in "ab"]) for pairs, row in drawn]
    members = {"{m|n}": ["m", "n"]}
    known = naive.known_of(someone, MONITORED)
    whole = [row for row in rows if naive.matches_all(row, known, members)]
    smallest = min(map(len, naive.classes(rows)))
    for part in naive.parts(known):
        matched = [row for row in rows if naive.matches_some(row, part, members)]
        assert all(row in matched for row in whole)
        assert len(matched) >= len(whole)
        assert not matched or len(matched) >= smallest
        assert all(
            len([r for r in rows if r.pairs == row.pairs]) == len([r for r in matched if r.pairs == row.pairs])
            for row in matched
        )
        if matched:
            assert naive.most_in_window(matched, g) / len(matched) <= naive.worst_share(rows, g)


@given(group, st.integers(1, 3), windows, st.integers(2, 3), st.integers(2, 3))
def test_what_holds_in_the_release_holds_for_the_receiver(
    original: list[list[Event]], groups: int, g: int, l: int, k: int
) -> None:
    rows = naive.publish(original, [i % groups for i in range(len(original))], MONITORED)
    data, everybody = Dataset.of("sequences", original), np.arange(len(original))
    for guarantee, module in ((claim(g, l, k), gl_diversity), (GroupAnonymity(k, MONITORED), group_anonymity)):
        release = make_release(rows, guarantee)
        assert verify_faithful(release, data, everybody)
        assert module.verify_against(release, data, everybody).checks["published records match"]
        if module.verify(release):
            assert module.verify_against(release, data)
            assert module.verify_against(release, data, everybody)


@given(group, st.integers(1, 2), windows, st.integers(0, 9))
def test_attack_sums_up_the_matches(original: list[list[Event]], groups: int, g: int, kept: int) -> None:
    rows = naive.publish(original[:kept], [i % groups for i in range(len(original[:kept]))], MONITORED)
    release, data = make_release(rows, claim(g), left_out=len(original) - len(rows)), Dataset.of("sequences", original)
    members = release.members()
    known = [naive.known_of(row, MONITORED) for row in original]
    matches = [sum(naive.matches_all(row, told, members) for row in rows) for told in known]
    sizes = matches[: len(rows)] + [0] * (len(original) - len(rows))
    risk = attack(release, data, np.arange(len(rows)))
    assert risk.set_sizes.tolist() == sizes
    assert risk.smallest_anonymity_set == min((m for m in matches if m), default=0)
    assert risk.mean_success == pytest.approx(sum(1 / m for m in sizes if m) / len(sizes))
    assert risk.max_sensitive_share is not None
    assert risk.max_sensitive_share <= naive.worst_share(rows, g)
    assert attack(release, data).set_sizes.tolist() == matches
    plain = make_release(rows, GroupAnonymity(2, MONITORED), left_out=len(original) - len(rows))
    assert attack(plain, data).max_sensitive_share is None


@given(group, st.sampled_from([("m",), MONITORED, ()]))
def test_how_identifying_the_original_is(original: list[list[Event]], monitored: tuple[str, ...]) -> None:
    told = [tuple(naive.known_of(row, monitored or "mnab")) for row in original]
    expected = [Counter(told)[known] for known in told]
    for risk in (
        risk_of_original(Dataset.of("sequences", original, monitored=monitored)),
        risk_of_original(Dataset.of("sequences", original), monitored),
    ):
        assert risk.set_sizes.tolist() == expected
        assert risk.smallest_anonymity_set == min(expected)
        assert risk.knowledge == "monitored-events"
        assert risk.unique_share == pytest.approx(sum(size == 1 for size in expected) / len(expected))


def test_json_has_the_keys_of_every_risk() -> None:
    rows = naive.publish([[("m", 1)], [("m", 2)]], [0, 0], MONITORED)
    data = Dataset.of("sequences", [[("m", 1)], [("m", 2)]])
    assert attack(make_release(rows, claim(3)), data).to_dict() == {
        "smallest_anonymity_set": 2,
        "mean_success": 0.5,
        "max_success": 0.5,
        "knowledge": "monitored-events",
        "people": 2,
        "unique_share": 0.0,
        "max_sensitive_share": 0.0,
        "set_sizes": {"1": 0.0, "2-4": 1.0, "5-9": 0.0, "10-99": 0.0, "100+": 0.0},
        "set_size_quantiles": {"5 %": 2, "25 %": 2, "50 %": 2, "75 %": 2, "95 %": 2},
    }


def test_nobody_can_be_attacked() -> None:
    data = Dataset.of("sequences", [])
    assert risk_of_original(data, MONITORED).people == 0
    risk = attack(make_release([], claim(3)), data)
    assert (risk.smallest_anonymity_set, risk.mean_success, risk.max_sensitive_share) == (0, 0.0, 0.0)


def test_units_must_agree() -> None:
    rows = naive.publish([[("m", 1)], [("m", 2)]], [0, 0], MONITORED)
    with pytest.raises(ParameterError, match="different units"):
        attack(make_release(rows, GroupAnonymity(2, MONITORED)), Dataset.of("sequences", [], time_unit=TimeUnit("day")))
    with pytest.raises(ParameterError, match="window of the guarantee"):
        attack(make_release(rows, claim(3), unit="day"), Dataset.of("sequences", [], time_unit=TimeUnit("day")))


def test_they_are_found_by_their_guarantee() -> None:
    for guarantee, module in ((claim(1), gl_diversity), (GroupAnonymity(2, MONITORED), group_anonymity)):
        assert find_verifier(guarantee) is module
        assert find_attacker(guarantee).attack is attack


numbers = st.one_of(st.integers(-3, 9), st.integers(-FARTHEST, FARTHEST))


@given(st.lists(st.lists(numbers, max_size=9).map(sorted), max_size=4), st.data())
def test_the_last_number_within_a_limit(stretches, data):
    """Whatever the lengths of stretches, of which some may be empty, and of parts of them."""
    flat = [number for stretch in stretches for number in stretch]
    asked = (
        data.draw(st.lists(st.tuples(st.integers(0, max(len(stretches) - 1, 0)), numbers), max_size=5))
        if stretches
        else []
    )
    offsets = np.cumsum([0, *map(len, stretches)])
    begin = np.array([offsets[at] for at, _ in asked], np.int64)
    end = np.array([offsets[at + 1] for at, _ in asked], np.int64)
    begin += np.array([data.draw(st.integers(0, int(b - a))) for a, b in zip(begin, end, strict=True)], np.int64)
    limits = np.array([limit for _, limit in asked], np.int64)
    found = find_last(np.array(flat, np.int64), begin, end, limits)
    for a, b, limit, last in zip(begin, end, limits, found, strict=True):
        assert last == a - 1 + sum(number <= limit for number in flat[a:b])
