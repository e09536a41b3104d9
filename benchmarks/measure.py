"""Runs a command in a process of its own and takes its time and peak memory."""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.memory import Peaks, Watch

Part = Callable[[Path], list[list[object]]]

DATA = Path(os.environ.get("SFUMATO_DATA", "data"))
"""Where public data sets are, if they are at hand."""


@dataclass(frozen=True)
class Taken:
    """What one run took; `cpu` is processor time, which says more on a machine that others use too."""

    seconds: float
    megabytes: float
    result: dict
    cpu: float = 0.0
    peaks: Peaks | None = None


class OverlongError(Exception):
    """A run that took more processor time than it was given."""


def run(*words: object, limit: int | None = None, watched: bool = False) -> Taken:
    """Run ``sfumato`` with these words and ``--json``; end it after a limit of processor seconds, if there is one.

    Watched, the memory of all its processes is looked at while it runs.
    """
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        command = [sys.executable, "-c", "from sfumato.cli import main; main()", *map(str, words), "--json"]
        process = os.posix_spawn(
            sys.executable, command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)]
        )
        if limit is not None:
            _, hard = resource.prlimit(process, resource.RLIMIT_CPU)
            resource.prlimit(process, resource.RLIMIT_CPU, (limit, hard))
        watch = Watch(process) if watched else None
        _, status, usage = os.wait4(process, 0)
        peaks = None if watch is None else watch.stop()
        seconds = time.perf_counter() - start
        out.seek(0)
        text = out.read().decode()
    cpu = usage.ru_utime + usage.ru_stime
    if limit is not None and os.WIFSIGNALED(status) and cpu >= limit - 1:
        raise OverlongError(f"{words[0]} did not end within {limit} s")
    if status:
        raise SystemExit(f"{' '.join(map(str, words))}\n{text}")
    return Taken(seconds, usage.ru_maxrss / 1024, json.loads(text), cpu, peaks)


def generated(folder: Path, size: int, model: str, *options: str, kind: str = "trajectories") -> Path:
    """Return a generated file, made once."""
    name = "-".join([model, str(size), *(option.rsplit("/", 1)[-1].replace("=", "") for option in options)])
    path = folder / f"{name}.parquet"
    if not path.exists():
        chosen = [word for option in options for word in ("-o", option)]
        run("generate", kind, "--size", size, "--seed", 1, "--model", model, "--out", path, *chosen)
    return path


def table(title: str, columns: list[str], rows: Iterable[list[object]]) -> None:
    """Print a Markdown table, every row as soon as it is there."""
    print(f"\n## {title}\n\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}", flush=True)
    for row in rows:
        print("| " + " | ".join(f"{v:.3g}" if isinstance(v, float) else str(v) for v in row) + " |", flush=True)


def run_parts(name: str, description: str, *parts: Part) -> None:
    """Run the parts that the command line asks for, all by default, and keep what they measured."""
    known = {part.__name__: part for part in parts}
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("parts", nargs="*", default=list(known), help=", ".join(known))
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results"))
    chosen = parser.parse_args()
    chosen.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for part in chosen.parts:
            rows = known[part](Path(scratch))
            with (chosen.results / f"{name}-{part}.csv").open("w", newline="") as file:
                csv.writer(file).writerows(rows)
