"""The Risk page: who stands out before anything is done, for attackers who know ever more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from sfumato.attacks.risk import name_knowledge
from sfumato.reports.numbers import show_share
from sfumato.web.pages.parts import (
    Field,
    Workspace,
    add_text,
    facts,
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

__all__ = ["PIECES", "choose_data", "list_data", "register", "show_risks"]

_SIZES = ("set_sizes", "set_size_quantiles")
_UNSHOWN = {
    *("knowledge", "m", "max_success", "events", "seen", "unique_by", "measured", "margin", "sampling"),
    *("prosecutor", "journalist", "marketer", "fates", *_SIZES),
}


PIECES = {str(n): f"{n} piece{'s' * (n > 1)}" for n in range(1, 7)}
"""How much an attacker may know, to choose from."""


def choose_data(workspace: Workspace, target: str) -> None:
    """Ask which data a page is about."""
    names = workspace.project.list("data")
    add_text("Choose data" if names else "The project has no data yet.")
    list_data(workspace, target)
    if not names:
        link("Upload data", path_to("data"), "button")


def list_data(workspace: Workspace, target: str) -> None:
    """List the data of the project, as links to their pages."""
    with ui.element("ul"):
        for name in workspace.project.list("data"):
            with ui.element("li"):
                link(name, path_to(target, name))


def register(workspace: Workspace) -> None:
    """Make the Risk page."""

    @page("/risk")
    def _choose() -> None:
        with frame("Risk", "risk"):
            choose_data(workspace, "risk")

    @page("/risk/{name}")
    def _show(name: str, m: int = 2) -> None:
        m = min(max(m, 1), 6)
        with frame("Risk", "risk", name):
            add_text(f"Risk in the original data {name}.", classes="muted")
            with ui.element("div").classes("row"):
                knowledge = Field("Largest knowledge of the attacker", str(m), options=PIECES)
                press("Show", lambda: open_page("risk", name, m=knowledge.value), "plain")
            watch(workspace, workspace.jobs.request("risk", files={"data": [name]}, m=m), _show_result)


def _show_result(outcome: dict[str, Any]) -> None:
    for suspect in outcome["identifiers"]:
        warning = f"Column {suspect['column']!r} looks like {suspect['looks_like']}: leave it out."
        add_text(warning, classes="verdict careful")
    for sentence in outcome["in_words"][-1:]:
        add_text(sentence, classes="verdict careful")
    figures(outcome["figures"])
    show_risks(outcome["risk"], "Risk by knowledge")
    if outcome["risk"] and not any("m" in risk for risk in outcome["risk"]):
        add_text("An observer of a timeline knows more the longer they watch.", classes="muted")
    rare = outcome["rare"]
    if rare:
        add_text("Uniqueness by columns", "h2")
        record, many = rare.get("record", "record"), rare.get("records", "records")
        add_text(
            f"{rare['values']:,} of {rare['of']:,} {rare['what']} are in one {record} only, {rare['few']:,} in fewer "
            f"than five; {show_share(rare['share'])} of the {rare['unit']} have one that no other has."
        )
        if not rare["few"]:
            add_text("No single value is rare. Records are unique by several values, their order or their times.")
        table(["value", f"{many} that have it"], rare["rarest"], f"The rarest {rare['what']}")
    if outcome["columns"]:
        shown = [(name, show_share(share)) for name, share in outcome["columns"]]
        table(["column known", "share singled out"], shown, "Uniqueness by column")
    unique = [(columns, share) for risk in outcome["risk"] for columns, share in risk.get("unique_by", {}).items()]
    if unique:
        table(["columns known", "share singled out"], [(c, show_share(s)) for c, s in unique], "Uniqueness by columns")
    for stronger in outcome["beyond"]:
        facts({n: v for n, v in stronger.items() if n != "warnings"}, "Stronger attacker")


def show_risks(risks: Sequence[Mapping[str, Any]], caption: str) -> None:
    """Show what attackers reach, one row for each, and how many records match people."""
    fields = (name for risk in risks for name, value in risk.items() if name not in _UNSHOWN and value is not None)
    names = list(dict.fromkeys(fields))
    rows = [(describe(risk), *(_format_share(name, risk.get(name)) for name in names)) for risk in risks]
    table(["attacker knows", *(name.replace("_", " ") for name in names)], rows, caption)
    sized_risks = [risk for risk in risks if risk.get("set_sizes")]
    bands = list(dict.fromkeys(band for risk in sized_risks for band in risk["set_sizes"]))
    if sized_risks:
        table(
            ["attacker knows", *("no match" if band == "none" else band for band in bands)],
            [
                (describe(risk), *(show_share(risk["set_sizes"].get(band, 0.0)) for band in bands))
                for risk in sized_risks
            ],
            f"{caption}: share by number of matching records",
        )


def _format_share(name: str, value: Any) -> Any:
    """Write shares of people in percent, and how often an attacker is right, too."""
    if isinstance(value, float) and ("success" in name or name.endswith(("share", "frequency"))):
        return show_share(value)
    return value


def describe(risk: Mapping[str, Any]) -> str:
    """Describe what an attacker knows.

    Examples
    --------
    >>> describe({"knowledge": "ordered-places", "m": 2})
    '2 ordered places'
    """
    knowledge = name_knowledge(risk["knowledge"], risk.get("m"))
    if "seen" in risk:
        return f"{knowledge} ({show_share(risk['seen'])} of the time points)"
    return knowledge if "m" in risk else f"all {knowledge}"
