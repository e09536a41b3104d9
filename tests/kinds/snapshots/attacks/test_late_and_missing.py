"""What being late or missing tells, against a plain attacker."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.snapshots.naive.late_and_missing import guesses
from tests.kinds.snapshots.naive.people import dataset

import sfumato as sf
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.snapshots.attacks.attributes_and_time import attack
from sfumato.kinds.snapshots.attacks.late_and_missing import _fit, _Weights, infer_values


def publish(data, **parameters):
    return sf.anonymize(data, sf.methods.Reposition(**parameters), secret=bytes([1] * 32), max_suppressed_records=1)


def where(result, data):
    found = [None] * len(data)
    columns = (result.release.table[name].to_pylist() for name in ("snapshot", "group"))
    for row, *at in zip(result.owner_record.rows.tolist(), *columns, strict=True):
        found[row] = tuple(at)
    return found


@settings(max_examples=80)
@given(st.lists(st.lists(st.integers(0, 3), max_size=10), min_size=1, max_size=6), st.integers(1, 4))
def test_guesses_are_those_of_a_plain_attacker(days, window):
    data = dataset(days)
    if not len(data):
        return
    try:
        result = publish(data, l=2, window=window)
    except InfeasibleError:
        return
    found = infer_values(result.release, data, result.owner_record.rows)
    people = [(row["time"], row["ill"]) for row in data.table.to_pylist()]
    plain = guesses(people, where(result, data), window)
    assert [("on_time", "late", "missing")[state] for state in found.state] == [state for state, *_ in plain]
    assert found.release_only == pytest.approx([alone for _, alone, _ in plain])
    told = np.array([known for *_, known in plain])
    assert found.with_frequencies[found.state == 2] == pytest.approx(told[found.state == 2])
    for state in (0, 1):
        mine = found.state == state
        assert found.with_frequencies[mine].sum() >= told[mine].sum() - 1e-9


def test_fitting_a_group_guesses_what_weighing_every_way_to_deal_out_its_values_guesses():
    likely = np.array([[0.9, 0.05, 0.05], [0.2, 0.4, 0.4], [0.3, 0.3, 0.4]])
    ways = [(np.prod([likely[r, v] for r, v in enumerate(way)]), way) for way in itertools.permutations(range(3))]
    exact = np.zeros((3, 3))
    for weight, way in ways:
        for record, value in enumerate(way):
            exact[record, value] += weight / sum(weight for weight, _ in ways)
    which, pair = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    fit = _fit(likely.reshape(-1), which, pair, np.ones(3, np.int64)).reshape(3, 3)
    assert (fit.argmax(axis=1) == exact.argmax(axis=1)).all()


def test_withheld_people_count_as_found_when_absence_gives_their_value_away():
    data = dataset([[0] * 9 + [1] * 3])
    result = publish(data, l=2, window=1)
    risk = attack(result.release, data, result.owner_record.rows)
    assert sum(result.release.suppressed_records.values()) == 6
    assert risk.max_sensitive_share == 0.5
    assert risk.fates["missing"] == {"people": 6, "right": 0.5, "right_knowing_frequencies": 1.0}
    assert risk.mean_success == pytest.approx((6 * 0.5 + 6 * 1.0) / 12)
    assert risk.max_success == 1.0
    assert attack(result.release, data).fates is None


def test_hidden_delays_tell_less():
    rng = np.random.default_rng(1)
    days = [np.minimum(rng.exponential(1.5 + 2 * (time % 4), 40), 8).astype(int).tolist() for time in range(40)]
    data = dataset(days)
    late = {}
    for delays in ("paper", "hidden"):
        result = publish(data, l=3, window=5, delays=delays)
        late[delays] = attack(result.release, data, result.owner_record.rows).fates["late"]
    assert late["hidden"]["right"] < 0.5 < late["paper"]["right"]
    assert late["hidden"]["right_knowing_frequencies"] < late["paper"]["right_knowing_frequencies"] - 0.2


def test_values_that_the_original_does_not_have_are_not_taken_for_others():
    weights = _Weights(np.array([1, 2]), np.array([0.5, 0.25]), 2)
    assert weights.of(np.array([0, 0, 1]), np.array([1, 2, 0])).tolist() == [0.5, 0.0, 0.25]
    data = dataset([[0, 3, 0, 3], [1, 2, 1, 2]])
    result = publish(data, l=2, window=2)
    people = [(row["time"], row["who"], row["ill"].replace("v2", "v0")) for row in data.table.to_pylist()]
    found = infer_values(result.release, sf.Dataset.of("snapshots", people, ("who",), "ill"), result.owner_record.rows)
    # Of v1 and a value that nobody had on the second day, those who know frequencies take v1.
    assert found.with_frequencies.tolist() == [0.5, 0.5, 0.5, 0.5, 1.0, 0.0, 1.0, 0.0]
