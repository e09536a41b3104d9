"""The Hierarchies page: upload, derive and edit what values are put together by, and the constraints of policies."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from nicegui import ui

from sfumato import plugins
from sfumato.escape import escape_html
from sfumato.exceptions import ParameterError
from sfumato.hierarchies import edit
from sfumato.params import list_options
from sfumato.readers.hierarchies import read_hierarchy, write_hierarchy
from sfumato.readers.options import ReadOptions
from sfumato.web.pages.constraints import offer_constraints
from sfumato.web.pages.data import offer_upload
from sfumato.web.pages.forms import ask_options, read_option
from sfumato.web.pages.parts import Field, Workspace, add_text, frame, link, open_page, page, path_to, press, watch
from sfumato.web.pages.risk import list_data
from sfumato.web.policies import list_data_with, read_recipe, write_recipe
from sfumato.web.versions import Versions

__all__ = ["register"]

_MOST_SHOWN = 2000
_EDITS: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "rename": ("Node", "New label", edit.rename_node),
    "move": ("Node", "Under this node", edit.move_node),
    "add": ("New value", "Below this node", edit.add_node),
    "delete": ("Node", "", lambda tree, label, _: edit.delete_node(tree, label)),
}
_RULES = {
    "fanout": ("at most n neighbours below a node", True),
    "width": ("n ranges of equal width, for numbers and dates", True),
    "frequency": ("n ranges with equally many records, for numbers and dates", True),
    "calendar": ("days, months, years, decades, for dates", False),
    "grid": ("a grid, the map halved n times each way, for places", True),
    "quadtree": ("quarters of the map with at most n places, for places", True),
    "popular": ("from frequent to rare, n below a node, for items of sets", True),
    "mask": ("codes cut short from the right", False),
    "flat": ("everything right below the root", False),
}
"""Rules in plain words, and whether they have a number."""
_LARGEST = 1 << 22
"""Bytes of the largest hierarchy that is drawn and edited on the page."""


def register(workspace: Workspace) -> None:
    """Make the Hierarchies page."""

    @page("/hierarchies")
    @page("/hierarchies/{data}")
    def _show_all(data: str = "") -> None:
        with frame("Hierarchies and policies", "hierarchies", data):
            _offer_derive(workspace, data)
            add_text("Hierarchies of this project", "h2")
            with ui.element("ul"):
                for name in workspace.project.list("hierarchies"):
                    with ui.element("li"):
                        link(name, path_to("hierarchy", name))
            offer_upload("hierarchies", "/hierarchy/", "A hierarchy: CSV of ARX, parent and child, or indented text")
            _offer_values(workspace, data)
            offer_constraints(workspace)

    @page("/hierarchy/{name}")
    def _show(name: str) -> None:
        path = workspace.project.find("hierarchies", name)
        with frame(name, "hierarchies"):
            if path.stat().st_size > _LARGEST:
                add_text("The hierarchy is too large to draw and edit here. It can still be used.")
                _offer_use(workspace, name)
                return
            drawn = _DRAWN.of(path)
            add_text(drawn.summary)
            link("Download", path_to("files", "hierarchies", name, name), "button plain", download=True)
            ui.html(drawn.markup, sanitize=False)
            if drawn.ranges:
                add_text("Ranges cannot be edited. Derive them again with another rule.")
            else:
                _offer_edits(workspace, name)
            _offer_use(workspace, name)


def _offer_derive(workspace: Workspace, data: str) -> None:
    add_text("Derive a hierarchy", "h2")
    fitting = list_data_with(workspace.project, "hierarchies")
    if data and data not in fitting and read_recipe(workspace.project, data) is not None:
        add_text(f"Hierarchies do not apply to {data}.")
    with ui.element("div").classes("row"):
        chosen = Field("Data", data if data in fitting else "", options={"": "(choose)"} | {n: n for n in fitting})
        columns = _name_columns(workspace, data)
        help_text = f"One of: {', '.join(columns)}." if columns else "A column of a table, or place, event or item."
        of = Field("Attribute", columns[0] if len(columns) == 1 else "", help=help_text)
        rule = Field("Rule", "fanout", options={name: help_text for name, (help_text, _) in _RULES.items()})
        number = Field("Number", "10", kind="number", bounds=(2, 999_999), step="1", help="For rules with a number n.")
    watched = ui.element("div")

    def run() -> None:
        if not chosen.value or not of.value.strip():
            raise ParameterError("Choose data and the attribute of the hierarchy.")
        if rule.value not in _RULES:
            raise ParameterError("Choose a rule.")
        text = f"{rule.value}:{number.read_whole()}" if _RULES[rule.value][1] else rule.value
        files = {"data": [chosen.value]}
        job = workspace.jobs.request("derive", fresh=True, files=files, of=of.value.strip(), rule=text)
        watched.clear()
        with watched:
            watch(workspace, job, lambda outcome: open_page("hierarchy", outcome["name"]))

    press("Derive", run, "plain")


def _name_columns(workspace: Workspace, data: str) -> list[str]:
    """Return what hierarchies of data can be over: attributes that others may know, or the values of lists."""
    recipe = read_recipe(workspace.project, data) if data in list_data_with(workspace.project, "hierarchies") else None
    if recipe is None:
        return []
    return list(recipe.options.get("quasi", ())) or list(plugins.find_kind(recipe.kind).entries.values())[:1]


def _offer_values(workspace: Workspace, data: str) -> None:
    """Ask which values are sensitive and which are watched for, where data of the kind have such values."""
    recipe = read_recipe(workspace.project, data) if data else None
    add_text("Sensitive and monitored values", "h2")
    if recipe is None and data:
        add_text("The columns of this file are not configured.")
        link("Configure columns", path_to("data", data), "button")
        return
    if recipe is None:
        add_text("Choose the data of the values:")
        list_data(workspace, "hierarchies")
        return
    add_text(f"Of {data}:")
    options = [
        option
        for option in list_options(ReadOptions)
        if option.value_files and option.name in plugins.find_kind(recipe.kind).options
    ]
    if not options:
        add_text(f"{recipe.kind} data have no such values.")
        return
    fields = ask_options(options, recipe.options)

    def keep() -> None:
        given = {option.name: read_option(option, fields[option.name].value.strip()) for option in options}
        rest = {name: value for name, value in recipe.options.items() if name not in given}
        changed = rest | {name: value for name, value in given.items() if value}
        ReadOptions.of(recipe.kind, changed)
        write_recipe(workspace.project, data, dataclasses.replace(recipe, options=changed))
        open_page("data", data)

    press("Keep the values", keep, "plain")


class _Drawn(NamedTuple):
    """A hierarchy as its page shows it."""

    summary: str
    markup: str
    ranges: bool


def _draw_tree(path: Path) -> _Drawn:
    """Draw a tree that opens node by node; of very large ones only the top."""
    tree = read_hierarchy(path)
    below: dict[int, list[int]] = {}
    for at, parent in enumerate(tree.parent.tolist()):
        below.setdefault(parent, []).append(at)
    left = [_MOST_SHOWN]

    def draw(at: int, *, opened: bool) -> str:
        left[0] -= 1
        label = escape_html(tree.labels[at])
        inner = below.get(at, [])
        if not inner:
            return f"<li>{label}</li>"
        shown = "".join(draw(child, opened=False) for child in inner if left[0] > 0)
        rest = "" if left[0] > 0 else "<li>…</li>"
        head = f"<summary>{label} ({len(inner)})</summary>"
        return f"<li><details{' open' * opened}>{head}<ul>{shown}{rest}</ul></details></li>"

    roots = "".join(draw(at, opened=True) for at in below.get(-1, []))
    summary = (
        f"{len(tree.leaf_labels):,} values, {len(tree.labels):,} nodes, height {int(tree.height)}. "
        "Numbers behind nodes say how many lie right below."
    )
    markup = f"<div class='tree' tabindex='0' role='region' aria-label='Tree'><ul>{roots}</ul></div>"
    return _Drawn(summary, markup, tree.kind == "ranges")


_DRAWN = Versions(_draw_tree, most=16)


def _offer_edits(workspace: Workspace, name: str) -> None:
    add_text("Edit", "h2")
    for verb, (first, second, change) in _EDITS.items():
        with ui.element("div").classes("row"):
            label = Field(first, "")
            other = Field(second, "") if second else None

            def run(label: Field = label, other: Field | None = other, change: Callable[..., Any] = change) -> None:
                path = workspace.project.find("hierarchies", name)
                changed = change(read_hierarchy(path), label.value.strip(), other.value.strip() if other else "")
                temporary = path.with_name(f".{path.name}")
                write_hierarchy(changed, temporary, "arx")
                temporary.replace(path)
                open_page("hierarchy", name)

            press(verb.capitalize(), run, "plain")


def _offer_use(workspace: Workspace, name: str) -> None:
    add_text("Use the hierarchy", "h2")
    with ui.element("div").classes("row"):
        fitting = list_data_with(workspace.project, "hierarchies")
        data = Field("Data", "", options={"": "(choose)"} | {n: n for n in fitting})
        of = Field("Attribute", "", help="A column of a table, or place, event or item.")

        def run() -> None:
            recipe = read_recipe(workspace.project, data.value) if data.value else None
            if recipe is None or not of.value.strip():
                raise ParameterError("Choose configured data and the attribute of the hierarchy.")
            path = str(workspace.project.find("hierarchies", name))
            trees = {**recipe.options.get("hierarchies", {}), of.value.strip(): path}
            write_recipe(
                workspace.project,
                data.value,
                dataclasses.replace(recipe, options={**recipe.options, "hierarchies": trees}),
            )
            open_page("data", data.value)

        press("Use", run, "plain")
