"""What data are and how identifying they are, as people see it."""

from __future__ import annotations

from typing import Any

from sfumato.cli.output import Output, show_beyond

__all__ = ["show_inspection"]

_UNSHOWN = {"knowledge", "m", "max_success"}


def show_inspection(out: Output, found: dict[str, Any]) -> None:
    """Show what data are, what in them looks like names of people, and how identifying they are."""
    apart = {"notes", "identifiers", "risk", "beyond"}
    out.facts("What the data are", {n: v for n, v in found.items() if n not in apart})
    out.warn([f"Column {s['column']!r} looks like {s['looks_like']}: leave it out." for s in found["identifiers"]])
    names = list(dict.fromkeys(name for risk in found["risk"] for name in risk if name not in {*_UNSHOWN, *found}))
    out.table(
        "How identifying they are as they stand",
        ["an attacker who knows", *(name.replace("_", " ") for name in names)],
        [(_describe_knowledge(risk), *(risk.get(name) for name in names)) for risk in found["risk"]],
    )
    for beyond in found["beyond"]:
        show_beyond(out, "An attacker who knows or does a little more", beyond)


def _describe_knowledge(risk: dict[str, Any]) -> str:
    return f"{risk['knowledge']} (m={risk['m']})" if "m" in risk else str(risk["knowledge"])
