"""The Anonymise page: a method chosen by what it promises, a form of what it declares, a run, and what came of it."""

from __future__ import annotations

import csv
import itertools
from typing import Any

from nicegui import ui

from sfumato import registry
from sfumato.core.errors import ParameterError
from sfumato.core.method import Method
from sfumato.core.publishing.withholding import WITHHOLD_AT_MOST
from sfumato.workbench.pages.forms import ParameterForm
from sfumato.workbench.pages.parts import Bench, Field, frame, go, link, more, page, path_to, press, say, table, watch
from sfumato.workbench.pages.risk import choose_data, show_risks
from sfumato.workbench.policies import Recipe, read_recipe
from sfumato.workbench.tasks.viewing import read_page

__all__ = ["offer_files", "register", "show_scores", "show_verdict"]

_BESIDE = 8
_LONGEST = 60


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
            _offer_run(bench, name, recipe, registry.find(chosen, recipe.kind))
            _list_methods(name, recipe.kind, chosen)
            _list_runs(bench)

    @page("/run/{key}")
    def _run(key: str) -> None:
        job = bench.jobs.find(key)
        data = job.arguments["files"]["data"][0]
        with frame(f"A release of {data}", "anonymise", data):
            say(_describe_run(job.arguments), classes="muted")
            watch(bench, job, lambda found: show_release(bench, found, data))


def _offer_run(bench: Bench, name: str, recipe: Recipe, method: type[Method]) -> None:
    say(method.name, "h2")
    say(method.summary)
    promises = " or ".join(promise.title for promise in method.promises)
    needs = f" It needs {', '.join(method.needs)}." if method.needs else ""
    say(f"Promises {promises}; it optimises {method.optimises}.{needs}", classes="muted")
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
        count = Field(
            "k counts",
            "records",
            options={"records": "records", "people": "people"},
            help="What the smallest crowd is.",
        )

    def run() -> None:
        try:
            share = float(limit.value)
        except ValueError:
            raise ParameterError("May be left out: write a number from 0 to 1.") from None
        job = bench.jobs.ask(
            "publish",
            fresh=True,
            files={"data": [name]},
            method=method.name,
            parameters=form.collect(),
            out=out.value,
            withhold_at_most=share,
            count=count.value,
        )
        go("run", job.key)

    press("Anonymise", run)


def _list_methods(name: str, kind: str, chosen: str) -> None:
    """Show the methods by what they promise, those to try first at the top."""
    advised = registry.find_kind(kind).advised
    methods = registry.methods_for(kind)
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


def _describe_run(asked: dict[str, Any]) -> str:
    given = ", ".join(f"{n}={v}" for n, v in asked.get("parameters", {}).items() if v is not None)
    what = asked.get("method") or f"the recoding of {asked['files']['releases'][0]}"
    return f"{asked['files']['data'][0]} by {what}{f' ({given})' if given else ''}"


def show_release(bench: Bench, found: dict[str, Any], data: str) -> None:
    """Show what a run has published, how it was verified, attacked and measured, and what can be downloaded."""
    show_verdict(found["verdict"])
    say(found["statement"], "blockquote")
    with ui.element("ul").classes("tiles"):
        for label, value in (
            ("published", found["published"]),
            ("withheld", f"{found['withheld']:,}"),
            ("seconds in all", f"{sum(found['seconds'].values()):,.1f}"),
        ):
            with ui.element("li"):
                say(value, "b")
                say(label, "span")
    for told in found["warnings"]:
        say(told, classes="verdict careful")
    offer_files(bench, found["name"], found["policy"])
    if found["risk"]:
        say("Risk before and after", "h2")
        with ui.element("div").classes("pair"):
            for when in ("before", "after"):
                with ui.element("section").classes(when):
                    say(when.capitalize(), "h3")
                    show_risks(found["risk"][when], f"Risk {when}")
    show_scores(found["scores"])
    _show_beside(bench, found["name"], data)
    say("The report", "h2")
    frame_of_report(found["name"])
    if found["notes"]:
        with more("What was done"), ui.element("ul"):
            for note in found["notes"]:
                say(note, "li")


