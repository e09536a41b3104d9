"""Releases in parts: time and memory by the number of people, cores, what parts cost in utility, kills and resumes."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Taken, run, run_parts, table

SIZES = tuple(int(size) for size in os.environ.get("SFUMATO_SIZES", "250000,500000,1000000,2000000").split(","))
METHODS = {
    "trajectories": ("seqanon", ("-p", "k=5", "-p", "m=2")),
    "sets": ("disassociation", ("-p", "k=5", "-p", "m=2")),
}
KILLS = int(os.environ.get("SFUMATO_KILLS", "20"))
SECRET = "01" * 32


def anonymize(kind: str, path: Path, out: Path, *words: object) -> Taken:
    """Publish a file with the method that stands for its kind."""
    method, parameters = METHODS[kind]
    return run(
        "anonymize",
        path,
        "--kind",
        kind,
        "--method",
        method,
        *parameters,
        "--out",
        out,
        "--force",
        "--no-report",
        *words,
    )


def data(folder: Path, kind: str, size: int) -> Path:
    """Return generated people of a kind."""
    path = folder / f"{kind}-{size}.parquet"
    if not path.exists():
        run("generate", kind, "--size", size, "--seed", 1, "--out", path)
    return path


def growth(folder: Path) -> list[list[object]]:
    """Print time and memory by the number of people; memory is that of the largest process."""

    def found() -> Iterator[list[object]]:
        for kind in METHODS:
            for size in SIZES:
                taken = anonymize(kind, data(folder, kind, size), folder / "out", "--engine", "local")
                done = taken.result
                yield [kind, size, done["parts"], taken.cpu, taken.seconds, done["seconds"]["parts"], taken.megabytes]

    return _print("By the number of people", ["kind", "people", "parts", "cpu s", "s", "parts s", "MB"], found())


def cores(folder: Path) -> list[list[object]]:
    """Print how long the parts take on one core and on two."""

    def found() -> Iterator[list[object]]:
        path = data(folder, "trajectories", SIZES[0])
        for count in (1, 2):
            taken = anonymize("trajectories", path, folder / "out", "--engine", "local", "--cores", count)
            yield [count, taken.result["seconds"]["parts"], taken.cpu, taken.megabytes]

    return _print("One core and two", ["cores", "parts s", "cpu s", "MB"], found())


def utility(folder: Path) -> list[list[object]]:
    """Print what is lost when people are published in ever smaller parts."""

    def found() -> Iterator[list[object]]:
        for kind in METHODS:
            path = data(folder, kind, 20_000)
            for size in (None, 10_000, 5_000, 2_500, 1_250):
                words = () if size is None else ("--engine", "local", "--part-size", size)
                anonymize(kind, path, folder / "out", *words)
                scores = run("measure", folder / "out", "--original", path).result["measures"]
                for score in scores:
                    yield [kind, "whole" if size is None else size, score["metric"], score["value"], score["better"]]

    return _print("What parts cost", ["kind", "part size", "measure", "value", "better"], found())


def kills(folder: Path) -> list[list[object]]:
    """Kill runs at random moments, resume them, and compare the releases."""
    path, secret, out = data(folder, "trajectories", 40_000), folder / "secret.hex", folder / "killed"
    secret.write_text(SECRET + "\n")
    words = ("--engine", "local", "--part-size", 2_000, "--secret", secret)
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

    return _print("Killed and resumed", ["run", "killed after s", "parts ready", "same release"], found())


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
    run_parts("scale", __doc__, growth, cores, utility, kills)
