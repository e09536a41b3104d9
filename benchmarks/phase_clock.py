"""Times the phases of one ``sfumato`` command, or Arrow reading one file, in this process.

``python -P phase_clock.py LINES WORDS...`` runs ``sfumato WORDS...`` and appends one JSON line per phase to the file
LINES. ``python -P phase_clock.py LINES --arrow FILE`` times Arrow instead. `benchmarks.phases` starts it.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Note = Callable[[str, float, float], None]
"""Takes the name of a phase, its processor seconds and its wall seconds."""

PHASES = {
    "read": "read",
    "anonymize": "method",
    "write": "write",
    "verify": "verify",
    "attack": "attack",
    "report": "report",
}
"""Phases of the product by their names there, and their names in the results."""


def count_processor_seconds() -> float:
    """Return what this process and the children it has waited for have used, user and system."""
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


@contextlib.contextmanager
def measured(name: str, note: Note) -> Iterator[None]:
    """Measure what is done inside of a `with` block."""
    start, used = time.perf_counter(), count_processor_seconds()
    try:
        yield
    finally:
        note(name, count_processor_seconds() - used, time.perf_counter() - start)


def watch_phases(note: Note) -> None:
    """Report every phase of a run to `note`. Nothing else here reaches into the product.

    Methods have phases of their own inside `anonymize`: they count there. What kernels run on is loaded now, because a
    thread would otherwise load it while the file is read, and its processor seconds would count as reading.
    """
    import sfumato

    with contextlib.suppress(ImportError):
        from sfumato._kernels.loading import load_ahead

        load_ahead()()
    usual_phase = sfumato.Run.phase

    @contextlib.contextmanager
    def phase(run: Any, name: str) -> Iterator[None]:
        timing = measured(PHASES[name], note) if name in PHASES else contextlib.nullcontext()
        with timing, usual_phase(run, name):
            yield

    setattr(sfumato.Run, "phase", phase)  # noqa: B010


def read_with_arrow(path: Path, note: Note) -> None:
    """Time Arrow reading a CSV file on one thread; a small table first, so that no loading is counted."""
    import pyarrow as pa
    from pyarrow import csv

    options = csv.ReadOptions(use_threads=False)
    csv.read_csv(pa.BufferReader(b"a,b\n1,x\n"), read_options=options)
    with measured("arrow", note):
        csv.read_csv(path, read_options=options)


def main() -> None:
    """Run what the command line asks for."""
    lines, *words = sys.argv[1:]

    def note(name: str, cpu: float, wall: float) -> None:
        # Written at once: the command line of the product ends its process without going back to its caller.
        with Path(lines).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"phase": name, "cpu": cpu, "wall": wall}) + "\n")

    if words[0] == "--arrow":
        read_with_arrow(Path(words[1]), note)
        return
    if words[0] == "anonymize":
        watch_phases(note)
    from sfumato.cli import main as run_command

    sys.argv = ["sfumato", *words]
    run_command()


if __name__ == "__main__":
    main()
