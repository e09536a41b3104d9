"""Partitioned releases: time and memory by the number of people, cores, their cost in utility, kills and resumes."""

from __future__ import annotations

import hashlib
import math
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.measure import Taken, run, run_parts, table
from sfumato import plugins

SIZES = tuple(int(size) for size in os.environ.get("SFUMATO_SIZES", "1000000,2000000,4000000,8000000").split(","))
LARGEST = int(os.environ.get("SFUMATO_LARGEST", "10000000"))
KEPT = os.environ.get("SFUMATO_SCALE_DATA", "")
"""Folder for generated data that are to be kept; nothing is kept without it."""
METHODS = {
    "trajectories": ("seqanon", ("-p", "k=5", "-p", "m=2")),
    "sets": ("disassociation", ("-p", "k=5", "-p", "m=2")),
    "sequences": ("hl", ("-p", "k=5", "--monitored", "portal1,portal2,portal3,portal4,portal5,portal6")),
    "activity": (
        "mc-l-mdav-wd",
        ("-p", "k=10", "-p", "delta=48h", "-p", "epsilon=0.75", "--sensitive", "Vacation", "--resolution", "hour"),
    ),
}
MODELS: dict[str, dict[str, object]] = {
    "trajectories": {"mean_visits": 6},
    "sets": {},
    "sequences": {"mean_events": 20, "events": 1000},
    "activity": {"days": 7},
}
TOWN = 250_000
"""People who are generated at a time: each of these towns has places and people of its own."""
KILLS = int(os.environ.get("SFUMATO_KILLS", "20"))
SECRET = "01" * 32
TAKEN = [
    "kind",
    "people",
    "rows",
    "parts",
    "cpu s",
    "s",
    "of them partitions s",
    "driver MB",
    "worker MB",
    "together MB",
]


def anonymize(kind: str, path: Path, out: Path, *words: object, watched: bool = False) -> Taken:
    """Publish a file with the method that stands for its kind."""
    method, parameters = METHODS[kind]
    said = ("anonymize", path, "--kind", kind, "--method", method, *parameters, "--out", out, "--force", "--no-report")
    return run(*said, *words, watched=watched)


