"""The owner's report: what was published, what it risks, what it is still good for.

One HTML file without scripts that needs no network. It may show labels of places and events, so it stays with the
owner; it never shows who anyone is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.attacks.risk import Finding, Risk
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.data.kind import find_kind
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Score

if TYPE_CHECKING:
    from sfumato.base.components import Report
    from sfumato.reports.figure import Figure

__all__ = ["figures", "picture", "render", "save_plots"]


def render(
    comparison: Comparison,
    before: Finding,
    after: Finding,
    scores: Sequence[Score],
    *,
    facts: Mapping[str, str] | None = None,
    remaining: Remaining = NOTHING,
    stronger: Sequence[Finding] = (),
    curve: Sequence[tuple[Risk, Risk]] = (),
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
    remaining
        What the release leaves possible, by all that was found.
    stronger
        What attackers find who do more than the guarantee is about; for kinds of data that have such attackers.
    curve
        What attackers reach before and after who know less and more; for kinds of data where that can be counted.
    """
    more: dict[str, Any] = {"stronger": stronger} if stronger else {}
    more |= {"curve": curve} if curve else {}
    page: str = _of_kind(comparison).render(comparison, before, after, scores, facts=facts, remaining=remaining, **more)
    return page


def figures(
    comparison: Comparison, before: Finding, after: Finding, curve: Sequence[tuple[Risk, Risk]] = ()
) -> dict[str, Figure]:
    """Return the figures of the report by name."""
    more = {"curve": curve} if curve else {}
    return _of_kind(comparison).figures(comparison, before, after, **more)


def save_plots(drawn: Mapping[str, Figure], folder: Path, form: str) -> list[Path]:
    """Save figures into a folder as ``html``, ``pdf``, ``png`` or ``svg`` files, each under its name."""
    from sfumato.reports.figure import save_figure

    paths = [folder / f"{name}.{form}" for name in drawn]
    for path, figure in zip(paths, drawn.values(), strict=True):
        save_figure(figure, path)
    return paths


def picture(comparison: Comparison, before: Finding, after: Finding, path: str | Path) -> None:
    """Save the plots that say most side by side, about 1,400 pixels wide as PNG."""
    _of_kind(comparison).picture(comparison, before, after, path)


def _of_kind(comparison: Comparison) -> Report:
    return find_kind(comparison.release.kind).report.load()
