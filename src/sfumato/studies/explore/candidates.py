"""Which methods to try on data, and with which values: what the kind of data advises, and what the methods declare."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from sfumato import plugins
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.params import declared
from sfumato.studies.trials import Trial

__all__ = ["Candidates", "list_candidates"]

_OPTIONS = {
    "coordinates": "columns: x=X or places_file",
    "constraints": "constraints",
    "monitored": "monitored",
    "sensitive": "sensitive",
}
"""What says at reading what a method needs, by the first word of the need."""
_MAX_COMBINATIONS = 6
"""Combinations of values that are tried of one method at most."""


class Candidates(NamedTuple):
    """What to try, and what cannot be tried.

    Attributes
    ----------
    first
        One cell of every method, with its mildest values, in the order of advice.
    rest
        The other values of the same methods.
    lacking
        What data would have to have for the methods that are left out, by method.
    """

    first: tuple[Trial, ...]
    rest: tuple[Trial, ...]
    lacking: dict[str, str]


def list_candidates(dataset: Dataset) -> Candidates:
    """List the methods that data of this kind can be given to, each with the values that are usual.

    Examples
    --------
    >>> found = list_candidates(Dataset.of("sets", [["wine"], ["bread"]]))
    >>> found.first[0].method, found.first[0].parameters["k"], [trial.parameters["k"] for trial in found.rest[:2]]
    ('disassociation', 3, [5, 10])
    """
    kind = plugins.find_kind(dataset.kind)
    methods = plugins.methods_for(dataset.kind)
    order = [*(name for name in kind.recommended if name in methods), *sorted(methods.keys() - set(kind.recommended))]
    first: list[Trial] = []
    rest: list[Trial] = []
    lacking: dict[str, str] = {}
    for name in order:
        missing = next((need for need in methods[name].needs if not _has(dataset, need)), None)
        if missing is not None:
            lacking[name] = f"{missing} ({_OPTIONS[missing.partition(' ')[0]]})"
            continue
        trials = _list_values(dataset, methods[name], kind.default_grid)
        first += trials[:1]
        rest += trials[1:]
    return Candidates(tuple(first), tuple(rest), lacking)


def _list_values(dataset: Dataset, method: type[Method], default_grid: Any) -> list[Trial]:
    """Return a method with every combination of usual values, milder ones first."""
    parameters = {parameter.name: parameter for parameter in declared(method)}
    values = {name: list(tried) for name, tried in default_grid.items() if name in parameters}
    if not _has(dataset, "sensitive values") and "l" in values and not parameters["l"].required:
        del values["l"]
    if any(parameter.required and name not in values for name, parameter in parameters.items()):
        return []
    varying = tuple(name for name, tried in values.items() if len(tried) > 1)
    chosen = list(itertools.product(*values.values()))[:_MAX_COMBINATIONS]
    return [
        Trial(method.name, method(**dict(zip(values, combination, strict=True))).parameters(), 1, "", varying)
        for combination in chosen
    ]


def _has(dataset: Dataset, need: str) -> bool:
    """Return whether data have what a method needs; hierarchies may be derived, and methods say so if not."""
    schema = dataset.schema
    if need == "coordinates":
        return dataset.places is not None
    if need == "constraints":
        return bool(dataset.constraints)
    if need.startswith("monitored"):
        return bool(schema.monitored)
    if need.startswith("sensitive"):
        return bool(schema.sensitive) or any(column.role == "sensitive" for column in schema.columns)
    return True
