"""Hierarchies derived from data and queries drawn about them, left as files of the project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sfumato.api import calls
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.rules import derive_hierarchy
from sfumato.readers.hierarchies import write_hierarchy
from sfumato.release.run import Progress
from sfumato.web.policies import RULE, Recipe, read_recipe
from sfumato.web.project import Project, replace_text
from sfumato.web.tasks.inspect import read_data

__all__ = ["derive", "queries"]

_ENTRIES = {"place", "event", "item"}
"""What hierarchies of lists are over."""


def derive(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Derive a hierarchy from data by a rule."""
    data, of = arguments["files"]["data"][0], arguments["of"]
    recipe = read_recipe(project, data)
    if recipe is None:
        raise ParameterError("The columns of these data are not configured.", hint="Open their Data page first.")
    progress("deriving", 0, 0)
    tree = _derive(project.find("data", data), recipe, of, arguments["rule"])
    path = project.free("hierarchies", f"{data.split('.')[0]}-{of}", ".csv")
    write_hierarchy(tree, path, "arx")
    return {"name": path.name}


def _derive(path: Path, recipe: Recipe, of: str, rule: str) -> Hierarchy:
    """Have the reader derive a hierarchy, or derive it from the values where the reader only knows files of them."""
    if not RULE.fullmatch(rule):
        raise ParameterError(f"There is no rule {rule!r}.", option="rule")
    given = {**recipe.options.get("hierarchies", {}), of: rule}
    try:
        dataset = calls.read(path, recipe.kind, **{**recipe.options, "hierarchies": given})
    except SchemaError:
        tree = None if of not in _ENTRIES else derive_hierarchy(rule, _list_values(path, recipe))
        if tree is None:
            raise
        return tree
    if of not in dataset.hierarchies:
        hierarchies = ", ".join(dataset.hierarchies) or "none"
        raise ParameterError(f"The data have no hierarchy of {of!r}.", column=of, hint=f"Hierarchies: {hierarchies}.")
    return dataset.hierarchies[of]


def _list_values(path: Path, recipe: Recipe) -> list[str]:
    dataset = calls.read(path, recipe.kind, **recipe.options)
    return [str(label) for label in dataset.history().labels]


def queries(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Draw COUNT queries about data."""
    data = arguments["files"]["data"][0]
    progress("reading", 0, 0)
    dataset, _ = read_data(project, data)
    progress("drawing queries", 0, 0)
    drawn = calls.draw_workload(dataset, int(arguments["count"]), int(arguments["seed"]))
    path = project.free("workloads", f"{data.split('.')[0]}-queries", ".csv")
    replace_text(path, drawn.to_csv())
    return {"name": path.name, "queries": len(drawn)}
