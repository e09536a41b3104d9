"""Files of constraints held against data: what they name, what the data do not have, and what a reader says."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.api import calls
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import SfumatoError
from sfumato.readers.constraints import depends_on_labels, read_groups
from sfumato.release.run import Progress
from sfumato.web.constraints import digest_text
from sfumato.web.form_style import FORMS
from sfumato.web.project import Project
from sfumato.web.tasks.inspect import require_recipe

__all__ = ["constraints"]

_SHOWN = 50
"""Values of a sort that are named."""
_COUNTED = 2_000
"""Rows whose records are counted."""
_MIN_SIMILARITY = 0.6
_JOINS: dict[str, Any] = {"privacy": np.intersect1d, "utility": np.union1d}
"""Who is counted for a row: those who have all of it, or some of it."""

Groups = list[tuple[int, tuple[str, ...]]]


def constraints(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Read a file of constraints row by row; beside data, say also what they have of it and whether they take it."""
    path = project.find("constraints", arguments["files"]["constraints"][0])
    outcome: dict[str, Any] = {"digest": digest_text(path.read_bytes()), "refused": "", "values": None, "unsure": False}
    given, sort = arguments["files"].get("data", []), str(arguments.get("sort", ""))
    if not given:
        outcome["unsure"] = depends_on_labels(str(path))
        return outcome | {"rows": [[number, list(items), None] for number, items in read_groups(str(path), ())]}
    progress("reading the data", 0, 0)
    dataset, outcome["refused"] = _read(project, given[0], path, sort)
    progress("holding the rows against the data", 0, 0)
    history = dataset.history()
    groups = read_groups(str(path), history.labels)
    holders = _count_holders(history, groups[:_COUNTED], sort)
    counted = [*map(dataset.unit.count, holders), *([None] * (len(groups) - len(holders)))]
    rows = [[number, list(items), count] for (number, items), count in zip(groups, counted, strict=True)]
    return outcome | {"rows": rows} | _compare(groups, history.labels, sort)


def _read(project: Project, data: str, path: Path, sort: str) -> tuple[Dataset, str]:
    """Read data with the constraints as their sort; where the reader refuses these, without, and return its reason."""
    recipe = require_recipe(project, data)
    file = project.find("data", data)
    rest = {name: value for name, value in recipe.options.items() if name != "constraints"}
    refused = ""
    if sort:
        try:
            return calls.read(file, recipe.kind, **rest, constraints={sort: str(path)}), ""
        except SfumatoError as error:
            refused = error.write(FORMS)
    dataset = calls.read(file, recipe.kind, **rest)
    if not any(column.role == "history" for column in dataset.schema.columns):
        raise SfumatoError(f"Constraints do not apply to {recipe.kind} data.", hint="Choose other data.")
    return dataset, refused


def _compare(groups: Groups, labels: Sequence[str], sort: str) -> dict[str, Any]:
    """Describe which values the data do not have, which stand in several rows, and which in none."""
    vocabulary, rows_of = frozenset(labels), dict[str, list[int]]()
    for number, items in groups:
        for item in items:
            rows_of.setdefault(item, []).append(number)
    strangers = [(item, numbers) for item, numbers in rows_of.items() if item not in vocabulary]
    repeated = [(item, numbers) for item, numbers in rows_of.items() if len(numbers) > 1 and sort == "utility"]
    missing = [label for label in labels if label not in rows_of]
    return {
        "values": len(labels),
        "strangers": len(strangers),
        "strange": [[item, numbers, _find_near(item, labels)] for item, numbers in strangers[:_SHOWN]],
        "repeated": [[item, numbers] for item, numbers in repeated[:_SHOWN]],
        "missing": len(missing),
        "left": sorted(missing)[:_SHOWN],
    }


def _find_near(item: str, labels: Iterable[str]) -> str:
    """Return the value of the data that a text is most like, if any is like it."""
    folded = item.casefold()
    near = [label for label in labels if abs(len(label) - len(item)) <= 1 + len(item) // 3]
    same = next((label for label in near if label.casefold().split() == folded.split()), None)
    return same or next(iter(difflib.get_close_matches(item, near, n=1, cutoff=_MIN_SIMILARITY)), "")


def _count_holders(history: ListColumn, groups: Groups, sort: str) -> list[int]:
    """Count the records that have all of a row, or of utility constraints some of it; unknown values count nowhere."""
    if sort not in _JOINS:
        return []
    order = np.argsort(history.codes, kind="stable")
    starts = np.searchsorted(history.codes[order], np.arange(len(history.labels) + 1))
    rows, code_of = history.row_of_token[order], {label: code for code, label in enumerate(history.labels)}

    def find(item: str) -> npt.NDArray[np.int64]:
        return np.unique(rows[starts[code_of[item]] : starts[code_of[item] + 1]])

    coded_groups = ([item for item in items if item in code_of] for _, items in groups)
    return [len(functools.reduce(_JOINS[sort], map(find, items))) if items else 0 for items in coded_groups]
