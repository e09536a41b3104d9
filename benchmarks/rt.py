"""Tables with sets: times and growth, what a bound on one loss costs the other, and what is spared by bit vectors."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np

import sfumato as sf
from benchmarks.measure import generated, run, run_parts, table
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.rt.methods._base.combined import Combined
from sfumato.kinds.rt.methods.bounded import Bounded, RumBound, TumBound
from sfumato.kinds.rt.methods.lexicographic import RFirst, TFirst
from sfumato.kinds.rt.metrics.ncp import Ncp
from sfumato.kinds.rt.metrics.queries import Queries
from sfumato.kinds.rt.metrics.utility_loss import UtilityLoss
from sfumato.kinds.rt.verify.kkm_anonymity import verify
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run

SECRET = bytes([1] * 32)
RELATIONAL = ("incognito", "cluster", "top-down", "bottom-up", "mondrian", "optimal", "mdav")
TRANSACTION = ("apriori", "lra", "vpa", "coat", "pcta")
COLUMNS = {
    "patients": "birth_month,birth_year,race,education,income",
    "videos": "age,category,length,rate,ratings,comments",
}
SIZES = {"patients": (36_553, 25), "videos": (131_780, 100)}
RULES = ("r", "t", "rt")


def options(model: str) -> dict[str, object]:
    return {"identifier": ("person",), "quasi": (COLUMNS[model],), "hierarchies": {"item": "fanout:5"}}


def data_of(folder: Path, model: str, size: int) -> sf.Dataset:
    return sf.read(generated(folder, size, model, kind="rt"), "rt", **options(model))


def anonymize(data: sf.Dataset, method: Combined) -> tuple[object, float]:
    """Return the result, and the seconds a processor worked on it: other work on the machine does not count."""
    start = time.process_time()
    result = method.anonymize(data, Run(SECRET))
    return result, time.process_time() - start


def speed(folder: Path) -> list[list[object]]:
    """The whole command, files and verification included: seconds and memory."""
    rows: list[list[object]] = []
    for model, size, k in (("patients", 36_553, 25), ("videos", 131_780, 100), ("videos", 131_780, 25)):
        path = generated(folder, size, model, kind="rt")
        for rule in RULES if k != 25 or model == "patients" else ("t",):
            out = folder / f"{model}-{k}-{rule}"
            taken = run(
                *("anonymize", path, "--kind", "rt", "--method", "rum-bound", "--identifier", "person"),
                *("--quasi", COLUMNS[model], "--hierarchy", "item=fanout:5", "--no-report", "--out", out),
                *("-p", f"k={k}", "-p", "m=2", "-p", "delta=0.65", "-p", f"merge={rule}"),
            )
            rows.append([model, size, k, rule, taken.cpu, taken.seconds, taken.megabytes])
    table("rum-bound, delta=0.65, m=2, the command", ["data", "records", "k", "merge", "processor s", "s", "MB"], rows)
    return rows


def growth(folder: Path) -> list[list[object]]:
    """Seconds in a warm process as the data grow, and the exponent."""
    rows: list[list[object]] = []
    sizes = (4_500, 9_000, 18_000, 36_553)
    for merge in RULES:
        method = RumBound(k=25, m=2, delta=0.65, merge=merge)
        anonymize(data_of(folder, "patients", 1_000), method)
        taken = [anonymize(data_of(folder, "patients", size), method)[1] for size in sizes]
        slope = float(np.polyfit(np.log(sizes), np.log(taken), 1)[0])
        rows.append([merge, *taken, slope])
    table("rum-bound, k=25, delta=0.65: seconds by records", ["merge", *map(str, sizes), "exponent"], rows)
    return rows


def reach(data: sf.Dataset, method: Bounded) -> float:
    """Return the smallest delta that can be reached."""
    try:
        method.anonymize(data, Run(SECRET))
    except InfeasibleError as error:
        found = re.search(r"reached here is ([\d.e-]+)\. ", str(error))
        if found:
            return float(found[1])
        raise
    return 0.0


def halve(data: sf.Dataset, method: Bounded) -> float:
    """Return the delta halfway from the smallest that can be reached to 1."""
    least = reach(data, dataclasses.replace(method, delta=0.0))
    return math.ceil(1e6 * (least + 1) / 2) / 1e6


def bounds_36k(folder: Path) -> list[list[object]]:
    """What delta costs on 36,553 patients: the figures of the paper's Figure 4."""
    return _bounds(folder, "patients", (0.0, 0.25, 0.5, 0.75, 1.0))


def bounds_130k(folder: Path) -> list[list[object]]:
    """What delta costs on 131,780 videos."""
    return _bounds(folder, "videos", (0.0, 0.5, 1.0))


