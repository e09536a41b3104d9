"""Set-valued data: times, memory, growth and losses, on public baskets where they are at hand and on generated ones."""

from __future__ import annotations

import gzip
import lzma
import math
import time
from pathlib import Path

import numpy as np

import sfumato as sf
from benchmarks.measure import DATA, generated, run, run_parts, table
from sfumato.api.calls import measure_release
from sfumato.kinds.sets.metrics.pair_support import PairSupport
from sfumato.kinds.sets.metrics.top_itemsets import TopItemsets
from sfumato.kinds.sets.metrics.top_itemsets_certain import TopItemsetsCertain
from sfumato.metrics.comparison import Comparison

SOURCES = {
    "POS": ("bms-pos/bmspos.txt.xz", "bms-pos/Increment_175K.txt.xz"),
    "WV1": ("bms-webview-1/BMS1.dat.xz",),
    "WV2": ("bms-webview-2/BMS-WebView-2.dat.gz",),
}
GENERALISING = ("apriori", "lra", "vpa")
K, M = 5, 2


def _lines(path: Path) -> list[str]:
    unpack = lzma.decompress if path.suffix == ".xz" else gzip.decompress
    return unpack(path.read_bytes()).decode().splitlines()


def baskets(name: str, folder: Path) -> Path | None:
    """Write a public set as one record per line, items separated by spaces; None where it is not at hand."""
    sources = [DATA / source for source in SOURCES[name]]
    if not all(source.exists() for source in sources):
        return None
    path = folder / f"{name}.dat"
    if path.exists():
        return path
    if name == "WV2":
        records: dict[str, list[str]] = {}
        for line in _lines(sources[0]):
            session, item = line.split()
            records.setdefault(session, []).append(item)
        lines = [" ".join(items) for items in records.values()]
    else:
        lines = [line.replace(",", " ").strip() for source in sources for line in _lines(source)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def at_hand(folder: Path) -> dict[str, Path]:
    """Return the public sets that are there."""
    found = {name: baskets(name, folder) for name in SOURCES}
    return {name: path for name, path in found.items() if path is not None}


def tree_of_tens(path: Path) -> Path:
    """Write the hierarchy the peers were measured with: items in numeric order, ten children a node from the left."""
    tree = path.with_suffix(".tree")
    if not tree.exists():
        level = sorted({item for line in path.read_text().split("\n") for item in line.split()}, key=int)
        lines, depth = ["child,parent"], 0
        while len(level) > 1:
            above = [f"level {depth}, {i}" for i in range(math.ceil(len(level) / 10))]
            lines += [f'{child},"{above[i // 10]}"' for i, child in enumerate(level)]
            level, depth = [f'"{name}"' for name in above], depth + 1
        tree.write_text("\n".join(lines) + "\n")
    return tree


def read(path: Path) -> sf.Dataset:
    """Read baskets with a hierarchy of ten children a node."""
    tree = str(tree_of_tens(path)) if path.suffix == ".dat" else "balanced:10"
    return sf.read(path, kind="sets", hierarchies={"item": tree})


def speed(folder: Path) -> list[list[object]]:
    """Whole commands, k=5: phases and memory, on one core and on two."""
    million = generated(folder, 1_000_000, "baskets", "items=5000", "mean_length=10", kind="sets")
    jobs = [(name, path, method, []) for name, path in at_hand(folder).items() for method in ("disassociation",)]
    jobs += [
        (name, path, method, ["--hierarchy", f"item={tree_of_tens(path)}"])
        for name, path in at_hand(folder).items()
        for method in GENERALISING
    ]
    jobs.append(("1M generated, 5,000 items, length 10", million, "disassociation", []))
    rows = []
    for name, path, method, more in jobs:
        words = ["anonymize", path, "--kind", "sets", "--method", method, "-p", f"k={K}", "-p", f"m={M}", *more]
        taken = run(*words, "--out", folder / "out", "--force", "--no-report")
        s = taken.result["seconds"]
        phases = "read {read:.2f}, anonymize {anonymize:.2f}, write {write:.2f}, verify {verify:.2f}".format(**s)
        rows.append([name, method, taken.seconds, phases, round(taken.megabytes)])
    table("Speed, k=5, m=2", ["data", "method", "whole run s", "phases s", "peak MB"], rows)
    return rows


def growth(folder: Path) -> list[list[object]]:
    """Disassociation and apriori at n, 2n, 4n, 8n in a warm process."""
    rows = []
    for name in ("Disassociation", "Apriori"):
        times = []
        for size in (50_000, 100_000, 200_000, 400_000):
            dataset = read(generated(folder, size, "baskets", "items=5000", "mean_length=10", kind="sets"))
            method = getattr(sf.methods, name)(k=K, m=M)
            if not times:
                sf.anonymize(dataset, method, secret=bytes([1] * 32))
            start = time.perf_counter()
            sf.anonymize(dataset, method, secret=bytes([1] * 32))
            times.append(time.perf_counter() - start)
        rows.append([name, *times, float(np.polyfit(np.log([1, 2, 4, 8]), np.log(times), 1)[0])])
    table("Growth of anonymize, k=5, m=2", ["method", "50k s", "100k s", "200k s", "400k s", "exponent"], rows)
    return rows


def losses(folder: Path) -> list[list[object]]:
    """Every measure on the public sets: disassociation, safe disassociation and apriori."""
    rows = []
    for name, path in at_hand(folder).items():
        dataset = read(path)
        for method in (
            sf.methods.Disassociation(k=K, m=M),
            sf.methods.Disassociation(k=K, m=M, refine=False),
            sf.methods.Disassociation(k=K, m=M, safe=True),
            sf.methods.Apriori(k=K, m=M),
        ):
            result = sf.anonymize(dataset, method, secret=bytes([1] * 32))
            shown = ", ".join(n for n in ("refine", "safe") if getattr(method, n, None) is (n == "safe"))
            label = f"{method.name} {'without' if shown == 'refine' else ''} {shown}".strip()
            scores = measure_release(Comparison(dataset, result.release, result.owner_record.rows, seed=1))
            rows += [[name, label, score.name, score.value] for score in scores]
    table("Losses, k=5, m=2", ["data", "method", "measure", "value"], rows)
    return rows


def reconstructions(folder: Path) -> list[list[object]]:
    """Relative error of pairs by rank of the items and by number of reconstructions averaged."""
    rows = []
    for name, path in at_hand(folder).items():
        dataset = read(path)
        result = sf.anonymize(dataset, sf.methods.Disassociation(k=K, m=M), secret=bytes([1] * 32))
        comparison = Comparison(dataset, result.release, result.owner_record.rows, seed=1)
        for first in (0, 100, 200, 300, 400):
            errors = [
                PairSupport(first=first, last=first + 20, copies=copies).measure(comparison).value
                for copies in (1, 2, 5, 10)
            ]
            rows.append([name, f"{first}-{first + 20}", *errors])
    table("re, averaged over reconstructions, k=5, m=2", ["data", "items ranked", "1", "2", "5", "10"], rows)
    return rows


def bands(folder: Path) -> list[list[object]]:
    """Disassociation with and without bands of record lengths: what is kept, frequent itemsets, and pairs by rank."""
    rows = []
    for name, path in at_hand(folder).items():
        dataset = read(path)
        for banded in (False, True):
            method = sf.methods.Disassociation(k=K, m=M, bands=banded)
            result = sf.anonymize(dataset, method, secret=bytes([1] * 32))
            comparison = Comparison(dataset, result.release, result.owner_record.rows, seed=1)
            apart = result.owner_record.counters["occurrences_in_term_chunks"] / len(dataset.history().codes)
            found = [metric.measure(comparison).value for metric in (TopItemsets(), TopItemsetsCertain())]
            pairs = [PairSupport(first=first, last=first + 20).measure(comparison) for first in (0, 50, 100, 200, 300)]
            rows.append([name, banded, 1 - apart, *found, *(score.value for score in pairs)])
            rows.append([name, f"{banded}, expected", "", "", "", *(score.details["expected"] for score in pairs)])
    head = ["data", "bands", "kept", "tKd", "tKd-a", *(f"re {first}" for first in (0, 50, 100, 200, 300))]
    table("Disassociation and bands of lengths, k=5, m=2", head, rows)
    return rows


def room(folder: Path) -> list[list[object]]:
    """What a condition on room costs REFINE: all bound subrecords at the tightest place, Hall's, and none (unsafe)."""
    rows = []
    for way, answer in (("Hall", None), ("all at the tightest place", False), ("none", True)):
        if answer is not None:
            _answer_instead_of_hall(answer)
        for name, path in at_hand(folder).items():
            dataset = read(path)
            result = sf.anonymize(dataset, sf.methods.Disassociation(k=K, m=M), secret=bytes([1] * 32))
            comparison = Comparison(dataset, result.release, result.owner_record.rows, seed=1)
            counters = result.owner_record.counters
            apart = counters["occurrences_in_term_chunks"] / len(dataset.history().codes)
            pairs = PairSupport(first=200, last=220).measure(comparison)
            found = [1 - apart, TopItemsets().measure(comparison).value, pairs.value, pairs.details["expected"]]
            rows.append([name, way, counters["joint_clusters"], counters["shared_chunks"], *found])
    head = ["data", "condition", "joint clusters", "shared chunks", "kept", "tKd", "re 200", "expected"]
    table("Room in shared chunks, k=5, m=2", head, sorted(rows))
    return rows


def _answer_instead_of_hall(answer: bool) -> None:
    """Compile REFINE anew, not into the cache, with one answer wherever Hall's condition would be asked."""
    import numba

    from sfumato.kinds.sets._kernels import refinement, shared_chunks

    shared_chunks._keeps_capacity = numba.njit(lambda case, company, classes, new, k: answer)
    for name in ("_has_capacity", "_split_classes", "number_shared_chunks"):
        setattr(shared_chunks, name, numba.njit(getattr(shared_chunks, name).py_func))
    refinement.number_shared_chunks = shared_chunks.number_shared_chunks
    for name in ("_join_pair", "_join_neighbours"):
        setattr(refinement, name, numba.njit(getattr(refinement, name).py_func))


def by_k(folder: Path) -> list[list[object]]:
    """Losses of disassociation as k grows."""
    rows = []
    for name, path in at_hand(folder).items():
        dataset = read(path)
        for k in (4, 5, 6, 8, 10, 15, 20):
            result = sf.anonymize(dataset, sf.methods.Disassociation(k=k, m=M), secret=bytes([1] * 32))
            comparison = Comparison(dataset, result.release, result.owner_record.rows, seed=1)
            found = [metric.measure(comparison).value for metric in (TopItemsets(), PairSupport())]
            rows.append([name, k, *found])
    table("Disassociation by k, m=2", ["data", "k", "tKd", "re"], rows)
    return rows


def peers(folder: Path) -> list[list[object]]:
    """Apriori on the sets and the hierarchy the peers were measured on: seconds in a warm process, and NCP."""
    rows = []
    for name, path in at_hand(folder).items():
        dataset = read(path)
        method = sf.methods.Apriori(k=K, m=M)
        sf.anonymize(dataset, method, secret=bytes([1] * 32))
        start = time.perf_counter()
        result = sf.anonymize(dataset, method, secret=bytes([1] * 32))
        seconds = time.perf_counter() - start
        scores = {
            s.name: s.value for s in measure_release(Comparison(dataset, result.release, result.owner_record.rows))
        }
        rows.append([name, seconds, 100 * scores["item-loss"]])
    table("apriori, k=5, m=2, fan-out 10", ["data", "anonymize s", "NCP %"], rows)
    return rows


if __name__ == "__main__":
    run_parts("sets", __doc__, speed, growth, losses, reconstructions, bands, room, by_k, peers)
