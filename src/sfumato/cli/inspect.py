"""What data are and how identifying they are, as people see it."""

from __future__ import annotations

from typing import Any

from sfumato.cli.output import Output, show_stronger
from sfumato.cli.risk import show_by_knowledge

__all__ = ["show_inspection"]


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
