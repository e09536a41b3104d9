"""What is published of where places are, and what may be published of people's own positions.

Coordinates that people's visits brought along are theirs: a mean of them tells how many there were, and a single one
where someone was. So they are never published. What is published of such a place is the centre of a cell of a
hierarchy that is the same for all data: the smallest cell in which at least k people were at that place. A place where
no k people were has no coordinates.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.data.places import CELLS, QUADTREE, Observations, PlaceOrigin
from sfumato.exceptions import ParameterError
from sfumato.kinds.trajectories.dataset.cells import find_bounds, find_cells
from sfumato.messages import Message, option

__all__ = ["note_hidden_places", "publish_places", "refuse_small_squares"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def refuse_small_squares(origin: PlaceOrigin, k: int) -> None:
    """Refuse a quadtree whose squares were quartered among fewer than k people.

    Examples
    --------
    >>> refuse_small_squares(PlaceOrigin("quadtree", "lonlat", people=10), k=5)
    """
    if origin.source == QUADTREE and origin.people < k:
        raise ParameterError(
            Message(
                option("places", "quadtree"),
                f" splits squares of {origin.people} people; k={k} needs squares of at least {k} people.",
            ),
            hint=Message("Read the data with ", option("places", f"quadtree:N,people={k}"), " or more people."),
        )


def publish_places(dataset: Dataset, shown: list[str], k: int) -> pa.Table | None:
    """Return what is published of some places, ascending: their names and what may be published of where they are."""
    if dataset.places is None:
        return None
    origin = dataset.place_origin
    refuse_small_squares(origin, k)
    row_of = {place: row for row, place in enumerate(dataset.places.column("place").to_pylist())}
    rows = np.array([row_of[place] for place in shown if place in row_of], dtype=np.int64)
    table = dataset.places.take(pa.array(rows))
    first, second = origin.axes
    if first not in table.column_names:
        return table.select(["place"])
    if origin.source != CELLS:
        outline = ["outline"] if "outline" in table.column_names else []
        return table.select(["place", first, second, *outline])
    level, x, y = _choose_cells(dataset.observations, origin, k, dataset.places.num_rows)
    hidden = level[rows] < 0
    return pa.table(
        {
            "place": table.column("place"),
            first: pa.array(x[rows], mask=hidden),
            second: pa.array(y[rows], mask=hidden),
            "level": pa.array(level[rows], mask=hidden),
        }
    )


def note_hidden_places(places: pa.Table | None) -> Note | None:
    """Note how many published places have no coordinates, and what would help; nothing where all have.

    Examples
    --------
    >>> str(note_hidden_places(pa.table({"place": ["a", "b"], "level": [None, 7]}))).partition(". ")[0]
    '1 of 2 published places has no coordinates, because fewer than k people were there'
    """
    if places is None or "level" not in places.column_names or not places.column("level").null_count:
        return None
    return Note(
        "places-without-coordinates",
        "{hidden} of {places} published places {hidden:has|have} no coordinates, because fewer than k people were "
        "there. If their positions are public, give a places file: {option}.",
        {"hidden": places.column("level").null_count, "places": places.num_rows},
        details={"option": option("places_file", "FILE")},
    )


def _choose_cells(
    observations: Observations | None, origin: PlaceOrigin, k: int, places: int
) -> tuple[Ints, Floats, Floats]:
    """Return level and centre of the smallest cell with k people of every place; level -1 where there is none.

    Of several such cells of a place the one with most people is taken, then the first by row and column.
    """
    level, x, y = np.full(places, -1, np.int64), np.zeros(places), np.zeros(places)
    if observations is None or not len(observations.place):
        return level, x, y
    column, row = find_cells(origin, observations.x, observations.y)
    visits = _sort_distinct(np.stack([observations.place, observations.person, column, row]))
    # Most places are of a few people only, and those need no search.
    people = np.bincount(_count_runs(visits[:2])[0][0], minlength=places)
    visits = visits[:, people[visits[0]] >= k]
    # What holds k people at some level does so at all levels above: the finest one is found by halving. Where everybody
    # has the same point of a place, it is the finest of all: that is tried first.
    lowest, highest = np.full(places, -1, np.int64), np.where(people >= k, origin.levels, -1)
    middle = highest
    while (open_ := lowest < highest).any():
        has_k_people = np.zeros(places, bool)
        where, _, _, people_of_cell = _count_people(visits, middle, origin.levels)
        has_k_people[where[people_of_cell >= k]] = True
        lowest = np.where(open_ & has_k_people, middle, lowest)
        highest = np.where(open_ & ~has_k_people, middle - 1, highest)
        middle = np.where(lowest < highest, (lowest + highest + 1) // 2, -1)
    where, columns, rows, people_of_cell = _count_people(visits, lowest, origin.levels)
    order = np.lexsort((columns, rows, -people_of_cell, where))
    first = order[np.unique(where[order], return_index=True)[1]]
    for place, i, j in zip(where[first].tolist(), columns[first].tolist(), rows[first].tolist(), strict=True):
        level[place] = lowest[place]
        west, south, east, north = find_bounds(origin, int(lowest[place]), i, j)
        x[place], y[place] = (west + east) / 2, (south + north) / 2
    return level, x, y


def _count_people(visits: Ints, level: Ints, finest: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return place, column, row and number of people of every cell, at a level of each place's own (none: -1)."""
    place, person, column, row = visits[:, level[visits[0]] >= 0]
    shift = finest - level[place]
    is_whole = shift == finest  # the whole square has no borders at 0
    cells = np.stack([place, *(np.where(is_whole, 0, axis >> shift) for axis in (column, row)), person])
    (where, columns, rows), people = _count_runs(_sort_distinct(cells)[:3])
    return where, columns, rows, people


def _sort_distinct(columns: Ints) -> Ints:
    """Return the distinct columns of an array in ascending order."""
    low, high = (columns.min(axis=1), columns.max(axis=1)) if columns.size else (columns[:, :0].sum(axis=1),) * 2
    spans = (high - low + 1).tolist()
    if math.prod(spans) <= np.iinfo(np.intp).max:
        # Every column as one number, which sorts ten times as fast.
        keys = np.sort(np.ravel_multi_index(tuple(columns - low[:, None]), spans))
        keys = keys[np.diff(keys, prepend=-1) > 0]
        return np.asarray(np.stack(np.unravel_index(keys, spans)) + low[:, None])
    return _count_runs(columns[:, np.lexsort(columns[::-1])])[0]


def _count_runs(columns: Ints) -> tuple[Ints, Ints]:
    """Return the different columns of an array in which equal ones are neighbours, and how often each occurs."""
    is_new = np.append(np.ones(min(columns.shape[1], 1), bool), (columns[:, 1:] != columns[:, :-1]).any(axis=0))
    starts = np.flatnonzero(is_new)
    return columns[:, starts], np.diff(np.append(starts, columns.shape[1])).astype(np.int64)
