"""How long the way of a command through the source is: the modules and functions it calls, and changes of area.

A measurement is the sequence of functions of Sfumato, each where it is first called (:mod:`tests.contracts.tracing`).

modules
    Modules of which at least one function was called.
functions
    Functions that were called.
changes
    Every function of the sequence lies in a module, and every module in an area of ``areas.toml``. Runs of functions
    of one area count as one; changes are the runs. A way that goes through every area once has as many changes as
    areas, and every return to an area that it left, for something it had not called before, is one more.

Only first calls count, so that the figures are those of the source and not of the data: a loop over all records that
goes back and forth between two areas is one way forth and at most one way back.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.contracts.samples import SAMPLES, list_publishing_words, write_sample

HERE = Path(__file__).parent
BASELINE = HERE / "flow.json"
COMMANDS = ("publish with report", "publish", "verify")
"""What is measured of every kind of data."""


class Call(NamedTuple):
    """The first call of a function."""

    module: str
    function: str
    area: str


class Figures(NamedTuple):
    """How long a way is."""

    modules: int
    functions: int
    changes: int


def read_areas(path: Path = HERE / "areas.toml") -> dict[tuple[str, ...], str]:
    """Return the areas by the parts of the prefixes of their modules."""
    areas: Mapping[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))["areas"]
    return {tuple(prefix.split(".")): area for prefix, area in areas.items()}


def find_area(module: str, areas: Mapping[tuple[str, ...], str]) -> str:
    """Return the area of a module: that of the longest prefix that fits.

    Examples
    --------
    >>> areas = {("sfumato",): "front", ("sfumato", "kinds", "*", "reader"): "kinds.reader"}
    >>> find_area("sfumato.kinds.sets.reader.words", areas), find_area("sfumato.api.calls", areas)
    ('kinds.reader', 'front')
    """
    parts = module.split(".")
    fitting = [prefix for prefix in areas if len(prefix) <= len(parts) and _fits(prefix, parts)]
    return areas[max(fitting, key=len)]


def _fits(prefix: Sequence[str], parts: Sequence[str]) -> bool:
    return all(wanted in {"*", part} for wanted, part in zip(prefix, parts, strict=False))


def count(calls: Sequence[Call]) -> Figures:
    """Return how long a way is.

    Examples
    --------
    >>> way = [Call("a", "f", "core"), Call("a", "g", "core"), Call("b", "f", "report"), Call("a", "h", "core")]
    >>> count(way)
    Figures(modules=2, functions=4, changes=3)
    """
    runs = sum(1 for _ in itertools.groupby(calls, key=lambda call: call.area))
    return Figures(len({call.module for call in calls}), len(calls), runs)


def trace(*words: str) -> list[Call]:
    """Run a command in a process of its own and return the functions it calls first, in order."""
    areas = read_areas()
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "calls.json"
        done = subprocess.run(
            [sys.executable, str(HERE / "tracing.py"), str(record), *words],
            env={**os.environ, "PYTHONHASHSEED": "0", "COLUMNS": "200", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode or not record.exists():
            raise RuntimeError(f"sfumato {' '.join(words)} ended with code {done.returncode}: {done.stderr}")
        _, functions = json.loads(record.read_text(encoding="utf-8"))
    return [Call(module, name, find_area(module, areas)) for module, name in functions]


def trace_kind(kind: str) -> dict[str, list[Call]]:
    """Return the ways of publishing and checking the sample of a kind of data."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file, out = write_sample(kind, folder), folder / "out"
        return {
            "publish with report": trace(*list_publishing_words(kind, file, folder / "reported")),
            "publish": trace(*list_publishing_words(kind, file, out, "--no-report")),
            "verify": trace("verify", str(out)),
        }


def measure(kind: str, baseline: Mapping[str, Figures] | None = None) -> dict[str, Figures]:
    """Return the figures of a kind of data.

    Kernels that are compiled on the way make it longer. Where a figure is above the baseline, all is measured once
    more, when they are compiled.
    """
    figures = {command: count(calls) for command, calls in trace_kind(kind).items()}
    if baseline is None or describe_growth(kind, baseline, figures):
        figures = {command: count(calls) for command, calls in trace_kind(kind).items()}
    return figures


def describe_growth(kind: str, baseline: Mapping[str, Figures], current: Mapping[str, Figures]) -> list[str]:
    """Return a sentence for every figure that is above its baseline.

    Examples
    --------
    >>> describe_growth("table", {"verify": Figures(40, 200, 70)}, {"verify": Figures(41, 200, 69)})
    ['table, verify: 41 modules, and the baseline is 40. It may only fall.']
    """
    return [
        f"{kind}, {command}: {getattr(figures, name)} {_NOUNS[name]}, and the baseline is {limit}. It may only fall."
        for command, figures in current.items()
        for name, limit in baseline[command]._asdict().items()
        if getattr(figures, name) > limit
    ]


_NOUNS = {"modules": "modules", "functions": "functions", "changes": "changes of area"}


def read_baseline(path: Path = BASELINE) -> dict[str, dict[str, Figures]]:
    """Return the baseline: figures by kind of data and command."""
    content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {
        kind: {command: Figures(**figures) for command, figures in commands.items()}
        for kind, commands in content.items()
    }


def lower_baseline(*, may_rise: bool = False, path: Path = BASELINE) -> list[str]:
    """Measure every kind of data and write the baseline; return what is above the old one.

    Where something is, nothing is written unless it may rise.
    """
    old = read_baseline(path)
    current = {kind: measure(kind, old.get(kind)) for kind in SAMPLES}
    grown = [line for kind in current if kind in old for line in describe_growth(kind, old[kind], current[kind])]
    if may_rise or not grown:
        content = {
            kind: {name: figures._asdict() for name, figures in commands.items()} for kind, commands in current.items()
        }
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return grown


def describe_way(calls: Sequence[Call]) -> list[str]:
    """Return a line for every stretch of a way that lies in one area: its modules and how many functions."""
    lines = []
    for number, (area, stretch) in enumerate(itertools.groupby(calls, key=lambda call: call.area), start=1):
        inside = list(stretch)
        modules = dict.fromkeys(call.module.removeprefix("sfumato.") for call in inside)
        lines.append(f"{number:4} {area:18} {len(inside):4}  {', '.join(modules)}")
    return lines
