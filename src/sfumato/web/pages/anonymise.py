"""The Anonymise page: a method chosen by what it promises, a form of what it declares, a run, and what came of it."""

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
from sfumato.data.record_unit import RECORD, TIME_POINT, Unit, plural
from sfumato.exceptions import ParameterError
from sfumato.params import declared
from sfumato.release.suppression import WITHHOLD_AT_MOST, read_limit
from sfumato.web.jobs import Job
from sfumato.web.pages.forms import ParameterForm, PartsForm
from sfumato.web.pages.parts import Bench, Field, frame, go, link, more, page, path_to, press, say, table, watch
from sfumato.web.pages.risk import choose_data, show_risks
from sfumato.web.policies import Recipe, read_recipe
from sfumato.web.tasks.view import read_page

__all__ = ["offer_files", "register", "show_remaining", "show_report", "show_scores", "show_verdict"]

_BESIDE = 8
_LONGEST = 60
_REPORT = "owner/report.html"
_FIRST_PART = "release/data/part-00000/data.csv"
_LISTED = 200
"""Files of a release that are listed: one in many parts has thousands."""


def register(bench: Bench) -> None:
    """Make the Anonymise page, and the page of a run."""

    @page("/anonymise")
    def _choose() -> None:
        with frame("Anonymise", "anonymise"):
            choose_data(bench, "anonymise")

    @page("/anonymise/{name}")
    def _show(name: str, method: str = "") -> None:
        recipe = read_recipe(bench.project, name)
        with frame("Anonymise", "anonymise", name):
            say(f"{name}", classes="muted")
            if recipe is None:
                say("How this file is read is not settled yet.")
                link("Look at the data first", path_to("data", name), "button")
                return
            chosen = method or recipe.method
            _offer_run(bench, name, recipe, plugins.find_method(chosen, recipe.kind))
            _list_methods(name, recipe.kind, chosen)
            _list_runs(bench)

    @page("/run/{key}")
    def _run(key: str) -> None:
        job = bench.jobs.find(key)
        data = job.arguments["files"]["data"][0]
        with frame(f"A release of {data}", "anonymise", data):
            say(_describe_run(job.arguments), classes="muted")
            live = _explain_parts if job.arguments.get("engine") else None
            watch(bench, job, lambda outcome: show_release(bench, outcome, data), live=live)


def _explain_parts(job: Job) -> None:  # noqa: ARG001 (it is the same of every job)
    say("Parts that are ready are kept: stopped and tried again, a run goes on with the others.", classes="muted")


def _offer_run(bench: Bench, name: str, recipe: Recipe, method: type[Method]) -> None:
    say(method.name, "h2")
    say(method.summary)
    promises = " or ".join(promise.title for promise in method.promises)
    needs = f" It needs {', '.join(method.needs)}." if method.needs else ""
    say(f"Promises {promises}; it optimises {method.optimises}.{needs}", classes="muted")
    records, unit = _look_up_size(bench, name)
    if unit.owner:
        say(unit.explain())
    given = recipe.parameters if method.name == recipe.method else {}
    form = ParameterForm(method, recipe.kind, given)
    with ui.element("div").classes("fields"):
        out = Field(
            "Name of the release", f"{name.split('.', maxsplit=1)[0]}-{method.name}", help="Letters, digits and dashes."
        )
    with more("More about the release"), ui.element("div").classes("fields"):
        limit = Field(
            "May be left out",
            f"{WITHHOLD_AT_MOST:g}",
            kind="slider",
            bounds=(0, 1),
            step="0.01",
            help="Share of the records that may be left out; with more, nothing is published.",
        )
        count = _ask_count(unit) if "k" in {parameter.name for parameter in declared(method)} else None
        parts = PartsForm(method, recipe.kind, unit)
    hint = parts.suggest(records)
    if hint:
        say(hint, classes="verdict careful")

    def run() -> None:
        try:
            share = read_limit(float(limit.value))
        except (ValueError, ParameterError):
            raise ParameterError("May be left out: write a number from 0 to 1.") from None
        parameters = form.collect()
        job = bench.jobs.ask(
            "publish",
            fresh=True,
            files={"data": [name]},
            method=method.name,
            parameters=parameters,
            out=out.value,
            withhold_at_most=share,
            count=count.value if count is not None else "records",
            **parts.collect(parameters),
        )
        go("run", job.key)

    press("Anonymise", run)


def _look_up_size(bench: Bench, name: str) -> tuple[int, Unit]:
    """Return how many records data have, none where that is not known yet, and what a record is."""
    looked = bench.jobs.ask("look", files={"data": [name]}, kind="")
    outcome = looked.outcome if looked.state == "done" else {}
    return int(outcome.get("rows", 0)), Unit.from_dict(outcome["unit"]) if "unit" in outcome else RECORD


