"""The report on trajectories: a page with a map."""

from __future__ import annotations

from sfumato.report.page import render
from sfumato.report.plots import figures, picture

__all__ = ["figures", "picture", "render"]
