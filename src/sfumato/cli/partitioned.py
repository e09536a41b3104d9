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
from sfumato.messages import Message, option
from sfumato.readers.files import is_uri
from sfumato.release.folder import check_free
from sfumato.release.run import PartitionEngine

__all__ = ["find_engine", "find_file", "publish_partitions"]


def find_engine(name: str, cores: int | None, master: str, partition_size: int | None) -> PartitionEngine | None:
    """Return the engine of a name with its options; None without a name.

    Examples
    --------
    >>> find_engine("local", 2, "", None).cores
    2
    """
    if not name:
        if partition_size is not None or cores is not None or master:
            given = "partition_size" if partition_size is not None else "cores" if cores is not None else "master"
            raise ParameterError(
                Message(option(given), " applies only with an engine."),
                hint=Message("Add one: ", option("engine", "spark" if master else "local"), "."),
            )
        return None
    if name == "local":
        if master:
            raise ParameterError(
                Message(option("master"), " does not apply to ", option("engine", "local"), "."),
                hint=Message("Leave it out, or add ", option("engine", "spark"), "."),
            )
        return Local(cores)
    if name == "spark":
        if cores is not None:
            raise ParameterError(
                Message(option("cores"), " does not apply to ", option("engine", "spark"), "."),
                hint=Message("Name the cores of Spark in its address: ", option("master", "local[2]"), "."),
            )
        from sfumato.engines.spark import Spark

        return Spark.start(master)
    raise ParameterError(Message(option("engine"), f" must be local or spark, got {name!r}."))


def find_file(data: str) -> Path:
    """Return the file or directory of a name; refuse a place that only an engine reaches.

    Examples
    --------
    >>> find_file("visits.csv").name
    'visits.csv'
    """
    if is_uri(data):
        raise ParameterError(
            f"Only Spark reads and writes {data}.", hint=Message("Add ", option("engine", "spark"), ".")
        )
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
        "notes": [str(note) for note in made.notes],
        "warnings": list(made.warnings),
        "remaining": made.verdict.remaining.to_dict(),
        "read_whole": made.read_whole,
        "out": directory,
    }
    if made.read_whole:
        sys.stderr.write(f"{Path(data).name} was loaded into memory: {made.read_whole}.\n")
    for note in (*made.original.notes, *made.notes):
        out.print_line(note.message)
    hidden = {"guarantee", "method_note", "unit", "notes", "warnings", "remaining", "read_whole"}
    shown = {name: value for name, value in done.items() if name not in hidden}
    out.facts("Published", shown | {"published": release.unit.count(len(release)), "guarantee": str(release.guarantee)})
    out.print_line(release.guarantee.statement(release.unit))
    out.print_note(release.method_note)
    out.print_line("The guarantee holds for every partition and for the whole release.")
    out.print_line(made.verdict.sentence)
    out.warn([*made.verdict.warnings, *(doubt.message for doubt in made.original.doubts)])
    out.remain(done["remaining"])
    top = directory.rstrip("/")
    out.print_line(f"Publish {top}/release; do not publish {top}/owner.")
    out.finish(done)
    return done
