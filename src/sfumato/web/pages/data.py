"""The Data page: pick or upload, see what it is and why, confirm or change that, edit by steps that are recorded."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from nicegui import ui

from sfumato import plugins
from sfumato.data.record_unit import RECORD, RecordUnit
from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.params import declared
from sfumato.web.editing import add_steps, undo_step
from sfumato.web.pages.forms import ReadOptionsForm
from sfumato.web.pages.parts import (
    Field,
    Workspace,
    add_text,
    facts,
    figures,
    frame,
    link,
    more,
    open_page,
    page,
    path_to,
    press,
    table,
    watch,
)
from sfumato.web.policies import Recipe, read_recipe, write_recipe
from sfumato.web.tasks.view import PAGE, read_page

__all__ = ["offer_upload", "register"]

_STEPS = {
    "rename": "rename a column: OLD=NEW",
    "drop": "leave a column out: COLUMN",
    "replace": "replace a value: COLUMN:OLD=NEW",
    "filter": "keep rows: COLUMN=VALUE, =LOW..HIGH, =A|B or !=VALUE",
}


def register(workspace: Workspace) -> None:
    """Make the Data page."""

    @page("/")
    @page("/data")
    def _choose() -> None:
        with frame("Data", "data"):
            _list_data(workspace)

    @page("/data/{name}")
    def _show(name: str, page: int = 1, kind: str = "") -> None:
        workspace.project.find("data", name)
        with frame(name, "data", name):
            recipe = _find_recipe(workspace, name)
            if recipe is not None and kind and kind != recipe.kind:
                recipe = None
            arguments: dict[str, Any] = {"files": {"data": [name]}, "kind": kind}
            if recipe is None:
                _offer_kinds(name, kind)
            job = workspace.jobs.request("look", **arguments)
            watch(
                workspace, job, lambda outcome: _show_data(workspace, name, outcome, job.folder / "view.parquet", page)
            )
            if recipe is not None:
                _offer_steps(workspace, name, recipe)


def offer_upload(area: str, then: str, label: str) -> None:
    """Offer to send a file to the project."""
    with ui.element("div").classes("row").props(f'data-upload="{area}" data-then="{then}"'):
        with ui.element("label").classes("field"):
            add_text(label, "span")
            ui.element("input").props('type="file"')
        press("Upload", lambda: None, data_send="1")
        add_text("", "span", "muted").props('role="status"')


def _list_data(workspace: Workspace) -> None:
    names = workspace.project.list("data")
    if names:
        add_text("In this project", "h2")
        with ui.element("ul").classes("cards"):
            for name in names:
                with ui.element("li").classes("card"):
                    with ui.element("h3"):
                        link(name, path_to("data", name))
                    recipe = _find_recipe(workspace, name)
                    add_text(
                        f"{recipe.kind}: a row is {plugins.find_kind(recipe.kind).row}" if recipe else "Not configured."
                    )
    add_text("Upload a file", "h2")
    add_text(
        "CSV, Parquet, JSON lines, workbooks, XES, GPX, GeoJSON, SPMF and others. It stays on the machine that this "
        "server runs on, in the folder data of the project.",
        classes="muted",
    )
    offer_upload("data", "/data/", "File with data")
    add_text("Examples", "h2")
    add_text("Check-ins are bundled; the other examples are generated.", classes="muted")
    with ui.element("ul").classes("cards"):
        for kind in plugins.all_kinds():
            with ui.element("li").classes("card"):
                add_text(kind, "h3")
                add_text(f"A row is {plugins.find_kind(kind).row}.")
                press(f"Load example: {kind}", functools.partial(_take_example, workspace, kind), "plain")


def _take_example(workspace: Workspace, kind: str) -> None:
    job = workspace.jobs.request("example", fresh=True, kind=kind)
    with ui.dialog(value=True).props("persistent"), ui.element("div").classes("card"):
        watch(workspace, job, lambda outcome: open_page("data", outcome["name"]))


def _find_recipe(workspace: Workspace, name: str) -> Recipe | None:
    try:
        return read_recipe(workspace.project, name)
    except SfumatoError:
        return None


def _offer_kinds(name: str, kind: str) -> None:
    """Let people say the kind of a file that nothing could guess."""
    with more("Configure columns"), ui.element("div").classes("row"):
        chosen = Field(
            "Kind of data", kind, options={"": "(detect)"} | {choice: choice for choice in plugins.all_kinds()}
        )
        press("Detect again", lambda: open_page("data", name, kind=chosen.value), "plain")


def _show_data(workspace: Workspace, name: str, outcome: dict[str, Any], view: Any, number: int) -> None:
    if outcome["unread"]:
        add_text(outcome["unread"], classes="failed").props('role="alert"')
        _show_options_form(workspace, name, outcome)
        return
    several = RecordUnit.from_dict(outcome["unit"]).explain() if "unit" in outcome else ""
    add_text(f"{outcome['kind']}: a row is {outcome['row']}. {several}".strip())
    for left in outcome["open"]:
        add_text(f"To decide: {left}", classes="verdict careful")
    if outcome["reasons"]:
        with more("Reasons").props("open"), ui.element("ul"):
            for reason in outcome["reasons"]:
                add_text(reason, "li")
    with ui.element("div").classes("row"):
        link("Risk", path_to("risk", name), "button")
        link("Anonymise", path_to("anonymise", name), "button plain")
        link("Download", path_to("files", "data", name, name), "button plain", download=True)
    facts(_name_facts(outcome), "Data")
    _show_rows(name, outcome, view, number)
    add_text("Distributions", "h2")
    figures(outcome["figures"])
    if outcome["notes"]:
        with more("Notes on reading"), ui.element("ul"):
            for note in outcome["notes"]:
                add_text(note, "li")
    _show_options_form(workspace, name, outcome)


def _name_facts(outcome: dict[str, Any]) -> dict[str, Any]:
    """Return what was counted, by names that say what of."""
    unit = RecordUnit.from_dict(outcome["unit"]) if "unit" in outcome else RECORD
    names = {
        "most_of_one": f"most {unit.many} of one {unit.owner}",
        "values": "different values of each",
        "distinct_values": "different entries",
        "length": f"entries of one {unit.one}",
    }
    return {names.get(name, name): value for name, value in outcome["facts"].items() if name != "kind"}


def _show_rows(name: str, outcome: dict[str, Any], view: Any, number: int) -> None:
    pages = max(-(-outcome["rows"] // PAGE), 1)
    number = min(max(number, 1), pages)
    names, rows = read_page(view, number - 1)
    roles = {column["name"]: column["role"] for column in outcome["schema"]}
    add_text("Rows", "h2").props('id="rows"')
    head = [f"{column} ({roles[column]})" if column in roles else column for column in names]
    table(head, rows, f"Page {number:,} of {pages:,}; {outcome['rows']:,} rows")
    with ui.element("nav").classes("row").props('aria-label="Pages of rows"'):
        for label, target in (("First", 1), ("Previous", number - 1), ("Next", number + 1), ("Last", pages)):
            if 1 <= target <= pages and target != number:
                link(label, path_to("data", name, page=str(target)) + "#rows", "button plain")


def _show_options_form(workspace: Workspace, name: str, outcome: dict[str, Any]) -> None:
    recipe = _find_recipe(workspace, name) or _begin_recipe(outcome["kind"])
    add_text("Configure columns" if outcome["unread"] else "Check the configuration", "h2")
    add_text("Confirm or change how the file is read. The configuration is kept in a policy beside the file.")
    with ui.element("div").classes("row"):
        kinds = {kind: f"{kind}{' (could also be)' * (kind in outcome['others'])}" for kind in plugins.all_kinds()}
        chosen = Field("Kind of data", recipe.kind, options=kinds)
        press("Use this kind", lambda: _change_kind(workspace, name, recipe, chosen.value), "plain")
    form = ReadOptionsForm(recipe.kind, recipe.options, outcome["columns"], outcome["roles"])
    with ui.element("div").classes("row"):
        press(
            "Apply these column roles",
            lambda: _save_recipe(workspace, name, dataclasses.replace(recipe, options=form.collect())),
        )


def _begin_recipe(kind: str) -> Recipe:
    """Return what to begin with where nothing could be guessed: the kind, and the method to try first."""
    data_kind = plugins.find_kind(kind)
    method = data_kind.recommended[0]
    names = [parameter.name for parameter in declared(plugins.find_method(method, kind))]
    default_grid = {name: values[len(values) // 2] for name, values in data_kind.default_grid.items() if name in names}
    return Recipe(kind, {}, method, default_grid)


def _change_kind(workspace: Workspace, name: str, recipe: Recipe, kind: str) -> None:
    if kind == recipe.kind and workspace.project.policy_of(name).exists():
        raise ParameterError(f"The kind is already {kind}.", option="kind", hint="Choose another kind.")
    workspace.project.policy_of(name).unlink(missing_ok=True)
    open_page("data", name, kind=kind)


def _save_recipe(workspace: Workspace, name: str, recipe: Recipe) -> None:
    from sfumato.readers.options import ReadOptions

    ReadOptions.of(recipe.kind, recipe.options)
    write_recipe(workspace.project, name, recipe)
    open_page("data", name)


def _offer_steps(workspace: Workspace, name: str, recipe: Recipe) -> None:
    """Offer to edit the data by steps, which are kept in the policy and can be taken back."""
    steps = list(recipe.options.get("steps", ()))
    add_text("Edit", "h2")
    add_text("The file is not changed. Steps are recorded, replayed when the file is read, and listed in the release.")
    if steps:
        with ui.element("ol"):
            for step in steps:
                add_text(step, "li")
        press(
            "Undo the last step",
            lambda: _save_recipe(workspace, name, undo_step(workspace.project, name, recipe)),
            "plain",
        )
    with ui.element("div").classes("row"):
        verb = Field("Step", "rename", options=_STEPS)
        rest = Field("With", "")
        press("Add the step", lambda: _add_steps(workspace, name, recipe, [f"{verb.value} {rest.value}"]), "plain")
    with more("Recode many values of a column"), ui.element("div").classes("fields"):
        column = Field("Column", "")
        pairs = Field("Values", "", kind="lines", help="OLD=NEW, one per line. Each is a step that can be undone.")

        def recode() -> None:
            lines = [line for line in pairs.value.splitlines() if line.strip()]
            if not lines:
                raise ParameterError("Values must be OLD=NEW, one per line.", option="Values")
            _add_steps(workspace, name, recipe, [f"replace {column.value.strip()}:{line}" for line in lines])

        press("Recode", recode, "plain")


def _add_steps(workspace: Workspace, name: str, recipe: Recipe, steps: list[str]) -> None:
    _save_recipe(workspace, name, add_steps(workspace.project, name, recipe, steps))
