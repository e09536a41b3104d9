"""Somebody who knows what a person did at some times finds what a plain search finds, and no more than is promised."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity.examples import (
    DATA,
    GAP,
    GOOD,
    METHOD,
    PLAIN,
    ROUNDED,
    by_hour,
    days_in_runs,
    make_data,
    two_kinds_of_days,
)
from tests.kinds.activity.naive.attack import best_slots, fitting_people

import sfumato as sf
from sfumato.checks.compiled import set_smallest
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import SchemaError
from sfumato.kinds.activity.attacks.known_slots import attack, attack_original
from sfumato.kinds.activity.knowledge.slots import KnownSlots
from sfumato.kinds.activity.verify import activity_diversity, class_anonymity
from sfumato.plugins import find_method


def test_attackers_agree_with_the_claim():
    risk = attack(GOOD.release, DATA, GOOD.owner_record.rows)
    counted = activity_diversity.verify_against(GOOD.release, DATA, GOOD.owner_record.rows)
    assert risk.smallest_anonymity_set >= METHOD.k
    assert risk.max_sensitive_share <= 0.5
    assert risk.max_sensitive_share == pytest.approx(float(Fraction(counted.measured["share"])))
    assert attack(GOOD.release, DATA).max_sensitive_share >= risk.max_sensitive_share
    assert attack(PLAIN.release, DATA, PLAIN.owner_record.rows).max_sensitive_share is None
    one, two, everything = attack_original(DATA, 2)
    days = DATA.history().lists()
    assert everything.set_sizes.tolist() == [days.count(day) for day in days]
    assert (one.set_sizes >= two.set_sizes).all()
    assert two.max_sensitive_share == 1.0
    assert attack(ROUNDED.release, DATA, ROUNDED.owner_record.rows).smallest_anonymity_set >= METHOD.k
    with pytest.raises(SchemaError, match="other intervals"):
        attack(GOOD.release, sf.Dataset.of("activity", two_kinds_of_days(slots=9), time_unit=TimeUnit("hour")))


def test_suppressed_people_are_counted_and_safe():
    rows = [["home"] * 4] * 2 + [["away"] * 4] * 2
    data = sf.Dataset.of("activity", rows, sensitive=("away",), time_unit=TimeUnit("hour"))
    result = sf.anonymize(
        data, sf.methods.LVmdav(k=2, delta="2h", epsilon="1/2"), secret=bytes([1] * 32), max_suppressed_records=1
    )
    assert result.release.suppressed_records == {"fits into no class": 2}
    assert activity_diversity.verify_against(result.release, data, result.owner_record.rows).holds
    risk = attack(result.release, data, result.owner_record.rows)
    assert sorted(risk.set_sizes.tolist()) == [0, 0, 2, 2]
    assert risk.mean_success == 0.25


def test_an_activity_that_rounds_to_nothing_excludes_nobody():
    rows = [["home"] * 300] * 2 + [["home"] * 299 + ["out"]]
    data = sf.Dataset.of("activity", rows, time_unit=TimeUnit("minute"))
    result = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="300", digits=2), secret=bytes([1] * 32))
    assert result.release.table.column("activity").to_pylist() == ["home"]
    assert attack(result.release, data, result.owner_record.rows).set_sizes.tolist() == [3, 3, 3]
    assert class_anonymity.verify_against(result.release, data, result.owner_record.rows).holds


def test_attackers_count_those_who_are_observed():
    rows = [["home", "home"]] * 3 + [[GAP, "home"]] * 2
    data = by_hour(rows)
    result = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="slot"), secret=bytes([1] * 32))
    assert attack(result.release, data, result.owner_record.rows).set_sizes.tolist() == [3, 3, 3, 5, 5]
    shares = {(row["interval"].hour, row["activity"]): row["share"] for row in result.release.table.to_pylist()}
    assert shares[0, GAP] == 0.4
    assert np.isclose(shares[1, "home"], 1.0)


@settings(max_examples=25)
@given(days_in_runs(), st.integers(1, 2), st.integers(1, 3))
def test_attackers_find_what_a_plain_search_finds(rows, slot, m):
    data = make_data(rows)
    method = find_method("mc")(k=2, aggregate=f"{slot}h")
    result = sf.anonymize(data, method, secret=bytes([1] * 32), max_suppressed_records=1)
    release, owner = result.release, result.owner_record.rows
    everything = range(len(rows[0]))
    wanted = [fitting_people(release, day, everything, slot) for day in rows]
    risk = attack(release, data, owner)
    assert risk.set_sizes.tolist() == wanted
    with set_smallest(0):
        assert attack(release, data, owner).to_dict() == risk.to_dict()
    assert risk.smallest_anonymity_set >= 2
    bounded = attack(release, data, owner, m=m).set_sizes
    assert (bounded >= risk.set_sizes).all()
    if m == 1:
        first = [min(fitting_people(release, day, [at], slot) for at in everything) for day in rows]
        assert bounded.tolist() == first
    found = np.array([one.set_sizes for one in attack_original(data, m)[:-1]])
    assert found.T.tolist() == [best_slots(rows, person, m) for person in range(len(rows))]


def test_a_release_that_knows_no_activity_of_the_original_fits_nobody():
    data = sf.Dataset.of("activity", [["home", "work"]] * 3, time_unit=TimeUnit("hour"))
    others = sf.Dataset.of("activity", [["sea", "hills"]] * 3, time_unit=TimeUnit("hour"))
    release = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="hour"), secret=bytes(32)).release
    assert KnownSlots.of(release, others).know_slots(np.array([[0], [1], [0]])).tolist() == [0, 0, 0]
