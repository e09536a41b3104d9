"""Publish streams on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sfumato.api import calls
from sfumato.base.method import Method
from sfumato.cli.output import STOPPED, Output, fail
from sfumato.data.kind import find_kind, require
from sfumato.data.secret import Secret
from sfumato.release.suppression import MAX_SUPPRESSED_RECORDS

__all__ = ["publish_stream"]

_UNSHOWN = {"guarantee", "method_note", "remaining", "withholds_too_much"}


def publish_stream(
    out: Output,
    data: Path,
    directory: Path,
    method: Method,
    options: dict[str, Any],
    *,
    secret: Secret | None = None,
    force: bool = False,
    resume: str | None = None,
    report: bool = True,
    max_suppressed_records: float = MAX_SUPPRESSED_RECORDS,
) -> dict[str, Any]:
    """Publish a stream as its records arrive, print what was done and return it.

    Parameters
    ----------
    out
        Where to print what was done.
    data, options
        Where records come from, ``-`` for standard input, and how they are read.
    directory
        For ``release/`` and ``owner/``.
    method
        A method that has streams.
    secret, force, report, max_suppressed_records
        As for other releases.
    resume
        ``replay`` if the input starts over, so that records already read are skipped; ``onwards`` if it goes on.
    """
    stream = require(find_kind(method.kinds[0]).stream)
    try:
        done = stream.publish_stream(
            data,
            directory,
            method,
            options,
            verify=calls.verify,
            write_report=calls.write_report,
            secret=secret,
            force=force,
            resume=resume,
            report=report,
            max_suppressed_records=max_suppressed_records,
        )
    except stream.StreamStopped as stopped:
        fail(str(stopped), STOPPED)
    for note in done.notes:
        out.print_line(note.message)
    facts: dict[str, Any] = done.facts
    out.facts("Published", {name: value for name, value in facts.items() if name not in _UNSHOWN})
    out.print_line(facts["guarantee"]["statement"])
    out.print_note(facts["method_note"])
    for warning in done.warnings:
        out.print_line(f"WARNING: {warning}")
    out.remain(facts["remaining"])
    out.print_line(f"Publish {directory / 'release'}; keep {directory / 'owner'} to yourself.")
    out.finish(facts)
    return facts
