"""Data and their risks as tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sfumato.cli.output import Output, show_stronger
from sfumato.cli.values import write_name, write_value
from sfumato.messages import Message, option

__all__ = ["SIZES", "show_by_knowledge", "show_inspection", "show_sizes"]

SIZES = ("set_sizes", "set_size_quantiles")
"""Values that have a table of their own: how many records match people."""
_UNSHOWN = {"knowledge", "m", "max_success", "events", "seen", "unique_by", "measured", "margin", "sampling", *SIZES}
_OF_ALL = {"prosecutor", "journalist", "marketer", "fates"}
"""Values of the attacker with all knowledge, which are shown beside the guarantee."""


def show_by_knowledge(
    out: Output, title: str, risks: Sequence[Mapping[str, Any]], leave_out: Collection[str] = ()
) -> None:
    """Show what attackers reach, one row for each, and how many records match people.

    Examples
    --------
    >>> show_by_knowledge(Output(as_json=True), "Attackers", [{"knowledge": "items", "m": 1, "unique_share": 0.5}])
    """
    left_out = {*_UNSHOWN, *_OF_ALL, *leave_out}
    names = list(dict.fromkeys(name for risk in risks for name in risk if name not in left_out))
    out.table(
        title,
        ["attacker knows", *map(write_name, names)],
        [(_describe(risk), *(write_value(risk.get(name), name) for name in names)) for risk in risks],
    )
    show_sizes(out, risks)
    for sampling in dict.fromkeys(risk["sampling"] for risk in risks if risk.get("sampling")):
        out.print_line(f"Sample: {sampling}.")
    unique = [(columns, share) for risk in risks for columns, share in risk.get("unique_by", {}).items()]
    if unique:
        rows = [(columns, f"{100 * share:.1f} %") for columns, share in unique]
        out.table("Uniqueness by columns", ["columns known", "share singled out"], rows)


def show_sizes(out: Output, risks: Sequence[Mapping[str, Any]]) -> None:
    """Show the share of people by the number of records that match them.

    Examples
    --------
    >>> found = {"knowledge": "items", "set_sizes": {"1": 1.0}, "set_size_quantiles": {"50 %": 1}}
    >>> show_sizes(Output(as_json=True), [found])
    """
    sized_risks = [risk for risk in risks if risk.get("set_sizes")]
    bands = list(dict.fromkeys(band for risk in sized_risks for band in risk["set_sizes"]))
    if sized_risks:
        out.table(
            "Share by number of matching records",
            ["attacker knows", *("no match" if band == "none" else band for band in bands), "median"],
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
    from sfumato.attacks.risk import name_knowledge

    knowledge = name_knowledge(risk["knowledge"], risk.get("m"))
    if "seen" in risk:
        return f"{knowledge} ({100 * risk['seen']:.0f} % of the time points)"
    return knowledge if "m" in risk else f"all {knowledge}"


def show_inspection(out: Output, facts: dict[str, Any]) -> None:
    """Show what data are, which columns look like identifiers, and the risk of re-identification."""
    apart = {"notes", "identifiers", "doubts", "risk", "beyond", "in_words"}
    out.facts("Data", {name: value for name, value in facts.items() if name not in apart})
    warnings = [
        Message(
            f"Column {suspect['column']!r} looks like {suspect['looks_like']}. Leave it out: ",
            option("drop", [suspect["column"]]),
            ".",
        )
        for suspect in facts["identifiers"]
    ]
    out.warn([*warnings, *facts["doubts"]])
    show_by_knowledge(out, "Risk by knowledge", facts["risk"], leave_out=facts)
    for sentence in facts["in_words"][-1:]:
        out.print_line(sentence)
    for stronger in facts["beyond"]:
        show_stronger(out, "Stronger attacker", stronger)
