"""Methods for daily activities: the printed examples, and releases that keep their claim whatever the data."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity.examples import (
    DIVERSE,
    GAP,
    TABLE_1,
    away_from_one_past_eight,
    busy_days,
    by_hour,
    days_in_runs,
    gappy_days,
    make_data,
    make_method,
    name_gap,
)
from tests.kinds.activity.naive.attack import class_members
from tests.kinds.activity.naive.methods import durations
from tests.kinds.activity.naive.promise import count_least_observed, hidden_intervals, largest_share

import sfumato as sf
from sfumato.data.time_units import TimeUnit
from sfumato.engines.local import Local
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.activity.attacks.known_slots import attack
from sfumato.kinds.activity.verify import activity_diversity
from sfumato.plugins import find_kind, find_method, find_verifier
from sfumato.release.run import Run


def test_table_1_cannot_be_published_when_all_four_are_away():
    data = sf.Dataset.of("activity", TABLE_1, sensitive=("V",), time_unit=TimeUnit("hour"))
    with pytest.raises(InfeasibleError, match=r"LMdav: 4 of 4 people .* throughout 48h from slot 121 on"):
        sf.anonymize(data, sf.methods.LMdav(k=2, delta="48h", epsilon="0.75"))
    assert len(sf.anonymize(data, sf.methods.LMdav(k=2, delta="72h", epsilon="0.75")).release) == 4


def test_six_records_by_mc_rr():
    """r4 and r5 fill up c1 and c2, r6 fits nowhere, and c3 is merged with c2."""
    n1, n2, n3 = ["a"] * 6, ["b"] * 6, ["b"] * 5 + ["c"]
    short = [["v", "a", "a", "a", "a", "a"], ["v", "b", "b", "b", "b", "b"]]
    data = sf.Dataset.of("activity", [n1, n2, n3, *short, ["v"] * 6], sensitive=("v",))
    method = sf.methods.McRr(k=2, delta="3", epsilon="1/4", aggregate="6,1", fanout=1)
    result = sf.anonymize(data, method, secret=bytes([1] * 32), max_suppressed_records=1)
    classes = class_members(result.release, result.owner_record.rows)
    assert sorted(classes.values()) == [[0, 3], [1, 2, 4]]
    assert result.release.suppressed_records == {"fits into no class": 1}
    assert result.owner_record.counters["group_size"] == 1


@pytest.mark.parametrize("name", DIVERSE)
def test_four_people_away_from_one_past_eight_are_not_published(name):
    data = sf.Dataset.of(
        "activity", [away_from_one_past_eight()] * 4, sensitive=("away",), time_unit=TimeUnit("minute")
    )
    lengths = {"aggregate": "day,hour"} if name.startswith("mc") else {"interval": "hour"}
    with pytest.raises(
        InfeasibleError, match=r"4 of 4 people have the sensitive activity throughout 8h from slot 482 on"
    ):
        sf.anonymize(data, find_method(name)(k=2, delta="8h", epsilon="1/2", **lengths))


@pytest.mark.parametrize("name", DIVERSE)
def test_they_are_put_together_with_others_so_that_half_of_a_class_is_away(name):
    rows = [away_from_one_past_eight()] * 4 + [["home"] * 1440] * 4
    data = sf.Dataset.of("activity", rows, sensitive=("away",), time_unit=TimeUnit("minute"))
    lengths = {"aggregate": "day,hour"} if name.startswith("mc") else {"interval": "hour"}
    result = sf.anonymize(data, find_method(name)(k=2, delta="8h", epsilon="1/2", **lengths), secret=bytes([1] * 32))
    counted = activity_diversity.verify_against(result.release, data, result.owner_record.rows)
    assert counted, counted.counterexample
    assert Fraction(counted.measured["share"]) <= Fraction(1, 2)
    assert attack(result.release, data, result.owner_record.rows).max_sensitive_share <= 0.5


@pytest.mark.parametrize("name", ["LMdav", "LVmdav", "Msld"])
def test_methods_by_slot_take_an_interval(name):
    data = sf.Dataset.of("activity", busy_days(), sensitive=("a1",), time_unit=TimeUnit("minute"))
    method = getattr(sf.methods, name)(k=3, delta="1h", epsilon="3/4", interval="30min")
    assert sf.anonymize(data, method, secret=bytes([1] * 32)).release.guarantee.slot == 30


def test_one_in_january_and_one_in_june_do_not_hide_each_other():
    rows = [["away"] * 4 + [GAP] * 4, [GAP] * 4 + ["home"] * 4]
    with pytest.raises(InfeasibleError, match="in no interval are k=2 records of a class observed all the time"):
        sf.anonymize(by_hour(rows), sf.methods.Mc(k=2, aggregate="slot"))
    both = [[*row, "home", "home"] for row in rows]
    result = sf.anonymize(by_hour(both), sf.methods.Mc(k=2, aggregate="2h"), secret=bytes([1] * 32))
    table = result.release.table.to_pylist()
    assert [(row["activity"], row["share"]) for row in table] == [*[(GAP, 1.0)] * 4, ("home", 1.0)]
    assert result.owner_record.counters["intervals_of_classes_published_as_unknown"] == 4
    assert result.owner_record.counters["intervals_of_classes"] == 5
    assert (
        "where fewer than 2 people of a class were observed, nothing is published"
        in result.release.guarantee.statement()
    )


def share_of(data, window, people):
    days = data.history().lists()
    return largest_share(days, people, range(len(days[0])), data.schema.sensitive, window)


@pytest.mark.parametrize("name", DIVERSE)
@settings(max_examples=15)
@given(
    days_in_runs(), st.integers(1, 3), st.integers(1, 5), st.sampled_from(["1/3", "0.5", "3/4"]), st.none() | st.just(2)
)
def test_releases_keep_their_claim_or_cannot_be_made(name, rows, slot, window, epsilon, digits):
    data = make_data(rows)
    method = make_method(name, rows, slot, window, epsilon, digits=digits)
    guarantee = method.build_guarantee(data)
    try:
        result = sf.anonymize(data, method, secret=bytes([1] * 32), max_suppressed_records=1)
    except InfeasibleError as error:
        assert type(method).__name__ in str(error)
        assert share_of(data, guarantee.delta_slots, range(len(data))) > guarantee.fraction
        return
    release, owner = result.release, result.owner_record.rows
    judge = find_verifier(release.guarantee)
    verdict = judge.verify(release)
    assert verdict.holds, verdict.counterexample
    assert bool(verdict) == (Fraction(verdict.measured["share_at_most"]) <= guarantee.fraction)
    counted = judge.verify_against(release, data, owner)
    assert counted, counted.counterexample
    assert find_kind("activity").verify_faithful.load()(release, data, owner).holds
    classes = class_members(release, owner)
    shares = [share_of(data, guarantee.delta_slots, members) for members in classes.values()]
    assert min(map(len, classes.values())) >= 2
    assert max(shares) <= guarantee.fraction
    assert Fraction(counted.measured["share"]) == max(shares) <= Fraction(verdict.measured["share_at_most"])
    assert len(release) + sum(release.suppressed_records.values()) == len(data)
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


@pytest.mark.parametrize("name", [*DIVERSE, "mc"])
@pytest.mark.parametrize("gaps", ["unknown", "withhold"])
@settings(max_examples=25)
@given(
    gappy_days(), st.integers(1, 3), st.integers(1, 4), st.sampled_from(["1/3", "1/2", "3/4"]), st.none() | st.just(2)
)
def test_what_is_published_of_people_with_unknown_time_keeps_the_claim(name, gaps, rows, slot, window, epsilon, digits):
    data = by_hour(rows, ("v",))
    window = min(window, len(rows[0]))
    lengths = {"interval": f"{slot}h"} if not name.startswith("mc") else {"aggregate": f"{2 * slot}h,{slot}h"}
    asked = {} if name == "mc" else {"delta": f"{window}h", "epsilon": epsilon}
    try:
        method = find_method(name)(k=2, gaps=gaps, digits=digits, **lengths, **asked)
        result = sf.anonymize(data, method, secret=bytes(32), max_suppressed_records=1)
    except InfeasibleError:
        return
    release, owner = result.release, result.owner_record.rows
    gap = name_gap(rows)
    hidden = hidden_intervals(release, gap)
    for label, members in class_members(release, owner).items():
        shown = [at for at in range(len(rows[0])) if (label, at // slot) not in hidden]
        assert count_least_observed(rows, members, shown, gap) >= 2
        if name != "mc":
            assert largest_share(rows, members, shown, "v", window, gap) <= Fraction(epsilon)
    judge = find_verifier(release.guarantee)
    assert judge.verify(release).outcome in ("holds", "unsettled")
    counted = judge.verify_against(release, data, owner)
    assert counted, counted.counterexample
    risk = attack(release, data, owner)
    assert risk.smallest_anonymity_set >= 2
    assert attack(release, data, owner, m=1).smallest_anonymity_set >= 2
    assert len(release) + sum(release.suppressed_records.values()) == len(data)


@settings(max_examples=15)
@given(days_in_runs(), st.integers(1, 2), st.sampled_from(["mc-l-mdav-wd", "mc-l-vmdav-wd", "mc-rr", "msld"]))
def test_the_same_classes_on_one_core_and_on_two(rows, slot, name):
    data, method = make_data(rows), make_method(name, rows, slot, 2, "3/4")
    made = []
    for cores in (1, 2):
        try:
            result = sf.anonymize(data, method, run=Run(bytes([3] * 32), engine=Local(cores)), max_suppressed_records=1)
            made.append((result.release.table.to_pylist(), result.owner_record.rows.tolist()))
        except InfeasibleError as error:
            made.append((str(error), []))
    assert made[0] == made[1]
