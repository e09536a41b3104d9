"""Hierarchies and constraints of places."""

from __future__ import annotations

import pyarrow as pa

from sfumato.data.notes import Note
from sfumato.exceptions import ParameterError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.rules import derive_hierarchy
from sfumato.messages import Message, option
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
        raise ParameterError(
            Message(option("hierarchies"), f" of trajectories can be of place only, got {strange[0]!r}."),
            column=strange[0],
            hint=Message("Give ", option("hierarchies", {"place": "FILE"}), "."),
        )
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
    """Read which places may be generalised together, and note entries that are no place."""
    constraints = {}
    for kind, file in read_options.constraints.items():
        if kind != "utility":
            raise ParameterError(
                Message(option("constraints"), f" of trajectories must be utility, got {kind!r}."),
                hint=Message("Give ", option("constraints", {"utility": "FILE"}), "."),
            )
        constraints[kind], strangers = read_partition(file, labels, "utility constraints")
        if strangers:
            notes.append(note_strangers(kind, strangers, "places"))
    return constraints
