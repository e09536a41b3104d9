"""Windows of counts cost what integer programs say, and what is plainly counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.snapshots.naive.reposition import RecordStream, least_cost_by_enumeration, least_cost_by_program, price

from sfumato.exceptions import ParameterError
from sfumato.kinds.snapshots._kernels.reposition import Window, admit_newest
from sfumato.kinds.snapshots.costs import CostModel
from sfumato.kinds.snapshots.methods._base.first_window import solve_first_window
from sfumato.kinds.snapshots.methods._base.reposition_window import RepositionWindow


@pytest.mark.parametrize(("mu", "late"), [([0, 1, 2], 1), ([0, 3, 9], 3)])
def test_example_1_adds_up_one_suppressed_and_one_late_record(mu, late):
    """Snapshots 6, 7, 8: r0 of 6 is suppressed, r5 of 7 is published in 8, all others where they belong."""
    records = [("s", origin) for origin in (6, 6, 6, 7, 7, 7, 8)]
    assert price(records, [None, 6, 6, 7, 7, 8, 8], mu, {"s": 10}) == 10 + late


def test_a_suppressed_record_belongs_to_its_home_and_is_lost_when_that_leaves():
    window = RepositionWindow(2, CostModel.read("test", "linear", None, 2), ["a", "b"])
    window.push(0, np.array([1, 0]))
    assert window.push(1, np.array([1, 0])).suppressed.tolist() == [1, 0]
    third = window.push(2, np.array([0, 1]))
    assert (third.time, third.size) == (1, 0)
    assert [(left.time, left.size, left.suppressed.tolist()) for left in window.flush()] == [(2, 2, [0, 0])]


COSTS = ("linear", "quadratic", "table")


@st.composite
def windows(draw, largest=4):
    """A window's size, costs, l and the records of some snapshots by value."""
    size = draw(st.integers(1, largest))
    values = draw(st.integers(1, 4))
    kind = draw(st.sampled_from(COSTS))
    steps = draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
    table = ",".join(map(str, np.cumsum(np.cumsum(steps))))
    beta = draw(st.lists(st.integers(1, 12), min_size=values, max_size=values))
    costs = CostModel.read(
        "test", table if kind == "table" else kind, ",".join(f"v{i}={b}" for i, b in enumerate(beta)), size
    )
    counts = st.lists(st.integers(0, 4), min_size=values, max_size=values)
    arrived = np.array(draw(st.lists(counts, min_size=size, max_size=size + 4)), dtype=np.int64).T
    return costs, draw(st.integers(2, 3)), arrived


def labels_of(arrived):
    return [f"v{i}" for i in range(len(arrived))]


def cost_of(costs, beta, slots, chosen, held):
    """The cost of numbers: records in time order go to places in time order."""
    mu, total = costs.by_distance(), int((held.sum(axis=1) * beta).sum())
    for of_slots, of_chosen in zip(slots, chosen, strict=True):
        places = np.repeat(np.arange(len(of_slots)), of_slots)
        origins = np.repeat(np.arange(len(of_chosen)) - (len(of_chosen) - len(of_slots)), of_chosen)
        assert (places >= origins).all() and (places - origins < len(mu)).all()
        total += int(mu[places - origins].sum())
    return total


@settings(max_examples=60)
@given(windows())
def test_the_first_window_costs_what_the_integer_program_says(case):
    costs, l, arrived = case
    arrived = arrived[:, : len(costs.mu)]
    beta = costs.by_value(labels_of(arrived))
    found = solve_first_window(arrived, l, costs.by_distance(), beta)
    assert (found.chosen + found.held == arrived).all()
    assert (found.slots.sum(axis=1) == found.chosen.sum(axis=1)).all()
    assert (l * found.slots.max(axis=0) <= found.slots.sum(axis=0)).all()
    records = [(v, i) for v, i in np.ndindex(arrived.shape) for _ in range(arrived[v, i])]
    snapshots = list(range(arrived.shape[1]))
    cost = cost_of(costs, beta, *found)
    assert cost == least_cost_by_program(records, l, costs.mu, beta.tolist(), snapshots)
    if len(records) <= 6:
        assert cost == least_cost_by_enumeration(records, l, costs.mu, beta.tolist(), snapshots)


