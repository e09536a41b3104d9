"""Kernels compiled ahead: every method is run once on a few made-up people, so that no later run has to wait."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sfumato import counting, registry
from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError, SfumatoError
from sfumato.core.params import build
from sfumato.core.progress import Progress, silent, tell
from sfumato.core.run import Run
from sfumato.guessing import guess_file
from sfumato.io.export import write_table
from sfumato.kernels.compilation import notice_compilation
from sfumato.study.cells import Cell
from sfumato.study.explore.candidates import list_candidates

__all__ = ["Compiled", "compile_kernels", "make_specimens", "run_once"]

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


def compile_kernels(kinds: Sequence[str], progress: Progress = silent) -> Compiled:
    """Run every method of some kinds of data once, on made-up people, and say which had to be compiled.

    Examples
    --------
    >>> compile_kernels([])
    Compiled(compiled=(), ready=(), left_out={})
    """
    found = run_once(
        [(data, cell) for kind in kinds for data in make_specimens(kind) for cell in _list_cells(data)], progress
    )
    # What one of the specimens cannot be given to may have run on the other, and what had to be compiled was not ready.
    ran = {*found.compiled, *found.ready}
    ready = tuple(name for name in found.ready if name not in found.compiled)
    return Compiled(found.compiled, ready, {name: why for name, why in found.left_out.items() if name not in ran})


def run_once(work: Sequence[tuple[Dataset, Cell]], progress: Progress = tell) -> Compiled:
    """Run methods on a few records each, so that what they call is compiled, and say which had to be.

    Examples
    --------
    >>> data = make_specimens("sets")[0]
    >>> run_once([(data, Cell("disassociation", {"k": 2, "m": 2}))]).left_out
    {}
    """
    compiled: list[str] = []
    ready: list[str] = []
    left_out: dict[str, str] = {}
    for done, (data, cell) in enumerate(work):
        progress("compile", done, len(work))
        named = f"{data.kind}/{cell.method}"
        begun: list[bool] = []
        try:
            with notice_compilation(lambda begun=begun: begun.append(True)):  # type: ignore[misc]
                method = build(registry.find(cell.method, data.kind), dict(cell.parameters))
                counting.anonymize(data, method, Run(_SECRET, withhold_at_most=1), "records")
        except SfumatoError as error:
            # What a few people cannot be given to is compiled when somebody needs it.
            left_out[named] = str(error)
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
    found = _read_specimen(kind)
    if not any(column.role == "history" for column in found.schema.columns):
        return [found]
    labels = found.history().labels
    sensitive = found.schema.sensitive or labels[:1]
    groups = tuple(tuple(labels[at : at + _GROUP]) for at in range(0, len(labels), _GROUP))
    schema = dataclasses.replace(found.schema, sensitive=sensitive)
    full = dataclasses.replace(found, schema=schema, constraints={"utility": groups, **found.constraints})
    return [full] if found.schema.sensitive else [found, full]


def _read_specimen(kind: str) -> Dataset:
    fault: SfumatoError | None = None
    for size in _PEOPLE:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "specimen.csv"
            write_table(registry.generator(kind).generate(size, 1), file)
            try:
                return guess_file(file, kind).dataset
            except SfumatoError as error:
                fault = error
    raise fault or ParameterError(f"{kind}: nothing can be made up.")


def _list_cells(data: Dataset) -> list[Cell]:
    """Return every method with its mildest values, and with its strictest, which may take other kernels."""
    found = list_candidates(data)
    return [*found.first, *{cell.method: cell for cell in found.rest}.values()]
