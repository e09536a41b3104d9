"""The Anonymise page: a method chosen by guarantee, a form of what it declares, a run, and what came of it."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from sfumato import plugins
from sfumato.base.guarantee import NOTE_LABEL
from sfumato.base.method import Method
from sfumato.base.remaining import TITLE
from sfumato.data.record_unit import RECORD, TIME_POINT, RecordUnit, plural
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option
from sfumato.params import declared
from sfumato.release.suppression import read_limit
from sfumato.web.jobs import Job
from sfumato.web.pages.forms import RELEASE, ParameterForm, PartitionsForm
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
from sfumato.web.pages.risk import choose_data, show_risks
from sfumato.web.policies import Recipe, read_recipe
from sfumato.web.tasks.view import read_page

__all__ = ["offer_files", "register", "show_remaining", "show_report", "show_scores", "show_verdict"]

_BESIDE = 8
_LONGEST = 60
_REPORT = "owner/report.html"
_FIRST_PARTITION = "release/data/part-00000/data.csv"
_LISTED = 200
"""Files of a release that are listed: one in many partitions has thousands."""


def register(workspace: Workspace) -> None:
    """Make the Anonymise page, and the page of a run."""

    @page("/anonymise")
    def _choose() -> None:
        with frame("Anonymise", "anonymise"):
            choose_data(workspace, "anonymise")

    @page("/anonymise/{name}")
    def _show(name: str, method: str = "") -> None:
        recipe = read_recipe(workspace.project, name)
        with frame("Anonymise", "anonymise", name):
            add_text(f"{name}", classes="muted")
            if recipe is None:
                add_text("The columns of this file are not configured.")
                link("Configure columns", path_to("data", name), "button")
                return
            chosen = method or recipe.method
            _offer_run(workspace, name, recipe, plugins.find_method(chosen, recipe.kind))
            _list_methods(name, recipe.kind, chosen)
            _list_runs(workspace)

    @page("/run/{key}")
    def _run(key: str) -> None:
        job = workspace.jobs.find(key)
        data = job.arguments["files"]["data"][0]
        with frame(f"A release of {data}", "anonymise", data):
            add_text(_describe_run(job.arguments), classes="muted")
            live = _explain_partitions if job.arguments.get("engine") else None
            watch(workspace, job, lambda outcome: show_release(workspace, outcome, data), live=live)


def _explain_partitions(job: Job) -> None:  # noqa: ARG001 (it is the same of every job)
    add_text(
        "Finished partitions are kept: a run that is stopped and tried again continues with the others.",
        classes="muted",
    )


def _offer_run(workspace: Workspace, name: str, recipe: Recipe, method: type[Method]) -> None:
    add_text(method.name, "h2")
    add_text(method.summary)
    guarantees = " or ".join(guarantee.title for guarantee in method.guarantees)
    needs = f" It needs {', '.join(method.needs)}." if method.needs else ""
    add_text(f"Guarantee: {guarantees}. Optimises {method.optimises}.{needs}", classes="muted")
    records, unit = _find_size(workspace, name)
    if unit.owner:
        add_text(unit.explain())
    given = recipe.parameters if method.name == recipe.method else {}
    form = ParameterForm(method, recipe.kind, given)
    with ui.element("div").classes("fields"):
        out = Field(
            "Name of the release", f"{name.split('.', maxsplit=1)[0]}-{method.name}", help="Letters, digits and dashes."
        )
    with more("More release options"), ui.element("div").classes("fields"):
        limit = Field(
            RELEASE["max_suppressed_records"].label,
            f"{RELEASE['max_suppressed_records'].default:g}",
            kind="slider",
            bounds=(0, 1),
            step="0.01",
            help=RELEASE["max_suppressed_records"].summary,
        )
        protect = _make_protect_field(unit) if "k" in {parameter.name for parameter in declared(method)} else None
        partitions = PartitionsForm(method, recipe.kind, unit)
    hint = partitions.suggest(records)
    if hint:
        add_text(hint, classes="verdict careful")

    def run() -> None:
        try:
            share = read_limit(float(limit.value))
        except (ValueError, ParameterError):
            raise ParameterError(
                Message(option("max_suppressed_records"), " must be a number from 0 to 1."), hint="For example: 0.05"
            ) from None
        parameters = form.collect()
        job = workspace.jobs.request(
            "publish",
            fresh=True,
            files={"data": [name]},
            method=method.name,
            parameters=parameters,
            out=out.value,
            max_suppressed_records=share,
            protect=protect.value if protect is not None else "records",
            **partitions.collect(parameters),
        )
        open_page("run", job.key)

    press("Anonymise", run)


def _find_size(workspace: Workspace, name: str) -> tuple[int, RecordUnit]:
    """Return how many records data have, none where that is not known yet, and what a record is."""
    inspection = workspace.jobs.request("look", files={"data": [name]}, kind="")
    outcome = inspection.outcome if inspection.state == "done" else {}
    return int(outcome.get("rows", 0)), RecordUnit.from_dict(outcome["unit"]) if "unit" in outcome else RECORD


def _make_protect_field(unit: RecordUnit) -> Field | None:
    """Ask what k counts, where somebody may have several records; else records are people."""
    if not unit.owner:
        return None
    offered = {"records": unit.many, "people": plural(unit.owner)}
    protect = RELEASE["protect"]
    return Field(protect.label, protect.default, options=offered, help=protect.summary)


def _list_methods(name: str, kind: str, chosen: str) -> None:
    """Show the methods by guarantee, those to try first at the top."""
    recommended = plugins.find_kind(kind).recommended
    methods = plugins.methods_for(kind)
    guaranteed: dict[str, list[type[Method]]] = {}
    for method in sorted(methods.values(), key=lambda method: (_rank(method.name, recommended), method.name)):
        guaranteed.setdefault(" or ".join(guarantee.title for guarantee in method.guarantees), []).append(method)
    add_text("Other methods", "h2")
    for title, group in guaranteed.items():
        add_text(f"Guarantee: {title}", "h3")
        with ui.element("ul").classes("cards"):
            for method in group:
                with ui.element("li").classes("card" + " chosen" * (method.name == chosen)):
                    with ui.element("h3"):
                        link(method.name, path_to("anonymise", name, method=method.name))
                    if method.name in recommended:
                        add_text("recommended", "span", "tag")
                    add_text(method.summary)
                    if method.needs:
                        add_text(f"Needs {', '.join(method.needs)}.", classes="muted")


def _rank(name: str, recommended: tuple[str, ...]) -> int:
    return recommended.index(name) if name in recommended else len(recommended)


def _list_runs(workspace: Workspace) -> None:
    runs = [*workspace.jobs.current("publish"), *workspace.jobs.current("apply")][:10]
    if not runs:
        return
    add_text("Runs", "h2")
    with ui.element("ul"):
        for job in runs:
            with ui.element("li"):
                link(f"{_describe_run(job.arguments)}: {job.state}", path_to("run", job.key))


def _describe_run(arguments: dict[str, Any]) -> str:
    given = ", ".join(f"{n}={v}" for n, v in arguments.get("parameters", {}).items() if v is not None)
    what = arguments.get("method") or f"the recoding of {arguments['files']['releases'][0]}"
    partitions = ", in partitions" if arguments.get("engine") else ""
    return f"{arguments['files']['data'][0]} by {what}{f' ({given})' if given else ''}{partitions}"


def show_release(workspace: Workspace, outcome: dict[str, Any], data: str) -> None:
    """Show what a run has published, how it was verified, attacked and measured, and what can be downloaded."""
    show_verdict(outcome["verdict"])
    add_text(outcome["statement"], "blockquote")
    if outcome["method_note"]:
        add_text(f"{NOTE_LABEL}: {outcome['method_note']}")
    partitions = outcome.get("parts", 0)
    if partitions:
        add_text("The guarantee holds for every partition and for the whole release.")
    with ui.element("ul").classes("tiles"):
        for label, value in (
            ("published", outcome["published"]),
            ("withheld", f"{outcome['withheld']:,}"),
            *([("partitions", f"{partitions:,}")] if partitions else []),
            ("seconds in all", f"{sum(outcome['seconds'].values()):,.1f}"),
        ):
            with ui.element("li"):
                add_text(value, "b")
                add_text(label, "span")
    for doubt in outcome.get("doubts", ()):
        add_text(doubt, classes="verdict careful")
    offer_files(workspace, outcome["name"], outcome["policy"])
    if outcome["risk"]:
        add_text("Risk before and after", "h2")
        with ui.element("div").classes("pair"):
            for when in ("before", "after"):
                with ui.element("section").classes(when):
                    add_text(when.capitalize(), "h3")
                    show_risks(outcome["risk"][when], f"Risk {when}")
    show_scores(outcome["scores"])
    _show_beside(workspace, outcome["name"], data)
    show_report(workspace, outcome["name"])
    if outcome["notes"]:
        with more("Notes"), ui.element("ul"):
            for note in outcome["notes"]:
                add_text(note, "li")


def show_report(workspace: Workspace, name: str) -> None:
    """Show the owner's report if there is one; it runs no scripts and reaches nothing."""
    add_text("Report", "h2")
    if _REPORT not in workspace.project.files("releases", name):
        add_text("This release has no report.")
        return
    target = path_to("files", "releases", name) + f"/{_REPORT}"
    add_text("For the owner only: the report may show labels of the original. Do not publish it.", classes="owner")
    report = ui.element("iframe").classes("report")
    report._props.update(
        {"src": f"{target}?show=1", "title": "Report on the release", "sandbox": "", "loading": "lazy"}
    )


