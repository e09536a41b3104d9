"""The page of a file of constraints: held against data, edited row by row, saved, taken back, and used."""

from __future__ import annotations

import dataclasses
from typing import Any

from nicegui import ui

from sfumato.exceptions import ParameterError
from sfumato.readers.constraints import format_entries, format_groups
from sfumato.readers.options import ReadOptions
from sfumato.reports.numbers import show_amount
from sfumato.web.constraints import (
    LARGEST,
    SORTS,
    can_undo,
    change_rows,
    check_rows,
    find_uses,
    read_new_rows,
    read_row,
    save_rows,
    undo_save,
)
from sfumato.web.pages.data import offer_upload
from sfumato.web.pages.parts import (
    Field,
    Workspace,
    add_text,
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
from sfumato.web.policies import list_data_with, read_recipe, write_recipe
from sfumato.web.project import replace_text

__all__ = ["offer_constraints", "register"]

_PAGE = 25
"""Rows that are edited at a time."""
_ALONE = "-"
"""In the place of data where a file is looked at alone."""


def register(workspace: Workspace) -> None:
    """Make the page of a file of constraints."""

    @page("/constraints/{name}")
    def _show(name: str, data: str = "", sort: str = "", rows: int = 1) -> None:
        path = workspace.project.find("constraints", name)
        uses = find_uses(workspace.project, name)
        if not data and uses:
            data, sort = uses[0]
        with frame(name, "hierarchies", data if data != _ALONE else ""):
            add_text("For the owner only: the file holds values of the data.", classes="owner")
            link("Download", path_to("files", "constraints", name, name), "button plain", download=True)
            for used_by, as_what in uses:
                add_text(f"{used_by} is read with it, as {as_what} constraints.")
            if path.stat().st_size > LARGEST:
                add_text("The file is too large to show and edit here. It can still be used.")
                _offer_use(workspace, name, data, sort)
                return
            _offer_use(workspace, name, data, sort)
            files = {"constraints": [name]} | ({"data": [data]} if data not in {"", _ALONE} else {})
            job = workspace.jobs.request("constraints", files=files, sort=sort if sort in SORTS else "")
            watch(workspace, job, lambda outcome: _show_result(workspace, name, outcome, data, sort, rows))


def offer_constraints(workspace: Workspace) -> None:
    """List the files of constraints of the project, and offer to upload or to write one."""
    add_text("Constraints", "h2")
    add_text(
        "For coat and pcta, and for u-seqanon: which items or places may be put together (utility, a group per line), "
        "and which items must be hidden (privacy, for coat and pcta)."
    )
    with ui.element("ul"):
        for name in workspace.project.list("constraints"):
            with ui.element("li"):
                link(name, path_to("constraints", name))
    offer_upload("constraints", "/constraints/", "A file of constraints: one group per line")
    with ui.element("div").classes("fields"):
        called = Field("Name", "utility")
        lines = Field("One group per line, items separated by commas", "", kind="lines")

    def keep() -> None:
        rows = read_new_rows(lines.value)
        if not rows:
            raise ParameterError("Write at least one group.")
        path = workspace.project.free("constraints", called.value, ".txt")
        replace_text(path, format_groups(items for _, items in rows))
        open_page("constraints", path.name)

    press("Keep", keep, "plain")


def _offer_use(workspace: Workspace, name: str, data: str, sort: str) -> None:
    """Ask for the data that the file is held against or used for, and as what."""
    fitting = list_data_with(workspace.project, "constraints")
    data_options = {"": "(choose)", _ALONE: "(none: the file alone)"} | {file: file for file in fitting}
    with ui.element("div").classes("row"):
        chosen = Field("Data", data if data in data_options else "", options=data_options)
        sort_field = Field("As", sort if sort in SORTS else "utility", options=SORTS)

        def check() -> None:
            open_page("constraints", name, data=chosen.value or _ALONE, sort=sort_field.value)

        def use() -> None:
            recipe = read_recipe(workspace.project, chosen.value) if chosen.value not in {"", _ALONE} else None
            if recipe is None or sort_field.value not in SORTS:
                raise ParameterError("Choose configured data, and whether the file is for utility or privacy.")
            path = str(workspace.project.find("constraints", name))
            given = {**recipe.options.get("constraints", {}), sort_field.value: path}
            options = {**recipe.options, "constraints": given}
            ReadOptions.of(recipe.kind, options)
            write_recipe(workspace.project, chosen.value, dataclasses.replace(recipe, options=options))
            open_page("data", chosen.value)

        press("Check", check, "plain")
        press("Use", use, "plain")


def _show_result(workspace: Workspace, name: str, outcome: dict[str, Any], data: str, sort: str, number: int) -> None:
    if outcome["unsure"]:
        add_text(
            "Nothing but blanks stands between the words of this file: whether several are one value depends on the "
            "data. Choose data to see and edit its rows.",
            classes="verdict careful",
        )
        return
    if outcome["values"] is not None:
        _show_comparison(outcome, data, sort)
    _offer_rows(workspace, name, outcome, data, sort, number)


def _show_comparison(outcome: dict[str, Any], data: str, sort: str) -> None:
    """Describe what of the rows the data have, and whether they can be read with them."""
    level = "broken" if outcome["refused"] else "careful" if outcome["strangers"] else ""
    message = outcome["refused"] or f"{data} can be read with it, as {sort} constraints."
    add_text(message, classes=f"verdict {level}".strip()).props('role="status"')
    if outcome["strangers"]:
        number = show_amount(outcome["strangers"], "value of the file is", "values of the file are")
        add_text(f"{number} not in the data, and count{'s' * (outcome['strangers'] == 1)} for nothing.")
        rows = [(item, numbers, near or "-") for item, numbers, near in outcome["strange"]]
        table(["not in the data", "rows", "nearest value of the data"], rows, "Values that are not in the data")
    if outcome["repeated"]:
        table(["value", "rows"], outcome["repeated"], "Values in several rows")
    if sort == "utility" and outcome["missing"]:
        add_text(f"{outcome['missing']:,} of {outcome['values']:,} values of the data are in no row.")
        with more("Show values"):
            rest = outcome["missing"] - len(outcome["left"])
            add_text(format_entries(map(_join_lines, outcome["left"])) + (f" … and {rest:,} more" if rest else ""))


def _join_lines(text: str) -> str:
    return " ".join(text.split())


def _offer_rows(workspace: Workspace, name: str, outcome: dict[str, Any], data: str, sort: str, number: int) -> None:
    """Show some rows in fields, with what saves them, brings them back, and takes back what was saved."""
    rows = [(line, tuple(items)) for line, items, _ in outcome["rows"]]
    pages = max(-(-len(rows) // _PAGE), 1)
    number = min(max(number, 1), pages)
    shown = outcome["rows"][(number - 1) * _PAGE : number * _PAGE]
    add_text("Rows", "h2").props('id="rows"')
    paged = f"; page {number:,} of {pages:,}" if pages > 1 else ""
    add_text(f"{show_amount(len(rows), 'row', 'rows')}{paged}. Values are separated by commas.")
    fields: dict[int, tuple[Field, Field]] = {}
    for line, items, holders in shown:
        with ui.element("div").classes("row entry"):
            help_text = f"{'All' if sort == 'privacy' else 'One or more'} of them: {holders}." if holders else ""
            fields[line] = (
                Field(f"Row {line}", format_entries(items), help=help_text),
                Field(f"Delete row {line}", "false", kind="check"),
            )
    new = Field("New rows", "", kind="lines", help="One row per line.")
    here = {"data": data, "sort": sort, "rows": str(number)}

    def save() -> None:
        changed: dict[int, tuple[str, ...]] = {}
        for line, items, _ in shown:
            field, delete = fields[line]
            if delete.value == "true":
                changed[line] = ()
            elif field.value != format_entries(items):
                changed[line] = read_row(field.value, f"row {line}")
        edited_rows = change_rows(rows, changed) + read_new_rows(new.value)
        check_rows(edited_rows, sort)
        save_rows(workspace.project, name, edited_rows, outcome["digest"])
        open_page("constraints", name, **here)

    def undo() -> None:
        undo_save(workspace.project, name)
        open_page("constraints", name, **here)

    with ui.element("div").classes("row"):
        press("Check and save", save)
        press("Cancel", lambda: open_page("constraints", name, **here), "plain")
        if can_undo(workspace.project, name):
            press("Undo the last save", undo, "plain")
    with ui.element("nav").classes("row").props('aria-label="Pages of rows"'):
        for label, target in (("Previous", number - 1), ("Next", number + 1)):
            if 1 <= target <= pages:
                link(label, path_to("constraints", name, **here | {"rows": str(target)}) + "#rows", "button plain")
