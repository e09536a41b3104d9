"""Local recoding of tables: losses and times of cluster, mondrian and mdav on public and generated data."""

from __future__ import annotations

import csv
import lzma
import time
from pathlib import Path

import numpy as np

import sfumato as sf
from benchmarks.measure import DATA, run_parts, table
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.table._kernels.class_bounds import bound_classes
from sfumato.kinds.table._kernels.cuts import measure_widths
from sfumato.kinds.table.dataset import attributes_of
from sfumato.kinds.table.methods._base.relational import Relational
from sfumato.kinds.table.methods._base.spaces import space_of
from sfumato.kinds.table.methods.cluster import Cluster
from sfumato.kinds.table.methods.mdav import Mdav
from sfumato.kinds.table.methods.mondrian import Mondrian
from sfumato.release.run import Run

ADULT = DATA / "adult"
REFERENCE = DATA / "microaggregation-reference"
SECRET = bytes([1] * 32)
LOCAL = {
    "cluster": (Cluster, {}),
    "cluster nearest_to=seed": (Cluster, {"nearest_to": "seed"}),
    "mondrian": (Mondrian, {}),
    "mondrian cut=relaxed": (Mondrian, {"cut": "relaxed"}),
}
EXPECTED = {"census": (5.692, 9.088, 14.156), "tarragona": (16.933, 22.462, 33.193)}


def read_adult(tree_of_ages: bool = False) -> sf.Dataset:
    """Read the Adult set of ARX with its hierarchies: 30,162 people, 8 quasi-identifiers, one sensitive value."""
    with lzma.open(ADULT / "arx_adult.csv.xz", "rt") as file:
        names, *rows = csv.reader(file, delimiter=";")
    age = names.index("age")
    hierarchies = {}
    for name in names[:-1]:
        if name != "age" or tree_of_ages:
            lines = (ADULT / f"adult_hierarchy_{name}.csv").read_text().splitlines()
            hierarchies[name] = Hierarchy.from_paths([line.split(";") for line in lines if line])
    cells = [(*row[:age], int(row[age]), *row[age + 1 :]) for row in rows]
    return sf.Dataset.of("table", cells, tuple(names), sensitive=(names[-1],), hierarchies=hierarchies)


def draw_people(rows: int, attributes: int, seed: int = 1) -> sf.Dataset:
    """Draw people like those of the paper's sets: dates of birth, a label, counts that are rarely large."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list[object]] = {
        "month": rng.integers(1, 13, rows).tolist(),
        "year": (1920 + 90 * rng.beta(2, 1.5, rows)).astype(int).tolist(),
        "race": rng.choice(list("abcdef"), rows, p=[0.6, 0.2, 0.1, 0.05, 0.03, 0.02]).tolist(),
        "education": np.clip(rng.normal(12, 3, rows).round(), 0, 20).astype(int).tolist(),
        "income": (rng.lognormal(10, 0.8, rows) // 100 * 100).astype(int).tolist(),
        "visits": rng.geometric(0.02, rows).tolist(),
    }
    names = tuple(columns)[:attributes]
    return sf.Dataset.of("table", list(zip(*(columns[name] for name in names), strict=True)), names)


def partition(data: sf.Dataset, method: Relational) -> tuple[float, float, int]:
    """Return the processor seconds that finding classes takes, the NCP, and the number of classes."""
    attributes = attributes_of(data)
    needs = method.require(data)
    start = time.process_time()
    group = method.partition(attributes, needs, Run(SECRET))
    seconds = time.process_time() - start
    space = space_of(attributes, (1.0,) * len(attributes))
    bounds = bound_classes(space, group, int(group.max()) + 1)
    lost = measure_widths(space, bounds).sum(axis=1) @ bounds.records
    return seconds, float(lost / space.codes.size), len(bounds.records)


def adult(folder: Path) -> list[list[object]]:
    """NCP, seconds and classes on Adult, 8 quasi-identifiers, ages as ranges and as nodes of ARX's hierarchy."""
    rows = []
    for ages in ("ranges", "hierarchy"):
        data = read_adult(tree_of_ages=ages == "hierarchy")
        for name, (method, more) in LOCAL.items():
            partition(data, method(k=100, **more))
            for k in (2, 5, 10, 25, 50, 100):
                seconds, lost, classes = partition(data, method(k=k, **more))
                rows.append([ages, name, k, f"{lost:.4f}", seconds, classes])
    table("Adult, 30,162 x 8", ["ages", "method", "k", "NCP", "s", "classes"], rows)
    return rows


def diversity(folder: Path) -> list[list[object]]:
    """What diversity and closeness of the salary class cost on Adult, k=5."""
    rows, data = [], read_adult()
    asked: dict[str, dict[str, object]] = {
        "k only": {},
        "distinct l=2": {"l": 2},
        "recursive c=4, l=2": {"l": 2, "diversity": "recursive", "c": 4.0},
        "t=0.3": {"t": 0.3},
        "t=0.1": {"t": 0.1},
    }
    for name, (method, more) in LOCAL.items():
        for said, extra in asked.items():
            seconds, lost, classes = partition(data, method(k=5, **more, **extra))
            rows.append([name, said, f"{lost:.4f}", seconds, classes])
    table("Adult, k=5, diversity on top", ["method", "asked", "NCP", "s", "classes"], rows)
    return rows


def growth(folder: Path) -> list[list[object]]:
    """Seconds on drawn people as many as in the paper's sets, and more."""
    rows = []
    for size, attributes in ((9_138, 5), (36_553, 5), (131_780, 6), (500_000, 6)):
        data = draw_people(size, attributes)
        for name, (method, more) in LOCAL.items():
            for k in (5, 25):
                seconds, lost, classes = partition(data, method(k=k, **more))
                rows.append([f"{size:,} x {attributes}", name, k, seconds, f"{lost:.4f}", classes])
    table("Drawn people", ["data", "method", "k", "s", "NCP", "classes"], rows)
    return rows


def microaggregation(folder: Path) -> list[list[object]]:
    """Share of the spread that is lost by mdav on the standard sets, through the public method."""
    rows = []
    for name, known in EXPECTED.items():
        lines = (REFERENCE / f"{name}.csv").read_text().splitlines()
        names = tuple(cell.strip('"') for cell in lines[0].split(","))
        cells = [
            tuple(int(cell) if cell.lstrip("-").isdigit() else float(cell) for cell in line.split(","))
            for line in lines[1:]
        ]
        data = sf.Dataset.of("table", cells, names)
        for k, expected in zip((3, 5, 10), known, strict=True):
            start = time.process_time()
            result = sf.anonymize(data, Mdav(k=k), secret=SECRET)
            lost = result.owner_record.counters["millionths_of_spread_lost"] / 1e4
            rows.append([name, k, f"{lost:.3f}", f"{expected:.3f}", time.process_time() - start])
    table("MDAV", ["data", "k", "SSE/SST %", "known", "s"], rows)
    return rows


if __name__ == "__main__":
    run_parts("table_local", __doc__, adult, diversity, growth, microaggregation)
