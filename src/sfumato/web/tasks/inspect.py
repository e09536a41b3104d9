"""What data are, before anything is done to them: guessed, read, counted, drawn, and how identifying they are."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from sfumato import plugins
from sfumato.api import attack, calls
from sfumato.api.detect import DetectedFile, detect_file
from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.exports import write_table
from sfumato.messages import Setting, find_parts
from sfumato.readers.detect import FileProfile
from sfumato.release.run import Progress
from sfumato.web.form_style import FORMS
from sfumato.web.policies import Recipe, read_recipe, write_recipe
from sfumato.web.project import Project
from sfumato.web.tasks.figures import draw_by_knowledge, draw_dataset
from sfumato.web.tasks.view import write_view

__all__ = ["example", "look", "read_data", "require_recipe", "risk"]

_BUNDLED = {"trajectories": "checkins.csv"}
_SIZE = 200
_MOST_NAMED = 12
_FEW = 5


def example(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Put an example of a kind of data into the project: a bundled file, or made-up data."""
    kind = arguments["kind"]
    plugins.find_kind(kind)
    path = project.free("data", f"{kind}-example", ".csv")
    temporary = project.hidden("incoming") / f"{path.stem}.csv"
    if kind in _BUNDLED:
        with resources.as_file(resources.files("sfumato") / "demo" / _BUNDLED[kind]) as bundled:
            shutil.copyfile(bundled, temporary)
    else:
        progress("making data up", 0, 0)
        write_table(plugins.find_kind(kind).generator.load().generate(_SIZE, 1), temporary)
    temporary.replace(path)
    _detect(project, path.name, kind)
    return {"name": path.name}


