"""The Releases page: what was published, to be verified, attacked, measured, applied, and laid beside another."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import ui

from sfumato import plugins
from sfumato.base.guarantee import NOTE_LABEL, read_guarantee
from sfumato.data.kind import WRITTEN
from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.exports import list_formats
from sfumato.release.manifest import DIVIDED
from sfumato.web.pages.anonymise import (
    offer_files,
    show_remaining,
    show_report,
    show_scores,
    show_verdict,
)
from sfumato.web.pages.parts import (
    Field,
    Workspace,
    add_text,
    facts,
    frame,
    link,
    open_page,
    page,
    path_to,
    press,
    table,
    watch,
)
from sfumato.web.pages.query import offer_questions
from sfumato.web.pages.risk import PIECES, show_risks
from sfumato.web.policies import POLICIES

__all__ = ["register"]

_LAYOUTS = {"wide": "a row for each record", "long": "a row for each visit, event or item"}


def register(workspace: Workspace) -> None:
    """Make the Releases page."""

    @page("/releases")
    def _list() -> None:
        with frame("Releases", "releases"):
            _list_releases(workspace)

    @page("/releases/{name}")
    def _show(name: str, do: str = "", data: str = "", with_: str = "", queries: str = "", m: int = 2) -> None:
        workspace.project.find("releases", name)
        with frame(name, "releases"):
            facts(_describe(workspace, name), "Release")
            offer_files(workspace, name)
            _offer_judging(workspace, name, data or _find_original(workspace, name))
            _judge(workspace, name, do, data, with_, queries, m)
            offer_questions(
                workspace, name, str(_describe(workspace, name)["kind"]), data or _find_original(workspace, name)
            )
            _offer_export(workspace, name)
            _offer_apply(workspace, name)
            show_report(workspace, name)


def _list_releases(workspace: Workspace) -> None:
    names = workspace.project.list("releases")
    if not names:
        add_text("There are no releases yet.")
        link("Anonymise data", path_to("anonymise"), "button")
        return
    with ui.element("ul").classes("cards"):
        for name in names:
            with ui.element("li").classes("card"):
                with ui.element("h3"):
                    link(name, path_to("releases", name))
                described = _describe(workspace, name)
                partitions = [] if described.get("parts") is None else [f"in {described['parts']:,} partitions"]
                add_text(
                    ", ".join(
                        [
                            *(str(described[key]) for key in ("kind", "method", "promise") if key in described),
                            *partitions,
                        ]
                    )
                )


def _describe(workspace: Workspace, name: str) -> dict[str, Any]:
    """Return what a release says about itself."""
    path = workspace.project.files("releases", name).get("release/release.json")
    try:
        manifest = {} if path is None else json.loads(path.read_bytes())
        guarantee = manifest["guarantee"]
        return {
            "kind": manifest.get("kind"),
            "method": manifest.get("method"),
            "promise": str(read_guarantee(manifest["kind"], guarantee)),
            "statement": guarantee["statement"],
            NOTE_LABEL: manifest.get("method_note") or None,
            "records": _count_records(manifest.get("records", {})),
            "parts": len(manifest[DIVIDED]) if DIVIDED in manifest else None,
        }
    except (ValueError, AttributeError, LookupError, TypeError, SfumatoError):
        return {"kind": "not readable"}


def _count_records(records: dict[str, Any]) -> str:
    reasons = ", ".join(f"{number:,} {why}" for why, number in (records.get("withheld_by_reason") or {}).items())
    text = f"{records.get('published', 0):,} published, {records.get('withheld', 0):,} withheld"
    return text + (f" ({reasons})" if reasons else "")


def _find_original(workspace: Workspace, name: str) -> str:
    """Return the data a release was made from, if its policy names them."""
    for policy in workspace.project.list("policies"):
        try:
            read = POLICIES.of(workspace.project.area("policies") / policy)
        except (SfumatoError, OSError):
            continue
        made = read.release.out.rsplit("/", 1)[-1]
        source = read.data.path.rsplit("/", 1)[-1]
        if made == name and source in workspace.project.list("data"):
            return source
    return ""


def _offer_judging(workspace: Workspace, name: str, original: str) -> None:
    add_text("Verify, attack, measure", "h2")
    data = {"": "(none: from the published files alone)"} | {
        choice: choice for choice in workspace.project.list("data")
    }
    others = {"": "(none)"} | {choice: choice for choice in workspace.project.list("releases") if choice != name}
    queries = {"": "(drawn anew)"} | {choice: choice for choice in workspace.project.list("workloads")}
    with ui.element("div").classes("fields"):
        chosen = Field("Original", original, options=data)
        knowledge = Field("Largest knowledge of the attacker", "2", options=PIECES)
        workload = Field("Queries for measures", "", options=queries)
        other = Field("Another release", "", options=others, help="To compare with this one.")

    def begin(do: str) -> Callable[[], None]:
        def act() -> None:
            if do == "together" and not other.value:
                raise ParameterError("Choose another release to compare with this one.")
            if do in {"attack", "measure"} and not chosen.value:
                raise ParameterError("Choose the original: attacks and measures need it.")
            open_page(
                "releases", name, do=do, data=chosen.value, with_=other.value, queries=workload.value, m=knowledge.value
            )

        return act

    with ui.element("div").classes("row"):
        press("Verify", begin("verify"))
        press("Attack", begin("attack"), "plain")
        press("Measure", begin("measure"), "plain")
        press("Compare releases", begin("together"), "plain")


def _judge(workspace: Workspace, name: str, do: str, data: str, other: str, queries: str, m: int) -> None:
    files: dict[str, list[str]] = {"releases": [name]}
    # As the page opens, the published files alone say whether the guarantee holds and what remains possible.
    files |= {"data": [data]} if data and do else {}
    if do in {"", "verify"}:
        watch(
            workspace, workspace.jobs.request("verify", files=files), lambda outcome: show_verdict(outcome["verdict"])
        )
    elif do == "attack":
        watch(workspace, workspace.jobs.request("attack", files=files, m=min(max(m, 1), 6)), _show_attack)
    elif do == "measure":
        files |= {"workloads": [queries]} if queries else {}
        watch(workspace, workspace.jobs.request("measure", files=files), _show_measures)
    elif do == "together":
        files["releases"] = [name, other]
        watch(
            workspace, workspace.jobs.request("together", files=files), lambda outcome: _show_pair(outcome, name, other)
        )


def _show_attack(outcome: dict[str, Any]) -> None:
    with ui.element("div").classes("pair"):
        for when in ("before", "after"):
            with ui.element("section").classes(when):
                add_text(when.capitalize(), "h3")
                show_risks(outcome["risk"][when], f"Risk {when}")
    show_remaining(outcome["risk"].get("remaining", ()))
    for stronger in outcome["risk"]["beyond"]:
        facts({n: v for n, v in stronger.items() if n != "warnings"}, "Stronger attacker than the guarantee assumes")


def _show_measures(outcome: dict[str, Any]) -> None:
    show_scores(outcome["scores"])
    show_remaining(outcome.get("remaining", ()))


def _show_pair(outcome: dict[str, Any], first: str, second: str) -> None:
    both = outcome["together"]
    facts({n: v for n, v in both.items() if n not in {"warnings", "knowledge"}}, "Attacker with both releases")
    for warning in both["warnings"]:
        add_text(warning, classes="verdict careful")
    if outcome["scores"]:
        by_name = {score["name"]: score["value"] for score in outcome["scores"][1]}
        rows = [
            (s["title"], s["value"], by_name.get(s["name"]), f"{s['better']} is better") for s in outcome["scores"][0]
        ]
        table(["measure", first, second, ""], rows, "Measures of both")


def _offer_export(workspace: Workspace, name: str) -> None:
    """Offer the records in the formats that other tools read; what was verified stays the release itself."""
    described = _describe(workspace, name)
    kind, in_partitions = str(described["kind"]), described.get("parts") is not None
    if kind not in plugins.all_kinds():
        return
    add_text("Export", "h2")
    add_text(
        "The same records in another format. They are for publishing, too; only the release itself can be verified."
    )
    if in_partitions:
        add_text(
            "All partitions go into one file, with a column that names the partition; formats without room for it are "
            "left out."
        )
    formats = {
        f"{layout}.{format}": f"{format}, {explanation}"
        for layout, explanation in _LAYOUTS.items()
        for format in list_formats(kind, layout)
        if format in WRITTEN or not in_partitions
    }
    row, watched = ui.element("div").classes("row"), ui.element("div")
    with row:
        chosen = Field("Format", next(iter(formats)), options=formats)

    def run() -> None:
        if chosen.value not in formats:
            raise ParameterError("Choose one of the listed formats.", option="Format")
        layout, _, format = chosen.value.partition(".")
        files = {"releases": [name]}
        job = workspace.jobs.request("export", fresh=True, files=files, layout=layout, format=format)
        watched.clear()
        with watched:
            watch(workspace, job, lambda outcome: _offer_file(outcome["name"]))

    with row:
        press("Export", run, "plain")


def _offer_file(name: str) -> None:
    link(f"Download {name}", path_to("files", "exports", name, name), "button", download=True)


def _offer_apply(workspace: Workspace, name: str) -> None:
    if _describe(workspace, name).get("parts") is not None:
        add_text("Publish a later batch", "h2")
        add_text(
            "Each partition of this release recodes in its own way: there is no recoding for other data. Publish a "
            "later batch as a release of its own."
        )
        return
    if not any("recoding" in path for path in workspace.project.files("releases", name)):
        return
    add_text("Publish a later batch", "h2")
    add_text("Uses the same recoding, so that both releases can be used together.")
    with ui.element("div").classes("fields"):
        data = Field(
            "The batch", "", options={"": "(choose)"} | {file: file for file in workspace.project.list("data")}
        )
        unknown = Field(
            "Values the recoding does not know",
            "error",
            options={"error": "publish nothing", "suppress": "leave them out"},
        )
        out = Field("Name of the release", f"{name}-batch", help="Letters, digits and dashes.")

    def run() -> None:
        if not data.value:
            raise ParameterError("Choose the data of the batch.")
        files = {"releases": [name], "data": [data.value]}
        job = workspace.jobs.request("apply", fresh=True, files=files, unknown=unknown.value, out=out.value)
        open_page("run", job.key)

    press("Publish the batch", run, "plain")
