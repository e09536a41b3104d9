"""Picking records by the events next to known times: the fast way equals the plain one, and blurring stops it."""

import warnings
from collections import Counter
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive import knowledge as naive
from tests.kinds.sequences.naive import neighbours as plain
from tests.kinds.sequences.naive.knowledge import Event, make_release

import sfumato as sf
from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.hierarchies.derive import balanced
from sfumato.kinds.sequences.attacks import gaps, neighbours
from sfumato.kinds.sequences.attacks.gaps import learn_gaps
from sfumato.kinds.sequences.comparison import SequenceComparison
from sfumato.kinds.sequences.decode import TimedRecords
from sfumato.kinds.sequences.guarantees import GroupAnonymity
from sfumato.kinds.sequences.metrics.count_queries import CountQueries
from sfumato.kinds.sequences.metrics.event_context import EventContext
from sfumato.kinds.sequences.verify.faithful import verify_faithful
from sfumato.metrics.comparison import Comparison
from sfumato.params import declared
from sfumato.plugins import all_methods, find_verifier
from sfumato.release.run import Run

MONITORED = ("m", "n")
WAYS = ("next", "previous", "nearest")
BLURRING = [m for m in all_methods().values() if "blur" in {p.name for p in declared(m)}]

person = st.lists(st.tuples(st.sampled_from("mnab"), st.integers(0, 20)), max_size=6)
group = st.lists(person, min_size=1, max_size=9)
horizons = st.one_of(st.none(), st.integers(0, 8))


@given(group, st.integers(1, 3), horizons)
@settings(max_examples=200)
def test_the_fast_attacker_is_the_plain_one(original: list[list[Event]], groups: int, horizon: int | None) -> None:
    records = naive.publish(original, [i % groups for i in range(len(original))], MONITORED)
    release, data = make_release(records, GroupAnonymity(2, MONITORED)), Dataset.of("sequences", original)
    known = [naive.known_of(row, MONITORED) for row in original]
    found = neighbours.attack(release, data, np.arange(len(original)), horizon)
    if not any(known):
        assert found is None
        return
    limit = plain.NOTHING if horizon is None else horizon
    members, rows = release.members(), range(len(original))
    for way in WAYS:
        expected = plain.chances(known, records, rows, members, plain.distances(way, limit))
        assert found.success[way] == pytest.approx(np.mean(expected))
    assert found.attacked == found.people == sum(map(bool, known))
    labels = TimedRecords.of(release).entries.events.labels
    likely = plain.chances(known, records, rows, members, plain.likelihood(records, labels, min(limit, 1 << 40)))
    assert found.success["likelihood"] == pytest.approx(np.mean(likely))


@given(group, st.integers(1, 3), st.integers(0, 30))
def test_distances_are_learnt_moment_by_moment(original: list[list[Event]], groups: int, limit: int) -> None:
    records = naive.publish(original, [i % groups for i in range(len(original))], MONITORED)
    read = TimedRecords.of(make_release(records, GroupAnonymity(2, MONITORED)))
    learnt = learn_gaps(read, 1, limit)
    for side in ("after", "before"):
        expected = plain.learn(records, read.entries.events.labels, side, limit)
        assert learnt.tables[side] == pytest.approx(np.array(expected), rel=1e-6, abs=1e-12)


@given(group, st.integers(1, 3), st.integers(1, 9))
def test_no_more_is_learnt_from_than_can_be_held(original: list[list[Event]], groups: int, most: int) -> None:
    records = naive.publish(original, [i % groups for i in range(len(original))], MONITORED)
    read = TimedRecords.of(make_release(records, GroupAnonymity(2, MONITORED)))
    seen: list[int] = []

    def count(timeline: gaps._Timeline, events: int, limit: int) -> tuple[np.ndarray, ...]:
        seen.append(int(gaps._find_readings(timeline)[1].sum()) if len(timeline.lo) > 1 else 0)
        return listing(timeline, events, limit)

    listing = gaps._list_readings
    with mock.patch.multiple(gaps, _READINGS=most, _list_readings=count):
        learnt = gaps.learn_gaps(read, 1, 1000)
    assert max(seen) <= most
    assert all(table.sum() == pytest.approx(1) for table in learnt.tables.values())


@given(group)
def test_the_original_is_attacked_with_everybody_as_a_candidate(original: list[list[Event]]) -> None:
    known = [naive.known_of(row, MONITORED) for row in original]
    others = [naive.Record([], sorted((e for e in row if e[0] in "ab"), key=lambda e: e[1])) for row in original]
    found = neighbours.attack_original(Dataset.of("sequences", original, monitored=MONITORED))
    if not any(known) or not any(record.events for record in others):
        assert found is None
        return
    for way in WAYS:
        score = plain.distances(way)
        chances = []
        for number, told in enumerate(known):
            scores = [score(record, told) for record in others]
            best = [i for i, value in enumerate(scores) if value == min(scores)]
            chances += [(number in best) / len(best)] * bool(told)
        assert found.success[way] == pytest.approx(np.mean(chances))


def records_of(release) -> tuple[list, list]:
    """The published records as plain pairs and events, and what is told of blurred ones."""
    records, blurred = [], []
    for row in release.table.to_pylist():
        pairs = [(c, t["lo"], t["hi"]) for c, t in zip(row["monitored"], row["monitored_times"], strict=True)]
        records.append(naive.Record(pairs, list(zip(row["events"], row["times"], strict=True))))
        told = zip(row.get("blurred", []), row.get("blurred_times", []), strict=True)
        blurred.append([(event, t["lo"], t["hi"]) for event, t in told])
    return records, blurred