def look(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:
    """Detect what a file of data is, count and draw it, and prepare its rows for paging."""
    name = arguments["files"]["data"][0]
    progress("looking at the file", 0, 0)
    confirmed = read_recipe(project, name)
    outcome: dict[str, Any] = {"reasons": [], "open": [], "others": [], "unread": ""}
    try:
        if confirmed is None:
            outcome |= _detect(project, name, arguments.get("kind") or None)
        progress("reading", 0, 0)
        dataset, recipe = read_data(project, name)
    except SfumatoError as error:
        kind = confirmed.kind if confirmed is not None else arguments.get("kind") or "table"
        return outcome | _explain_unread(project.find("data", name), kind, confirmed, error)
    outcome |= {"kind": recipe.kind, "row": plugins.find_kind(recipe.kind).row, "facts": dataset.describe()}
    outcome["unit"] = dataset.unit.to_dict()
    outcome |= {"columns": [], "roles": list_roles(recipe.kind)}
    if {"columns", "quasi"} & set(recipe.options):  # others are lines of text, which only look like a table
        outcome["columns"] = _list_columns(project.find("data", name), recipe)

    outcome |= {"notes": [str(note) for note in dataset.notes], "hierarchies": list(dataset.hierarchies)}
    outcome["schema"] = [{"name": column.name, "role": column.role} for column in dataset.schema.columns]
    progress("making rows ready", 0, 0)
    outcome["rows"] = write_view(dataset, folder / "view.parquet")
    progress("drawing", 0, 0)
    outcome["figures"] = draw_dataset(dataset)
    return outcome


def _explain_unread(path: Path, kind: str, confirmed: Recipe | None, error: SfumatoError) -> dict[str, Any]:
    """Return the error with the columns of the file, to configure them; without columns, raise the error."""
    columns = _list_columns(path, confirmed)
    if not columns:
        raise error
    row = plugins.find_kind(kind).row
    fields = {name: value for name, value in error.to_dict(FORMS).items() if name != "error"}
    unread = {"unread": error.write(FORMS), "fields": fields}
    return unread | {"kind": kind, "row": row, "columns": columns, "roles": list_roles(kind)}


def require_recipe(project: Project, name: str) -> Recipe:
    """Return how a file of data is read; refuse files that are not configured."""
    recipe = read_recipe(project, name)
    if recipe is None:
        raise SfumatoError("The columns of this file are not configured.", hint="Open its Data page first.")
    return recipe


def read_data(project: Project, name: str) -> tuple[Dataset, Recipe]:
    """Read a file of data as configured."""
    recipe = require_recipe(project, name)
    return calls.read(project.find("data", name), recipe.kind, **recipe.options), recipe


def _detect(project: Project, name: str, kind: str | None) -> dict[str, Any]:
    """Detect the kind and options of a file, and store them until somebody changes them."""
    path = project.find("data", name)
    detected = _detect_file(path, kind)
    detection = detected.detection
    if detected.path != path:
        raise SfumatoError(f"{name} holds several different files.", hint="Unpack it and upload one of them.")
    options = dict(detection.options)
    if "sensitive" in plugins.find_kind(detection.kind).options and _needs_sensitive(detection.open):
        options["sensitive"] = [_most_common(detected.dataset)]
    recipe = Recipe(detection.kind, options, detection.method, detection.parameters, detection.reasons)
    write_recipe(project, name, recipe)
    left = list(detection.open)
    if options.get("sensitive") != detection.options.get("sensitive"):
        left.append("Sensitive values: the most common value, until you choose others.")
    return {"reasons": list(detection.reasons), "open": left, "others": list(detected.others)}


def _detect_file(path: Path, kind: str | None) -> DetectedFile:
    """Detect the kind of a file; if nothing fits, raise the error of reading it as a table."""
    try:
        return detect_file(path, kind)
    except ParameterError as error:
        try:
            calls.read(path, kind or "table")
        except SfumatoError as cause:
            raise cause from error
        raise


def _needs_sensitive(left: tuple[str, ...]) -> bool:
    """Tell whether a file leaves open what is sensitive."""
    return any(isinstance(part, Setting) and part.name == "sensitive" for text in left for part in find_parts(text))


def _most_common(dataset: Dataset) -> str:
    """Return the most common value, which counts as sensitive until others are chosen."""
    history = dataset.history()
    return str(history.labels[int(np.bincount(history.codes, minlength=len(history.labels)).argmax())])


def _list_columns(path: Path, recipe: Recipe | None) -> list[str]:
    """Return the names of the columns in the file, where it is a table; after the steps that rename them."""
    table = FileProfile.of(path).rows
    names = [] if table is None else list(table.column_names)
    for step in () if recipe is None else recipe.options.get("steps", ()):
        verb, _, rest = step.partition(" ")
        old, _, new = rest.partition("=")
        if verb == "rename":
            names = [new.strip() if name == old.strip() else name for name in names]
        elif verb == "drop":
            names = [name for name in names if name != rest.strip()]
    return names


def list_roles(kind: str) -> list[str]:
    """Return the parts that columns of a kind of data can play, where its reader names them.

    Examples
    --------
    >>> "item" in list_roles("sets")
    True
    """
    words = plugins.find_kind(kind).vocabulary
    return [] if words is None else sorted(set(words.load().roles.values()))


def risk(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Measure the risk in original data by what attackers know."""
    progress("reading", 0, 0)
    dataset, _ = read_data(project, arguments["files"]["data"][0])
    progress("attacking the original", 0, 0)
    outcome = attack.inspect(dataset, int(arguments["m"]))
    outcome["figures"] = draw_by_knowledge(outcome["risk"], dataset.unit.many)
    outcome["rare"] = _find_rare(dataset)
    outcome["columns"] = [] if any(risk.get("unique_by") for risk in outcome["risk"]) else _rank_columns(dataset)
    return outcome


def _rank_columns(dataset: Dataset) -> list[list[Any]]:
    """Describe for every column that others may know which share of the records has a value that no other has."""
    ranked = []
    for column in dataset.schema.columns:
        if column.role == "quasi-identifier" and len(dataset):
            counts = dataset.table.column(column.name).value_counts().field("counts").to_numpy()
            ranked.append([column.name, float((counts == 1).sum() / len(dataset))])
    return sorted(ranked, key=lambda pair: -pair[1])


def _find_rare(dataset: Dataset) -> dict[str, Any]:
    """Describe which values of histories few records have, and which share of the records has one that no other has."""
    if not any(column.role == "history" for column in dataset.schema.columns) or not len(dataset):
        return {}
    history = dataset.history()
    pairs = np.unique(np.stack([history.codes, history.row_of_token]), axis=1)
    holders = np.bincount(pairs[0], minlength=len(history.labels))
    alone = np.flatnonzero(holders == 1)
    unique_rows = np.unique(pairs[1][np.isin(pairs[0], alone)])
    held = np.flatnonzero(holders)
    rarest = held[np.argsort(holders[held], kind="stable")[:_MOST_NAMED]]
    return {
        "what": dataset.schema.history,
        "values": len(alone),
        "of": int((holders > 0).sum()),
        "share": len(unique_rows) / len(dataset),
        "unit": dataset.unit.many,
        "record": dataset.unit.record,
        "records": dataset.unit.records,
        "few": int(((holders > 0) & (holders < _FEW)).sum()),
        "rarest": [[str(history.labels[code]), int(holders[code])] for code in rarest],
    }