def _ask_count(unit: Unit) -> Field | None:
    """Ask what k counts, where somebody may have several records; else records are people."""
    if not unit.owner:
        return None
    offered = {"records": unit.many, "people": plural(unit.owner)}
    return Field("k counts", "records", options=offered, help="What a crowd is made of.")


def _list_methods(name: str, kind: str, chosen: str) -> None:
    """Show the methods by what they promise, those to try first at the top."""
    advised = plugins.find_kind(kind).advised
    methods = plugins.methods_for(kind)
    promised: dict[str, list[type[Method]]] = {}
    for method in sorted(methods.values(), key=lambda method: (_rank(method.name, advised), method.name)):
        promised.setdefault(" or ".join(promise.title for promise in method.promises), []).append(method)
    say("Or another method", "h2")
    for title, group in promised.items():
        say(f"Promises {title}", "h3")
        with ui.element("ul").classes("cards"):
            for method in group:
                with ui.element("li").classes("card" + " chosen" * (method.name == chosen)):
                    with ui.element("h3"):
                        link(method.name, path_to("anonymise", name, method=method.name))
                    if method.name in advised:
                        say("try it first", "span", "tag")
                    say(method.summary)
                    if method.needs:
                        say(f"Needs {', '.join(method.needs)}.", classes="muted")


def _rank(name: str, advised: tuple[str, ...]) -> int:
    return advised.index(name) if name in advised else len(advised)


def _list_runs(bench: Bench) -> None:
    runs = [*bench.jobs.current("publish"), *bench.jobs.current("apply")][:10]
    if not runs:
        return
    say("Runs", "h2")
    with ui.element("ul"):
        for job in runs:
            with ui.element("li"):
                link(f"{_describe_run(job.arguments)}: {job.state}", path_to("run", job.key))


def _describe_run(arguments: dict[str, Any]) -> str:
    given = ", ".join(f"{n}={v}" for n, v in arguments.get("parameters", {}).items() if v is not None)
    what = arguments.get("method") or f"the recoding of {arguments['files']['releases'][0]}"
    parts = ", in parts" if arguments.get("engine") else ""
    return f"{arguments['files']['data'][0]} by {what}{f' ({given})' if given else ''}{parts}"


def show_release(bench: Bench, outcome: dict[str, Any], data: str) -> None:
    """Show what a run has published, how it was verified, attacked and measured, and what can be downloaded."""
    show_verdict(outcome["verdict"])
    say(outcome["statement"], "blockquote")
    if outcome["method_note"]:
        say(f"{NOTE_LABEL}: {outcome['method_note']}")
    parts = outcome.get("parts", 0)
    if parts:
        say("Every part keeps this on its own, and so do all of them together.")
    with ui.element("ul").classes("tiles"):
        for label, value in (
            ("published", outcome["published"]),
            ("withheld", f"{outcome['withheld']:,}"),
            *([("parts", f"{parts:,}")] if parts else []),
            ("seconds in all", f"{sum(outcome['seconds'].values()):,.1f}"),
        ):
            with ui.element("li"):
                say(value, "b")
                say(label, "span")
    for doubt in outcome.get("doubts", ()):
        say(doubt, classes="verdict careful")
    offer_files(bench, outcome["name"], outcome["policy"])
    if outcome["risk"]:
        say("Risk before and after", "h2")
        with ui.element("div").classes("pair"):
            for when in ("before", "after"):
                with ui.element("section").classes(when):
                    say(when.capitalize(), "h3")
                    show_risks(outcome["risk"][when], f"Risk {when}")
    show_scores(outcome["scores"])
    _show_beside(bench, outcome["name"], data)
    show_report(bench, outcome["name"])
    if outcome["notes"]:
        with more("What was done"), ui.element("ul"):
            for note in outcome["notes"]:
                say(note, "li")


def show_report(bench: Bench, name: str) -> None:
    """Show the owner's report if there is one; it runs no scripts and reaches nothing."""
    say("The report", "h2")
    if _REPORT not in bench.project.files("releases", name):
        say("There is none.")
        return
    target = path_to("files", "releases", name) + f"/{_REPORT}"
    say("It may show labels of the original: it is yours, and not for publishing.", classes="owner")
    report = ui.element("iframe").classes("report")
    report._props.update(
        {"src": f"{target}?show=1", "title": "Report on the release", "sandbox": "", "loading": "lazy"}
    )


