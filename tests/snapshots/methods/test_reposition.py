"""The printed examples of Wang et al., Anonymizing Temporal Data, and what the paper leaves open."""

import numpy as np
import pytest
from tests.snapshots.naive.reposition import price

import sfumato as sf
from sfumato.kinds.snapshots.costs import CostModel
from sfumato.kinds.snapshots.families.reposition_window import RepositionWindow
from sfumato.kinds.snapshots.kernels.reposition import Window, admit_newest, relay_gain


def window_of(values, size):
    return Window(*(np.zeros((values, width), np.int64) for width in (size, 2 * size - 1, size)))


@pytest.mark.parametrize(("mu", "late"), [([0, 1, 2], 1), ([0, 3, 9], 3)])
def test_example_1_adds_up_one_suppressed_and_one_late_record(mu, late):
    """Snapshots 6, 7, 8: r0 of 6 is suppressed, r5 of 7 is published in 8, all others where they belong."""
    records = [("s", home) for home in (6, 6, 6, 7, 7, 7, 8)]
    assert price(records, [None, 6, 6, 7, 7, 8, 8], mu, {"s": 10}) == 10 + late


def examples_2_and_3(first_gains):
    """P has 8 records (2 of s1, s2, s3 and 1 of s4, s5), level 2, 4-eligible; gains of one waiting record per value."""
    window = window_of(5, 2)
    cost = 5
    window.held[:, 0] = 1
    arrived = np.array([2, 2, 2, 1, 1], dtype=np.int64)
    beta = np.array([gain + cost for gain in first_gains], dtype=np.int64)
    return window, arrived, np.array([0, cost], dtype=np.int64), beta


def test_example_2_relays_the_only_gain_that_keeps_the_level():
    window, arrived, mu, beta = examples_2_and_3([-4, -4, -4, 2, -1])
    assert admit_newest(window, arrived, 4, mu, beta) == 2
    assert window.slots[:, 1].tolist() == [2, 2, 2, 2, 1]
    assert window.held[:, 0].tolist() == [1, 1, 1, 0, 1]


def test_example_3_lifts_the_level_with_three_records_one_of_which_loses():
    """After LP there are 9 records at level 2; level 3 needs 12: gains 3, 3 and -2 together are 4."""
    window, arrived, mu, beta = examples_2_and_3([3, 3, -4, 1, -2])
    assert admit_newest(window, arrived, 4, mu, beta) == 1 + 3 + 3 - 2
    assert window.slots[:, 1].tolist() == [3, 3, 2, 2, 2]
    assert window.slots[:, 1].sum() == 12


def test_a_lift_that_does_not_gain_is_rolled_back():
    window, arrived, mu, beta = examples_2_and_3([3, -2, -2, 1, -2])
    assert admit_newest(window, arrived, 4, mu, beta) == 1
    assert window.slots[:, 1].tolist() == [2, 2, 2, 2, 1]


def test_a_level_that_can_rise_for_nothing_takes_single_gains():
    """Figure 4 stops at m=0 because an empty set gains nothing; here single records with a gain are taken."""
    window = window_of(5, 2)
    window.held[0, 0] = 1
    arrived = np.array([2, 2, 2, 2, 2], dtype=np.int64)
    gain = admit_newest(window, arrived, 3, np.array([0, 1], dtype=np.int64), np.full(5, 4, dtype=np.int64))
    assert gain == 3
    assert window.slots[:, 1].tolist() == [3, 2, 2, 2, 2]


def test_a_relay_pushes_later_records_on_and_keeps_their_order():
    """A record of snapshot 0 takes the place of one of snapshot 1, which goes to the newest snapshot."""
    window = window_of(1, 3)
    window.slots[0] = [0, 1, 0]
    window.chosen[0] = [0, 0, 0, 1, 0]
    window.held[0] = [1, 0, 0]
    quadratic = np.array([0, 1, 4], dtype=np.int64)
    gain, home = relay_gain(window, 0, quadratic, 10)
    assert (gain, home) == (10 - 1 - 1, 0)
    direct = 10 - 4
    assert gain > direct


def test_a_suppressed_record_belongs_to_its_home_and_is_lost_when_that_leaves():
    window = RepositionWindow(2, CostModel.read("test", "linear", None, 2), ["a", "b"])
    window.push(0, np.array([1, 0]))
    assert window.push(1, np.array([1, 0])).suppressed.tolist() == [1, 0]
    third = window.push(2, np.array([0, 1]))
    assert (third.time, third.size) == (1, 0)
    assert [(left.time, left.size, left.suppressed.tolist()) for left in window.flush()] == [(2, 2, [0, 0])]


def test_skewed_snapshots_that_complement_each_other_lose_nothing():
    """The paper's motivation: each snapshot alone is hopeless, neighbours together are balanced."""
    days = [["flu"] * 4 + ["cold"], ["cold"] * 4 + ["flu"], ["flu"] * 3 + ["cold"] * 3]
    rows = [(day, str(i), value) for day, values in enumerate(days) for i, value in enumerate(values)]
    data = sf.Dataset.of("snapshots", rows, ("number",), "illness")
    moved = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), secret=bytes([1] * 32))
    suppressing = sf.methods.Anatomy(l=2, infeasible="suppress")
    with pytest.raises(sf.InfeasibleError, match=r"6 of 16 records are withheld, 37.5 % \(suppressed: 6\)"):
        sf.anonymize(data, suppressing)
    plain = sf.anonymize(data, suppressing, secret=bytes([1] * 32), withhold_at_most=0.4)
    assert len(moved.release) == len(rows)
    assert len(plain.release) == len(rows) - 6
    with pytest.raises(sf.InfeasibleError, match=r"Anatomy: .* 6 of 16 records are too many"):
        sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes([1] * 32))
