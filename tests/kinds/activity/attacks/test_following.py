"""Somebody who knows one slot of a person follows the person through the shares, as far as they leave one way on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity.examples import (
    GAP,
    busy_days,
)
from tests.kinds.activity.naive.attack import follow_person

import sfumato as sf
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.activity.attacks import following, known_slots
from sfumato.kinds.activity.knowledge.following import Steps, follow
from sfumato.kinds.activity.knowledge.slots import KnownSlots
from sfumato.kinds.activity.report import render
from sfumato.metrics.comparison import Comparison


@settings(max_examples=100)
@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(
            st.lists(st.sampled_from(["a", "b", "c", GAP]), min_size=6, max_size=6), min_size=n, max_size=n
        )
    ),
    st.data(),
)
def test_steps_are_those_of_a_plain_search(rows, choices):
    person, slot = choices.draw(st.integers(0, len(rows) - 1)), choices.draw(st.integers(0, 5))
    if rows[person][slot] == GAP:
        return
    labels = ["a", "b", "c", GAP]
    counts = np.array([[sum(row[at] == label for row in rows) for label in labels] for at in range(6)], float)
    closed = np.zeros(counts.shape, bool)
    closed[:, 3] = True
    steps = Steps.of(counts, closed)
    found, activity = [], labels.index(rows[person][slot])
    for at in range(slot, 5):
        activity = int(steps.advance(np.array([at]), np.array([activity]))[0])
        if activity < 0:
            break
        found.append(labels[activity])
    assert found == follow_person(rows, range(len(rows)), person, slot, GAP)


def test_single_slots_let_people_be_followed_and_longer_intervals_do_not(tmp_path):
    data = sf.Dataset.of("activity", busy_days(), time_unit=TimeUnit("minute"))
    result = sf.anonymize(data, sf.methods.Mc(k=6, aggregate="slot"), secret=bytes([1] * 32))
    found = following.attack(result.release, data, result.owner_record.rows)
    assert found.slots > 5
    assert found.share > 0.8
    assert found.stops_at > 1
    risk = known_slots.attack(result.release, data, result.owner_record.rows)
    page = render(Comparison(data, result.release, result.owner_record.rows), risk, risk, [], stronger=[found])
    assert "A person can be followed." in page
    assert f"publish intervals of {found.stops_at} minutes" in page
    with pytest.warns(sf.ReleaseWarning, match="learns .* more minutes in 99 of 100 cases"):
        sf.write(result, tmp_path / "out", reports=False)
    assert sf.attack_beyond(tmp_path / "out", data)[0].to_dict()["wins"]
    assert "may follow that person from slot to slot" in result.release.guarantee.statement()
    longer = sf.methods.Mc(k=6, aggregate=f"{found.stops_at}min")
    safe = sf.anonymize(data, longer, secret=bytes([1] * 32))
    after = following.attack(safe.release, data, safe.owner_record.rows)
    assert after.share <= 0.05
    assert (after.stops_at, after.remaining.warnings) == (found.stops_at, ())
    page = render(Comparison(data, safe.release, safe.owner_record.rows), risk, risk, [], stronger=[after])
    assert "learns more about the time before or after it in only" in " ".join(page.split())
    assert "may follow" not in safe.release.guarantee.statement()


def test_who_is_alone_is_followed_to_the_end_and_nobody_into_unknown_time():
    rows = [["a"] * 3 + ["b"] * 3 + [GAP] * 2] + [["b"] * 8] * 3
    data = sf.Dataset.of("activity", rows, time_unit=TimeUnit())
    result = sf.anonymize(data, sf.methods.Mc(k=3, size=4, aggregate="1"), secret=bytes([1] * 32))
    found = follow(KnownSlots.of(result.release, data), result.owner_record.rows, None)[0]
    assert (found.median, found.share, found.starts) == (5.0, 1.0, 3)


def test_without_the_class_file_nobody_is_followed_and_without_anybody_alone_neither():
    rows = [["a", "b"] * 4] * 4
    data = sf.Dataset.of("activity", rows, time_unit=TimeUnit("minute"))
    result = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes([1] * 32))
    assert following.attack(result.release, data) is None
    found = following.attack(result.release, data, result.owner_record.rows)
    assert (found.slots, found.share, found.stops_at) == (0.0, 0.0, 1)
    assert following.attack_original(data) is None
