"""The Compare page: one method or several over a parameter that varies, with plots that grow as cells finish."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nicegui import ui

from sfumato import plugins
from sfumato.data.kind import KindSpec
from sfumato.escape import escape_html
from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.params import Parameter, declared
from sfumato.studies.study_file import read_study
from sfumato.web.jobs import Job
from sfumato.web.pages.parts import (
    Field,
    Workspace,
    add_text,
    figures,
    frame,
    link,
    open_page,
    page,
    path_to,
    press,
    table,
    watch,
)
from sfumato.web.pages.risk import choose_data
from sfumato.web.policies import Recipe, format_data_section, format_section, read_recipe
from sfumato.web.project import replace_text
from sfumato.web.tasks.study import FIGURES

__all__ = ["register"]

_FIRST = 3


def register(workspace: Workspace) -> None:
    """Make the Compare page, and the page of a study."""

    @page("/compare")
    def _choose() -> None:
        with frame("Compare", "compare"):
            choose_data(workspace, "compare")
            _list_studies(workspace)

    @page("/compare/{name}")
    def _show(name: str) -> None:
        recipe = read_recipe(workspace.project, name)
        with frame("Compare methods", "compare", name):
            add_text(f"{name}", classes="muted")
            if recipe is None:
                add_text("The columns of this file are not configured.")
                link("Configure columns", path_to("data", name), "button")
                return
            _offer_study(workspace, name, recipe)
            _list_studies(workspace)

    @page("/study/{name}")
    def _study(name: str) -> None:
        path = workspace.project.find("studies", name)
        with frame(f"Study {path.stem}", "compare"):
            with ui.element("div").classes("row"):
                link("Study file", path_to("files", "studies", name, name), "button plain", download=True)
            read = Path(read_study(path).data.path or "")
            data = [read.name] if read.name in workspace.project.list("data") else []
            job = workspace.jobs.request("study", files={"studies": [name], "data": data})
            watch(workspace, job, lambda outcome: _show_result(job, outcome), live=_show_early)


def _list_studies(workspace: Workspace) -> None:
    names = [name for name in workspace.project.list("studies") if name.endswith(".toml")]
    if names:
        add_text("Studies of this project", "h2")
        with ui.element("ul"):
            for name in names:
                with ui.element("li"):
                    link(name.removesuffix(".toml"), path_to("study", name))


def _offer_study(workspace: Workspace, name: str, recipe: Recipe) -> None:
    kind = plugins.find_kind(recipe.kind)
    methods = plugins.methods_for(recipe.kind)
    varying = list(dict.fromkeys(p.name for m in methods.values() for p in declared(m) if _can_vary(p, kind)))
    first = next((choice for choice in kind.default_grid if choice in varying), varying[0] if varying else "")
    add_text("Every method runs with every value, each in its own process. Finished trials are kept.")
    with ui.element("div").classes("fields"):
        varies = Field("Parameter", first, options={choice: choice for choice in varying})
        default_grid = kind.default_grid.get(first, (2, 5, 10))
        values = Field("Values", ", ".join(map(str, default_grid)), help="Separated by commas, or start..end..step.")
        out = Field(
            "Name of the study", f"{name.split('.', maxsplit=1)[0]}-{first}", help="Letters, digits and dashes."
        )
        times = Field("Repetitions", "1", kind="number", bounds=(1, 20), step="1")
        timeout = Field("Time limit per trial (seconds)", "300", kind="number", bounds=(1, 86_400), step="1")
        measures = Field(
            "Measures", "headline", options={"headline": ", ".join(kind.primary_metrics), "all": "all of them"}
        )
        drawn = {"": "(drawn anew)"} | {choice: choice for choice in workspace.project.list("workloads")}
        queries = Field("Queries for measures", "", options=drawn)
    add_text("Methods", "h3")
    chosen: dict[str, Field] = {}
    ordered = sorted(methods, key=lambda choice: (choice not in kind.recommended, choice))
    fit = [choice for choice in ordered if first in {p.name for p in declared(methods[choice])}]
    picked = sorted(fit, key=lambda choice: not _has_all(methods[choice].needs, recipe.options))[:_FIRST]
    with ui.element("div").classes("fields"):
        for choice in ordered:
            needs = f" Needs {', '.join(methods[choice].needs)}." if methods[choice].needs else ""
            value = "true" if choice in picked else "false"
            chosen[choice] = Field(choice, value, kind="check", help=f"{methods[choice].summary}{needs}")

    def run() -> None:
        study: dict[str, Any] = {
            "varies": varies.value,
            "values": read_values(values.value),
            "methods": [method for method, field in chosen.items() if field.value == "true"],
            "study": {"repetitions": times.read_whole(), "timeout": float(timeout.read_whole())},
        }
        if queries.value:
            study["study"] |= {"workload": f"../workloads/{workspace.project.find('workloads', queries.value).name}"}
        if measures.value == "headline":
            study["study"] |= {"measures": list(kind.primary_metrics)}
        path = _write_study(workspace, name, recipe, out.value, study)
        open_page("study", path.name)

    press("Run the study", run)


def _has_all(needs: Sequence[str], options: Mapping[str, Any]) -> bool:
    """Return whether what a method needs is there, as far as it has to be given: coordinates are in the data."""
    given = {word: bool(options.get(word)) for word in ("sensitive", "monitored", "constraints")}
    given |= {f"hierarchy {column}": True for column in options.get("hierarchies") or {}}
    return all(given.get(need, given.get(need.split()[0], not need.startswith("hierarchy"))) for need in needs)


def _can_vary(parameter: Parameter, kind: KindSpec) -> bool:
    """Return whether a parameter is a number, or something else that usually has several values, such as a fraction."""
    return parameter.type in {int, float} or len(kind.default_grid.get(parameter.name, ())) > 1


def read_values(text: str) -> list[Any]:
    """Read the values of a parameter: a list, or from a start to an end by steps.

    Examples
    --------
    >>> read_values("2, 5, 10"), read_values("0.1..0.3..0.1"), read_values("1/5")
    ([2, 5, 10], [0.1, 0.2, 0.3], ['1/5'])
    """
    from sfumato.studies.study_file import spread

    parts = [part.strip() for part in text.split("..")]
    if len(parts) == 3:
        return spread("values", dict(zip(("start", "end", "step"), map(_read_number, parts), strict=True)))
    values = [_read_number(part.strip()) for part in text.split(",") if part.strip()]
    if not values:
        raise ParameterError("Values needs at least one value.", option="Values", hint="For example: 2, 5, 10")
    return values


def _read_number(text: str) -> Any:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    try:
        return float(text)
    except ValueError:
        return text


def _write_study(workspace: Workspace, name: str, recipe: Recipe, wanted: str, study: dict[str, Any]) -> Path:
    """Write a study file and check all of it, so that a study which cannot run is not begun."""
    if not study["methods"]:
        raise ParameterError("Choose at least one method.", option="Methods")
    path = workspace.project.free("studies", wanted, ".toml")
    verb = "compare" if len(study["methods"]) > 1 else "evaluate"
    lines = [f"# Run it with: sfumato {verb} {path.name} --out {path.stem}", ""]
    lines += format_data_section(path.parent, workspace.project.find("data", name), recipe.kind, recipe.options)
    default_grid = plugins.find_kind(recipe.kind).default_grid
    for method in study["methods"]:
        parameters = declared(plugins.find_method(method, recipe.kind))
        fixed = {p.name: _fix(p.name, default_grid, recipe, method) for p in parameters}
        settings = {n: v for n, v in fixed.items() if v is not None and n != study["varies"]}
        lines += ["", "[[method]]", *format_section("method", {"name": method, **settings})[1:]]
        if study["varies"] in fixed:
            lines += format_section("method.vary", {study["varies"]: study["values"]})
    lines += ["", *format_section("study", study["study"])]
    replace_text(path, "\n".join(lines) + "\n")
    try:
        read_study(path)
    except SfumatoError:
        path.unlink()
        raise
    return path


def _fix(name: str, default_grid: Any, recipe: Recipe, method: str) -> Any:
    if method == recipe.method and name in recipe.parameters:
        return recipe.parameters[name]
    values = default_grid.get(name)
    return values[len(values) // 2] if values else None


def _show_early(job: Job) -> None:
    try:
        drawn = json.loads((job.folder / FIGURES).read_bytes())
    except (OSError, ValueError):
        return
    _show_drawn(drawn)


def _show_result(job: Job, outcome: dict[str, Any]) -> None:
    counts = ", ".join(f"{number} {status}" for status, number in outcome["counts"].items())
    add_text(f"{outcome['cells']} trials: {counts}.", classes="verdict")
    with ui.element("div").classes("row"):
        target = path_to("files", "studies", outcome["folder"])
        link("Page of the study", f"{target}/study.html?show=1", "button")
        for name in outcome["tables"]:
            link(name, f"{target}/{name}", "button plain", download=True)
    _show_early(job)


def _show_drawn(drawn: dict[str, Any]) -> None:
    figures(
        f"<figure aria-label='{escape_html(figure['title'])}'><h3>{escape_html(figure['title'])}</h3>{figure['svg']}"
        f"<figcaption>{escape_html(figure['caption'])}</figcaption></figure>"
        for figure in drawn["figures"]
    )
    head = ["method", "values", "status", "attacker's success after", "seconds", "why not"]
    table(head, drawn["rows"], "Trials")
