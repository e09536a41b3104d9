"""Snapshots as a stream: read as they come, published as soon as they leave the window, resumed where they stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sfumato.data.notes import Note
from sfumato.data.secret import Secret
from sfumato.exceptions import ParameterError
from sfumato.kinds.snapshots.reader.batches import is_feed
from sfumato.messages import Message, option, parameter
from sfumato.readers.options import ReadOptions
from sfumato.release.suppression import MAX_SUPPRESSED_RECORDS, describe_suppression, exceeds, read_limit

if TYPE_CHECKING:
    from sfumato.base.verdict import Verdict
    from sfumato.data.dataset import Dataset
    from sfumato.kinds.snapshots.stream.run import StreamingMethod
    from sfumato.release.release import Result

__all__ = ["RESUME", "Done", "StreamStopped", "is_feed", "publish_stream"]

RESUME = ("replay", "onwards")
"""How a stopped stream gets its input: from the beginning again, or from where it stopped."""


class StreamStopped(KeyboardInterrupt):
    """Someone stopped a stream: what is complete stays published, and the message says how to go on.

    Examples
    --------
    >>> str(StreamStopped("stopped; nothing was published."))
    'stopped; nothing was published.'
    """


class Done(NamedTuple):
    """What a stream has done.

    Attributes
    ----------
    facts
        Plain values for JSON.
    notes, warnings
        What was read, and sentences about what nobody should overlook.

    Examples
    --------
    >>> Done({"published": 2}, (), ()).warnings
    ()
    """

    facts: dict[str, Any]
    notes: tuple[Note, ...]
    warnings: tuple[str, ...]


def publish_stream(
    data: Path,
    directory: Path,
    method: StreamingMethod,
    options: dict[str, Any],
    *,
    verify: Callable[[Path, Dataset | None], Verdict],
    write_report: Callable[[Result, Path], object],
    secret: Secret | None = None,
    force: bool = False,
    resume: str | None = None,
    report: bool = True,
    max_suppressed_records: float = MAX_SUPPRESSED_RECORDS,
) -> Done:
    """Publish snapshots one by one as their records come, in the order in which they come; return what was done.

    Parameters
    ----------
    data, options
        Where records come from, ``-`` for standard input, and how they are read.
    directory
        For ``release/`` and ``owner/``.
    method
        A method that has streams.
    verify, write_report
        Check published files against their claim, with the original where it is given; write the owner's report.
    secret, force
        As for other releases.
    resume
        ``replay`` if the input begins anew, so that what was taken is passed over; ``onwards`` if it goes on.
    report
        Whether to write ``owner/report.html`` at the end; until then the records are kept in ``owner/``.
    max_suppressed_records
        Share of the records that may be left out. What is published cannot be taken back: with more it is said.

    Raises
    ------
    StreamStopped
        Where the run was interrupted.

    Examples
    --------
    >>> import tempfile
    >>> import sfumato as sf
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "cases.csv").write_text("time,age,ill\\n1,30,flu\\n1,40,cold\\n2,50,flu\\n2,60,cough\\n")
    >>> done = publish_stream(
    ...     folder / "cases.csv",
    ...     folder / "out",
    ...     sf.methods.Reposition(l=2, window=1),
    ...     {"columns": {"qi": "age"}, "sensitive": ["ill"]},
    ...     verify=sf.verify,
    ...     write_report=lambda result, path: None,
    ... )
    >>> done.facts["snapshots"], done.facts["published"], sf.verify(folder / "out").holds
    (2, 4, True)
    """
    # What makes snapshots is heavy, and someone who asks only whether the input is a feed does not need it.
    from sfumato.kinds.snapshots.stream.run import Judges, StreamRun

    if resume is not None and resume not in RESUME:
        raise ParameterError(Message(option("resume"), f" must be one of {', '.join(RESUME)}, got {resume!r}."))
    limit = read_limit(max_suppressed_records)
    judges = Judges(verify, write_report)
    run = StreamRun(data, ReadOptions.of("snapshots", options), directory, method, judges, secret, keeps=report)
    try:
        run.open(force=force, resume=resume)
        run.consume(resume)
        facts = run.finish()
    except KeyboardInterrupt:
        raise StreamStopped(run.stop()) from None
    finally:
        run.close()
    facts["withholds_too_much"] = exceeds(facts["withheld"], run.rows, limit)
    warnings = []
    if facts["withholds_too_much"]:
        warnings.append(
            Message(
                f"{describe_suppression(facts['withheld_by_reason'], run.rows)}, more than ",
                option("max_suppressed_records", limit),
                ". What a feed has published cannot be withdrawn: use a smaller ",
                parameter("l"),
                " or a larger ",
                parameter("window"),
                " before you continue.",
            )
        )
    return Done(facts, run.records.notes(), tuple(warnings))
