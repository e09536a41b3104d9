"""How long people wait for a short command, and for what is slower than the method: checking, joining, inspecting.

``SFUMATO_TIMES=9 python -m benchmarks.waiting starting`` takes the best of nine; processor time says more than seconds
on a machine that others use too. Python keeps compiled modules, as it does where Sfumato is installed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import sfumato as sf
from benchmarks.measure import DATA, Taken, generated, run, run_parts, table
from benchmarks.sets import K, M, baskets, tree_of_tens

TIMES = int(os.environ.get("SFUMATO_TIMES", "5"))
SIZES = tuple(int(size) for size in os.environ.get("SFUMATO_SIZES", "50000,100000,200000,400000").split(","))
SECRET = bytes([1] * 32)


def _best(*words: object) -> Taken:
    """Run a command several times and return the run with the least seconds, with the least processor time of all."""
    taken = [run(*words) for _ in range(TIMES)]
    best = min(taken, key=lambda one: one.seconds)
    return Taken(best.seconds, best.megabytes, best.result, min(one.cpu for one in taken))


def _print(title: str, columns: list[str], rows: Iterable[list[object]]) -> list[list[object]]:
    kept = list(rows)
    table(title, columns, kept)
    return [list(columns), *kept]


def starting(folder: Path) -> list[list[object]]:
    """Short commands on 20,000 short trajectories in a CSV file, warm; the release is verified, without a report."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(folder / "modules"))
    data, out = folder / "visits.csv", folder / "out"
    run("generate", "trajectories", "--size", 20_000, "--seed", 1, "--out", data)
    publish = ["anonymize", data, "--kind", "trajectories", "--method", "seqanon", "-p", "k=5", "-p", "m=2"]
    publish += ["--out", out, "--force", "--no-report"]
    run(*publish)
    commands = {
        "anonymize --no-report": publish,
        "inspect": ["inspect", data, "--kind", "trajectories"],
        "verify": ["verify", out],
        "verify --original": ["verify", out, "--original", data],
    }
    rows = []
    for name, words in commands.items():
        taken = _best(*words)
        rows.append([name, taken.seconds, taken.cpu, round(taken.megabytes)])
    return _print(f"Short commands, best of {TIMES}", ["command", "s", "cpu s", "MB"], rows)


def verifying(folder: Path) -> list[list[object]]:
    """Disassociated releases: publishing, verifying the files alone, and verifying them with the original."""
    data = {f"{size:,} generated": generated(folder, size, "baskets", kind="sets") for size in SIZES[-2:]}
    pos = baskets("POS", folder)
    rows = []
    for name, path in (data | ({"POS": pos} if pos else {})).items():
        out = folder / "out"
        words = ["--kind", "sets", "--method", "disassociation", "-p", f"k={K}", "-p", f"m={M}"]
        made = run("anonymize", path, *words, "--out", out, "--force", "--no-report")
        alone, beside = run("verify", out), run("verify", out, "--original", path)
        rows.append([name, made.cpu, alone.cpu, beside.cpu, round(beside.megabytes)])
    if pos:
        words = ["--kind", "sets", "--method", "apriori", "-p", f"k={K}", "-p", f"m={M}"]
        words += ["--hierarchy", f"item={tree_of_tens(pos)}", "--out", folder / "out", "--force", "--no-report"]
        made = run("anonymize", pos, *words)
        alone, beside = (run("verify", folder / "out", *more) for more in ((), ("--original", pos)))
        rows.append(["POS, apriori", made.cpu, alone.cpu, beside.cpu, round(beside.megabytes)])
    columns = ["data", "anonymize cpu s", "verify cpu s", "verify --original cpu s", "MB"]
    return _print("Verifying baskets, k=5, m=2", columns, rows)


def growing(folder: Path) -> list[list[object]]:
    """Processor time of methods by the number of people, in a warm process, and the exponent of its growth."""
    methods = {
        "disassociation": ("sets", "baskets", sf.methods.Disassociation(k=K, m=M)),
        "disassociation without REFINE": ("sets", "baskets", sf.methods.Disassociation(k=K, m=M, refine=False)),
        "seqanon, m=3": ("trajectories", "checkins", sf.methods.SeqAnon(k=K, m=3)),
    }
    rows = []
    for name, (kind, model, method) in methods.items():
        taken: list[float] = []
        for size in SIZES:
            data = sf.read(generated(folder, size, model, kind=kind), kind=kind)
            if not taken:
                sf.anonymize(data, method, secret=SECRET)
            begun = time.process_time()
            sf.anonymize(data, method, secret=SECRET)
            taken.append(time.process_time() - begun)
        rows.append([name, *taken, float(np.polyfit(np.log(SIZES), np.log(taken), 1)[0])])
    return _print("Growth, k=5", ["method", *(f"{size:,} cpu s" for size in SIZES), "exponent"], rows)


def inspecting(folder: Path) -> list[list[object]]:
    """The American time use survey, 181,335 diaries of a day by the minute, where it is at hand."""
    path = DATA / "atus" / "atusact.csv.xz"
    rows: list[list[object]] = []
    if path.exists():
        words = ["--kind", "activity", "--column", "person=tucaseid", "--column", "activity=tiercode"]
        taken = run("inspect", path, *words)
        rows.append(["atus", taken.cpu, taken.seconds, round(taken.megabytes)])
    return _print("Inspecting diaries", ["data", "cpu s", "s", "MB"], rows)


if __name__ == "__main__":
    run_parts("waiting", __doc__ or "", starting, verifying, growing, inspecting)
