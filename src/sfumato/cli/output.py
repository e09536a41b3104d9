"""What people and programs see: tables for the former, one JSON object for the latter."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NoReturn

from sfumato.base.guarantee import NOTE_LABEL
from sfumato.base.remaining import TITLE
from sfumato.cli.values import write_name, write_value
from sfumato.escape import escape_json, make_visible
from sfumato.exceptions import SfumatoError
from sfumato.progress import Progress, silent, watch

__all__ = [
    "STOPPED",
    "Output",
    "Quiet",
    "Step",
    "fail",
    "print_method",
    "set_verbosity",
    "show_progress",
    "show_stronger",
    "show_work",
]

STOPPED = 130
"""Exit code of a run that was stopped from outside."""


_DELAY = 2.0
"""Seconds after which people want to see that something goes on."""
_quiet: ContextVar[bool] = ContextVar("quiet", default=False)
_verbose: ContextVar[bool] = ContextVar("verbose", default=False)


@contextlib.contextmanager
def set_verbosity(*, quiet: bool = False, verbose: bool = False) -> Iterator[None]:
    """Print less, or more, inside a ``with`` block.

    Examples
    --------
    >>> with set_verbosity(quiet=True):
    ...     Output(as_json=False).print_line("Nobody reads this.")
    """
    before = _quiet.set(quiet), _verbose.set(verbose)
    try:
        yield
    finally:
        _quiet.reset(before[0])
        _verbose.reset(before[1])


class Output:
    """Prints tables and sentences, or collects one JSON object.

    Examples
    --------
    >>> Output(as_json=True).finish({"holds": True})
    {"holds": true}
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def print_line(self, text: str) -> None:
        """Print a sentence for people, on a line of its own."""
        if not self.as_json and not _quiet.get():
            from rich.text import Text

            from sfumato.cli.style import write_text

            _console().print(Text(make_visible(write_text(text))), highlight=False, soft_wrap=True)

    def print_note(self, note: str) -> None:
        """Print the note of a release about its method, if it has one."""
        if note:
            self.print_line(f"{NOTE_LABEL}: {note}")

    def warn(self, texts: Sequence[str]) -> None:
        """Print warnings."""
        if texts and not self.as_json:
            from rich.text import Text

            _console().print("WARNING", style="bold red")
            from sfumato.cli.style import write_text

            for text in map(write_text, texts):
                _console().print(Text(make_visible(text), style="bold"), highlight=False, soft_wrap=True)

    def remain(self, remaining: Sequence[Mapping[str, Any]]) -> None:
        """Print what remains possible, warnings first; with ``--quiet`` only those."""
        shown = [possibility for possibility in remaining if possibility["severity"] == "warning" or not _quiet.get()]
        if not shown or self.as_json:
            return
        from rich.text import Text

        from sfumato.cli.style import write_text

        console = _console()
        console.print(Text(TITLE, style="bold"), highlight=False)
        hint = ""
        for possibility in shown:
            is_warning = possibility["severity"] == "warning"
            line = Text("  WARNING: " if is_warning else "  - ", style="bold red" if is_warning else "")
            line.append(make_visible(write_text(possibility["sentence"])), style="bold" if is_warning else "")
            console.print(line, highlight=False, soft_wrap=True)
            if possibility["hint"] and possibility["hint"] != hint:
                hint = possibility["hint"]
                console.print(Text(f"    {make_visible(write_text(hint))}"), highlight=False, soft_wrap=True)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Print a table for people."""
        if self.as_json or _quiet.get():
            return
        from rich.table import Table
        from rich.text import Text

        # Texts, not markup: a label such as [red] is shown as it is. The lines of a title are ours.
        lines = "\n".join(map(make_visible, title.split("\n")))
        table = Table(title=Text(lines, style="bold"), title_justify="left")
        for i, column in enumerate(columns):
            numeric = bool(rows) and all(_is_number(row[i]) for row in rows)
            table.add_column(Text(make_visible(column)), justify="right" if numeric else "left", overflow="fold")
        for row in rows:
            table.add_row(*(Text(make_visible(write_value(value))) for value in row))
        _console().print(table)

    def facts(self, title: str, facts: Mapping[str, Any]) -> None:
        """Print keys and values for people."""
        rows = [
            (write_name(name), write_value(value, name) if isinstance(value, Mapping | float) else value)
            for name, value in facts.items()
            if value is not None
        ]
        self.table(title, ["what", "value"], rows)

    def finish(self, value: Mapping[str, Any]) -> None:
        """Print the JSON object, where one was asked for."""
        if self.as_json:
            sys.stdout.write(escape_json(json.dumps(value, ensure_ascii=False, default=_json)) + "\n")


def show_stronger(out: Output, title: str, finding: Mapping[str, Any]) -> None:
    """Print what an attacker reaches who does more than a guarantee is about, with warnings where people are found.

    Examples
    --------
    >>> show_stronger(Output(as_json=True), "An attacker", {"found": 3, "warnings": ["Three people are found."]})
    """
    out.facts(title, {name: value for name, value in finding.items() if name != "warnings"})
    out.warn(finding.get("warnings", ()))


class Quiet(Output):
    """Prints nothing: another step does.

    Examples
    --------
    >>> Quiet().finish({"holds": True})
    """

    def __init__(self) -> None:
        super().__init__(as_json=True)

    def finish(self, value: Mapping[str, Any]) -> None:
        """Print nothing."""


class Step(Output):
    """Prints what a step of several does, but not what remains possible: the last step prints that.

    Examples
    --------
    >>> Step().finish({"holds": True})
    """

    def __init__(self) -> None:
        super().__init__(as_json=False)

    def remain(self, remaining: Sequence[Mapping[str, Any]]) -> None:
        """Print nothing."""


def _console() -> Any:
    from rich.console import Console

    return Console()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _json(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)


def fail(message: str | SfumatoError, code: int) -> NoReturn:
    """Print an error on standard error, with its fields as JSON for ``--json``, and stop with an exit code."""
    from sfumato.cli.style import COMMAND_LINE, write_text

    fields = message.to_dict(COMMAND_LINE) if isinstance(message, SfumatoError) else {"error": write_text(message)}
    # The lines of a pointer show where the fault is; in JSON the sentence is enough.
    pointer = getattr(message, "pointer", ())
    text = str(fields["error"]).removesuffix("".join(f"\n{line}" for line in pointer))
    if "--json" in sys.argv:
        sys.stdout.write(escape_json(json.dumps({**fields, "error": text}, ensure_ascii=False)) + "\n")
    sys.stderr.write("\n".join([f"sfumato: {make_visible(text)}", *map(make_visible, pointer)]) + "\n")
    sys.exit(code)


@contextlib.contextmanager
def show_progress(*, shown: bool = True, phase: str = "") -> Iterator[Progress]:
    """Show progress on a terminal once work has lasted two seconds; nothing elsewhere.

    Steps are shown with the time left where their number is known, and as a bar that only moves otherwise.
    All that runs inside the ``with`` block may report, also without having been handed the progress.
    """
    if _verbose.get() and not sys.stderr.isatty():
        begun: set[str] = set()

        def print_phase(phase: str, done: int, total: int) -> None:  # noqa: ARG001
            if phase and phase not in begun:
                begun.add(phase)
                _print_step(phase)

        if phase:
            print_phase(phase, 0, 0)
        with watch(print_phase):
            yield print_phase
        return
    if not shown or not sys.stderr.isatty() or _quiet.get():
        yield silent
        return
    from sfumato.cli.bars import Bars

    bars = Bars(phase)
    timer = threading.Timer(_DELAY, bars.start)
    timer.daemon = True
    timer.start()
    try:
        with watch(bars):
            yield bars
    finally:
        timer.cancel()
        timer.join()
        bars.stop()


@contextlib.contextmanager
def show_work(phase: str) -> Iterator[None]:
    """Show progress of one step on a terminal once it has lasted two seconds."""
    if _verbose.get() and sys.stderr.isatty():
        _print_step(phase)
    with show_progress(phase=phase):
        yield


def print_method(name: str) -> None:
    """Print the method whose kernels are compiled, unless ``--quiet`` was given."""
    if not _quiet.get():
        sys.stderr.write(f"compiling {name}\n")
        sys.stderr.flush()


def _print_step(phase: str) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {phase}\n")
