"""Reading of trajectories bucket by bucket."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.data.places import QUADTREE
from sfumato.kinds.trajectories.reader.place_rules import parse_place_rule
from sfumato.kinds.trajectories.reader.places import AVERAGED
from sfumato.kinds.trajectories.reader.projection import Projection
from sfumato.kinds.trajectories.reader.values import find_hierarchies, read_constraints
from sfumato.kinds.trajectories.reader.visits import WORDS, note_visits
from sfumato.readers.constraints import resolve_sensitive
from sfumato.readers.layouts import is_spmf
from sfumato.readers.notes import SUMMARY
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER
from sfumato.readers.partitioned.reading import All, PartitionedReading, ReadWhole, leave_out
from sfumato.readers.roles import assign_roles

__all__ = ["PARTITIONED_READING"]


def _find_person_column(names: Sequence[str], read_options: ReadOptions) -> str:
    columns = assign_roles("", names, read_options, WORDS).columns
    if OWNER in columns:
        raise ReadWhole("a record must be of one owner, which all rows decide")
    if read_options.places is not None and parse_place_rule(read_options.places).kind == QUADTREE:
        raise ReadWhole("squares are quartered where most people are")
    key_column = columns.get("person") or columns.get("trajectory")
    if key_column is None:
        raise ReadWhole("there is no column for the person")
    return key_column


def _is_table(sample: Sequence[str], read_options: ReadOptions) -> bool:
    return read_options.format is not None or not is_spmf(sample[:5])


def _finish(summary: All, read_options: ReadOptions) -> tuple[Dataset, list[Note]]:
    """Put all places on one map, and add which values are sensitive or may be generalised together."""
    data, notes = summary.dataset, list[Note]()
    labels = list(data.view_history().labels)
    places = None if data.places is None else _merge_places(data.places, labels, summary)
    schema = dataclasses.replace(data.schema, sensitive=resolve_sensitive(read_options.sensitive, labels, summary.name))
    rows = [1] * len(labels)
    finished = dataclasses.replace(
        data,
        schema=schema,
        places=places,
        hierarchies=find_hierarchies(read_options, summary.name, labels, rows, places),
        constraints=read_constraints(read_options, labels, notes),
    )
    return finished, notes


def _merge_places(places: pa.Table, labels: list[str], summary: All) -> pa.Table:
    """Return each place once, where all rows have it; refuse places that have moved."""
    given = ("lon", "lat") if "lon" in places.column_names else ("x", "y")
    extremes = places.group_by("place").aggregate([(axis, how) for axis in given for how in ("min", "max")])
    if any(not extremes.column(f"{axis}_min").equals(extremes.column(f"{axis}_max")) for axis in given):
        raise ReadWhole("coordinates of places vary, and their means need all rows")
    names: Any = places.column("place").combine_chunks()
    table = places.take(pc.index_in(pa.array(labels, pa.string()), value_set=names))
    if "lon" in places.column_names:
        statistics = summary.decisions
        projection = Projection.from_statistics(
            statistics["the sum of latitudes"],
            statistics["the number of positions"],
            statistics["the most of longitudes"] - statistics["the least of longitudes"],
            statistics["the most of shifted"] - statistics["the least of shifted"],
        )
        x, y = projection.forward(*(table.column(axis).to_numpy() for axis in ("lon", "lat")))
        table = table.set_column(1, "x", pa.array(x)).set_column(2, "y", pa.array(y))
    return table.combine_chunks()


def _summarise(summary: All, notes: Sequence[Sequence[Note]]) -> dict[str, Note | None]:
    """Note how many there are of everything."""
    if any(note.code == AVERAGED for bucket in notes for note in bucket):
        raise ReadWhole("coordinates of places vary, and their means need all rows")
    visits, places = int(summary.survey.counts.sum()), len(summary.survey.counts)
    return {SUMMARY: note_visits(summary.dataset.unit, summary.records, visits, places)}


def _relax(read_options: ReadOptions) -> ReadOptions:
    return leave_out(read_options, ("sensitive", "hierarchies", "constraints"))


PARTITIONED_READING = PartitionedReading(_find_person_column, _is_table, _finish, _summarise, _relax, layouts=True)