def _bounds(folder: Path, model: str, shares: tuple[float, ...]) -> list[list[object]]:
    size, k = SIZES[model]
    data = data_of(folder, model, size)
    rows: list[list[object]] = []
    head = ["method", "merge", "delta", "clusters", "NCP", "UL", "ARE attributes", "ARE items", "ARE both", "s"]
    print(f"\n# {model}, {size:,} records, k={k}, m=2; seconds after clusters were formed", flush=True)
    start = time.process_time()
    formed = RumBound(k=k).cluster_by_attributes(data, Run(SECRET))
    print(f"forming clusters: {time.process_time() - start:.1f} s", flush=True)
    with patch.object(Combined, "cluster_by_attributes", lambda *_: formed.copy()):
        for method, merge in itertools.product((RumBound, TumBound), RULES):
            chosen = method(k=k, m=2, merge=merge, delta=0.0)
            least = reach(data, chosen)
            for share in shares:
                delta = round(math.ceil(1e6 * (least + share * (1 - least))) / 1e6, 6)
                result, seconds = anonymize(data, dataclasses.replace(chosen, delta=min(delta, 1.0)))
                comparison = Comparison(data, result.release, result.owner_record.rows, seed=1)
                asked = Queries(queries=300).measure(comparison).details
                ncp, loss = (metric.measure(comparison).value for metric in (Ncp(), UtilityLoss()))
                assert (ncp if method is RumBound else loss) <= delta + 1e-8, "delta is exceeded"
                errors = [asked[about] for about in ("attributes", "items", "both")]
                clusters = result.owner_record.counters["clusters"]
                rows.append([method.name, merge, delta, clusters, ncp, loss, *errors, seconds])
                print(*(f"{v:.4g}" if isinstance(v, float) else v for v in rows[-1]), flush=True)
    table(f"{model}: what delta costs", head, rows)
    _show_trend(rows)
    return [head, *rows]


def _show_trend(rows: list[list[object]]) -> None:
    """Compare the two ends of delta: a small one favours what is bounded, a large one the other."""
    for (method, merge), some in itertools.groupby(rows, key=lambda row: (row[0], row[1])):
        ends = list(some)
        first, last = ends[0], ends[-1]
        print(
            f"{method} {merge}: from the smallest delta to 1, ARE on attributes {first[6]:.3g} -> {last[6]:.3g}, "
            f"on items {first[7]:.3g} -> {last[7]:.3g}"
        )


def draw_patients(folder: Path, size: int, seed: int) -> sf.Dataset:
    """Return patients of another draw."""
    path = folder / f"patients-{size}-seed{seed}.parquet"
    if not path.exists():
        run("generate", "rt", "--size", size, "--seed", seed, "--model", "patients", "--out", path)
    return sf.read(path, "rt", **options("patients"))


def exhaustive(folder: Path) -> list[list[object]]:
    """Merging guided by bit vectors beside merging that anonymises every candidate: UL, and seconds."""
    from tests.kinds.rt.naive.bounded import ExhaustiveRumBound

    rows: list[list[object]] = []
    for (size, k), seed in itertools.product(((1_000, 10), (2_000, 25)), (1, 2, 3, 4)):
        data = draw_patients(folder, size, seed)
        for merge, share in itertools.product(("t", "rt"), (0.3, 0.45, 0.6, 0.75)):
            least = reach(data, RumBound(k=k, m=2, merge=merge, delta=0.0))
            delta = least + share * (1 - least)
            found = []
            for kind in (RumBound, ExhaustiveRumBound):
                result, seconds = anonymize(data, kind(k=k, m=2, merge=merge, delta=delta))
                found += [UtilityLoss().measure(Comparison(data, result.release)).value, seconds]
            rows.append([size, k, seed, merge, delta, *found, found[0] / found[2] - 1, found[3] / found[1]])
            print(*rows[-1], flush=True)
    head = [
        "records",
        "k",
        "seed",
        "merge",
        "delta",
        "UL",
        "s",
        "UL exhaustive",
        "s exhaustive",
        "UL more",
        "times faster",
    ]
    table("Bit vectors beside anonymising every candidate", head, rows)
    return [head, *rows]


def combinations(folder: Path) -> list[list[object]]:
    """Every method for tables with every method for sets on 2,000 patients, each verified, with a bound that binds."""
    data = data_of(folder, "patients", 2_000)
    numbers = sf.read(
        generated(folder, 2_000, "patients", kind="rt"),
        "rt",
        **options("patients") | {"quasi": ("birth_month,birth_year,education,income",), "plain": ("race",)},
    )
    trees = {"birth_year": "width:8", "education": "width:8", "income": "width:8", "birth_month": "width:4"}
    level_trees = sf.read(
        generated(folder, 2_000, "patients", kind="rt"),
        "rt",
        **options("patients") | {"hierarchies": {"item": "fanout:5", "race": "fanout:3", **trees}},
    )
    rows: list[list[object]] = []
    for relational, transaction in itertools.product(RELATIONAL, TRANSACTION):
        people = numbers if relational == "mdav" else data if relational in {"cluster", "mondrian"} else level_trees
        for kind in (RFirst, TFirst, RumBound, TumBound):
            if kind is TFirst and relational != "cluster":
                continue
            method = kind(k=10, m=2, relational=relational, transaction=transaction)
            if isinstance(method, Bounded):
                method = dataclasses.replace(method, delta=halve(people, method))
            result, seconds = anonymize(people, method)
            comparison = Comparison(people, result.release, result.owner_record.rows)
            losses = [metric.measure(comparison).value for metric in (Ncp(), UtilityLoss())]
            holds = verify(result.release).holds
            delta = getattr(method, "delta", "")
            rows.append([relational, transaction, kind.name, delta, holds, len(result.release), *losses, seconds])
            assert holds
            assert delta == "" or losses[kind is TumBound] <= delta + 1e-8, "delta is exceeded"
    head = ["relational", "transaction", "method", "delta", "holds", "published", "NCP", "UL", "s"]
    table("Every combination, 2,000 patients, k=10, m=2", head, rows)
    return [head, *rows]


if __name__ == "__main__":
    run_parts("rt", __doc__, speed, growth, bounds_36k, bounds_130k, exhaustive, combinations)
