"""Hierarchies of H3 cells, a global grid of hexagons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.build import name_rows, select_shown
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.messages import Message, option

__all__ = ["FINEST", "Hexagons", "derive_hexagons", "draw_hexagons", "find_hexagons"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

FINEST = 15
"""Resolution of the smallest cells."""
ROOT = "*"


class Hexagons(NamedTuple):
    """Positions of cells: their centres in degrees, and their outlines as WKT."""

    lon: Floats
    lat: Floats
    outlines: list[str]


def find_hexagons(lon: Floats, lat: Floats, resolution: int) -> tuple[Ints, list[str]]:
    """Return the cell of every point, as a code, and the names of the cells, by first appearance."""
    h3 = _import_h3()
    codes: dict[str, int] = {}
    cells = np.empty(len(lon), np.int32)
    for at, (x, y) in enumerate(zip(lon.tolist(), lat.tolist(), strict=True)):
        cells[at] = codes.setdefault(h3.latlng_to_cell(y, x, resolution), len(codes))
    return cells, list(codes)


def draw_hexagons(owner: str, labels: Sequence[str], rows: Sequence[int] | None = None) -> Hexagons:
    """Return the positions of cells; labels that are no cells are refused by their first rows."""
    h3 = _import_h3()
    _refuse_strange(h3, owner, labels, rows)
    centres = np.array([h3.cell_to_latlng(label) for label in labels], dtype=np.float64).reshape(-1, 2)
    return Hexagons(
        np.round(centres[:, 1], 9), np.round(centres[:, 0], 9), [_outline(h3.cell_to_boundary(c)) for c in labels]
    )


def derive_hexagons(owner: str, labels: Sequence[str], rows: Sequence[int] | None = None) -> Hierarchy:
    """Build the hierarchy of cells in larger cells, with one root above the largest."""
    h3 = _import_h3()
    _refuse_strange(h3, owner, labels, rows)
    paths = []
    for label in labels:
        finest = h3.get_resolution(label)
        paths.append([label, *(h3.cell_to_parent(label, size) for size in range(finest - 1, -1, -1)), ROOT])
    inner = {label for path in paths for label in path[1:]}
    nested = [number for number, path in enumerate(paths, start=1) if path[0] in inner]
    if nested:
        at = [number if rows is None else rows[number - 1] for number in nested]
        raise SchemaError(
            Message(
                owner, f": cells must be of one resolution; {name_rows(at)} hold{'s' * (len(set(at)) == 1)} others."
            ),
            rows=select_shown(at),
            hint=Message("Derive places of one resolution: ", option("places", "h3:8"), "."),
        )
    return Hierarchy.from_paths(paths, owner=owner)


def _refuse_strange(h3: Any, owner: str, labels: Sequence[str], rows: Sequence[int] | None) -> None:
    strange = [number for number, label in enumerate(labels, start=1) if not h3.is_valid_cell(label)]
    if strange:
        at = [number if rows is None else rows[number - 1] for number in strange]
        verb = "is" if len(set(at)) == 1 else "are"
        raise SchemaError(
            Message(owner, f": every place must be a cell of H3; {name_rows(at)} {verb} not."),
            rows=select_shown(at),
            hint="Correct the data.",
        )


def _outline(corners: Sequence[tuple[float, float]]) -> str:
    """Write a cell as WKT, to a centimetre."""
    ring = [*corners, corners[0]]
    return f"POLYGON (({', '.join(f'{round(lon, 7):.12g} {round(lat, 7):.12g}' for lat, lon in ring)}))"


def _import_h3() -> Any:
    try:
        import h3
    except ImportError:
        raise ParameterError(
            "Cells of H3 need the package h3.", option="places", hint="Install it: pip install 'sfumato[h3]'."
        ) from None
    return h3
