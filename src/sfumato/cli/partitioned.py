"""Publishing in partitions from the command line."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from sfumato._kernels.compilation import notice_compilation
from sfumato.base.method import Method
from sfumato.cli.output import Output, show_progress
from sfumato.cli.publish import announce_compilation
from sfumato.engines.local import Local
from sfumato.exceptions import ParameterError
from sfumato.readers.files import is_uri
from sfumato.release.folder import check_free
from sfumato.release.run import PartitionEngine

__all__ = ["find_engine", "find_file", "publish_partitions"]


def find_engine(name: str, cores: int | None, master: str, partition_size: int | None) -> PartitionEngine | None:
    """Return the engine of a name, with what was said about it; None where nothing is to be published in partitions.

    Examples
    --------
    >>> find_engine("local", 2, "", None).cores
    2
    """
    if not name:
        if partition_size is not None or cores is not None or master:
            raise ParameterError(
                "--partition-size, --cores and --master are about partitions. Name the engine too: --engine local."
            )
        return None
    if name == "local":
        if master:
            raise ParameterError("--master: names a cluster, which the engine local does not use. Leave it out.")
        return Local(cores)
    if name == "spark":
        if cores is not None:
            raise ParameterError("--cores: Spark decides on cores; name them in --master, such as local[2].")
        from sfumato.engines.spark import Spark

        return Spark.start(master)
    raise ParameterError(f"--engine: must be local or spark, got {name!r}.")


def find_file(data: str) -> Path:
    """Return the file or directory of a name; refuse a place that only an engine reaches.

    Examples
    --------
    >>> find_file("visits.csv").name
    'visits.csv'
    """
    if is_uri(data):
        raise ParameterError(f"{data}: only Spark reads and writes such places. Name the engine: --engine spark.")
    return Path(data)


def publish_partitions(
    out: Output,
    directory: str,
    data: str,
    method: Method,
    engine: PartitionEngine,
    *,
    force: bool,
    **options: Any,
) -> dict[str, Any]:
    """Read, publish in partitions and verify, showing progress; return what was done."""
    from sfumato.engines.publish import publish_in_partitions

    if not is_uri(directory):
        check_free(Path(directory), force=force)
    with show_progress() as progress, notice_compilation(announce_compilation), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        progress("read rows", 0, 0)
        made = publish_in_partitions(data, method, directory, engine=engine, force=force, progress=progress, **options)
    release = made.release
    done: dict[str, Any] = {
        "unit": release.unit.to_dict(),
        "published": len(release),
        "withheld": sum(release.suppressed_records.values()),
        "withheld_by_reason": dict(release.suppressed_records),
        "parts": len(release.partitions),
        "guarantee": release.guarantee.to_dict(release.unit),
        "method_note": release.method_note,
        "measured": made.verdict.measured,
        "counted": made.counters,
        "seconds": {phase: round(seconds, 4) for phase, seconds in made.seconds.items()},
        "notes": list(made.notes),
        "warnings": list(made.warnings),
        "remaining": made.verdict.remaining.to_dict(),
        "read_whole": made.read_whole,
        "out": directory,
    }
    if made.read_whole:
        sys.stderr.write(
            f"{Path(data).name} was read whole, so that memory grew with the number of people, because "
            f"{made.read_whole}.\n"
        )
    for note in (*made.original.notes, *made.notes):
        out.print_line(note)
    hidden = {"guarantee", "method_note", "unit", "notes", "warnings", "remaining", "read_whole"}
    shown = {name: value for name, value in done.items() if name not in hidden}
    out.facts("Published", shown | {"published": release.unit.count(len(release)), "guarantee": str(release.guarantee)})
    out.print_line(release.guarantee.statement(release.unit))
    out.print_note(release.method_note)
    out.print_line("Every partition keeps this on its own, and so do all of them together.")
    out.print_line(made.verdict.sentence)
    out.warn([*made.verdict.warnings, *made.original.doubts])
    out.remain(done["remaining"])
    top = directory.rstrip("/")
    out.print_line(f"Publish {top}/release; keep {top}/owner to yourself.")
    out.finish(done)
    return done
