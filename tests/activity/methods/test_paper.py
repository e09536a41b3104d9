"""Printed examples of Parameshwarappa, Chen and Koru (2021)."""

import math

import numpy as np
import pytest
from tests.activity.naive.attack import class_members
from tests.activity.naive.releases import publish

import sfumato as sf
from sfumato.core.clock import Clock
from sfumato.core.errors import InfeasibleError
from sfumato.kinds.activity.guarantees.activity_diversity import ActivityDiversity
from sfumato.kinds.activity.kernels.durations import Activities
from sfumato.kinds.activity.kernels.space import build_space, measure_from_person
from sfumato.kinds.activity.knowledge.windows import count_in_windows
from sfumato.kinds.activity.model import Slots
from sfumato.kinds.activity.verifiers import activity_diversity


def week(monday, friday):
    """A row of Table 1, hour by hour from Monday; the hours that are not printed are spent eating."""
    days = [[*monday, "E"], ["S", "S", "E"], ["E", "E", "E"], ["E", "E", "E"]]
    hours = [hour for day in days for hour in (*day, *(["E"] * 21))]
    return hours + [friday] * 24 + ["V"] * 48


TABLE_1 = [week("SE", "V"), week("SE", "V"), week("BE", "S"), week("BE", "V")]


def diverse(epsilon, delta):
    data = sf.Dataset.of("activity", TABLE_1, sensitive=("V",), clock=Clock("hour"))
    claim = ActivityDiversity(4, delta, epsilon, int(delta[:-1]), 1, slots=168, sensitive=("V",))
    release, rows = publish(data, [[0, 1, 2, 3]], claim=claim, dated=True)
    return activity_diversity.verify_against(release, data, rows)


def test_table_1_satisfies_72_hours_and_three_quarters():
    verdict = diverse("0.75", "72h")
    assert verdict.holds
    assert verdict.measured["share"] == "3/4"
    assert not diverse("0.74", "72h").holds
    assert not diverse("0.75", "48h").holds
    assert diverse("0.75", "48h").witness["people"] == 4


def test_table_1_cannot_be_published_when_all_four_are_away():
    data = sf.Dataset.of("activity", TABLE_1, sensitive=("V",), clock=Clock("hour"))
    with pytest.raises(InfeasibleError, match=r"LMdav: 4 of 4 people .* throughout 48h from slot 121 on"):
        sf.anonymize(data, sf.methods.LMdav(k=2, delta="48h", epsilon="0.75"))
    assert len(sf.anonymize(data, sf.methods.LMdav(k=2, delta="72h", epsilon="0.75")).release) == 4


def test_the_weighted_distance_of_the_paper_is_negative():
    codes = np.array([[0, 1], [1, 0]], np.int32)
    far = {}
    for weight in (1.0, 1.1):
        distance = np.empty(2)
        measure_from_person(build_space(Activities(codes, 2, np.array([1])), np.arange(2), 1, weight), 0, distance)
        far[weight] = distance[1]
    assert far[1.0] == 0.0
    assert far[1.1] == pytest.approx(-0.1 * math.sqrt(2))


def test_six_records_by_mc_rr():
    """r4 and r5 fill up c1 and c2, r6 fits nowhere, and c3 is merged with c2."""
    n1, n2, n3 = ["a"] * 6, ["b"] * 6, ["b"] * 5 + ["c"]
    short = [["v", "a", "a", "a", "a", "a"], ["v", "b", "b", "b", "b", "b"]]
    data = sf.Dataset.of("activity", [n1, n2, n3, *short, ["v"] * 6], sensitive=("v",))
    method = sf.methods.McRr(k=2, delta="3", epsilon="1/4", aggregate="6,1", fanout=1)
    result = sf.anonymize(data, method, secret=bytes([1] * 32), withhold_at_most=1)
    classes = class_members(result.release, result.trace.rows)
    assert sorted(classes.values()) == [[0, 3], [1, 2, 4]]
    assert result.release.withheld == {"fits into no class": 1}
    assert result.trace.counters["group_size"] == 1


def test_windows_are_all_runs_of_delta_slots():
    days = Slots.of(sf.Dataset.of("activity", TABLE_1))
    found = count_in_windows(days.codes, days.labels.index("V"), -1, 72)
    for start in range(168 - 72 + 1):
        away = [all(hour == "V" for hour in row[start : start + 72]) for row in TABLE_1]
        assert (found.may[start], found.seen[start]) == (sum(away), 4)
