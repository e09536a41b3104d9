"""Steps that edit data, kept in the policy beside them: what is said of columns follows, and undoing is exact."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from sfumato.readers.transform import Step
from sfumato.web.policies import Recipe
from sfumato.web.project import Project, replace_text

__all__ = ["add_steps", "undo_step"]

_LISTS = ("quasi", "sensitive", "identifier", "plain", "drop")
_MOST = 200


def add_steps(project: Project, data: str, recipe: Recipe, steps: list[str]) -> Recipe:
    """Return a recipe with further steps; what is said of a column follows it where it is renamed or left out.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> project = Project.open(pathlib.Path(tempfile.mkdtemp()) / "mine")
    >>> recipe = Recipe("table", {"quasi": ["age", "note"]}, "mondrian", {"k": 5})
    >>> changed = add_steps(project, "people.csv", recipe, ["rename age=years", "drop note"])
    >>> changed.options["quasi"], changed.options["steps"]
    (['years'], ['rename age=years', 'drop note'])
    >>> undo_step(project, "people.csv", changed).options["quasi"]
    ['years', 'note']
    """
    past = _recall(project, data)
    for text in steps:
        step, given = Step.parse(text), list(recipe.options.get("steps", ()))
        past.append(_plain(recipe.options))
        options = _follow(recipe.options, step) | {"steps": [*given, text.strip()]}
        recipe = dataclasses.replace(recipe, options=options)
    replace_text(_place(project, data), json.dumps(past[-_MOST:]))
    return recipe


def undo_step(project: Project, data: str, recipe: Recipe) -> Recipe:
    """Return a recipe as it was before its last step; where nobody remembers how that was, only without the step."""
    left = list(recipe.options.get("steps", ()))[:-1]
    for options in reversed(_recall(project, data)):
        if options.get("steps", []) == left:
            return dataclasses.replace(recipe, options=options)
    rest = {name: value for name, value in recipe.options.items() if name != "steps"}
    return dataclasses.replace(recipe, options=rest | ({"steps": left} if left else {}))


def _follow(options: Mapping[str, Any], step: Step) -> dict[str, Any]:
    if step.name not in {"rename", "drop"}:
        return dict(options)
    new = step.new if step.name == "rename" else None
    new_options = dict(options)
    for name in _LISTS:
        if step.column in new_options.get(name, ()):
            listed = [new if column == step.column else column for column in new_options[name]]
            new_options[name] = [column for column in listed if column is not None]
    for role, column in options.get("columns", {}).items():
        if column == step.column:
            new_options["columns"] = (
                {**new_options["columns"], role: new} if new else _without(new_options["columns"], role)
            )
    trees = options.get("hierarchies", {})
    if step.column in trees:
        rest = _without(trees, step.column)
        new_options["hierarchies"] = rest | {new: trees[step.column]} if new else rest
    return {name: value for name, value in new_options.items() if value not in ([], {})}


def _without(mapping: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in mapping.items() if name != key}


def _recall(project: Project, data: str) -> list[dict[str, Any]]:
    try:
        entries = json.loads(_place(project, data).read_bytes())
    except (OSError, ValueError):
        return []
    return [options for options in entries if isinstance(options, dict)] if isinstance(entries, list) else []


def _place(project: Project, data: str) -> Any:
    return project.hidden("steps") / f"{data}.json"


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}
