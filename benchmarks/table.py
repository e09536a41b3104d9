"""Tables: time of the methods that recode all records alike, their agreement with a try of everything, their losses."""

from __future__ import annotations

import csv
import io
import json
import lzma
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.measure import DATA, run_parts, table
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.schema import Column, Schema
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.table.methods._base.level_losses import LOSSES
from sfumato.kinds.table.methods.bottom_up import BottomUp
from sfumato.kinds.table.methods.cluster import Cluster
from sfumato.kinds.table.methods.incognito import Incognito
from sfumato.kinds.table.methods.mondrian import Mondrian
from sfumato.kinds.table.methods.optimal import Optimal
from sfumato.kinds.table.methods.top_down import TopDown
from sfumato.kinds.table.metrics.ncp import Ncp
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run

COLUMNS = (
    *("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"),
    "salary-class",
)
METHODS: tuple[type[Method], ...] = (Optimal, Incognito, TopDown, BottomUp)
COUNTS = range(4, 10)
"""How many of the columns are quasi-identifiers."""
K = 5
SECRET = bytes(32)
MILLION = 1_000_000
PEERS = ("anjana", "anonypy")
PATIENCE = int(os.environ.get("SFUMATO_PATIENCE", "240"))
"""Seconds of a processor after which a peer is no longer waited for."""


def adult(columns: tuple[str, ...] = COLUMNS, rows: int = 0, noise: float = 0.0) -> Dataset:
    """Read the Adult data with the hierarchies of ARX; or draw so many records, some values from other records."""
    folder = DATA / "adult"
    text = lzma.decompress((folder / "arx_adult.csv.xz").read_bytes()).decode()
    head, *lines = csv.reader(io.StringIO(text), delimiter=";")
    random = np.random.default_rng(1)
    drawn = random.integers(0, len(lines), rows) if rows else np.arange(len(lines))
    cells, trees = {}, {}
    for name in columns:
        at = head.index(name)
        encoded = pc.dictionary_encode(pa.array([line[at] for line in lines], pa.string()))
        other = random.integers(0, len(lines), len(drawn))
        cells[name] = encoded.take(pa.array(np.where(random.random(len(drawn)) < noise, other, drawn)))
        with (folder / f"adult_hierarchy_{name}.csv").open() as file:
            trees[name] = Hierarchy.from_paths([tuple(path) for path in csv.reader(file, delimiter=";") if path])
    roles = tuple(
        Column(name, "quasi-identifier", "integer" if name == "age" else "categorical", ()) for name in columns
    )
    return Dataset(Schema("table", roles), pa.table(cells), hierarchies=trees)


def timed(method: Method, data: Dataset) -> tuple[float, float, Run]:
    """Return seconds and processor seconds to find the recoding, the best of three, with compiled code at hand."""
    attributes, requirement = method.attributes(data), method.require(data)
    best, processor = np.inf, np.inf
    for _ in range(4):
        run = Run(SECRET)
        start, used = time.perf_counter(), time.process_time()
        method.choose(method.pose(attributes, requirement, run), run)
        best = min(best, time.perf_counter() - start)
        processor = min(processor, time.process_time() - used)
    return best, processor, run


def peers(folder: Path) -> list[list[object]]:
    """Time anjana and anonypy beside our methods on 4 to 9 attributes of Adult, in one run; the first call of each.

    SFUMATO_PEERS names an interpreter that has the two installed, SFUMATO_PATIENCE how many seconds of a
    processor each is given: other work on the machine does not count.
    """
    interpreter = os.environ.get("SFUMATO_PEERS", "")
    rows: list[list[object]] = []
    for count in COUNTS:
        columns = COLUMNS[:count]
        data = adult(columns)
        for method in (*METHODS, Mondrian, Cluster):
            start = time.process_time()
            release = method(k=K).anonymize(data, Run(SECRET)).release
            seconds = time.process_time() - start
            known = release.table.select(columns).to_pylist()
            different = len({str(tuple(row.values())) for row in known})
            rows.append([count, method.name, seconds, len(release), different])
        if interpreter:
            rows += [[count, name, *_ask_peer(interpreter, name, columns)] for name in PEERS]
        for row in rows:
            if row[0] == count:
                print(*row, flush=True)
    table("Beside anjana and anonypy, Adult, k=5", ["attributes", "method", "s", "records", "classes"], rows)
    return rows


def _ask_peer(interpreter: str, name: str, columns: tuple[str, ...]) -> list[object]:
    """Return seconds, records and classes of a peer, or that it took too long."""
    data = adult(columns)
    paths = {}
    for column in columns:
        with (DATA / "adult" / f"adult_hierarchy_{column}.csv").open() as file:
            paths[column] = [path for path in csv.reader(file, delimiter=";") if path]
    asked = {
        "rows": [list(row.values()) for row in data.table.to_pylist()],
        "columns": columns,
        "hierarchies": paths,
        "k": K,
        "suppressed": 0.05,
    }
    command = [interpreter, Path(__file__).with_name("peers_of_tables.py"), name]
    # A peer has its own NumPy and must not find ours.
    alone = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        command, check=False, input=json.dumps(asked), capture_output=True, text=True, env=alone, preexec_fn=_bound
    )
    if done.returncode == -signal.SIGXCPU:
        return [f"more than {PATIENCE}", "", ""]
    done.check_returncode()
    found: list[object] = json.loads(done.stdout.splitlines()[-1])
    return found


