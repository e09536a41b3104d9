"""Show what data are and their risk of re-identification."""

from __future__ import annotations

from typing import Any

from sfumato.cli.output import Output, show_stronger
from sfumato.cli.risk import show_by_knowledge
from sfumato.messages import Message, option

__all__ = ["show_inspection"]


def show_inspection(out: Output, facts: dict[str, Any]) -> None:
    """Show what data are, which columns look like identifiers, and the risk of re-identification."""
    apart = {"notes", "identifiers", "doubts", "risk", "beyond", "in_words"}
    out.facts("Data", {name: value for name, value in facts.items() if name not in apart})
    warnings = [
        Message(
            f"Column {found['column']!r} looks like {found['looks_like']}. Leave it out: ",
            option("drop", [found["column"]]),
            ".",
        )
        for found in facts["identifiers"]
    ]
    out.warn([*warnings, *facts["doubts"]])
    show_by_knowledge(out, "Risk by knowledge", facts["risk"], leave_out=facts)
    for sentence in facts["in_words"][-1:]:
        out.print_line(sentence)
    for stronger in facts["beyond"]:
        show_stronger(out, "Stronger attacker", stronger)
