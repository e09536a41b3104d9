"""How much of the serial time a study takes with more processes: 100 small cells, by one worker and by two.

Wall time and processor time are of the whole study, start of the workers included; both runs are taken in turn, so that
a loaded machine slows down both. Half of the processor time of two workers, as a share of that of one, is what
two idle cores would need. ``python -m benchmarks.study``
"""

from __future__ import annotations

import os
import resource
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.measure import run_parts, table
from sfumato.params import build
from sfumato.plugins import find_method
from sfumato.studies.run import run_trials
from sfumato.studies.source import GeneratedSource
from sfumato.studies.trials import Job, Trial

TURNS = int(os.environ.get("SFUMATO_TURNS", "3"))
METHODS = {"mondrian": (2, 3, 5, 8, 12), "cluster": (2, 3, 5, 8, 12)}
REPETITIONS = 10
SOURCE = GeneratedSource(
    "table",
    {"size": 1500, "seed": 1},
    {
        "identifier": ["person"],
        "quasi": ["age", "sex", "zip"],
        "sensitive": ["diagnosis"],
        "drop": ["education", "marital_status", "occupation", "income"],
    },
)


def list_small_trials() -> list[Trial]:
    """Two methods, five values, ten repetitions: 100 cells."""
    return [
        Trial(method, build(find_method(method, "table"), {"k": k}).parameters(), turn, "", ("k",))
        for turn in range(1, REPETITIONS + 1)
        for method, values in METHODS.items()
        for k in values
    ]


def time_study(folder: Path, workers: int, trials: Sequence[Trial]) -> tuple[float, float]:
    """Return wall seconds and processor seconds of the workers for some cells."""
    job = Job(SOURCE, measures=("ncp", "discernibility", "attribute-queries"))
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    statuses = [outcome.status for _, outcome in run_trials(trials, job, folder, workers=workers)]
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert statuses == ["done"] * len(trials)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_parallel(folder: Path) -> list[list[object]]:
    """One worker against two, several turns."""
    rows: list[list[object]] = []
    trials = list_small_trials()
    time_study(folder / "warm", 1, trials[:10])  # compiles what is not compiled yet

    def measured() -> Iterator[list[object]]:
        for turn in range(TURNS):
            serial, serial_cpu = time_study(folder / f"one-{turn}", 1, trials)
            parallel, parallel_cpu = time_study(folder / f"two-{turn}", 2, trials)
            share = parallel_cpu / 2 / serial_cpu
            rows.append([turn + 1, serial, parallel, parallel / serial, serial_cpu, parallel_cpu, share])
            yield rows[-1]
        wall, cpu = (statistics.median(float(str(row[column])) for row in rows) for column in (3, 6))
        yield ["median", "", "", wall, "", "", cpu]

    table(
        "100 small cells",
        ["turn", "one worker s", "two workers s", "share", "one worker CPU s", "two CPU s", "half of it, share"],
        measured(),
    )
    return rows


if __name__ == "__main__":
    run_parts("study", __doc__, in_parallel)
