"""The owner's report: what was published, what it risks, what it is still good for.

One HTML file without scripts that needs no network. It may show labels of places and events, so it stays with the
owner; it never shows who anybody is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.core.comparison import Comparison
from sfumato.core.metric import Score
from sfumato.core.risk import Risk
from sfumato.report import page, plots, sequences
from sfumato.report.plots import save_figure

__all__ = ["figures", "picture", "render", "save_figure"]


def render(
    comparison: Comparison,
    before: Risk,
    after: Risk,
    scores: Sequence[Score],
    *,
    facts: Mapping[str, str] | None = None,
) -> str:
    """Return the owner's report on a release as one HTML page that needs no network and runs no scripts.

    Parameters
    ----------
    comparison
        The original and its release.
    before, after
        What an attacker reaches with the original data and with the release.
    scores
        What the release is still good for.
    facts
        Further facts by name, such as phase times and counters.
    """
    of_kind = sequences.render if comparison.release.kind == "sequences" else page.render
    return of_kind(comparison, before, after, scores, facts=facts)


def figures(comparison: Comparison, before: Risk, after: Risk) -> dict[str, dict[str, Any]]:
    """Return the plots of the report by name as Vega-Lite specifications."""
    of_kind = sequences.figures if comparison.release.kind == "sequences" else plots.figures
    return of_kind(comparison, before, after)


def picture(comparison: Comparison, before: Risk, after: Risk, path: str | Path) -> None:
    """Save the plots that say most side by side, about 1,400 pixels wide as PNG."""
    of_kind = sequences.picture if comparison.release.kind == "sequences" else plots.picture
    of_kind(comparison, before, after, path)
