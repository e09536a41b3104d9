"""Local recoding beside one recoding for all, on public check-ins and taxi trips; times, growth, the best there is."""

from __future__ import annotations

import csv
import functools
import io
import itertools
import lzma
import os
import random
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measure import DATA, generated, run_parts, table

if TYPE_CHECKING:
    from sfumato.core.dataset import Dataset
    from sfumato.kinds.trajectories.kernels.trees import Grown
    from sfumato.kinds.trajectories.model.histories import Trajectories

METHODS: dict[str, tuple[str, dict[str, object]]] = {
    "seqanon": ("SeqAnon", {}),
    "refined": ("SeqAnon", {"refine": True}),
    "local-km": ("LocalKm", {}),
}
PLACES = {"new-york": "grid:2km", "new-york-weeks": "grid:2km", "gowalla": "quadtree:1000", "cabs": "grid:1km"}
DEMANDS = [(5, 2), (10, 2), (5, 3)]
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def convert(name: str, folder: Path) -> Path:
    """Return a file of visits (person, time, lon, lat) made from a public data set, made once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / f"{name}.parquet"
    if not path.exists():
        person, when, lon, lat = zip(*READERS[name](), strict=True)
        pq.write_table(pa.table({"person": person, "time": when, "lon": lon, "lat": lat}), path)
    return path


def _open(path: str) -> io.BufferedIOBase:
    return lzma.open(DATA / path)


def _rows(path: str) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(io.TextIOWrapper(_open(path), encoding="utf-8", newline=""))


def read_new_york() -> Iterator[tuple[str, str, float, float]]:
    """3,079 weekly trajectories of 193 people."""
    for row in _rows("foursquare-nyc/Foursquare_Sample.csv.xz"):
        lat, lon = map(float, row["lat_lon"].split())
        yield row["tid"], row["date_time"], lon, lat


def read_new_york_weeks() -> Iterator[tuple[str, str, float, float]]:
    """26,971 weeks of 1,083 people."""
    visits = np.load(io.BytesIO(_open("foursquare-nyc/NYC.npy.xz").read()))
    venues = np.load(io.BytesIO(_open("foursquare-nyc/NYC_POI.npy.xz").read()))
    where = {int(venue): (lon, lat) for venue, lat, lon in venues.tolist()}
    for user, venue, minute in visits.tolist():
        yield f"{user}-{minute // 10080}", _after(datetime(2012, 4, 1), minutes=minute), *where[venue]


def read_gowalla() -> Iterator[tuple[str, str, float, float]]:
    """5,329 weekly trajectories of 300 people, all over the world."""
    for row in itertools.chain(_rows("gowalla/train.csv.xz"), _rows("gowalla/test.csv.xz")):
        when = _after(datetime(2010, 1, 4), days=DAYS.index(row["day"]), hours=int(row["hour"]))
        yield row["tid"], when, float(row["lon"]), float(row["lat"])


def read_cabs() -> Iterator[tuple[str, str, float, float]]:
    """23,830 taxi trips of one day in San Francisco."""
    import pyarrow.parquet as pq

    for row in pq.read_table(DATA / "sf-cabs/cabs_dataset_20080608.parquet").to_pylist():
        yield str(row["trajectory_id"]), row["timestamp"].replace("/", "-"), row["lon"], row["lat"]


def _after(start: datetime, **more: float) -> str:
    return f"{start + timedelta(**more):%Y-%m-%d %H:%M:%S}"


READERS = {
    "new-york": read_new_york,
    "new-york-weeks": read_new_york_weeks,
    "gowalla": read_gowalla,
    "cabs": read_cabs,
}


def loss(folder: Path) -> list[list[object]]:
    """Distance, exact visits and errors of counts of releases that were written and verified, and processor seconds.

    Of seqanon, of seqanon with refine=true and of local-km; one data set if the environment names it in ``ONLY``.
    """
    import sfumato as sf

    rows: list[list[object]] = []
    names = [os.environ["ONLY"]] if "ONLY" in os.environ else list(READERS)
    for name in names:
        data = sf.read(convert(name, folder), kind="trajectories", places=PLACES[name])
        for k, m in DEMANDS:
            found = [_lose(data, method, k, m, folder) for method in METHODS]
            shares = [cells[0] / found[0][0] for cells in found[1:]]  # type: ignore[operator]
            rows.append([name, f"{k},{m}", *itertools.chain(*found), *shares])
            print(rows[-1], file=sys.stderr, flush=True)
    columns = [f"{method} {what}" for method in METHODS for what in ("D", "exact", "ARE", "s")]
    table("Loss", ["data", "k,m", *columns, "D refined/seqanon", "D local-km/seqanon"], rows)
    return rows


def _lose(data: Dataset, name: str, k: int, m: int, folder: Path) -> list[object]:
    """Anonymise, write, verify and measure."""
    import sfumato as sf
    from sfumato.core.measuring.comparison import Comparison
    from sfumato.kinds.trajectories.metrics.average_relative_error import METRIC as ERROR
    from sfumato.kinds.trajectories.metrics.distance import METRIC as DISTANCE
    from sfumato.kinds.trajectories.metrics.place_counts import METRIC as COUNTS

    method, asked = METHODS[name]
    start = time.process_time()
    chosen = getattr(sf.methods, method)(k=k, m=m, infeasible="suppress", **asked)
    result = sf.anonymize(data, chosen, secret=bytes([1] * 32), withhold_at_most=0.2)
    seconds = time.process_time() - start
    sf.write(result, folder / "out", force=True, reports=False)
    comparison = Comparison(data, result.release, result.trace.rows)
    distance, error = (metric().measure(comparison).value for metric in (DISTANCE, ERROR))
    return [distance, COUNTS().measure(comparison).details["exact_share"], error, seconds]


def speed(folder: Path) -> list[list[object]]:
    """Processor time of recoding and publishing, warm; both starts of local-km one after the other."""
    import sfumato as sf

    rows: list[list[object]] = []
    for name, (k, m) in itertools.product(READERS, [(5, 2), (5, 3)]):
        data = sf.read(convert(name, folder), kind="trajectories", places=PLACES[name])
        taken = []
        for method in (sf.methods.SeqAnon, sf.methods.LocalKm):
            chosen = method(k=k, m=m, infeasible="suppress")
            taken.append(min(_time(data, chosen) for _ in range(3)))
        rows.append([name, f"{k},{m}", *taken, taken[1] / taken[0]])
        print(rows[-1], file=sys.stderr, flush=True)
    table("Processor seconds, warm", ["data", "k,m", "seqanon", "local-km", "ratio"], rows)
    return rows


def _time(data: object, method: object) -> float:
    from sfumato.core.run import Run

    start = time.process_time()
    method.anonymize(data, Run(bytes(32)))  # type: ignore[attr-defined]
    return time.process_time() - start


def growth(folder: Path) -> list[list[object]]:
    """Processor time at 21, 43, 86 and 172 thousand generated records, and its exponent."""
    import sfumato as sf

    sizes, rows = [21_500, 43_000, 86_000, 172_000], []
    for m in (2, 3):
        chosen, times = sf.methods.LocalKm(k=5, m=m, infeasible="suppress"), []
        for size in sizes:
            data = sf.read(generated(folder, size, "checkins", "places=662"), kind="trajectories")
            if not times:
                _time(data, chosen)
            times.append(_time(data, chosen))
            print(m, size, times[-1], file=sys.stderr, flush=True)
        exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
        rows.append([m, *times, exponent])
        print(rows[-1], file=sys.stderr, flush=True)
    table("Growth of local-km", ["m", *[f"{size:,}" for size in sizes], "exponent"], rows)
    return rows


def gap(folder: Path) -> list[list[object]]:
    """How far seqanon and local-km are from the best local recoding over the trees of its two starts, by HiGHS.

    It bounds what any choice of those labels can reach. Labels of other trees may do better still.
    """
    import sfumato as sf
    from sfumato.core.measuring.comparison import Comparison
    from sfumato.kinds.trajectories.metrics.distance import Distance
    from sfumato.kinds.trajectories.model.histories import Trajectories

    rows = []
    for seed in range(12):
        draw = random.Random(seed)
        names = "abcdef"
        where = {place: (draw.randint(0, 20), draw.randint(0, 20)) for place in names}
        records = [[draw.choice(names) for _ in range(draw.randint(1, 3))] for _ in range(9)]
        visited = {place: where[place] for record in records for place in record}
        data = sf.Dataset.of("trajectories", records, visited)
        losses = []
        for method in (sf.methods.SeqAnon, sf.methods.LocalKm):
            result = sf.anonymize(data, method(k=2, m=2, infeasible="suppress"), secret=bytes(32), withhold_at_most=1.0)
            kept = set(result.trace.rows.tolist())
            losses.append(float(Distance().measure(Comparison(data, result.release, result.trace.rows)).value))
        rows_kept = Trajectories.of(data).take(np.array(sorted(kept)))
        best = min(solve(rows_kept, tree, 2, 2) for tree in list_trees(rows_kept))
        if best > losses[1] + 1e-6:
            raise SystemExit(f"case {seed}: local-km is below what is called the best, so that is no bound")
        rows.append(
            [seed, *losses, best, losses[1] / losses[0] if losses[0] else 1.0, best / losses[0] if losses[0] else 1.0]
        )
        print(rows[-1], file=sys.stderr, flush=True)
    means = [float(np.mean([row[i] for row in rows])) for i in range(1, 6)]
    table(
        "Gap to the best", ["case", "seqanon D", "local-km D", "best D", "local-km", "best"], [*rows, ["mean", *means]]
    )
    return rows


def list_trees(rows: Trajectories) -> list[Grown]:
    """Return the trees that the two starts of local-km take their labels from."""
    from sfumato.core.run import Run
    from sfumato.kinds.trajectories.methods.local_km import LocalKm

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


def minimality(folder: Path) -> list[list[object]]:
    """What somebody concludes who knows the method: which members of a coarse label would have been published finer.

    The reader knows the labels of all records. A member is ruled out where, with all others as they are, a visit to it
    would have had a finer label. Then the same data when a share of the visits, drawn at random, is never lowered: a
    coarse label then proves nothing, and what that costs is the distance beside it.
    """
    import sfumato as sf

    k, draw = 5, random.Random(1)
    data = sf.read(convert("new-york", folder), kind="trajectories", places=PLACES["new-york"])
    release = sf.anonymize(data, sf.methods.LocalKm(k=k, m=2, infeasible="suppress"), secret=bytes(32)).release
    members, rows = release.members(), [tuple(row) for row in release.history().lists()]
    inside = {value: frozenset(members.get(value, (value,))) for row in rows for value in row}
    finer = {
        value: sorted((other for other in inside if inside[other] < inside[value]), key=lambda v: len(inside[v]))
        for value in inside
    }
    held = [{*((v,) for v in row), *itertools.combinations(row, 2)} for row in rows]
    support: dict[tuple[str, ...], int] = {}
    holders: dict[tuple[str, ...], list[int]] = {}
    for r, sequences in enumerate(held):
        for sequence in sequences:
            support[sequence] = support.get(sequence, 0) + 1
            holders.setdefault(sequence, []).append(r)

    @functools.cache
    def could_be_finer(r: int, i: int, label: str) -> bool:
        row = (*rows[r][:i], label, *rows[r][i + 1 :])
        after = {*((v,) for v in row), *itertools.combinations(row, 2)}
        return all(support.get(s, 0) + 1 >= k for s in after - held[r]) and all(
            support[s] - 1 == 0 or support[s] - 1 >= k for s in held[r] - after
        )

    def stays(r: int, i: int, place: str) -> bool:
        return not any(could_be_finer(r, i, label) for label in finer[rows[r][i]] if place in inside[label])

    coarse = [(r, i) for r, row in enumerate(rows) for i, value in enumerate(row) if len(inside[value]) > 1]
    kept = [
        np.mean(
            [stays(r, i, place) for place in draw.sample(sorted(inside[rows[r][i]]), min(20, len(inside[rows[r][i]])))]
        )
        for r, i in draw.sample(coarse, 400)
    ]
    few, fewest, tried = 0, [], 0
    for r, i in draw.sample(coarse, 400):
        j = draw.randrange(len(rows[r]))
        if i == j:
            continue
        first, second = min(i, j), max(i, j)
        pair = rows[r][first], rows[r][second]
        known = [draw.choice(sorted(inside[value])) for value in pair]
        left = sum(
            any(
                stays(q, a, known[0]) and stays(q, b, known[1])
                for a, b in itertools.combinations(range(len(rows[q])), 2)
                if (rows[q][a], rows[q][b]) == pair
            )
            for q in holders[pair]
        )
        if left:  # otherwise nobody can have been there
            tried, few = tried + 1, few + (left < k)
            fewest.append(left)
    found: list[list[object]] = [
        ["members of a coarse label that stay possible", float(np.mean(kept))],
        ["known pairs with a coarse label for which fewer than k records with the same labels stay", few / tried],
        ["records that stay, median", float(np.median(fewest))],
    ]
    found += [[f"D when {share:.0%} of the visits are never lowered", _skip(data, share)] for share in (0.0, 0.1, 0.3)]
    table("Minimality, New York, k=5, m=2", ["what", "value"], found)
    return found


def _skip(data: object, share: float) -> float:
    """Return the distance after RAISE and two times LOWER in which a share of the visits takes no part."""
    from sfumato.kinds.trajectories.kernels.demand import Demand
    from sfumato.kinds.trajectories.kernels.labels import count_all, new_labels_counter
    from sfumato.kinds.trajectories.kernels.lowering import lower_labels, order_nodes
    from sfumato.kinds.trajectories.kernels.raising import mean_step, raise_labels
    from sfumato.kinds.trajectories.methods.local_km import LocalKm, _list_visits
    from sfumato.kinds.trajectories.model.histories import Trajectories

    rows = Trajectories.of(data)  # type: ignore[arg-type]
    places = np.unique(rows.ordinary.codes).astype(np.int64)
    tree = LocalKm(k=5, m=2)._grow_near(rows, places)
    visits = _list_visits(rows, places, tree, np.empty(0, np.int32))
    demand = Demand(5, 1, 2, len(tree.paths.depth) + 1, 1)
    counter = count_all(new_labels_counter(visits, demand), visits, tree.paths, demand)
    for t in range(2, 6):
        counter, _ = raise_labels(counter, visits, tree.paths, demand, t, mean_step(tree.paths))
    record = np.repeat(np.arange(len(visits.offsets) - 1), np.diff(visits.offsets))
    taking = np.flatnonzero(np.random.default_rng(1).random(len(visits.place)) >= share)
    taking = taking[np.argsort(visits.place[taking], kind="stable")]
    ends = np.searchsorted(visits.place[taking], np.arange(len(tree.paths.start)))
    for _ in range(2):
        nodes = order_nodes(visits, tree.paths)
        counter, _ = lower_labels(counter, visits, tree.paths, demand, nodes, record, taking, ends)
    cost = tree.paths.cost[tree.paths.start[visits.place] + visits.level] * tree.unit
    lengths = np.diff(visits.offsets)
    return float((np.bincount(record, cost) / lengths).mean())


if __name__ == "__main__":
    run_parts("local_trajectories", __doc__ or "", loss, speed, growth, gap, minimality)
