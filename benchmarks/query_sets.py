"""Questions about sets and tables: processor time on a million records, and answers beside the truth on public data."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import sfumato as sf
from benchmarks.measure import generated, run_parts, table
from benchmarks.sets import at_hand
from sfumato.data.kind import find_kind
from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.queries.ask import ask
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

RECORDS = 1_000_000
NO_VALUES = pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")})


def _seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor time that something takes, and what it gives."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    found = work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, found


def _ask_all(title: str, release: Release, conditions: list[str]) -> list[list[object]]:
    reading, view = _seconds(lambda: find_kind(release.kind).query_bounds.load().of_release(release))
    rows: list[list[object]] = [["(reading)", reading, "", "", ""]]
    for condition in conditions:
        spent, answer = _seconds(lambda condition=condition: ask(view, f"count record where {condition}"))
        rows.append([condition.replace("|", "\\|"), spent, answer.certain, answer.possible, round(answer.expected, 1)])
    columns = ["question", "s", "certain", "possible", "expected"]
    table(title, columns, rows)
    return [columns, *rows]


def values(folder: Path) -> list[list[object]]:
    """A million made records of ten items, all but a hundred items in groups of five."""
    random = np.random.default_rng(1)
    item = np.minimum((random.pareto(1.0, (RECORDS, 10)) * 20).astype(np.int64), 999)
    value = np.where(item < 100, item, 100 + (item - 100) // 5)
    labels = (*(f"i{number}" for number in range(100)), *(f"G{number}" for number in range(180)))
    flat = np.sort(value, axis=1).ravel().astype(np.int32)
    records = ListColumn(np.arange(RECORDS + 1, dtype=np.int64) * 10, flat, labels).distinct()
    members = [(f"G{group}", f"i{100 + 5 * group + at}") for group in range(180) for at in range(5)]
    listed = pa.table(
        {"column": ["items"] * 900, "value": [name for name, _ in members], "member": [item for _, item in members]}
    )
    columns = (
        PublishedColumn("person", "identifier", ValueFormat("exact")),
        PublishedColumn("items", "history", ValueFormat("category", history=True, meaning="at least one of")),
    )
    names = pa.array(np.arange(RECORDS)).cast(pa.string())
    published = pa.table({"person": names, "items": records.to_arrow()})
    release = Release("sets", "made", KmItems(k=2, m=2), columns, published, listed, records_in=RECORDS)
    asked = ["i3", "i3 and i150", "i3|i150|i200", "i3 or i150", "i3 and not i150", "not i200", "i150 and i151 and i3"]
    return _ask_all("Generalised items, 1 M records of 10", release, asked)


def chunks(folder: Path) -> list[list[object]]:
    """A million generated baskets, separated."""
    data = sf.read(generated(folder, RECORDS, "baskets", kind="sets"), kind="sets")
    release = sf.anonymize(data, sf.methods.Disassociation(k=5, m=2), secret=bytes(32)).release
    history = release.history()
    often = np.argsort(-np.bincount(history.codes))
    a, b, c, d = (f'"{history.labels[often[rank]]}"' for rank in (0, 1, 150, 160))
    asked = [a, c, f"{a} and {b}", f"{a} and {c}", f"{c} and {d}", f"{a} and {b} and {c}"]
    return _ask_all("Separated records, 1 M", release, [*asked, f"{a}|{b}", f"{a} or {c}", f"{a} and not {b}"])


def cells(folder: Path) -> list[list[object]]:
    """A million made records with five ranges, three sets of labels and two exact columns."""
    random = np.random.default_rng(1)
    columns, made = [], {}
    for number in range(5):
        low = random.integers(0, 90, RECORDS)
        sides = [pa.array(low), pa.array(low + random.integers(0, 10, RECORDS))]
        hidden = pa.array(random.random(RECORDS) < 0.01)
        made[f"n{number}"] = pa.StructArray.from_arrays(sides, names=["lo", "hi"], mask=hidden)
        columns.append(PublishedColumn(f"n{number}", "quasi-identifier", ValueFormat("interval", "int64")))
    for number in range(3):
        sets = pa.array([["a"], ["a", "b"], ["c", "d"], ["b", "c", "d"], None], pa.list_(pa.string()))
        made[f"s{number}"] = sets.take(pa.array(random.integers(0, 5, RECORDS)))
        columns.append(PublishedColumn(f"s{number}", "quasi-identifier", ValueFormat("set")))
    for number in range(2):
        made[f"c{number}"] = pa.array(["w", "x", "y", "z"]).take(pa.array(random.integers(0, 4, RECORDS)))
        columns.append(PublishedColumn(f"c{number}", "sensitive", ValueFormat("exact")))
    release = Release("table", "made", KAnonymity(k=2), tuple(columns), pa.table(made), NO_VALUES, RECORDS)
    asked = [
        "n0 < 30",
        "n1 in 20..29 and n2 > 50",
        "s0 = a",
        "s1 in {a, b} and c0 = w and n3 <= 10",
        "n0 < 30 or n4 < 30",
    ]
    return _ask_all("Tables, 1 M records", release, [*asked, "not s2 = d"])


def public(folder: Path) -> list[list[object]]:
    """Public baskets, separated and generalised record by record: answers beside the truth."""
    rows: list[list[object]] = []
    for name, path in at_hand(folder).items():
        data = sf.read(path, kind="sets", format="transactions", separator=" ")
        history = data.history()
        often = np.argsort(-np.bincount(history.codes))
        a, b, c = (f'"{history.labels[often[rank]]}"' for rank in (0, 3, 60))
        for method in (sf.methods.Disassociation(k=5, m=2), sf.methods.LocalKmItems(k=5, m=2)):
            release = sf.anonymize(data, method, secret=bytes(32), max_suppressed_records=1).release
            for condition in (a, f"{a} and {b}", f"{a} and {c}", f"{b} and not {c}"):
                question = f"count record where {condition}"
                truth, found = sf.query(data, question).certain, sf.query(release, question)
                told = [found.certain, truth, found.possible, round(found.expected, 1)]
                rows.append([name, method.name, condition, *told])
    columns = ["data", "method", "question", "certain", "truth", "possible", "expected"]
    table("Beside the truth, k=5, m=2", columns, rows)
    return [columns, *rows]


if __name__ == "__main__":
    run_parts("query-sets", __doc__ or "", values, chunks, cells, public)
