"""Risks as tables: what attackers reach who know ever more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sfumato.cli.output import Output, show_stronger

__all__ = ["SIZES", "show_by_knowledge", "show_inspection", "show_sizes"]


SIZES = ("set_sizes", "set_size_quantiles")
"""What is shown in a table of its own: how many records people have to hide among."""
_UNSHOWN = {"knowledge", "m", "max_success", "events", "seen", "unique_by", "measured", "margin", "sampling", *SIZES}
_OF_ALL = {"prosecutor", "journalist", "marketer", "fates"}
"""What only the attacker has who knows everything: shown elsewhere, beside what is promised."""


def show_by_knowledge(
    out: Output, title: str, risks: Sequence[Mapping[str, Any]], leave_out: Collection[str] = ()
) -> None:
    """Show what attackers reach, one row for each, and among how many records people hide.

    Examples
    --------
    >>> show_by_knowledge(Output(as_json=True), "Attackers", [{"knowledge": "items", "m": 1, "unique_share": 0.5}])
    """
    left_out = {*_UNSHOWN, *_OF_ALL, *leave_out}
    names = list(dict.fromkeys(name for risk in risks for name in risk if name not in left_out))
    out.table(
        title,
        ["an attacker who knows", *(name.replace("_", " ") for name in names)],
        [(_describe(risk), *(risk.get(name) for name in names)) for risk in risks],
    )
    show_sizes(out, risks)
    for sampling in dict.fromkeys(risk["sampling"] for risk in risks if risk.get("sampling")):
        out.print_line(f"People were drawn: {sampling}.")
    unique = [(columns, share) for risk in risks for columns, share in risk.get("unique_by", {}).items()]
    if unique:
        rows = [(columns, f"{100 * share:.1f} %") for columns, share in unique]
        out.table("What makes people unique", ["columns known", "share that is alone"], rows)


def show_sizes(out: Output, risks: Sequence[Mapping[str, Any]]) -> None:
    """Show which share of people has how many records to hide among, where people are told apart.

    Examples
    --------
    >>> found = {"knowledge": "items", "set_sizes": {"1": 1.0}, "set_size_quantiles": {"50 %": 1}}
    >>> show_sizes(Output(as_json=True), [found])
    """
    sized_risks = [risk for risk in risks if risk.get("set_sizes")]
    bands = list(dict.fromkeys(band for risk in sized_risks for band in risk["set_sizes"]))
    if sized_risks:
        out.table(
            "Share that hides among so many records",
            ["an attacker who knows", *("in none" if band == "none" else band for band in bands), "half of them"],
            [
                (
                    _describe(risk),
                    *(f"{100 * risk['set_sizes'].get(band, 0.0):.1f} %" for band in bands),
                    risk["set_size_quantiles"].get("50 %"),
                )
                for risk in sized_risks
            ],
        )


def _describe(risk: Mapping[str, Any]) -> str:
    knowledge = str(risk["knowledge"])
    if "seen" in risk:
        return f"{knowledge} ({100 * risk['seen']:.0f} % of the time points)"
    return f"{knowledge} (m={risk['m']})" if "m" in risk else f"{knowledge} (all)"


def show_inspection(out: Output, facts: dict[str, Any]) -> None:
    """Show what data are, what in them looks like names of people, and how identifying they are."""
    apart = {"notes", "identifiers", "doubts", "risk", "beyond", "in_words"}
    out.facts("What the data are", {n: v for n, v in facts.items() if n not in apart})
    warnings = [f"Column {s['column']!r} looks like {s['looks_like']}: leave it out." for s in facts["identifiers"]]
    out.warn([*warnings, *facts["doubts"]])
    show_by_knowledge(out, "How identifying they are as they stand", facts["risk"], leave_out=facts)
    for sentence in facts["in_words"][-1:]:
        out.print_line(sentence)
    for stronger in facts["beyond"]:
        show_stronger(out, "An attacker who knows or does a little more", stronger)