def _bound() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE + 5))


def speed(folder: Path) -> list[list[object]]:
    """Time all methods on 4 to 9 attributes of Adult."""
    columns = ["method", "attributes", "seconds", "processor seconds", "choices", "examined", "minimal"]
    rows: list[list[object]] = []
    for count in COUNTS:
        data = adult(COLUMNS[:count])
        for method in METHODS:
            seconds, processor, run = timed(method(k=K), data)
            known = [run.counters.get(f"choices {what}", "") for what in ("of levels", "examined")]
            rows.append([method.name, count, seconds, processor, *known, run.counters.get("minimal choices", "")])
    table("Adult, k=5, 5 % withheld", columns, rows)
    return rows


def demands(folder: Path) -> list[list[object]]:
    """Time optimal on eight attributes with more asked than k, the ninth being sensitive, and by every loss."""
    rows: list[list[object]] = []
    data = adult()
    roles = tuple(
        Column(c.name, "sensitive" if c.name == "occupation" else c.role, c.scale, ()) for c in data.schema.columns
    )
    data = Dataset(Schema("table", roles), data.table, hierarchies=data.hierarchies)
    asked: list[dict[str, object]] = [
        {"l": 3},
        {"l": 3, "diversity": "entropy"},
        {"l": 3, "diversity": "recursive", "c": 3.0},
        {"t": 0.2},
        {"t": 0.2, "distance": "hierarchical"},
        *({"loss": loss} for loss in LOSSES),
    ]
    for more in asked:
        seconds, processor, run = timed(Optimal(k=K, **more), data)  # type: ignore[arg-type]
        rows.append([str(more), seconds, processor, run.counters["choices examined"]])
    table("Adult, eight attributes, occupation sensitive", ["asked", "seconds", "processor seconds", "examined"], rows)
    return rows


def million(folder: Path) -> list[list[object]]:
    """Time a million records of eight attributes: drawn from Adult, and with every tenth value from another record."""
    rows: list[list[object]] = []
    for noise in (0.0, 0.1):
        data = adult(COLUMNS[:8], MILLION, noise)
        for method in METHODS:
            seconds, processor, _ = timed(method(k=K), data)
            rows.append([method.name, noise, seconds, processor])
    table("A million records", ["method", "values from others", "seconds", "processor seconds"], rows)
    return rows


def agreement(folder: Path) -> list[list[object]]:
    """Compare incognito on four and optimal on five attributes with a try of every choice of levels."""
    from tests.kinds.table.naive import full_domain as plain

    from sfumato.kinds.table._kernels.generalisation_lattice import levels_of
    from sfumato.kinds.table._kernels.lattice_search import find_best, find_minimal

    rows: list[list[object]] = []
    for count in (4, 5):
        data = adult(COLUMNS[:count])
        method, run = Optimal(k=K), Run(SECRET)
        question = method.pose(method.attributes(data), method.require(data), run)
        records = [tuple(row) for row in np.repeat(question.records.value, question.records.weight, axis=0).tolist()]
        level_trees = [level_tree.levels.tolist() for level_tree in question.level_trees]
        found = plain.feasible_levels(records, level_trees, question.top, plain.Asked(K), question.demand.limit)
        prices = [
            (weight * level_tree.price[level_tree.levels]).tolist()
            for weight, level_tree in zip(question.weights, question.level_trees, strict=True)
        ]
        cost = {at: plain.price(records, level_trees, prices, at, lost, "cells", K) for at, lost in found.items()}
        search = method.prepare(question)
        best = find_best(search)
        levels = tuple(levels_of(search.lattice, best.node).tolist())
        minimal = {tuple(levels_of(search.lattice, node).tolist()) for node in find_minimal(search)[0].tolist()}
        same = minimal == plain.minimal_levels(found)
        rows.append([count, len(found), len(minimal), same, levels, min(cost, key=cost.__getitem__) == levels])
    columns = ["attributes", "feasible", "minimal", "minimal agree", "best", "best agrees"]
    table("Beside a try of every choice of levels", columns, rows)
    return rows


def losses(folder: Path) -> list[list[object]]:
    """Measure what all methods lose, by NCP with withheld records lost whole, for growing k."""
    rows: list[list[object]] = []
    data = adult(COLUMNS[:8])
    ways: dict[str, Callable[[int], Method]] = {
        **{method.name: (lambda k, method=method: method(k=k)) for method in METHODS},
        "mondrian": lambda k: Mondrian(k=k),
        "mondrian, relaxed": lambda k: Mondrian(k=k, cut="relaxed"),
        "cluster": lambda k: Cluster(k=k),
        "cluster, seed": lambda k: Cluster(k=k, nearest_to="seed"),
    }
    for k in (2, 5, 10, 25, 50, 100):
        rows.append([k, *(lose(make(k), data) for make in ways.values())])
    table("NCP on eight attributes of Adult", ["k", *ways], rows)
    return rows


def lose(method: Method, data: Dataset) -> float:
    """Return the mean NCP of all records, 1 for one that is withheld."""
    result = method.anonymize(data, Run(SECRET))
    return Ncp().measure(Comparison(data, result.release, result.owner_record.rows)).value


if __name__ == "__main__":
    run_parts("table", __doc__ or "", speed, peers, demands, million, agreement, losses)
