"""Colours of the report: few, distinguished by colour-blind readers, each with a twin for dark screens."""

from __future__ import annotations

__all__ = ["AFTER", "BEFORE", "DARK", "FONT", "GRID", "GROUPS", "INK", "MUTED", "NEUTRAL", "STEPS"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

INK = "#20262e"
MUTED = "#5d6775"
GRID = "#e2e6eb"
NEUTRAL = "#7b8592"

BEFORE = "#c4560b"
AFTER = "#0b6aa8"

GROUPS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Colours of generalised places; neighbours get different ones."""

STEPS = ("#b5bec9", "#9ecae1", "#5ba3cf", "#2171b5", "#083877")
"""Light to dark: from exact to very coarse."""

DARK = {
    INK: "#e6e9ed",
    MUTED: "#a3adb9",
    GRID: "#333b45",
    NEUTRAL: "#98a2af",
    BEFORE: "#f08a45",
    AFTER: "#55aee6",
    STEPS[0]: "#4a5460",
    STEPS[1]: "#2c5878",
    STEPS[2]: "#3a83b6",
    STEPS[3]: "#6db3e4",
    STEPS[4]: "#c3e2f7",
}
"""What each colour becomes on a dark screen."""
