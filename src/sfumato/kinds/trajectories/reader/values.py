"""What the owner says about places: hierarchies and constraints."""

from __future__ import annotations

import pyarrow as pa

from sfumato.data.notes import Note
from sfumato.exceptions import ParameterError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.rules import derive_hierarchy
from sfumato.readers.constraints import read_partition
from sfumato.readers.hierarchies import read_hierarchy
from sfumato.readers.notes import note_strangers
from sfumato.readers.options import ReadOptions

__all__ = ["find_hierarchies", "read_constraints"]


def find_hierarchies(
    read_options: ReadOptions, name: str, labels: list[str], rows: list[int], table: pa.Table | None
) -> dict[str, Hierarchy]:
    """Read the hierarchy of places from its file, or derive it from the places."""
    strange = [column for column in read_options.hierarchies if column != "place"]
    if strange:
        raise ParameterError(f"reading: trajectories have a hierarchy of place only, not of {strange[0]!r}.")
    given = read_options.hierarchies.get("place")
    if given is None:
        return {}
    hierarchy = derive_hierarchy(given, labels, table, rows=rows) or read_hierarchy(
        given, root=read_options.hierarchy_root
    )
    hierarchy.require(labels, f"{name}: hierarchy of place", rows)
    return {"place": hierarchy}


def read_constraints(
    read_options: ReadOptions, labels: list[str], notes: list[Note]
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Read which places are to stay apart or may be put together, and note entries that are no place."""
    constraints = {}
    for kind, file in read_options.constraints.items():
        if kind != "utility":
            raise ParameterError(f"reading: trajectories have constraints called utility, not {kind!r}.")
        constraints[kind], strangers = read_partition(file, labels, "reading: constraints")
        if strangers:
            notes.append(note_strangers(kind, strangers, "places"))
    return constraints
