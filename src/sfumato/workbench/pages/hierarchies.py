"""The Hierarchies page: upload, derive and edit what values are put together by, and the constraints of policies."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from nicegui import ui

from sfumato.core.errors import ParameterError
from sfumato.core.hierarchy import editing
from sfumato.core.visible import escape_html
from sfumato.io.hierarchies import read_hierarchy, write_hierarchy
from sfumato.workbench.pages.data import offer_upload
from sfumato.workbench.pages.parts import Bench, Field, frame, go, link, page, path_to, press, say, watch
from sfumato.workbench.policies import read_recipe, write_recipe
from sfumato.workbench.project import replace_text

__all__ = ["register"]

_MOST_SHOWN = 2000
_EDITS: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "rename": ("Node", "New label", editing.rename_node),
    "move": ("Node", "Under this node", editing.move_node),
    "add": ("New value", "Below this node", editing.add_node),
    "delete": ("Node", "", lambda tree, label, _: editing.delete_node(tree, label)),
}
_RULES = "fanout:10, popular:2, width:8, frequency:8, calendar, mask, flat, quadtree:8, grid:4"


def register(bench: Bench) -> None:
    """Make the Hierarchies page."""

    @page("/hierarchies")
    @page("/hierarchies/{data}")
    def _show_all(data: str = "") -> None:
        with frame("Hierarchies and constraints", "hierarchies", data):
            _offer_derive(bench, data)
            say("Hierarchies of this project", "h2")
            with ui.element("ul"):
                for name in bench.project.list("hierarchies"):
                    with ui.element("li"):
                        link(name, path_to("hierarchy", name))
            offer_upload("hierarchies", "/hierarchy/", "A hierarchy: CSV of ARX, parent and child, or indented text")
            _offer_constraints(bench)

    @page("/hierarchy/{name}")
    def _show(name: str) -> None:
        path = bench.project.find("hierarchies", name)
        tree = read_hierarchy(path)
        with frame(name, "hierarchies"):
            say(f"{len(tree.leaf_labels):,} values, {len(tree.labels):,} nodes, height {int(tree.height)}.")
            link("Download", path_to("files", "hierarchies", name, name), "button plain", download=True)
            _draw_tree(tree)
            if tree.kind == "ranges":
                say("These are ranges; derive them again with another rule to change them.")
            else:
                _offer_edits(bench, name)
            _offer_use(bench, name)


def _list(bench: Bench, area: str) -> dict[str, str]:
    return {"": "(choose)"} | {each: each for each in bench.project.list(area)}


def _offer_derive(bench: Bench, data: str) -> None:
    say("Derive one from data", "h2")
    with ui.element("div").classes("row"):
        chosen = Field("Data", data, options=_list(bench, "data"))
        of = Field("What it is over", "", help="A column of a table, or place, event or item.")
        rule = Field("Rule", "fanout:10", help=f"Such as {_RULES}.")
    watched = ui.element("div")

    def run() -> None:
        if not chosen.value or not of.value.strip():
            raise ParameterError("Choose data, and say what the hierarchy is over.")
        files = {"data": [chosen.value]}
        job = bench.jobs.ask("derive", fresh=True, files=files, of=of.value.strip(), rule=rule.value.strip())
        watched.clear()
        with watched:
            watch(bench, job, lambda found: go("hierarchy", found["name"]))

    press("Derive", run, "plain")


def _draw_tree(tree: Any) -> None:
    """Draw a tree that opens node by node; of very large ones only the top."""
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
        shown = "".join(draw(each, opened=False) for each in inner if left[0] > 0)
        rest = "" if left[0] > 0 else "<li>…</li>"
        head = f"<summary>{label} ({len(inner)})</summary>"
        return f"<li><details{' open' * opened}>{head}<ul>{shown}{rest}</ul></details></li>"

    roots = "".join(draw(at, opened=True) for at in below.get(-1, []))
    ui.html(f"<div class='tree' tabindex='0' role='region' aria-label='Tree'><ul>{roots}</ul></div>", sanitize=False)


def _offer_edits(bench: Bench, name: str) -> None:
    say("Edit", "h2")
    for verb, (first, second, change) in _EDITS.items():
        with ui.element("div").classes("row"):
            label = Field(first, "")
            other = Field(second, "") if second else None

            def run(label: Field = label, other: Field | None = other, change: Callable[..., Any] = change) -> None:
                path = bench.project.find("hierarchies", name)
                changed = change(read_hierarchy(path), label.value.strip(), other.value.strip() if other else "")
                aside = path.with_name(f".{path.name}")
                write_hierarchy(changed, aside, "arx")
                aside.replace(path)
                go("hierarchy", name)

            press(verb.capitalize(), run, "plain")


def _offer_use(bench: Bench, name: str) -> None:
    say("Use it", "h2")
    with ui.element("div").classes("row"):
        data = Field("For these data", "", options=_list(bench, "data"))
        of = Field("Over", "", help="A column of a table, or place, event or item.")

        def run() -> None:
            recipe = read_recipe(bench.project, data.value) if data.value else None
            if recipe is None or not of.value.strip():
                raise ParameterError("Choose data that were looked at, and say what the hierarchy is over.")
            path = str(bench.project.find("hierarchies", name))
            trees = {**recipe.options.get("hierarchies", {}), of.value.strip(): path}
            write_recipe(
                bench.project, data.value, dataclasses.replace(recipe, options={**recipe.options, "hierarchies": trees})
            )
            go("data", data.value)

        press("Use", run, "plain")


def _offer_constraints(bench: Bench) -> None:
    say("Constraints", "h2")
    say("For coat and pcta: which items may be put together (utility, a group per line), or must be hidden (privacy).")
    with ui.element("ul"):
        for name in bench.project.list("constraints"):
            with ui.element("li"):
                link(name, path_to("files", "constraints", name, name), download=True)
    with ui.element("div").classes("fields"):
        called = Field("Name", "utility")
        lines = Field("One group per line, items separated by commas", "", kind="lines")

    def keep() -> None:
        if not lines.value.strip():
            raise ParameterError("Write at least one group.")
        replace_text(bench.project.free("constraints", called.value, ".txt"), lines.value.strip() + "\n")
        go("hierarchies")

    press("Keep", keep, "plain")
    with ui.element("div").classes("row"):
        data = Field("For these data", "", options=_list(bench, "data"))
        sort = Field("As", "utility", options={"utility": "utility", "privacy": "privacy"})
        file = Field("This file", "", options=_list(bench, "constraints"))

        def use() -> None:
            recipe = read_recipe(bench.project, data.value) if data.value else None
            if recipe is None or not file.value:
                raise ParameterError("Choose data that were looked at, and a file.")
            path = str(bench.project.find("constraints", file.value))
            given = {**recipe.options.get("constraints", {}), sort.value: path}
            changed = dataclasses.replace(recipe, options={**recipe.options, "constraints": given})
            write_recipe(bench.project, data.value, changed)
            go("data", data.value)

        press("Use", use, "plain")
