"""Times, memory and growth of the trajectory methods; ours against the plain reference; pattern mining."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import DATA, generated, run, run_parts, table
from sfumato.kinds.trajectories.dataset import find_coordinates

K = ["-p", "k=5", "-p", "infeasible=suppress"]
METHODS = ["seqanon", "sd-seqanon", "u-seqanon", "lm-anon", "zga", "sga"]


def method_options(method: str, data: Path, folder: Path) -> list[object]:
    """Give a method what it needs besides k and m: a hierarchy, constraints, sensitive places."""
    import pyarrow.parquet as pq

    from sfumato.hierarchies.derive import balanced
    from sfumato.readers.hierarchies import write_hierarchy

    places = sorted(set(pq.read_table(data, columns=["place"]).column("place").unique().to_pylist()))
    if method == "sd-seqanon":
        path = folder / f"{data.stem}.tree"
        write_hierarchy(balanced(places, 6), path, "parent-child")
        return ["--hierarchy", f"place={path}"]
    if method == "u-seqanon":
        path = folder / f"{data.stem}.groups"
        size = math.ceil(len(places) / 4)
        path.write_text("\n".join(",".join(places[i : i + size]) for i in range(0, len(places), size)) + "\n")
        return ["--constraints", path, "-p", "delta=100"]
    if method in {"lm-anon", "zga", "sga"}:
        return ["--sensitive", places[-1], "-p", "l=2"]
    return []


def anonymize(data: Path, method: str, m: int, folder: Path, *more: object) -> list[object]:
    """Run one method and return a row: whole run, phases and memory."""
    options = method_options(method, data, folder)
    out = folder / "out"
    words = ["anonymize", data, "--kind", "trajectories", "--method", method, "-p", f"m={m}", *K, *options, *more]
    taken = run(*words, "--out", out, "--force", "--no-report")
    s = taken.result["seconds"]
    phases = "read {read:.2f}, anonymize {anonymize:.2f}, write {write:.2f}, verify {verify:.2f}".format(**s)
    return [method, m, taken.seconds, phases, round(taken.megabytes), taken.result["withheld"]]


def speed(folder: Path) -> list[list[object]]:
    """Each method at the sizes the specification names."""
    columns = ["data", "method", "m", "whole run s", "phases s", "peak MB", "withheld"]
    oldenburg = generated(folder, 18_143, "roads")
    gowalla = generated(folder, 86_061, "checkins", "places=662")
    wide = generated(folder, 86_061, "checkins", "places=20000")
    million = generated(folder, 1_000_000, "checkins", "places=662")
    anonymize(oldenburg, "seqanon", 3, folder)
    rows = []
    for name, data, method, m in [
        *[("18k roads, 100 places", oldenburg, method, m) for m in (2, 3) for method in METHODS],
        *[("86k check-ins, 662 places", gowalla, method, m) for m in (2, 3) for method in METHODS],
        ("86k check-ins, 20,000 places", wide, "seqanon", 2),
        ("1M check-ins, 662 places", million, "seqanon", 2),
        ("1M check-ins, 662 places", million, "zga", 2),
    ]:
        rows.append([name, *anonymize(data, method, m, folder)])
        print(rows[-1], file=sys.stderr)
    table("Speed, k=5", columns, rows)
    return rows


def growth(folder: Path) -> list[list[object]]:
    """Each method at n, 2n, 4n, 8n in a warm process: loading Numba is a constant that would flatter the exponent."""
    import sfumato as sf
    from sfumato.params import build
    from sfumato.plugins import find_method

    rows = []
    for name in METHODS:
        times = []
        for size in (20_000, 40_000, 80_000, 160_000):
            data = generated(folder, size, "checkins", "places=662")
            words = [str(word) for word in method_options(name, data, folder)]
            given = dict(zip(words[::2], words[1::2], strict=True))
            read_options = {
                "hierarchies": {"place": given["--hierarchy"].split("=", 1)[1]} if "--hierarchy" in given else {},
                "constraints": {"utility": given["--constraints"]} if "--constraints" in given else {},
                "sensitive": [given["--sensitive"]] if "--sensitive" in given else [],
            }
            dataset = sf.read(data, kind="trajectories", **read_options)
            asked = dict([given["-p"].split("=")]) if "-p" in given else {}
            method = build(find_method(name), {"k": 5, "m": 2, "infeasible": "suppress", **asked})
            if not times:
                sf.anonymize(dataset, method, secret=bytes([1] * 32))
            start = time.perf_counter()
            sf.anonymize(dataset, method, secret=bytes([1] * 32))
            times.append(time.perf_counter() - start)
        rows.append([name, *times, float(np.polyfit(np.log([1, 2, 4, 8]), np.log(times), 1)[0])])
    table(
        "Growth of anonymize, m=2, k=5, 662 places", ["method", "20k s", "40k s", "80k s", "160k s", "exponent"], rows
    )
    return rows


def reference(folder: Path) -> list[list[object]]:
    """Our recoding against the plain one on the same data, and with and without the apriori order."""
    from tests.kinds.trajectories.naive.recode import recode

    import sfumato as sf
    from sfumato.kinds.trajectories.methods.seqanon import SeqAnon

    rows = []
    for size, m in [(500, 2), (1000, 2), (500, 3)]:
        data = sf.read(generated(folder, size, "roads", "cells=6"), kind="trajectories")
        history = data.history()
        lists = [history.codes[a:b].tolist() for a, b in zip(history.offsets[:-1], history.offsets[1:], strict=True)]
        sf.anonymize(data, SeqAnon(k=5, m=m, infeasible="suppress"))
        start = time.perf_counter()
        ours = sf.anonymize(data, SeqAnon(k=5, m=m, infeasible="suppress"))
        fast = time.perf_counter() - start
        kept = sorted(ours.owner_record.rows.tolist())
        start = time.perf_counter()
        plain = recode([lists[row] for row in kept], find_coordinates(data).tolist(), 5, m)
        slow = time.perf_counter() - start
        published = ours.owner_record.recoding.published
        seen = {code for row in kept for code in lists[row]}
        same = all(
            (plain[a] == plain[b]) == (published[history.labels[a]] == published[history.labels[b]])
            for a in seen
            for b in seen
        )
        start = time.perf_counter()
        sf.anonymize(data, SeqAnon(k=5, m=m, apriori=False, infeasible="suppress"))
        without = time.perf_counter() - start
        rows.append([size, m, slow, fast, slow / fast, "yes" if same else "NO", without / fast])
    columns = ["people", "m", "plain s", "ours s", "plain / ours", "same recoding", "apriori off / on"]
    table("seqanon against the plain reference, 36 places, k=5", columns, rows)
    return rows


def patterns(folder: Path) -> list[list[object]]:
    """Frequent sequential patterns on the reference files, where they are at hand."""
    import lzma

    from sfumato.kinds.trajectories._kernels.patterns import frequent_patterns

    rows = []
    for name, support in [("bms-webview-1/BMS1.txt.xz", 60), ("msnbc/MSNBC.txt.xz", 1590)]:
        path = DATA / name
        if not path.exists():
            continue
        with lzma.open(path, "rt") as file:
            lines = file.read().split("-2")
        lists = [[int(word) for word in line.split() if word != "-1"] for line in lines if line.strip()]
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in lists])]).astype(np.int64)
        _, codes = np.unique(np.concatenate([np.array(row, int) for row in lists]), return_inverse=True)
        frequent_patterns(offsets, codes.astype(np.int32), support)
        times = []
        for _ in range(5):
            start = time.perf_counter()
            found = frequent_patterns(offsets, codes.astype(np.int32), support)
            times.append(time.perf_counter() - start)
        rows.append([name, support, len(found.supports), min(times)])
    table("Frequent sequential patterns", ["file", "support", "patterns", "best of 5 s"], rows)
    return rows


if __name__ == "__main__":
    run_parts("trajectories", __doc__, speed, growth, reference, patterns)
