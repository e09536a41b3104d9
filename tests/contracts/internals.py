"""The one place of these nets that reaches behind the public names.

Everything else here uses ``sfumato``, its command line and files that it writes. When a module moves inside of the
package, this file follows and the snapshots stay.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import sys
import unittest.mock
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import typer
from tests.console import run_command as run_in_process

import sfumato as sf
from sfumato.base.guarantee import Guarantee, list_guarantees
from sfumato.base.method import Method
from sfumato.cli.app import app
from sfumato.cli.output import Output, show_stronger
from sfumato.cli.publish import show_risk
from sfumato.data.kind import all_kinds, find_kind
from sfumato.ontologies.definition import Definition
from sfumato.params import declared
from sfumato.plugins import methods_for, metrics_for
from sfumato.policy import Policy
from sfumato.readers.options import ReadOptions
from sfumato.studies.study_file import Study

WIDTH = 1000
"""Columns of the console: wide enough that nothing is wrapped."""
FILE_MODELS = {"policy": Policy, "study": Study, "warehouse": Definition}
"""What checks the keys of a file, by the name of the file."""
PACKAGE = Path(sf.__file__).parent


class Answer(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    output: str
    errors: str


@contextlib.contextmanager
def _plain_console(standard_input: Path | None) -> Iterator[None]:
    """Let a command print to a wide console without colours, and do everything in this process.

    Standard input is a file, where one is given.
    """
    before, source = dict(os.environ), sys.stdin
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "SFUMATO_DEBUG"):
        os.environ.pop(name, None)
    os.environ.update({"COLUMNS": str(WIDTH), "LINES": "50", "NO_COLOR": "1", "TERM": "dumb"})
    try:
        with contextlib.ExitStack() as opened:
            opened.enter_context(unittest.mock.patch("os.cpu_count", return_value=1))
            # Building the tree takes longer than most of these commands.
            opened.enter_context(unittest.mock.patch("typer.main.get_command", return_value=build_commands()))
            if standard_input is not None:
                sys.stdin = opened.enter_context(standard_input.open(encoding="utf-8"))
            yield
    finally:
        sys.stdin = source
        os.environ.clear()
        os.environ.update(before)


def run_command(*words: str | Path, standard_input: Path | None = None) -> Answer:
    """Run a command in this process."""
    with _plain_console(standard_input):
        done = run_in_process(words, Path.cwd())
    return Answer(done.returncode, done.stdout, done.stderr)


@functools.cache
def build_commands() -> Any:
    """Return the tree of commands, whose help is plain text."""
    tree = typer.main.get_command(app)
    _make_plain(tree)
    return tree


def _make_plain(command: Any) -> None:
    command.rich_markup_mode = None
    for below in getattr(command, "commands", {}).values():
        _make_plain(below)


def print_attack(out: Path, original: sf.Dataset) -> str:
    """Return what the command ``attack`` prints of a release whose original is in memory."""
    printed = io.StringIO()
    with _plain_console(None), contextlib.redirect_stdout(printed):
        console = Output(as_json=False)
        show_risk(console, sf.attack(out, original).to_dict())
        for finding in sf.attack_beyond(out, original):
            show_stronger(console, "An attacker who does more than the promise is about", finding.to_dict())
    return printed.getvalue()


def list_kinds() -> tuple[str, ...]:
    """Return the names of all kinds of data."""
    return all_kinds()


def list_methods(kind: str) -> dict[str, type[Method]]:
    """Return the methods of a kind by name."""
    return methods_for(kind)


def find_guarantees(kind: str) -> dict[str, type[Guarantee]]:
    """Return the guarantees of a kind by name."""
    return list_guarantees(kind)


def list_metrics(kind: str) -> dict[str, Any]:
    """Return the metrics of a kind by name."""
    return {metric.name: metric for metric in metrics_for(kind)}


def list_parameters(owner: Any) -> list[str]:
    """Return the parameters of a method or a metric, with their types, ranges and defaults."""
    return [
        f"{parameter.name}: {parameter.type.__name__}"
        + (" or none" if parameter.optional else "")
        + (f", {parameter.param.range_text()}" if parameter.param.range_text() else "")
        + (", required" if parameter.required else f", default {parameter.default!r}")
        for parameter in declared(owner if isinstance(owner, type) else type(owner))
    ]


def list_models(kind: str) -> Mapping[str, tuple[Any, ...]]:
    """Return the models that generate data of a kind, each with its options."""
    models: Mapping[str, tuple[Any, ...]] = find_kind(kind).generator.load().OPTIONS
    return models


def list_read_options() -> dict[str, tuple[str, ...]]:
    """Return every option for reading, with the kinds of data that have it for themselves."""
    options = [name for name in ReadOptions.__dataclass_fields__ if name != "kind"]
    return {name: tuple(kind for kind in all_kinds() if name in find_kind(kind).options) for name in options}
