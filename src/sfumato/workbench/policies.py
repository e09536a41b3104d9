"""Policies and studies as the files that the command line reads: written here, read back by the same readers."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.core.visible import make_visible
from sfumato.io.formats.toml_text import spell_toml
from sfumato.io.policy import read_policy
from sfumato.workbench.project import Project, replace_text

__all__ = ["Recipe", "read_recipe", "spell_section", "write_policy", "write_recipe"]

_FILES = ("hierarchies", "constraints", "places_file", "population", "item_file")


@dataclasses.dataclass(frozen=True)
class Recipe:
    """How a file of data is read, and what to begin with.

    Parameters
    ----------
    kind, options
        Kind of data and reading options; files in them by their paths.
    method, parameters
        What to begin with.
    reasons
        Why, in sentences.
    """

    kind: str
    options: Mapping[str, Any]
    method: str
    parameters: Mapping[str, Any]
    reasons: Sequence[str] = ()


def read_recipe(project: Project, data: str) -> Recipe | None:
    """Return how a file of data is read, if that was settled."""
    path = project.policy_of(data)
    if not path.is_file():
        return None
    policy = read_policy(path)
    return Recipe(policy.data.kind, policy.reading, policy.method.name, policy.parameters)


def write_recipe(project: Project, data: str, recipe: Recipe) -> None:
    """Settle how a file of data is read: a policy beside it, which also runs as it stands."""
    path = project.policy_of(data)
    out = project.area("releases") / data.split(".", maxsplit=1)[0]
    _write(path, project.find("data", data), recipe, recipe.method, recipe.parameters, {"out": out})


def write_policy(
    project: Project, path: Path, data: str, method: str, parameters: Mapping[str, Any], release: Mapping[str, Any]
) -> None:
    """Write the policy that makes a release again."""
    recipe = read_recipe(project, data)
    assert recipe is not None
    _write(path, project.find("data", data), recipe, method, parameters, release)


def _write(
    path: Path,
    data: Path,
    recipe: Recipe,
    method: str,
    parameters: Mapping[str, Any],
    release: Mapping[str, Any],
) -> None:
    here = path.parent
    placed = {name: os.path.relpath(value, here) if name == "out" else value for name, value in release.items()}
    reasons = [f"# - {make_visible(' '.join(reason.split()))}" for reason in recipe.reasons]
    lines = [
        f"# Written by the workbench. Run it with: sfumato run {path.name}",
        *(["#", "# Why it is read so:", *reasons] if reasons else []),
        "",
        *spell_data(here, data, recipe.kind, recipe.options),
        "",
        *spell_section("method", {"name": method, **parameters}),
        "",
        *spell_section("release", placed),
    ]
    replace_text(path, "\n".join(lines) + "\n")


def spell_data(folder: Path, data: Path, kind: str, options: Mapping[str, Any]) -> list[str]:
    """Return the section of a text in a folder that says where data are and how they are read."""
    placed = {name: _place(folder, value) if name in _FILES else value for name, value in options.items()}
    return spell_section("data", {"path": os.path.relpath(data, folder), "kind": kind, **placed})


def spell_section(name: str, values: Mapping[str, Any]) -> list[str]:
    """Return the lines of a section; what has no value is left out.

    Examples
    --------
    >>> spell_section("method", {"name": "mondrian", "k": 5, "t": None})
    ['[method]', 'name = "mondrian"', 'k = 5']
    """
    known = {key: value for key, value in values.items() if value is not None}
    return [f"[{name}]", *(f"{key} = {spell_toml(value)}" for key, value in known.items())]


def _place(folder: Path, value: Any) -> Any:
    """Return the paths of files as a text in a folder finds them; rules stay as they are."""
    if isinstance(value, Mapping):
        return {name: _place(folder, entry) for name, entry in value.items()}
    return os.path.relpath(value, folder) if isinstance(value, str) and Path(value).is_file() else value
