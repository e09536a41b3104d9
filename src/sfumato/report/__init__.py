"""The owner's report: what was published, what it risks, what it is still good for.

One HTML file without scripts that needs no network. It may show place labels, so it stays with the owner;
it never shows who anybody is.
"""

from __future__ import annotations

from sfumato.report.page import render
from sfumato.report.plots import figures, picture, save_figure

__all__ = ["figures", "picture", "render", "save_figure"]
