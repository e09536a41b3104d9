"""Plots for a notebook: drawn where they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.reports.html import draw_figure

if TYPE_CHECKING:
    from sfumato.reports.figure import Figure

__all__ = ["Figures"]


class Figures(dict[str, "Figure"]):
    """Figures by name, which a notebook shows as pictures.

    Examples
    --------
    >>> import altair
    >>> from sfumato.reports.figure import Figure
    >>> dot = altair.Chart(altair.Data(values=[{}])).mark_point()
    >>> list(Figures({"dot": Figure("A dot", "One dot.", [dot])}))
    ['dot']
    """

    def _repr_html_(self) -> str:
        return "".join(draw_figure(name, figure, figure.title) for name, figure in self.items())
