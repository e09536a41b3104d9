"""Reposition against integer programs, a record-by-record twin, and its own rules."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.snapshots.naive.reposition import RecordStream, least_cost_by_enumeration, least_cost_by_program, price

from sfumato.core.dataset import Dataset
from sfumato.kinds.snapshots.costs import CostModel
from sfumato.kinds.snapshots.families.first_window import solve_first_window
from sfumato.kinds.snapshots.families.reposition_window import RepositionWindow
from sfumato.kinds.snapshots.kernels.buckets import group_buckets
from sfumato.kinds.snapshots.kernels.reposition import Window, admit_newest
from sfumato.kinds.snapshots.methods.anatomy import Anatomy
from sfumato.kinds.snapshots.methods.reposition import Reposition

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
        homes = np.repeat(np.arange(len(of_chosen)) - (len(of_chosen) - len(of_slots)), of_chosen)
        assert (places >= homes).all() and (places - homes < len(mu)).all()
        total += int(mu[places - homes].sum())
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
        homes = np.arange(2 * size - 1) - (size - 1)
        kept = [(v, int(home)) for v, c in np.argwhere(moved.chosen) for home in [homes[c]] * moved.chosen[v, c]]
        records = kept + [(v, i) for v, i in np.argwhere(moved.held) for _ in range(moved.held[v, i])]
        bound = [k for k, (_, home) in enumerate(kept) if home < 0]
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


def snapshots_of(rows):
    return Dataset.of("snapshots", rows, ("number",), "value")


@st.composite
def record_lists(draw):
    times = draw(st.lists(st.integers(0, 12), min_size=1, max_size=60))
    values = draw(st.lists(st.sampled_from("aaaabbcd"), min_size=len(times), max_size=len(times)))
    return [(time, str(i), value) for i, (time, value) in enumerate(zip(times, values, strict=True))]


def published(method, data):
    stream = method.stream(data.schema, data.clock, secret=bytes([3] * 32))
    leaving = [out for snapshot in stream.cut(data) for out in stream.push(snapshot)]
    return stream, leaving + stream.flush()


@settings(max_examples=60)
@given(record_lists(), st.integers(1, 5), st.integers(2, 3), st.sampled_from(("linear", "quadratic")))
def test_every_published_snapshot_is_eligible_and_no_record_is_early_or_too_late(rows, size, l, cost):
    data = snapshots_of(rows)
    stream, leaving = published(Reposition(l=l, window=size, cost=cost, then="none"), data)
    values, times = data.table["value"].to_pylist(), data.table["time"].to_pylist()
    seen = []
    for out in leaving:
        assert out.table["value"].to_pylist() == [values[row] for row in out.rows]
        assert out.homes.tolist() == [times[row] for row in out.rows]
        assert all(0 <= out.time - times[row] < size for row in out.rows)
        counts = Counter(values[row] for row in out.rows)
        assert all(l * count <= len(out.rows) for count in counts.values())
        seen += out.rows.tolist()
    assert len(set(seen)) == len(seen)
    assert len(seen) + sum(stream.withheld.values()) == len(rows)
    assert [out.time for out in leaving] == sorted({out.time for out in leaving})
    for value in set(values):
        homes = [sorted(times[row] for row in out.rows if values[row] == value) for out in leaving]
        flat = [home for group in homes for home in group]
        assert flat == sorted(flat)


@settings(max_examples=40)
@given(record_lists(), st.integers(1, 4), st.integers(2, 3))
def test_anatomy_makes_every_group_diverse(rows, size, l):
    data = snapshots_of(rows)
    _, leaving = published(Reposition(l=l, window=size), data)
    for out in leaving:
        if not out.table.num_rows:
            continue
        sizes = Counter(out.table["group"].to_pylist())
        values = Counter()
        for row in out.parts["sensitive"].to_pylist():
            assert l * row["count"] <= sizes[row["group"]]
            values[row["group"]] += row["count"]
        assert values == sizes


@settings(max_examples=60)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(1, 4), st.integers(0, 2**32))
def test_buckets_become_groups_without_repetition(counts, l, seed):
    counts = np.array(counts, dtype=np.int64)
    while counts.sum() and l * counts.max() > counts.sum():
        counts[np.argmax(counts)] -= 1
    draws = np.random.default_rng(seed).integers(0, 2**62, max(1, 2 * counts.sum()))
    value, group = group_buckets(counts, l, draws)
    assert (np.bincount(value, minlength=len(counts)) == counts).all()
    assert len(set(zip(value.tolist(), group.tolist(), strict=True))) == counts.sum()
    sizes = np.bincount(group)
    assert len(sizes) == counts.sum() // l
    assert not len(sizes) or sizes.min() >= l


@settings(max_examples=30)
@given(record_lists(), st.integers(2, 3))
def test_a_window_of_one_is_plain_suppression(rows, l):
    data = snapshots_of(rows)
    stream, leaving = published(Reposition(l=l, window=1, then="none"), data)
    for time in sorted({row[0] for row in rows}):
        counts = Counter(row[2] for row in rows if row[0] == time)
        most = max(
            sum(min(count, level) for count in counts.values())
            for level in range(max(counts.values()) + 1)
            if sum(min(count, level) for count in counts.values()) >= l * level
        )
        assert most == sum(len(out.rows) for out in leaving if out.time == time)
    assert Anatomy(l=l).name == "anatomy" and stream.window == 1


def test_prices_of_plans():
    records = [("flu", 0), ("flu", 1)]
    assert price(records, [1, None], [0, 3], {"flu": 7}) == 10