@settings(max_examples=40)
@given(windows(3))
def test_later_windows_cost_what_the_integer_program_says(case):
    """Definition 2: what is published in the older snapshots keeps its numbers, all else is free."""
    costs, l, arrived = case
    size, labels = len(costs.mu), labels_of(arrived)
    window, beta = RepositionWindow(l, costs, labels), costs.by_value(labels)
    for time in range(arrived.shape[1]):
        before = window.state()
        window.push(time, arrived[:, time])
        if not before.facts["started"]:
            continue
        # What has left is out, and everything moves one place to the left.
        moved = Window(
            *(np.pad(part[:, 1:], ((0, 0), (0, 1))) for part in (before.arrays[name] for name in Window._fields))
        )
        admit_newest(moved, arrived[:, time], l, costs.by_distance(), beta)
        assert (l * moved.slots.max(axis=0) <= moved.slots.sum(axis=0)).all()
        origins = np.arange(2 * size - 1) - (size - 1)
        kept = [(v, int(origin)) for v, c in np.argwhere(moved.chosen) for origin in [origins[c]] * moved.chosen[v, c]]
        records = kept + [(v, i) for v, i in np.argwhere(moved.held) for _ in range(moved.held[v, i])]
        bound = [k for k, (_, origin) in enumerate(kept) if origin < 0]
        fixed = {(v, j): moved.slots[v, j] for v, j in np.ndindex(len(labels), size - 1)}
        best = least_cost_by_program(records, l, costs.mu, beta.tolist(), list(range(size)), fixed=fixed, bound=bound)
        assert cost_of(costs, beta, *moved) == best


@settings(max_examples=40)
@given(windows(4))
def test_numbers_are_enough(case):
    """Relaying records one by one, as printed, gives the same numbers, costs and order."""
    costs, l, arrived = case
    size, values = len(costs.mu), len(arrived)
    beta = costs.by_value(labels_of(arrived))
    window = Window(*(np.zeros((values, width), np.int64) for width in (size, 2 * size - 1, size)))
    twin = RecordStream(range(values), l, list(costs.mu), beta.tolist())
    for time in range(arrived.shape[1]):
        admit_newest(window, arrived[:, time], l, costs.by_distance(), beta)
        twin.push(dict(enumerate(arrived[:, time].tolist())))
        assert twin.keeps_order()
        assert cost_of(costs, beta, *window) == twin.cost()
        assert window.slots[:, -1].tolist() == [len(twin.published[time][v]) for v in range(values)]
        before = np.cumsum(window.chosen, axis=1) - window.chosen
        window.chosen[:] -= np.clip(window.slots[:, [0]] - before, 0, window.chosen)
        for part in window:
            part[:, :-1] = part[:, 1:]
            part[:, -1] = 0


def test_prices_of_plans():
    records = [("flu", 0), ("flu", 1)]
    assert price(records, [1, None], [0, 3], {"flu": 7}) == 10


@pytest.mark.parametrize("limit", [1, 10**6])
def test_an_integer_program_for_the_first_window_is_never_worse(monkeypatch, limit):
    monkeypatch.setattr("sfumato.kinds.snapshots.methods._base.reposition_window._LARGEST_PROGRAM", limit)
    costs = CostModel.read("test", "linear", None, 3)
    window = RepositionWindow(2, costs, ["a", "b"])
    for time, arrived in enumerate([[3, 0], [0, 1], [0, 2]]):
        shipped = window.push(time, np.array(arrived))
    lost = int(shipped.suppressed.sum()) + sum(int(left.suppressed.sum()) for left in window.flush())
    assert lost == 0


def test_a_window_refuses_what_is_out_of_step():
    window = RepositionWindow(2, CostModel.read("test", "linear", None, 2), ["a"])
    window.push(0, np.array([1]))
    with pytest.raises(ParameterError, match="next whole number"):
        window.push(2, np.array([1]))
    with pytest.raises(ParameterError, match="only an empty window"):
        window.skip_to(9)
