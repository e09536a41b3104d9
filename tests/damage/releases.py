"""One good release for every guarantee and every published form, small enough to be damaged in many ways."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import numpy as np

import sfumato as sf
from sfumato.cli.output import Quiet
from sfumato.cli.stream import publish_stream
from sfumato.data.time_units import TimeUnit
from sfumato.hierarchies.hierarchy import Hierarchy

SECRET = bytes([1] * 32)


def walks(people: int = 40, places: int = 9, seed: int = 3) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    names = [f"p{i}" for i in range(places)]
    return [[names[int(i)] for i in rng.integers(0, places, rng.integers(2, 5)) * rng.random()] for _ in range(people)]


def trajectories(sensitive: tuple[str, ...] = ()) -> sf.Dataset:
    rows = walks()
    for row in rows[::10]:
        row.append("clinic")
    where = {name: (float(i % 3), float(i // 3)) for i, name in enumerate(sorted({p for row in rows for p in row}))}
    return sf.Dataset.of("trajectories", rows, where, sensitive=sensitive)


def sequences() -> sf.Dataset:
    rows = [
        [(place, 50 * step + 7 * person % 40) for step, place in enumerate(row)] for person, row in enumerate(walks())
    ]
    return sf.Dataset.of("sequences", rows, monitored=("p0", "p1"))


def sets(**options: object) -> sf.Dataset:
    return sf.Dataset.of("sets", walks(), **options)  # type: ignore[arg-type]


def timeline() -> sf.Dataset:
    rows = [{place: row.count(place) for place in row} for row in walks()]
    return sf.Dataset.of("timeline", [{**row, "ill": 1 + i % 2} for i, row in enumerate(rows)], sensitive=("ill", "p0"))


def activity() -> sf.Dataset:
    rng = np.random.default_rng(5)
    days = [[["home", "work", "away"][int(rng.integers(0, 3))] for _ in range(6)] for _ in range(30)]
    return sf.Dataset.of("activity", days, sensitive=("away",), time_unit=TimeUnit("hour"))


def snapshot_rows() -> list[tuple[int, str, str, str]]:
    rng = np.random.default_rng(4)
    values = ["flu", "cold", "cough", "rash", "gout"]
    rows = [(i // 15, str(rng.integers(20, 60)), "fm"[rng.integers(2)], values[rng.integers(5)]) for i in range(90)]
    return [(int(time), age, sex, value) for time, age, sex, value in rows]


def snapshots() -> sf.Dataset:
    return sf.Dataset.of("snapshots", snapshot_rows(), ("age", "sex"), "illness")


def rt(**options: object) -> sf.Dataset:
    rng = np.random.default_rng(6)
    rows = [(int(rng.integers(20, 60)), "fm"[rng.integers(2)], f"c{rng.integers(20)}") for _ in range(40)]
    return sf.Dataset.of("rt", rows, ("age", "sex", "city"), walks(), plain=("city",), **options)  # type: ignore[arg-type]


ILLNESSES = Hierarchy.from_paths(
    [("cold", "lungs", "any"), ("cough", "lungs", "any"), ("flu", "lungs", "any"), ("gout", "any"), ("rash", "any")]
)
TOWNS = Hierarchy.from_paths(
    [("bonn", "west", "*"), ("cologne", "west", "*"), ("essen", "west", "*"), ("jena", "east", "*"), ("ulm", "*")]
)


def table(distance: str = "equal", people: int = 72) -> sf.Dataset:
    """People with a number, a date, labels with and without a hierarchy, of whom some values are missing."""
    rng = np.random.default_rng(6)
    towns, illnesses = TOWNS.leaf_labels, ("cold", "cough", "flu", "gout", "rash")
    rows = [
        (
            int(rng.integers(20, 60)),
            None if i % 12 == 0 else "fmx"[rng.integers(3)],
            towns[rng.integers(5)],
            illnesses[rng.integers(5)],
            datetime.date(1990, 1, 1) + datetime.timedelta(days=int(rng.integers(900))),
            "yn"[i % 2],
        )
        for i in range(people)
    ]
    hierarchies = {"town": TOWNS} | ({"illness": ILLNESSES} if distance == "hierarchical" else {})
    return sf.Dataset.of(
        "table",
        rows,
        ("age", "sex", "town", "illness", "born", "smokes"),
        sensitive=("illness",),
        plain=("smokes",),
        orders={"illness": illnesses} if distance == "ordered" else {},
        hierarchies=hierarchies,
        population=[(row[0], row[1], row[2], row[4]) for row in rows for _ in range(3)],
    )


def numbers() -> sf.Dataset:
    """People with numbers only, whose class means are published."""
    rows = [(row["age"], row["born"], row["illness"], row["smokes"]) for row in table().table.to_pylist()]
    made = [(int(age), datetime.date.fromisoformat(str(born)), ill, smokes) for age, born, ill, smokes in rows]
    return sf.Dataset.of("table", made, ("age", "born", "illness", "smokes"), sensitive=("illness",), plain=("smokes",))


def write(data: sf.Dataset, method: object, out: Path) -> sf.Dataset:
    sf.write(sf.anonymize(data, method, secret=SECRET), out, reports=False)  # type: ignore[arg-type]
    return data


def stream(out: Path) -> sf.Dataset:
    file = out.parent / "cases.csv"
    lines = [",".join(map(str, row)) for row in snapshot_rows()]
    file.write_text("\n".join(["time,age,sex,illness", *lines]) + "\n")
    options = {"columns": {"qi": "age,sex"}, "sensitive": ("illness",)}
    publish_stream(Quiet(), file, out, sf.methods.Reposition(l=2, window=3), options)
    return sf.read(file, kind="snapshots", **options)


RELEASES: dict[str, Callable[[Path], sf.Dataset]] = {
    "kkm-anonymity": lambda out: write(rt(), sf.methods.RFirst(k=5, m=2, transaction="pcta"), out),
    "kkm-anonymity, diverse": lambda out: write(
        rt(sensitive_items=("p3", "p4")), sf.methods.RumBound(k=4, m=2, l=2, delta=0.7, transaction="coat"), out
    ),
    "km-anonymity": lambda out: write(trajectories(), sf.methods.SeqAnon(k=3, m=2), out),
    "klm-anonymity": lambda out: write(trajectories(("clinic",)), sf.methods.LmAnon(k=3, m=2, l=2), out),
    "group-anonymity": lambda out: write(sequences(), sf.methods.Hi(k=3), out),
    "gl-diversity": lambda out: write(sequences(), sf.methods.Hi(k=2, g=10, l=2), out),
    "km-items": lambda out: write(sets(), sf.methods.Pcta(k=4, m=2), out),
    "km-items, separated": lambda out: write(
        sets(sensitive=("p8",)), sf.methods.Disassociation(k=3, m=2, l=4, max_cluster=12), out
    ),
    "itemset-anonymity": lambda out: write(
        sets(privacy=(("p0", "p7"), ("p8",)), utility=(("p6", "p7", "p8"),)), sf.methods.Coat(k=9), out
    ),
    "activity-diversity": lambda out: write(
        activity(), sf.methods.McLMdavWd(k=3, delta="2h", epsilon="1/2", aggregate="day,hour"), out
    ),
    "class-anonymity": lambda out: write(activity(), sf.methods.Mc(k=3, aggregate="day,hour"), out),
    "prefix-frequency": lambda out: write(timeline(), sf.methods.Essa(delta="1/5"), out),
    "l-diversity": lambda out: write(snapshots(), sf.methods.Reposition(l=2, window=3), out),
    "l-eligibility": lambda out: write(snapshots(), sf.methods.Reposition(l=2, window=3, then="none"), out),
    "l-diversity, stream": stream,
    "k-anonymity": lambda out: write(table(), sf.methods.Mondrian(k=3), out),
    "k-anonymity, distinct": lambda out: write(table(), sf.methods.Mondrian(k=3, l=3), out),
    "k-anonymity, entropy": lambda out: write(table(), sf.methods.Mondrian(k=3, l=2, diversity="entropy"), out),
    "k-anonymity, recursive": lambda out: write(
        table(), sf.methods.Mondrian(k=3, l=2, diversity="recursive", c=1.5), out
    ),
    "k-anonymity, equal": lambda out: write(table(), sf.methods.Mondrian(k=3, t=0.4), out),
    "k-anonymity, ordered": lambda out: write(
        table("ordered"), sf.methods.Mondrian(k=3, t=0.3, distance="ordered"), out
    ),
    "k-anonymity, presence": lambda out: write(
        table(people=900), sf.methods.Optimal(k=3, presence=0.4, at_most="town=1,sex=0", weights="town=0.1"), out
    ),
    "k-anonymity, means": lambda out: write(numbers(), sf.methods.Mdav(k=3), out),
    "k-anonymity, hierarchical": lambda out: write(
        table("hierarchical"), sf.methods.Mondrian(k=3, t=0.3, distance="hierarchical"), out
    ),
}

SHAPES = {
    "attributes and sets": ("kkm-anonymity", "kkm-anonymity, diverse"),
    "lists of places": ("km-anonymity", "klm-anonymity"),
    "lists of timed events": ("group-anonymity", "gl-diversity"),
    "sets": ("km-items", "itemset-anonymity"),
    "chunks": ("km-items, separated",),
    "shares of classes": ("activity-diversity", "class-anonymity"),
    "counts over time": ("prefix-frequency",),
    "groups of snapshots": ("l-diversity", "l-eligibility"),
    "a folder per snapshot": ("l-diversity, stream",),
    "means of classes": ("k-anonymity, means",),
    "attributes": tuple(name for name in RELEASES if name.startswith("k-anonymity") and "means" not in name),
}
"""How releases are stored, and which of them are stored so: what damages one of them damages the others alike."""