def frame_of_report(name: str) -> None:
    """Show the owner's report, which runs no scripts and reaches nothing."""
    target = path_to("files", "releases", name) + "/owner/report.html"
    say("It may show labels of the original: it is yours, and not for publishing.", classes="owner")
    report = ui.element("iframe").classes("report")
    report._props.update(
        {"src": f"{target}?show=1", "title": "Report on the release", "sandbox": "", "loading": "lazy"}
    )


def show_verdict(verdict: dict[str, Any]) -> None:
    """Show what verifying found: the sentence first, then what was claimed and measured."""
    level = {"holds": "", "broken": "broken"}.get(verdict["outcome"], "careful")
    say(verdict["sentence"], classes=f"verdict {level}".strip()).props('role="status"')
    for told in (*verdict["unsettled"], *(f"Not declared: {what}." for what in verdict["undeclared"])):
        say(told)
    names = dict.fromkeys([*verdict["claimed"], *verdict["measured"]])
    rows = [(n.replace("_", " "), verdict["claimed"].get(n), verdict["measured"].get(n)) for n in names]
    with more("Claimed and measured"):
        table(["what", "claimed", "measured"], rows, "Claimed and measured")
        if verdict["checks"]:
            checked = [(n.replace("_", " "), "passed" if ok else "FAILED") for n, ok in verdict["checks"].items()]
            table(["check", "outcome"], checked, "Checks")
    if verdict["witness"]:
        table(["what", "found"], list(verdict["witness"].items()), "Witness")


def show_scores(scores: list[dict[str, Any]]) -> None:
    """Show measures with what their numbers mean."""
    if not scores:
        return
    say("What it is still good for", "h2")
    rows = [
        (score["title"], score["value"], score["unit"], f"{score['better']} is better", score["explanation"])
        for score in scores
    ]
    table(["measure", "value", "unit", "", "what it means"], rows, "Measures")


def offer_files(bench: Bench, name: str, policy: str = "") -> None:
    """Offer the files of a release: what is for publishing first, what is the owner's marked."""
    files = bench.project.files("releases", name)
    public = [path for path in files if path.startswith("release/")]
    with ui.element("div").classes("row"):
        link("Download the release", path_to("zip", name), "button", download=True)
        link("Report", path_to("files", "releases", name) + "/owner/report.html?show=1", "button plain")
        if policy:
            link("Policy file", path_to("files", "policies", policy, policy), "button plain", download=True)
            link("Verify, attack, measure", path_to("releases", name), "button plain")
    with more(f"All files ({len(files)})"), ui.element("ul"):
        for path in [*public, *(path for path in files if path not in public)]:
            with ui.element("li"):
                link(path, path_to("files", "releases", name) + f"/{path}", download=True)
                if path not in public:
                    say(" not for publishing", "span", "owner")


def _show_beside(bench: Bench, name: str, data: str) -> None:
    """Show the first rows of the original and of the release beside each other; rows do not correspond."""
    looked = bench.jobs.ask("look", files={"data": [data]}, kind="")
    published = bench.project.files("releases", name).get("release/data.csv")
    say("Original beside release", "h2")
    say(
        "The first rows of both. Published rows are shuffled: they do not stand beside their originals.",
        classes="muted",
    )
    with ui.element("div").classes("pair"):
        with ui.element("section").classes("before"):
            say("Original", "h3")
            if looked.state == "done":
                head, rows = read_page(looked.folder / "view.parquet", 0)
                table(head, rows[:_BESIDE], "Original")
            else:
                link("Look at the data", path_to("data", data))
        with ui.element("section").classes("after"):
            say("Release", "h3")
            if published is not None:
                with published.open(encoding="utf-8", newline="") as file:
                    lines = list(itertools.islice(csv.reader(file), _BESIDE + 1))
                table(lines[0], [[_shorten(cell) for cell in row] for row in lines[1:]], "Release")


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