def data(folder: Path, kind: str, size: int) -> Path:
    """Return generated people of a kind, written town by town: never all of them are in memory."""
    path = (Path(KEPT) if KEPT else folder) / f"{kind}-{size}.parquet"
    if path.exists():
        return path
    writer = None
    for town, begin in enumerate(range(0, size, TOWN)):
        table = (
            plugins.find_kind(kind)
            .generator.load()
            .generate(min(TOWN, size - begin), town + 1, **MODELS[kind], **_place(kind, town))
        )
        for name in ("person", "place"):
            if name in table.column_names:
                told = pc.binary_join_element_wise(f"t{town:03}", table.column(name).cast(pa.string()), "")
                table = table.set_column(table.column_names.index(name), name, told)
        writer = writer or pq.ParquetWriter(path.with_suffix(".new"), table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()
    path.with_suffix(".new").replace(path)
    return path


def _place(kind: str, town: int) -> dict[str, object]:
    """Put every town somewhere else."""
    return {"longitude": -150 + town % 100 * 3, "latitude": -60 + town // 100 * 3} if kind == "trajectories" else {}


def _publish(folder: Path, kind: str, size: int, *words: object) -> list[object]:
    path = data(folder, kind, size)
    taken = anonymize(kind, path, folder / "out", "--engine", "local", *words, watched=True)
    done, peaks = taken.result, taken.peaks
    assert peaks is not None and not done["read_whole"], done["read_whole"]
    shutil.rmtree(folder / "out")
    rows = pq.read_metadata(path).num_rows
    return [kind, size, rows, done["parts"], taken.cpu, taken.seconds, done["seconds"]["parts"], *peaks]


def trajectories(folder: Path) -> list[list[object]]:
    """Publish the check-ins of ten million people."""
    return _print("Trajectories", TAKEN, iter([_publish(folder, "trajectories", LARGEST)]))


def baskets(folder: Path) -> list[list[object]]:
    """Publish the baskets of ten million people."""
    return _print("Baskets", TAKEN, iter([_publish(folder, "sets", LARGEST)]))


def events(folder: Path) -> list[list[object]]:
    """Publish twenty events of each of a million people."""
    return _print("Events", TAKEN, iter([_publish(folder, "sequences", LARGEST // 10)]))


def diaries(folder: Path) -> list[list[object]]:
    """Publish a week of three hundred thousand people."""
    return _print("Diaries", TAKEN, iter([_publish(folder, "activity", LARGEST * 3 // 100)]))


def growth(folder: Path) -> list[list[object]]:
    """Print time and memory by the number of people, and the exponent by which processor time grows."""
    found: list[list[object]] = []

    def rows() -> Iterator[list[object]]:
        for size in SIZES:
            found.append(_publish(folder, "trajectories", size))
            yield found[-1]

    printed = _print("By the number of people", TAKEN, rows())
    logs = [[math.log(float(str(row[at]))) for row in found] for at in (1, 4)]
    if len(found) > 1:
        print(f"\nTime grows as the number of people to the power of {statistics.linear_regression(*logs).slope:.2f}.")
    return printed


def cores(folder: Path) -> list[list[object]]:
    """Print how long the partitions take on one core and on two."""

    def found() -> Iterator[list[object]]:
        for count in (1, 2):
            yield [count, *_publish(folder, "trajectories", SIZES[0], "--cores", count)]

    return _print("One core and two", ["cores", *TAKEN], found())


def utility(folder: Path) -> list[list[object]]:
    """Print what is lost when people are published in ever smaller partitions."""

    def found() -> Iterator[list[object]]:
        for kind in ("trajectories", "sets"):
            path = data(folder, kind, 20_000)
            for size in (None, 10_000, 5_000, 2_500, 1_250):
                words = () if size is None else ("--engine", "local", "--partition-size", size)
                anonymize(kind, path, folder / "out", *words)
                scores = run("measure", folder / "out", "--original", path).result["measures"]
                for score in scores:
                    yield [kind, "whole" if size is None else size, score["metric"], score["value"], score["better"]]

    return _print("What partitions cost", ["kind", "partition size", "measure", "value", "better"], found())


def kills(folder: Path) -> list[list[object]]:
    """Kill runs at random moments, resume them, and compare the releases."""
    path, secret, out = data(folder, "trajectories", 40_000), folder / "secret.hex", folder / "killed"
    secret.write_text(SECRET + "\n")
    words = ("--engine", "local", "--partition-size", 2_000, "--secret", secret)
    whole = anonymize("trajectories", path, folder / "out", *words)
    wanted, chance = _digest(folder / "out" / "release"), random.Random(1)
    method, parameters = METHODS["trajectories"]
    command = ["anonymize", path, "--kind", "trajectories", "--method", method, *parameters, "--out", out, *words]

    def found() -> Iterator[list[object]]:
        for number in range(KILLS):
            shutil.rmtree(out, ignore_errors=True)
            moment = chance.uniform(0.5, whole.seconds)
            process = subprocess.Popen(
                [sys.executable, "-c", "from sfumato.cli import main; main()", *map(str, command)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(moment)
            process.send_signal(signal.SIGKILL)
            process.wait()
            ended = (out / "release").exists()
            ready = 0 if ended else len(list(out.glob(".parts-*/part-*")))
            if not ended:
                resumed = run(*command).result["counted"]["parts_from_before"]
                assert resumed == ready, (resumed, ready)
            yield [number + 1, moment, "ended before" if ended else ready, _digest(out / "release") == wanted]

    return _print("Killed and resumed", ["run", "killed after s", "partitions ready", "same release"], found())


def _digest(folder: Path) -> str:
    state = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            state.update(str(file.relative_to(folder)).encode() + file.read_bytes())
    return state.hexdigest()


def _print(title: str, columns: list[str], found: Iterator[list[object]]) -> list[list[object]]:
    rows: list[list[object]] = []

    def keep() -> Iterator[list[object]]:
        for row in found:
            rows.append(row)
            yield row

    table(title, columns, keep())
    return [list(columns), *rows]


if __name__ == "__main__":
    run_parts("scale", __doc__, trajectories, baskets, events, diaries, growth, cores, utility, kills)