@pytest.mark.parametrize("method", BLURRING, ids=lambda m: m.name)
@settings(max_examples=60)
@given(data=st.data(), seed=st.integers(0, 9))
def test_with_blur_nobody_is_found_more_often_than_one_in_k(method, data, seed) -> None:
    row = st.lists(st.tuples(st.sampled_from("mnxyz"), st.integers(0, 40)), min_size=1, max_size=6)
    people = data.draw(st.lists(row, min_size=4, max_size=14))
    monitored = data.draw(st.sampled_from([("m",), ("m", "n")]))
    blur = data.draw(st.sampled_from([0, 1, 4, 100]))
    wishes = [{"k": 2}, {"k": 3}] + [{"k": 2, "g": 3, "l": 2}] * ("l" in {p.name for p in declared(method)})
    asked = data.draw(st.sampled_from(wishes))
    dataset = Dataset.of("sequences", people, monitored=monitored, hierarchy=balanced(list("mnxyz"), 2))
    try:
        result = method(**asked, blur=blur).anonymize(dataset, Run(bytes([seed] * 32)))
    except InfeasibleError:
        return
    release, rows, k = result.release, result.owner_record.rows, asked["k"]
    records, blurred = records_of(release)
    known = [naive.known_of(p, monitored) for p in people]
    labels = TimedRecords.of(release).entries.events.labels
    scores = [plain.distances(way, horizon) for way in WAYS for horizon in (0, blur / 2, blur)]
    for score in [*scores, plain.likelihood(records, labels, blur)]:
        assert all(chance <= 1 / k for chance in plain.chances(known, records, list(rows), release.members(), score))
    # Whatever is done with what records say near known times: it is the same for k of those that match.
    for told in filter(None, known):
        matching = [i for i, record in enumerate(records) if naive.matches_all(record, told, release.members())]
        said = Counter(plain.list_near(records[i], blurred[i], told, blur) for i in matching)
        assert all(count >= k for count in said.values())
    # Nothing is invented, and nothing is missing that is further away.
    for record, told, number in zip(records, blurred, rows, strict=True):
        zones = [(lo - blur, hi + blur) for _, lo, hi in record.pairs]
        others = [(e, t) for e, t in people[number] if e not in monitored]
        near = [(e, t) for e, t in others if any(lo <= t <= hi for lo, hi in zones)]
        assert sorted(record.events) == sorted(other for other in others if other not in near)
        assert all(any(e == event and lo <= t <= hi for e, t in near) for event, lo, hi in told)
    assert find_verifier(release.guarantee).verify(release)
    assert find_verifier(release.guarantee).verify_against(release, dataset, rows)
    assert verify_faithful(release, dataset, rows)


@pytest.mark.parametrize("method", BLURRING, ids=lambda m: m.name)
def test_blur_needs_a_k(method) -> None:
    data = Dataset.of("sequences", [[("m", 1)], [("m", 2)]], monitored=("m",))
    with pytest.raises(ParameterError, match="k"):
        method(blur=3, **({"g": 1, "l": 2} if "l" in {p.name for p in declared(method)} else {})).anonymize(data, Run())


def two_groups(blur: int | None):
    people = [[("m", 10 * i), ("x", 10 * i + 1), ("y", 500 + i)] for i in range(8)]
    dataset = Dataset.of("sequences", people, monitored=("m",))
    result = all_methods()["hi"](k=4, blur=blur).anonymize(dataset, Run(bytes([1] * 32)))
    return Comparison(dataset, result.release, result.owner_record.rows)


def test_measures_read_blurred_events_as_intervals() -> None:
    plain_context, blurred_context = (EventContext().measure(two_groups(blur)) for blur in (None, 5))
    assert blurred_context.details["without_counterpart"] == plain_context.details["without_counterpart"] == 0
    queries = CountQueries(intervals=10)
    assert queries.measure(two_groups(5)).details["other_false_negatives"] == 0
    blurred = two_groups(5).view(SequenceComparison).blurred
    assert len(blurred.lows) == 8 and set(blurred.lengths.tolist()) == {30}
    assert not len(two_groups(None).view(SequenceComparison).blurred.lows)


def test_python_users_are_warned_when_they_write(tmp_path) -> None:
    people = [[("m", 100 * i), ("x", 100 * i + 1)] for i in range(40)]
    dataset = Dataset.of("sequences", people, monitored=("m",))
    with pytest.warns(sf.ReleaseWarning, match="finds 40 of 40 people") as caught:
        sf.write(sf.anonymize(dataset, sf.methods.Hi(k=5)), tmp_path / "plain")
    assert any("blur=1" in str(warning.message) for warning in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error", sf.ReleaseWarning)
        sf.write(sf.anonymize(dataset, sf.methods.Hi(k=5, blur=1)), tmp_path / "blurred")


def test_a_sample_is_attacked_where_there_are_too_many_records(monkeypatch) -> None:
    people = [[("m", 100 * i), ("x", 100 * i + 1)] for i in range(40)]
    dataset = Dataset.of("sequences", people, monitored=("m",))
    monkeypatch.setattr(neighbours, "_CELLS", 400)
    found = neighbours.attack_original(dataset)
    assert (found.people, found.attacked) == (40, 10)
    assert "by a sample of 10" in found.remaining.warnings[0]
