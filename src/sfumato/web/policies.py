"""Policies and studies as the files that the command line reads: written here, read back by the same readers."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato import plugins
from sfumato.escape import make_visible
from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.formats.json_text import format_toml
from sfumato.hierarchies.rules import RULES
from sfumato.messages import Message, Setting, option
from sfumato.params import list_options
from sfumato.policy import read_policy
from sfumato.readers.options import ReadOptions
from sfumato.readers.transform import Step
from sfumato.web.project import Project, replace_text
from sfumato.web.versions import Versions

__all__ = [
    "POLICIES",
    "RULE",
    "Recipe",
    "format_section",
    "list_data_with",
    "list_files",
    "read_recipe",
    "resolve_files",
    "write_policy",
    "write_recipe",
]

POLICIES = Versions(read_policy)
"""Policies that pages have read, by their files."""

_FILES = tuple(option.name for option in list_options(ReadOptions) if option.files)
_LISTED = tuple(option.name for option in list_options(ReadOptions) if option.value_files)
_HELD = ("hierarchies", "constraints", "data")
"""Folders of the project whose files data may be read with."""
RULE = re.compile(rf"({'|'.join(RULES)})(:\w+)?")
"""What hierarchies are derived by."""


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
    policy = POLICIES.of(path)
    return Recipe(policy.data.kind, policy.read_options, policy.method.name, policy.parameters)


def write_recipe(project: Project, data: str, recipe: Recipe) -> None:
    """Settle how a file of data is read: a policy beside it, which also runs as it stands."""
    path = project.policy_of(data)
    recipe = dataclasses.replace(recipe, options=resolve_files(project, recipe.options))
    out = project.area("releases") / data.split(".", maxsplit=1)[0]
    _write(path, project.find("data", data), recipe, recipe.method, recipe.parameters, {"out": out})


def write_policy(
    project: Project, path: Path, data: str, method: str, parameters: Mapping[str, Any], release: Mapping[str, Any]
) -> None:
    """Write the policy that makes a release again."""
    recipe = read_recipe(project, data)
    assert recipe is not None
    _write(path, project.find("data", data), recipe, method, parameters, release)


def resolve_files(project: Project, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return reading options whose files are the project's own: names are looked up, and never followed elsewhere.

    Examples
    --------
    >>> import tempfile
    >>> project = Project.open(Path(tempfile.mkdtemp()) / "mine")
    >>> resolve_files(project, {"hierarchies": {"age": "width:8"}})
    {'hierarchies': {'age': 'width:8'}}
    >>> resolve_files(project, {"sensitive": ["@/etc/passwd"]})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: The project has no such file for sensitive=. Upload it first, then enter
    its name.
    """
    resolved = dict(options)
    for name in set(_FILES) & set(resolved):
        resolved[name] = _resolve_value(project, name, resolved[name])
    for name in set(_LISTED) & set(resolved):
        resolved[name] = [
            f"@{_resolve_file(project, name, entry[1:])}" if entry.startswith("@") else entry
            for entry in resolved[name]
        ]
    rule, _, file = str(resolved.get("places", "")).partition(":")
    if rule.strip() == "regions":
        head, separator, tail = file.rpartition(",outside=")
        path = _resolve_file(project, "places", (head if separator else tail).strip())
        resolved["places"] = f"regions:{path}{separator}{tail if separator else ''}"
    if any(Step.parse(step).name == "recode" for step in resolved.get("steps", ())):
        raise ParameterError(
            Message(option("steps"), " cannot recode from a file here."),
            hint="Replace values one by one: replace COLUMN:OLD=NEW.",
        )
    return resolved


def list_data_with(project: Project, option: str) -> list[str]:
    """Return the data that were looked at and whose kind knows a reading option."""
    names = []
    for name in project.list("data"):
        try:
            recipe = read_recipe(project, name)
        except SfumatoError:
            continue
        if recipe is not None and option in plugins.find_kind(recipe.kind).options:
            names.append(name)
    return names


def list_files(options: Mapping[str, Any]) -> list[Path]:
    """Return the files that reading options name.

    Examples
    --------
    >>> list_files({"hierarchies": {"age": "width:8", "job": __file__}})[0].name
    'policies.py'
    """
    named: list[Any] = []
    for name in _FILES:
        value = options.get(name)
        named += list(value.values()) if isinstance(value, Mapping) else [value]
    named += [entry[1:] for name in _LISTED for entry in options.get(name) or () if str(entry).startswith("@")]
    named += [str(options.get("places") or "").removeprefix("regions:").split(",", maxsplit=1)[0]]
    return [Path(value) for value in named if isinstance(value, str) and value and Path(value).is_file()]


def _resolve_value(project: Project, option: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _resolve_value(project, option, entry) for name, entry in value.items()}
    if not isinstance(value, str) or (option == "hierarchies" and RULE.fullmatch(value)):
        return value
    return _resolve_file(project, option, value)


def _resolve_file(project: Project, option: str, value: str) -> str:
    """Return where a file of the project lies that a name, or a path of an earlier policy, means."""
    path = Path(value)
    for area in _HELD:
        candidate = project.area(area) / path.name
        if path.name in project.list(area) and os.path.normpath(value) in {path.name, str(candidate)}:
            return str(candidate)
    raise ParameterError(
        Message("The project has no such file for ", Setting(option), "."),
        hint="Upload it first, then enter its name.",
    )


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
        *format_data_section(here, data, recipe.kind, recipe.options),
        "",
        *format_section("method", {"name": method, **parameters}),
        "",
        *format_section("release", placed),
    ]
    replace_text(path, "\n".join(lines) + "\n")


def format_data_section(folder: Path, data: Path, kind: str, options: Mapping[str, Any]) -> list[str]:
    """Return the section of a text in a folder that says where data are and how they are read."""
    placed = {name: _place(folder, value) if name in _FILES else value for name, value in options.items()}
    return format_section("data", {"path": os.path.relpath(data, folder), "kind": kind, **placed})


def format_section(name: str, values: Mapping[str, Any]) -> list[str]:
    """Return the lines of a section; what has no value is left out.

    Examples
    --------
    >>> format_section("method", {"name": "mondrian", "k": 5, "t": None})
    ['[method]', 'name = "mondrian"', 'k = 5']
    """
    settings = {key: value for key, value in values.items() if value is not None}
    return [f"[{name}]", *(f"{key} = {format_toml(value)}" for key, value in settings.items())]


def _place(folder: Path, value: Any) -> Any:
    """Return the paths of files as a text in a folder finds them; rules stay as they are."""
    if isinstance(value, Mapping):
        return {name: _place(folder, entry) for name, entry in value.items()}
    return os.path.relpath(value, folder) if isinstance(value, str) and Path(value).is_file() else value
