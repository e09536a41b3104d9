"""Published shares are those of the people of the class: swapped, invented and changed ones are found."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity.examples import (
    DATA,
    GOOD,
    METHOD,
    PLAIN,
    ROUNDED,
    days_in_runs,
    swap_names,
    with_column,
    with_part,
)
from tests.kinds.activity.naive import promise
from tests.kinds.activity.naive.releases import people, publish

import sfumato as sf
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.activity import encode
from sfumato.kinds.activity.guarantees import ClassAnonymity
from sfumato.kinds.activity.verify import activity_diversity, class_anonymity, faithful
from sfumato.kinds.activity.verify.faithful import verify_faithful


@pytest.mark.parametrize("good", [GOOD, ROUNDED], ids=["exact", "rounded"])
def test_shares_of_other_people_show_against_the_original(good):
    step = 0.5 / 3 if good is GOOD else 0.01

    def shift(column):
        first = next(i for i, share in enumerate(column) if step < share < 1 - step)
        column[first] += 5 * step / (1 if good is ROUNDED else 5)

    damaged = with_column(good.release, "share", shift)
    assert not verify_faithful(damaged, DATA, good.owner_record.rows).holds
    assert not activity_diversity.verify_against(damaged, DATA, good.owner_record.rows).holds


def test_swapped_people_and_classes_show_against_the_original():
    rows = GOOD.owner_record.rows.copy()
    rows[[0, -1]] = rows[[-1, 0]]
    verdict = verify_faithful(GOOD.release, DATA, rows)
    assert verdict.counterexample["check"] == "shares are those of the records of the class"
    assert not activity_diversity.verify_against(GOOD.release, DATA, rows).holds
    assert not verify_faithful(with_part(GOOD.release, "class", swap_names), DATA, GOOD.owner_record.rows).holds
    assert not class_anonymity.verify_against(
        with_part(PLAIN.release, "class", swap_names), DATA, PLAIN.owner_record.rows
    )


@pytest.mark.parametrize("change", [lambda r: r[:-1], lambda r: np.append(r[:-1], r[0]), lambda r: r + 99])
def test_a_class_file_of_others_is_refused(change):
    verdict = verify_faithful(GOOD.release, DATA, change(GOOD.owner_record.rows))
    assert verdict.checks["every record is in one class at most"] is False


def test_an_invented_activity_and_other_days_show_against_the_original():
    renamed = with_column(GOOD.release, "activity", lambda c: c.__setitem__(slice(None), ["x" + name for name in c]))
    assert not verify_faithful(renamed, DATA, GOOD.owner_record.rows).holds
    later = dataclasses.replace(DATA, time_unit=TimeUnit("hour", 96))
    verdict = verify_faithful(GOOD.release, later, GOOD.owner_record.rows)
    assert verdict.counterexample["check"] == "intervals are those of the original"
    undated = dataclasses.replace(DATA, time_unit=TimeUnit())
    assert not verify_faithful(GOOD.release, undated, GOOD.owner_record.rows).holds


@settings(max_examples=60)
@given(days_in_runs(), st.integers(1, 3), st.data())
def test_shares_worked_out_by_hand_are_those_of_the_people_and_of_no_others(rows, slot, choices):
    cut = choices.draw(st.integers(1, len(rows)))
    classes = [members for members in (list(range(cut)), list(range(cut, len(rows)))) if members]
    guarantee = ClassAnonymity(1, slot, slots=len(rows[0]))
    release, owner = publish(people(rows), classes, slot, guarantee=guarantee)
    assert verify_faithful(release, people(rows), owner).holds
    person, at = choices.draw(st.integers(0, len(rows) - 1)), choices.draw(st.integers(0, len(rows[0]) - 1))
    other = [list(row) for row in rows]
    other[person][at] = choices.draw(st.sampled_from([label for label in "abvw" if label != rows[person][at]]))
    assert not verify_faithful(release, people(other), owner).holds


@pytest.mark.parametrize("name", ["count_durations", "round_shares"])
def test_what_the_publisher_counts_wrong_is_found(name, monkeypatch):
    right = getattr(encode, name)
    monkeypatch.setattr(encode, name, lambda *given: np.roll(right(*given), 1, axis=1))
    made = sf.anonymize(DATA, dataclasses.replace(METHOD, digits=2), secret=bytes([1] * 32))
    verdict = verify_faithful(made.release, DATA, made.owner_record.rows)
    assert verdict.counterexample["check"] == "shares are those of the records of the class"


@settings(max_examples=40)
@given(st.integers(1, 7), st.integers(1, 9), st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
def test_shares_are_counted_alike_however_many_people_are_counted_at_a_time(size, slots, length, cells, seed):
    codes = np.random.default_rng(seed).integers(0, 3, (size, slots)).astype(np.int32)
    begins = np.arange(0, slots, length)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faithful, "_CELLS", cells * slots)
        found = faithful.share_time(codes, begins, 3)
    assert found.tolist() == promise.share_time(codes.tolist(), begins.tolist(), 3)