def show_verdict(verdict: dict[str, Any]) -> None:
    """Show what verifying found: the sentence first, then what was claimed and measured."""
    level = {"holds": "", "broken": "broken"}.get(verdict["outcome"], "careful")
    add_text(verdict["sentence"], classes=f"verdict {level}".strip()).props('role="status"')
    for sentence in (*verdict["unsettled"], *(f"Not declared: {what}." for what in verdict["undeclared"])):
        add_text(sentence)
    for sentence in verdict.get("warnings", ()):
        add_text(sentence, classes="verdict careful")
    show_remaining(verdict.get("remaining", ()))
    names = dict.fromkeys([*verdict["claimed"], *verdict["measured"]])
    rows = [(n.replace("_", " "), verdict["claimed"].get(n), verdict["measured"].get(n)) for n in names]
    with more("Claimed and measured"):
        table(["what", "claimed", "measured"], rows, "Claimed and measured")
        if verdict["checks"]:
            checked = [(n.replace("_", " "), "passed" if ok else "FAILED") for n, ok in verdict["checks"].items()]
            table(["check", "outcome"], checked, "Checks")
    if verdict["witness"]:
        table(["what", "found"], list(verdict["witness"].items()), "Counterexample")


def show_remaining(remaining: Sequence[Mapping[str, Any]]) -> None:
    """Show what remains possible: warnings in a frame, the rest as a list."""
    if not remaining:
        return
    add_text(TITLE, "h2")
    for possibility in remaining:
        if possibility["severity"] == "warning":
            add_text(f"{possibility['sentence']} {possibility['hint']}".strip(), classes="verdict careful")
    with ui.element("ul"):
        for possibility in remaining:
            if possibility["severity"] != "warning":
                add_text(f"{possibility['sentence']} {possibility['hint']}".strip(), "li")


