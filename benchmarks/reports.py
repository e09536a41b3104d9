"""What looking at a release costs beside making it: method, report, attack and verification, kind by kind.

The report must never take longer than the method and five seconds. Nothing here asserts it: machines differ, and what
is compared was taken in one run on one machine. ``python -m benchmarks.reports``
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import DATA, generated, run, run_parts, table

COLUMNS = ["data", "method", "method s", "report s", "allowed s", "attack s", "verify --original s", "peak MB"]
ALLOWED = 5.0

# Kind, size, model, options of the model, method, parameters, options of reading.
GENERATED = (
    ("sets", 100_000, "baskets", ("items=23000", "longest=1136", "mean_length=8", "skew=0.9", "patterns=100000"),
     "disassociation", ("k=5", "m=2"), ()),
    ("trajectories", 10_000, "checkins", (), "seqanon", ("k=5", "m=2"), ()),
    ("sequences", 5_000, "clicks", (), "hi", ("k=5",), ("--monitored", "portal1")),
    ("activity", 300, "long-weekend", (), "mc-l-mdav-wd", ("k=10", "delta=48h", "epsilon=0.75"),
     ("--sensitive", "Vacation")),
    ("timeline", 20_000, "segments", (), "essa", ("delta=0.002",),
     ("--sensitive", "event001", "--sensitive", "event002")),
    ("snapshots", 50_000, "outbreaks", (), "reposition", ("l=3", "window=5"),
     ("--sensitive", "condition", "--column", "quasi-identifier=age,sex,area")),
    ("table", 30_000, "patients", (), "mondrian", ("k=5",),
     ("--identifier", "person", "--quasi", "age,sex,zip,education", "--sensitive", "diagnosis", "--drop", "*")),
    ("rt", 5_000, "patients", (), "rum-bound", ("k=5", "m=2", "delta=0.7"),
     ("--identifier", "person", "--quasi", "birth_month,birth_year,race,education,income",
      "--hierarchy", "item=fanout:5")),
)  # fmt: skip
REAL = (
    ("fimi-retail/retail.dat.xz", "sets", "disassociation", ("k=5", "m=2"), ()),
    ("bms-webview-1/BMS1.dat.xz", "sets", "disassociation", ("k=5", "m=2"), ()),
    ("nasa-http/NASA_access_log_Jul95.txt.xz", "sets", "disassociation", ("k=5", "m=2"), ()),
)


def cost(
    path: Path, folder: Path, kind: str, method: str, parameters: tuple[str, ...], read_options: tuple[str, ...]
) -> list:
    """Make a release, with a report and without, attack it and verify it; the first run only compiles."""
    chosen = [word for parameter in parameters for word in ("-p", parameter)]
    out = folder / f"{path.stem}-{method}"
    words = ("anonymize", path, "--kind", kind, "--method", method, *chosen, "--out", out, "--force", *read_options)
    run(*words)
    made = run(*words)
    attacked = run("attack", out, "--original", path)
    verified = run("verify", out, "--original", path)
    seconds = made.result["seconds"]
    spent = seconds["anonymize"]
    report = seconds.get("report", 0.0) + seconds.get("attack", 0.0)
    peak = max(taken.megabytes for taken in (made, attacked, verified))
    figures = (spent, report, spent + ALLOWED, attacked.seconds, verified.seconds)
    return [path.stem, method, *(f"{figure:.1f}" for figure in figures), f"{peak:.0f}"]


def of_generated(folder: Path) -> list[list[object]]:
    """Every kind, generated with heavy tails where its generator has them."""
    rows: list[list[object]] = []

    def measured() -> Iterator[list[object]]:
        for kind, size, model, options, method, parameters, read_options in GENERATED:
            path = generated(folder, size, model, *options, kind=kind)
            rows.append(cost(path, folder, kind, method, parameters, read_options))
            yield rows[-1]

    table("Generated data", COLUMNS, measured())
    return rows


def of_real(folder: Path) -> list[list[object]]:
    """Public baskets and sessions, where they are at hand."""
    rows: list[list[object]] = []

    def measured() -> Iterator[list[object]]:
        for source, kind, method, parameters, read_options in REAL:
            packed = DATA / source
            if not packed.exists():
                continue
            path = folder / packed.stem
            path.write_bytes(lzma.decompress(packed.read_bytes()))
            rows.append(cost(path, folder, kind, method, parameters, read_options))
            yield rows[-1]

    table("Public data", COLUMNS, measured())
    return rows


def of_tables(folder: Path) -> list[list[object]]:
    """Adult, where it is at hand: seconds that processors work on the command, and on its report."""
    rows: list[list[object]] = []
    source = DATA / "adult"
    if not source.exists():
        return rows
    path = folder / "adult.csv"
    path.write_bytes(lzma.decompress((source / "arx_adult.csv.xz").read_bytes()))
    trees = {tree.stem.rpartition("_")[2]: tree for tree in sorted(source.glob("adult_hierarchy_*.csv"))}
    del trees["salary-class"]
    roles = ["--quasi", ",".join(trees), "--sensitive", "salary-class"]
    roles += [word for name, tree in trees.items() for word in ("--hierarchy", f"{name}={tree}")]
    for method in ("optimal", "mondrian", "cluster"):
        out = folder / f"adult-{method}"
        words = ("anonymize", path, "--kind", "table", "--method", method, "-p", "k=5", "--out", out, "--force", *roles)
        run(*words)
        bare, made = run(*words, "--no-report"), run(*words)
        rows.append(["adult", method, bare.cpu, made.cpu - bare.cpu, f"{ALLOWED} and the method"])
        print(*rows[-1], flush=True)
    columns = ["data", "method", "command without report s", "report s", "allowed s"]
    table("Tables", columns, rows)
    return rows


# Kind, size, model, people in a part, method, parameters, options of reading.
IN_PARTITIONS = (
    ("trajectories", 20_000, "checkins", 5_000, "seqanon", ("k=5", "m=2"), ()),
    ("sets", 20_000, "baskets", 5_000, "disassociation", ("k=5", "m=2"), ()),
    ("sequences", 5_000, "clicks", 1_250, "hi", ("k=5",), ("--monitored", "portal1")),
    ("table", 20_000, "patients", 5_000, "mondrian", ("k=5",),
     ("--identifier", "person", "--quasi", "age,sex,zip,education", "--sensitive", "diagnosis", "--drop", "*")),
    ("activity", 300, "long-weekend", 100, "mc-l-mdav-wd", ("k=10", "delta=48h", "epsilon=0.75"),
     ("--sensitive", "Vacation")),
)  # fmt: skip


def of_parts(folder: Path) -> list[list[object]]:
    """Releases in parts: seconds that processors work on the command, and on its report."""
    rows: list[list[object]] = []

    def measured() -> Iterator[list[object]]:
        for kind, size, model, part, method, parameters, read_options in IN_PARTITIONS:
            path = generated(folder, size, model, kind=kind)
            chosen = [word for parameter in parameters for word in ("-p", parameter)]
            out = folder / f"{path.stem}-{method}-parts"
            engine = ("--engine", "local", "--cores", "1", "--partition-size", part)
            words = (
                "anonymize",
                path,
                "--kind",
                kind,
                "--method",
                method,
                *chosen,
                "--out",
                out,
                "--force",
                *read_options,
            )
            run(*words, *engine)
            bare, made = run(*words, *engine, "--no-report"), run(*words, *engine)
            spent = (bare.cpu, made.cpu - bare.cpu, bare.cpu + ALLOWED)
            figures = [f"{seconds:.1f}" for seconds in spent]
            rows.append(
                [path.stem, method, -(-size // part), *figures, f"{bare.megabytes:.0f}", f"{made.megabytes:.0f}"]
            )
            yield rows[-1]

    columns = ["data", "method", "parts", "without report s", "report s", "allowed s", "peak MB without", "peak MB"]
    table("Releases in parts", columns, measured())
    return rows


if __name__ == "__main__":
    run_parts("reports", __doc__, of_generated, of_real, of_tables, of_parts)
