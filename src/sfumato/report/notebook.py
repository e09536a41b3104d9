"""Plots for a notebook: drawn where they are shown."""

from __future__ import annotations

from typing import Any

from sfumato.report.markup import draw_figure

__all__ = ["Figures"]


class Figures(dict[str, dict[str, Any]]):
    """Plots by name as Vega-Lite specifications, which a notebook shows as pictures.

    Examples
    --------
    >>> dot = {"data": {"values": [{}]}, "mark": "point", "usermeta": {"title": "A dot"}}
    >>> list(Figures({"dot": dot}))
    ['dot']
    """

    def _repr_html_(self) -> str:
        return "".join(
            draw_figure(name, spec, str(spec.get("usermeta", {}).get("title", name))) for name, spec in self.items()
        )
