"""Trajectories as arrays: what was, without counting anything."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.schema import Schema
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.trajectories import KIND
from sfumato.kinds.trajectories.dataset.locations import Locations

__all__ = ["find_coordinates", "locate", "make_dataset"]


def make_dataset(
    rows: list[list[str]],
    coordinates: Mapping[str, tuple[float, float]] | None = None,
    *,
    sensitive: tuple[str, ...] = (),
    hierarchy: Hierarchy | None = None,
    constraints: tuple[tuple[str, ...], ...] = (),
) -> Dataset:
    """Make a dataset of trajectories from plain lists of places, one list per person."""
    list_column = ListColumn.from_lists(rows)
    table = pa.table(
        {
            "person": pa.array([f"p{i}" for i in range(len(rows))], pa.string()),
            "places": list_column.to_arrow(),
        }
    )
    places = None
    if coordinates is not None:
        xy = np.array([coordinates[label] for label in list_column.labels], dtype=float).reshape(-1, 2)
        places = pa.table({"place": list(list_column.labels), "x": xy[:, 0], "y": xy[:, 1]})
    return Dataset(
        Schema("trajectories", KIND.columns, sensitive),
        table,
        places,
        {"place": hierarchy} if hierarchy else {},
        {"utility": constraints} if constraints else {},
    )


def find_coordinates(dataset: Dataset) -> npt.NDArray[np.float64]:
    """Return x and y of every place in plane units (metres for longitude/latitude), as an (n, 2) array.

    They are for drawing and ordering: on a large map only :func:`locate` knows how far places are apart. Places
    without coordinates are all at the origin.
    """
    if dataset.places is None or "x" not in dataset.places.column_names:
        return np.zeros((len(dataset.history().labels), 2))
    return np.column_stack([dataset.places.column(c).to_numpy() for c in ("x", "y")])


def locate(dataset: Dataset) -> Locations:
    """Return where the places are, on a plane or on the globe; all at one point if that is not known."""
    if dataset.places is None or not {"x", "lon"} & set(dataset.places.column_names):
        return Locations.unknown(len(dataset.history().labels))
    return Locations.of(dataset.places)