def show_verdict(verdict: dict[str, Any]) -> None:
    """Show what verifying found: the sentence first, then what was claimed and measured."""
    level = {"holds": "", "broken": "broken"}.get(verdict["outcome"], "careful")
    say(verdict["sentence"], classes=f"verdict {level}".strip()).props('role="status"')
    for sentence in (*verdict["unsettled"], *(f"Not declared: {what}." for what in verdict["undeclared"])):
        say(sentence)
    for sentence in verdict.get("warnings", ()):
        say(sentence, classes="verdict careful")
    show_remaining(verdict.get("remaining", ()))
    names = dict.fromkeys([*verdict["claimed"], *verdict["measured"]])
    rows = [(n.replace("_", " "), verdict["claimed"].get(n), verdict["measured"].get(n)) for n in names]
    with more("Claimed and measured"):
        table(["what", "claimed", "measured"], rows, "Claimed and measured")
        if verdict["checks"]:
            checked = [(n.replace("_", " "), "passed" if ok else "FAILED") for n, ok in verdict["checks"].items()]
            table(["check", "outcome"], checked, "Checks")
    if verdict["witness"]:
        table(["what", "found"], list(verdict["witness"].items()), "Witness")


def show_remaining(remaining: Sequence[Mapping[str, Any]]) -> None:
    """Show what remains possible: warnings in a frame, the rest as a list."""
    if not remaining:
        return
    say(TITLE, "h2")
    for possibility in remaining:
        if possibility["severity"] == "warning":
            say(f"{possibility['sentence']} {possibility['hint']}".strip(), classes="verdict careful")
    with ui.element("ul"):
        for possibility in remaining:
            if possibility["severity"] != "warning":
                say(f"{possibility['sentence']} {possibility['hint']}".strip(), "li")


def show_scores(scores: list[dict[str, Any]]) -> None:
    """Show measures with what their numbers mean."""
    if not scores:
        return
    say("Utility", "h2")
    rows = [
        (score["title"], score["value"], score["unit"], f"{score['better']} is better", score["explanation"])
        for score in scores
    ]
    table(["measure", "value", "unit", "", "what it means"], rows, "Measures")


def offer_files(bench: Bench, name: str, policy: str = "") -> None:
    """Offer the files of a release: what is for publishing first, what is the owner's marked."""
    files = bench.project.files("releases", name)
    public = {path for path in files if path.startswith("release/")}
    with ui.element("div").classes("row"):
        link("Download the release", path_to("zip", name), "button", download=True)
        if _REPORT in files:
            link("Report", path_to("files", "releases", name) + f"/{_REPORT}?show=1", "button plain")
        if policy:
            link("Policy file", path_to("files", "policies", policy, policy), "button plain", download=True)
            link("Verify, attack, measure", path_to("releases", name), "button plain")
    # What lies beside the parts of a release first, then one part after the other.
    ordered = sorted(files, key=lambda path: (path not in public, path.count("/"), path))
    with more(f"All files ({len(files):,})"):
        with ui.element("ul"):
            for path in ordered[:_LISTED]:
                with ui.element("li"):
                    link(path, path_to("files", "releases", name) + f"/{path}", download=True)
                    if path not in public:
                        say(" not for publishing", "span", "owner")
        if len(files) > _LISTED:
            say(
                f"{len(files) - _LISTED:,} more lie in the folder releases of the project; those for publishing are "
                "all in the download."
            )


def _show_beside(bench: Bench, name: str, data: str) -> None:
    """Show the first rows of the original and of the release beside each other; rows do not correspond."""
    looked = bench.jobs.ask("look", files={"data": [data]}, kind="")
    files = bench.project.files("releases", name)
    published = files.get("release/data.csv", files.get(_FIRST_PART))
    say("Original beside release", "h2")
    timed = looked.outcome.get("unit", {}).get("one") == TIME_POINT.one
    order = "" if timed else " Published rows do not stand beside their originals."
    of_part = " Those of the release are of its first part." if _FIRST_PART in files else ""
    say(f"The first rows of both.{order}{of_part}", classes="muted")
    with ui.element("div").classes("pair"):
        with ui.element("section").classes("before"):
            say("Original", "h3")
            if looked.state == "done":
                head, rows = read_page(looked.folder / "view.parquet", 0)
                table(head, [[_shorten(cell) for cell in row] for row in rows[:_BESIDE]], "Original")
            else:
                link("Look at the data", path_to("data", data))
        with ui.element("section").classes("after"):
            say("Release", "h3")
            if published is not None:
                with published.open(encoding="utf-8", newline="") as file:
                    lines = list(itertools.islice(csv.reader(file), _BESIDE + 1))
                table(lines[0], [[_shorten(cell) for cell in row] for row in lines[1:]], "Release")


def _shorten(cell: Any) -> Any:
    return cell if len(str(cell)) <= _LONGEST else str(cell)[: _LONGEST - 1] + "…"
