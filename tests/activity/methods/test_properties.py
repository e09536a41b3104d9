"""Whatever the data, methods for daily activities publish classes that keep their claim, or say why not."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.activity.naive.attack import best_slots, class_members, fitting_people
from tests.activity.naive.partitions import durations, largest_share

import sfumato as sf
from sfumato.core.clock import Clock
from sfumato.core.errors import InfeasibleError
from sfumato.core.run import Run
from sfumato.engines.local import Local
from sfumato.kinds.activity.attacker.known_slots import attack, attack_original
from sfumato.kinds.activity.publication import round_shares
from sfumato.registry import faithful_verifier, find, verifier

FLAT = ("l-mdav", "l-vmdav", "msld")
LEVELLED = ("mc-l-mdav", "mc-l-mdav-wd", "mc-l-vmdav", "mc-l-vmdav-wd", "mc-rr")
LABELS = "abvw"


@st.composite
def days(draw):
    """People with runs of activities, v and w being sensitive."""
    people, slots = draw(st.integers(2, 12)), draw(st.integers(2, 8))
    rows = []
    for _ in range(people):
        runs = draw(st.lists(st.tuples(st.sampled_from(LABELS), st.integers(1, 8)), min_size=1, max_size=4))
        row = [label for label, length in runs for _ in range(length)]
        rows.append((row * slots)[:slots])
    return rows


def build(rows, unit="hour"):
    used = {label for row in rows for label in row}
    sensitive = tuple(label for label in "vw" if label in used) or tuple(sorted(used))[:1]
    return sf.Dataset.of("activity", rows, sensitive=sensitive, clock=Clock(unit, origin=48))


def make(name, rows, slot, window, epsilon, **options):
    delta = f"{min(window, len(rows[0]))}h"
    lengths = {"interval": f"{slot}h"} if name in FLAT else {"aggregate": f"{2 * slot}h,{slot}h", "fanout": 2}
    return find(name)(k=2, delta=delta, epsilon=epsilon, **lengths, **options)


def share_of(data, window, people):
    history = data.history()
    rows = [history.codes.reshape(len(data), -1)[person].tolist() for person in people]
    return largest_share(rows, [history.labels.index(label) for label in data.schema.sensitive], window)


@pytest.mark.parametrize("name", FLAT + LEVELLED)
@settings(max_examples=15)
@given(days(), st.integers(1, 3), st.integers(1, 5), st.sampled_from(["1/3", "0.5", "3/4"]), st.none() | st.just(2))
def test_releases_keep_their_claim_or_cannot_be_made(name, rows, slot, window, epsilon, digits):
    data = build(rows)
    method = make(name, rows, slot, window, epsilon, digits=digits)
    claim = method.claim(data)
    try:
        result = sf.anonymize(data, method, secret=bytes([1] * 32), withhold_at_most=1)
    except InfeasibleError as error:
        assert type(method).__name__ in str(error)
        assert share_of(data, claim.delta_slots, range(len(data))) > claim.fraction
        return
    release, owner = result.release, result.trace.rows
    judge = verifier(release.guarantee)
    verdict = judge.verify(release)
    assert verdict.holds, verdict.witness
    assert bool(verdict) == (Fraction(verdict.measured["share_at_most"]) <= claim.fraction)
    counted = judge.verify_against(release, data, owner)
    assert counted, counted.witness
    assert faithful_verifier("activity").verify_faithful(release, data, owner).holds
    classes = class_members(release, owner)
    shares = [share_of(data, claim.delta_slots, members) for members in classes.values()]
    assert min(map(len, classes.values())) >= 2
    assert max(shares) <= claim.fraction
    assert Fraction(counted.measured["share"]) == max(shares) <= Fraction(verdict.measured["share_at_most"])
    assert len(release) + sum(release.withheld.values()) == len(data)
    if digits is None:
        check_shares(release, data, classes, slot)


def check_shares(release, data, classes, slot):
    """Published shares are the mean durations of the class."""
    history = data.history()
    rows = history.codes.reshape(len(data), -1).tolist()
    q, slots = len(history.labels), len(rows[0])
    begins = sorted({row["interval"] for row in release.table.to_pylist()})
    found = {(row["class"], row["interval"], row["activity"]): row["share"] for row in release.table.to_pylist()}
    for name, members in classes.items():
        totals = np.sum([durations(rows[person], q, slot) for person in members], axis=0).reshape(-1, q)
        for at, begin in enumerate(begins):
            length = min(slot, slots - at * slot) * len(members)
            for code, label in enumerate(history.labels):
                assert found.get((name, begin, label), 0.0) == totals[at, code] / length


@settings(max_examples=15)
@given(days(), st.integers(1, 2), st.sampled_from(["mc-l-mdav-wd", "mc-l-vmdav-wd", "mc-rr", "msld"]))
def test_the_same_classes_on_one_core_and_on_two(rows, slot, name):
    data, method = build(rows), make(name, rows, slot, 2, "3/4")
    made = []
    for cores in (1, 2):
        try:
            result = sf.anonymize(data, method, run=Run(bytes([3] * 32), engine=Local(cores)), withhold_at_most=1)
            made.append((result.release.table.to_pylist(), result.trace.rows.tolist()))
        except InfeasibleError as error:
            made.append((str(error), []))
    assert made[0] == made[1]


@settings(max_examples=25)
@given(days(), st.integers(1, 2), st.integers(1, 3))
def test_attackers_find_what_a_plain_search_finds(rows, slot, m):
    data = build(rows)
    method = find("mc")(k=2, aggregate=f"{slot}h")
    result = sf.anonymize(data, method, secret=bytes([1] * 32), withhold_at_most=1)
    release, owner = result.release, result.trace.rows
    everything = range(len(rows[0]))
    wanted = [fitting_people(release, day, everything, slot) for day in rows]
    risk = attack(release, data, owner)
    assert risk.set_sizes.tolist() == wanted
    assert risk.smallest_anonymity_set >= 2
    bounded = attack(release, data, owner, m=m).set_sizes
    assert (bounded >= risk.set_sizes).all()
    if m == 1:
        first = [min(fitting_people(release, day, [at], slot) for at in everything) for day in rows]
        assert bounded.tolist() == first
    found = np.array([one.set_sizes for one in attack_original(data, m)])
    assert found.T.tolist() == [best_slots(rows, person, m) for person in range(len(rows))]


@settings(max_examples=50)
@given(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=1, max_size=5), st.integers(1, 5))
def test_rounded_shares_sum_to_one_and_are_near(counts, digits):
    counts = np.array([[*row[:2], row[2] + 1] for row in counts])
    shares = round_shares(counts, digits)
    units = np.round(shares * 10**digits).astype(int)
    assert (units.sum(axis=1) == 10**digits).all()
    assert (np.abs(shares - counts / counts.sum(axis=1, keepdims=True)) < 10.0**-digits).all()


def test_shares_are_rounded_as_asked():
    data = build([list("aab"), list("abv"), list("aaa")])
    method = dataclasses.replace(make("mc-l-mdav", [list("aab")], 1, 2, "0.75"), k=3, digits=2)
    release = sf.anonymize(data, method, secret=bytes([1] * 32), withhold_at_most=1).release
    assert release.guarantee.digits == 2
    assert sorted(release.table.column("share").to_pylist()) == [0.33, 0.33, 0.33, 0.34, 0.67, 1.0]
