"""Kernels compiled ahead: on a few made-up people everything is done once, so that no later run has to wait."""

from __future__ import annotations

import dataclasses
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from sfumato import plugins
from sfumato._kernels.compilation import notice_compilation
from sfumato.api import calls
from sfumato.api.detect import detect_file
from sfumato.api.protect import anonymize
from sfumato.checks.compiled import set_smallest
from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError, ReleaseWarning, SfumatoError
from sfumato.exports import write_table
from sfumato.messages import PYTHON
from sfumato.params import build
from sfumato.progress import Progress, report_progress, silent, watch
from sfumato.release.release import Result
from sfumato.release.run import Run
from sfumato.studies.explore.candidates import list_candidates
from sfumato.studies.trials import Trial

__all__ = ["Compiled", "compile_kernels", "make_specimens", "run_samples"]

_PEOPLE = (60, 600)
"""How many people are made up: a few, or more where so few do not look like data of their kind."""
_GROUP = 6
"""Values that stay together where a method wants constraints."""
_SECRET = bytes(32)
"""What is made up has no secret."""


class Compiled(NamedTuple):
    """What was compiled: methods that had to be, those that were ready, and those that could not be tried."""

    compiled: tuple[str, ...]
    ready: tuple[str, ...]
    left_out: dict[str, str]


def compile_kernels(
    kinds: Sequence[str], progress: Progress = silent, begin: Callable[[str], None] = lambda _: None
) -> Compiled:
    """Run every method of some kinds of data once, on made-up people, and say which had to be compiled.

    What a method publishes is written, verified, attacked and measured, too.

    Parameters
    ----------
    kinds
        Of data.
    progress
        Shows how many runs are over.
    begin
        Is called with the name of a method when something begins to be compiled for it.

    Examples
    --------
    >>> compile_kernels([])
    Compiled(compiled=(), ready=(), left_out={})
    """
    work = [(data, trial) for kind in kinds for data in make_specimens(kind) for trial in _list_trials(data)]
    outcome = run_samples(work, progress, begin, _Judges())
    # What one of the specimens cannot be given to may have run on the other, and what had to be compiled was not ready.
    ran = {*outcome.compiled, *outcome.ready}
    ready = tuple(name for name in outcome.ready if name not in outcome.compiled)
    return Compiled(outcome.compiled, ready, {name: why for name, why in outcome.left_out.items() if name not in ran})


class _Judges:
    """Does with the first release of every method what follows on it, as the command line does."""

    def __init__(self) -> None:
        self._judged: set[tuple[int, str]] = set()
        self._reported: set[int] = set()

    def __call__(self, data: Dataset, result: Result) -> None:
        """Write, verify, attack and measure a release, if none like it was; report on the first one of the data."""
        like = (id(data), str(result.release.method))
        if like in self._judged:
            return
        self._judged.add(like)
        if id(data) not in self._reported:
            calls.inspect(data)
        # Checkers run compiled code for many people only, and what is made up has few.
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), watch(silent), set_smallest(0):
            warnings.simplefilter("ignore", ReleaseWarning)
            calls.write(result, Path(folder) / "out", reports=id(data) not in self._reported)
            self._reported.add(id(data))
            calls.verify(Path(folder) / "out", data)
            calls.attack(Path(folder) / "out", data)
            calls.measure(Path(folder) / "out", data)


def run_samples(
    work: Sequence[tuple[Dataset, Trial]],
    progress: Progress = report_progress,
    begin: Callable[[str], None] = lambda _: None,
    judge: Callable[[Dataset, Result], None] = lambda _data, _result: None,
) -> Compiled:
    """Run methods on a few records each, so that what they call is compiled, and say which had to be.

    Parameters
    ----------
    work
        Data, and methods with their parameters.
    progress
        Shows how many runs are over.
    begin
        Is called with the name of a method when something begins to be compiled for it.
    judge
        Does what follows on a release.

    Examples
    --------
    >>> data = make_specimens("sets")[0]
    >>> run_samples([(data, Trial("disassociation", {"k": 2, "m": 2}))]).left_out
    {}
    """
    compiled: list[str] = []
    ready: list[str] = []
    left_out: dict[str, str] = {}
    for done, (data, trial) in enumerate(work):
        progress("compile", done, len(work))
        named = f"{data.kind}/{trial.method}"
        begun: list[str] = []

        def notice(named: str = named, begun: list[str] = begun) -> None:
            if named not in compiled:
                begin(named)
            begun.append(named)

        try:
            with notice_compilation(notice):
                method = build(plugins.find_method(trial.method, data.kind), dict(trial.parameters))
                judge(data, anonymize(data, method, Run(_SECRET, max_suppressed_records=1), "records"))
        except SfumatoError as error:
            # What a few people cannot be given to is compiled when somebody needs it.
            left_out[named] = error.write(PYTHON)
        else:
            (compiled if begun else ready).append(named)
    progress("compile", len(work), len(work))
    return Compiled(tuple(compiled), tuple(ready), left_out)


def make_specimens(kind: str) -> list[Dataset]:
    """Make up data of a kind: as methods want them that know nothing of sensitive values, and with all others need.

    Examples
    --------
    >>> [(len(made), len(made.schema.sensitive), sorted(made.constraints)) for made in make_specimens("sets")]
    [(60, 0, []), (60, 1, ['utility'])]
    """
    specimen = _read_specimen(kind)
    if not any(column.role == "history" for column in specimen.schema.columns):
        return [specimen]
    labels = specimen.history().labels
    sensitive = specimen.schema.sensitive or labels[:1]
    groups = tuple(tuple(labels[at : at + _GROUP]) for at in range(0, len(labels), _GROUP))
    schema = dataclasses.replace(specimen.schema, sensitive=sensitive)
    full = dataclasses.replace(specimen, schema=schema, constraints={"utility": groups, **specimen.constraints})
    return [full] if specimen.schema.sensitive else [specimen, full]


def _read_specimen(kind: str) -> Dataset:
    fault: SfumatoError | None = None
    for size in _PEOPLE:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "specimen.csv"
            write_table(plugins.find_kind(kind).generator.load().generate(size, 1), file)
            try:
                return detect_file(file, kind).dataset
            except SfumatoError as error:
                fault = error
    raise fault or ParameterError(f"No data can be generated for {kind}.")


def _list_trials(data: Dataset) -> list[Trial]:
    """Return every method with its mildest values, and with its strictest, which may take other kernels."""
    candidates = list_candidates(data)
    return [*candidates.first, *{trial.method: trial for trial in candidates.rest}.values()]