def show_scores(scores: list[dict[str, Any]]) -> None:
    """Show measures with what their numbers mean."""
    if not scores:
        return
    add_text("Utility", "h2")
    rows = [
        (score["title"], score["value"], score["unit"], f"{score['better']} is better", score["explanation"])
        for score in scores
    ]
    table(["measure", "value", "unit", "", "meaning"], rows, "Measures")


def offer_files(workspace: Workspace, name: str, policy: str = "") -> None:
    """Offer the files of a release: what is for publishing first, what is the owner's marked."""
    files = workspace.project.files("releases", name)
    public = {path for path in files if path.startswith("release/")}
    with ui.element("div").classes("row"):
        link("Download the release", path_to("zip", name), "button", download=True)
        if _REPORT in files:
            link("Report", path_to("files", "releases", name) + f"/{_REPORT}?show=1", "button plain")
        if policy:
            link("Policy file", path_to("files", "policies", policy, policy), "button plain", download=True)
            link("Verify, attack, measure", path_to("releases", name), "button plain")
    # What lies beside the partitions of a release first, then one partition after the other.
    ordered = sorted(files, key=lambda path: (path not in public, path.count("/"), path))
    with more(f"All files ({len(files):,})"):
        with ui.element("ul"):
            for path in ordered[:_LISTED]:
                with ui.element("li"):
                    link(path, path_to("files", "releases", name) + f"/{path}", download=True)
                    if path not in public:
                        add_text(" not for publishing", "span", "owner")
        if len(files) > _LISTED:
            add_text(
                f"{len(files) - _LISTED:,} more lie in the folder releases of the project; those for publishing are "
                "all in the download."
            )


def _show_beside(workspace: Workspace, name: str, data: str) -> None:
    """Show the first rows of the original and of the release beside each other; rows do not correspond."""
    inspection = workspace.jobs.request("look", files={"data": [data]}, kind="")
    files = workspace.project.files("releases", name)
    published = files.get("release/data.csv", files.get(_FIRST_PARTITION))
    add_text("Original and release", "h2")
    timed = inspection.outcome.get("unit", {}).get("one") == TIME_POINT.one
    order = "" if timed else " Rows do not correspond."
    of_partition = " The release shows its first partition." if _FIRST_PARTITION in files else ""
    add_text(f"The first rows of both.{order}{of_partition}", classes="muted")
    with ui.element("div").classes("pair"):
        with ui.element("section").classes("before"):
            add_text("Original", "h3")
            if inspection.state == "done":
                head, rows = read_page(inspection.folder / "view.parquet", 0)
                table(head, [[_shorten(cell) for cell in row] for row in rows[:_BESIDE]], "Original")
            else:
                link("Open the data", path_to("data", data))
        with ui.element("section").classes("after"):
            add_text("Release", "h3")
            if published is not None:
                with published.open(encoding="utf-8", newline="") as file:
                    lines = list(itertools.islice(csv.reader(file), _BESIDE + 1))
                table(lines[0], [[_shorten(cell) for cell in row] for row in lines[1:]], "Release")


def _shorten(cell: Any) -> Any:
    return cell if len(str(cell)) <= _LONGEST else str(cell)[: _LONGEST - 1] + "…"
