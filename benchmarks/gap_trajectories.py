"""How far methods for trajectories are from the best there is, on cases small enough to know it."""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.local_trajectories import METHODS
from benchmarks.measure import run_parts, table

if TYPE_CHECKING:
    from sfumato.kinds.trajectories._kernels.trees import Grown
    from sfumato.kinds.trajectories.dataset.histories import Trajectories


def gap(folder: Path) -> list[list[object]]:
    """How far seqanon, its refinement and local-km are from the best, on cases small enough to know it.

    The best recoding for all is that of all ways to put places into groups. The best local one is that over the trees
    of the two starts of local-km, by HiGHS: it bounds what any choice of those labels can reach. Labels of other trees
    may do better still.
    """
    import sfumato as sf
    from sfumato.kinds.trajectories.dataset.histories import Trajectories
    from sfumato.kinds.trajectories.metrics.distance import Distance
    from sfumato.metrics.comparison import Comparison

    rows = []
    for seed in range(12):
        draw = random.Random(seed)
        names = "abcdef"
        where = {place: (draw.randint(0, 20), draw.randint(0, 20)) for place in names}
        records = [[draw.choice(names) for _ in range(draw.randint(1, 3))] for _ in range(9)]
        visited = {place: where[place] for record in records for place in record}
        data = sf.Dataset.of("trajectories", records, visited)
        losses = []
        for method, asked in METHODS.values():
            chosen = getattr(sf.methods, method)(k=2, m=2, infeasible="suppress", **asked)
            result = sf.anonymize(data, chosen, secret=bytes(32), max_suppressed_records=1.0)
            kept = set(result.owner_record.rows.tolist())
            losses.append(float(Distance().measure(Comparison(data, result.release, result.owner_record.rows)).value))
        rows_kept = Trajectories.of(data).take(np.array(sorted(kept)))
        everywhere = find_best_groups(rows_kept, 2, 2)
        best = min(solve(rows_kept, tree, 2, 2) for tree in list_trees(rows_kept))
        if best > losses[2] + 1e-6 or everywhere > losses[1] + 1e-6:
            raise SystemExit(f"case {seed}: a method is below what is called the best, so that is no bound")
        shares = [value / losses[0] if losses[0] else 1.0 for value in (losses[1], everywhere, losses[2], best)]
        rows.append([seed, losses[0], *shares])
        print(rows[-1], file=sys.stderr, flush=True)
    means = [float(np.mean([row[i] for row in rows])) for i in range(1, 6)]
    columns = ["case", "seqanon D", "refined", "best for all", "local-km", "best local"]
    table("Gap to the best, shares of seqanon's D", columns, [*rows, ["mean", *means]])
    return rows


def find_best_groups(rows: Trajectories, k: int, m: int) -> float:
    """Return the smallest distance of any recoding for all: all ways to put places into groups are tried."""
    records = rows.histories.lists()
    places = sorted({place for record in records for place in record})
    where = {place: rows.locations("gap").points[rows.histories.labels.index(place)] for place in places}
    apart = {(a, b): float(np.linalg.norm(where[a] - where[b])) for a in places for b in places}
    best = np.inf
    for groups in _list_partitions(places):
        group = {place: members for members in groups for place in members}
        support: dict[tuple[object, ...], int] = {}
        for record in records:
            row = [group[place] for place in record]
            for held in {s for size in range(1, m + 1) for s in itertools.combinations(row, size)}:
                support[held] = support.get(held, 0) + 1
        if min(support.values()) >= k:
            lost = [np.mean([np.mean([apart[p, q] for q in group[p]]) for p in record]) for record in records]
            best = min(best, float(np.mean(lost)))
    return best


def _list_partitions(places: list[str]) -> Iterator[list[tuple[str, ...]]]:
    """List all ways to put places into groups."""
    if not places:
        yield []
        return
    for rest in _list_partitions(places[1:]):
        yield [(places[0],), *rest]
        for i, members in enumerate(rest):
            yield [*rest[:i], (places[0], *members), *rest[i + 1 :]]


def list_trees(rows: Trajectories) -> list[Grown]:
    """Return the trees that the two starts of local-km take their labels from."""
    from sfumato.kinds.trajectories.methods.local_km import LocalKm
    from sfumato.release.run import Run

    method, places = LocalKm(k=2, m=2), np.unique(rows.ordinary.codes).astype(np.int64)
    group = method._find_groups(rows, places, Run(bytes(32)))
    assert group is not None
    return [method._grow_near(rows, places), method._grow_groups(rows, places, group)]


def solve(rows: Trajectories, tree: Grown, k: int, m: int) -> float:
    """Return the smallest distance of any local recoding with labels of a tree: an integer programme.

    A variable for every label of every visit, for every sequence of labels of every record, and for every sequence.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    records = rows.histories.lists()
    names = [rows.histories.labels[code] for code in np.unique(rows.ordinary.codes)]
    rank = {names[place]: at for at, place in enumerate(tree.order.tolist())}
    cost, entries, low, high = [], [], [], []

    def variable(price: float = 0.0) -> int:
        cost.append(price)
        return len(cost) - 1

    def constrain(terms: list[tuple[int, float]], least: float, most: float) -> None:
        entries.extend((len(low), at, value) for at, value in terms)
        low.append(least)
        high.append(most)

    supports: dict[tuple[int, ...], tuple[int, list[int]]] = {}
    for record in records:
        chosen = []
        for place in record:
            start, stop = tree.paths.start[rank[place]], tree.paths.start[rank[place] + 1]
            price = tree.paths.cost[start:stop] * tree.unit / len(record) / len(records)
            chosen.append({int(n): variable(float(p)) for n, p in zip(tree.paths.node[start:stop], price, strict=True)})
            constrain([(at, 1.0) for at in chosen[-1].values()], 1, 1)
        held: dict[tuple[int, ...], list[list[int]]] = {}
        for size in range(1, m + 1):
            for visits in itertools.combinations(chosen, size):
                for labels in itertools.product(*visits):
                    held.setdefault(labels, []).append([visit[n] for visit, n in zip(visits, labels, strict=True)])
        for labels, ways in held.items():
            mine = variable()
            occurs, holders = supports.setdefault(labels, (variable(), []))
            holders.append(mine)
            found = []
            for way in ways:
                both = variable()
                found.append((both, 1.0))
                for at in way:
                    constrain([(both, 1.0), (at, -1.0)], -np.inf, 0)
                constrain([(both, -1.0), *[(at, 1.0) for at in way]], -np.inf, len(way) - 1)
                constrain([(both, 1.0), (occurs, -1.0)], -np.inf, 0)
            constrain([(mine, 1.0), *[(at, -value) for at, value in found]], -np.inf, 0)
    for occurs, holders in supports.values():
        constrain([*[(at, 1.0) for at in holders], (occurs, -float(k))], 0, np.inf)
    row, column, value = zip(*entries, strict=True)
    matrix = coo_array((value, (row, column)), shape=(len(low), len(cost))).tocsr()
    found = milp(
        np.array(cost),
        constraints=LinearConstraint(matrix, low, high),
        integrality=np.ones(len(cost)),
        bounds=Bounds(0, 1),
        options={"time_limit": 60},
    )
    if found.status != 0:
        raise SystemExit(f"HiGHS did not finish: {found.message}")
    return float(found.fun)


if __name__ == "__main__":
    run_parts("gap_trajectories", __doc__ or "", gap)
