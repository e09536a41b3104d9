"""Trajectories as the arrays that methods work on."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.kinds.trajectories.dataset import find_coordinates, locate
from sfumato.kinds.trajectories.dataset.locations import Locations
from sfumato.messages import Message, MethodName, option

__all__ = ["Trajectories"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Trajectories:
    """Some rows of a dataset, ordinary and sensitive places apart.

    Sensitive places are never generalised and never part of what an attacker knows, so methods see them
    only as a set per row.

    Examples
    --------
    >>> data = Dataset.of("trajectories", [["d", "a", "f"], ["d"]], sensitive=("f",))
    >>> t = Trajectories.of(data)
    >>> t.ordinary.lists(), t.visited_sensitive.lists()
    ([['d', 'a'], ['d']], [['f'], []])
    """

    dataset: Dataset
    rows: Ints
    histories: ListColumn
    is_sensitive: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, dataset: Dataset) -> Trajectories:
        """Take all rows of a dataset."""
        histories = dataset.history()
        wanted = set(dataset.schema.sensitive)
        is_sensitive = np.array([label in wanted for label in histories.labels], dtype=bool)
        return cls(dataset, np.arange(len(dataset)), histories, is_sensitive)

    def take(self, positions: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Trajectories:
        """Return some of these rows."""
        at = np.flatnonzero(positions) if positions.dtype == bool else np.asarray(positions, np.int64)
        return dataclasses.replace(self, rows=self.rows[at], histories=self.histories.take(at))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def ordinary(self) -> ListColumn:
        """The rows without sensitive places."""
        return self.histories.keep(~self.is_sensitive[self.histories.codes])

    @property
    def visited_sensitive(self) -> ListColumn:
        """The distinct sensitive places of every row."""
        inside = self.histories.keep(self.is_sensitive[self.histories.codes])
        keys = np.unique(inside.row_of_token * len(self.is_sensitive) + inside.codes)
        rows, codes = np.divmod(keys, max(len(self.is_sensitive), 1))
        offsets = np.searchsorted(rows, np.arange(len(self) + 1)).astype(np.int64)
        return ListColumn(offsets, codes.astype(np.int32), self.histories.labels)

    @property
    def has_coordinates(self) -> bool:
        """Whether it is known where the places are."""
        return self.dataset.places is not None and "x" in self.dataset.places.column_names

    def coordinates(self, owner: str | MethodName) -> npt.NDArray[np.float64]:
        """Return x and y of the places; without them nothing tells which place is near."""
        if not self.has_coordinates:
            raise SchemaError(
                Message(owner, ": the places have no coordinates."),
                hint=Message(
                    "Add columns x and y (or lon and lat), or a places file: ", option("places_file", "FILE"), "."
                ),
            )
        return find_coordinates(self.dataset)

    def locations(self, owner: str | MethodName) -> Locations:
        """Return where the places are."""
        self.coordinates(owner)
        return locate(self.dataset)

    def constraint_of_place(self, owner: str | MethodName) -> npt.NDArray[np.int32]:
        """Return the number of the utility constraint each place belongs to."""
        groups = self.dataset.constraints.get("utility", ())
        if not groups:
            raise SchemaError(
                Message(owner, ": needs utility constraints that assign every place to one group."),
                option="constraints",
                hint=Message("Give them: ", option("constraints", {"utility": "FILE"}), "."),
            )
        number: dict[str, int] = {}
        for line, group in enumerate(groups, start=1):
            for place in group:
                if place in number:
                    raise SchemaError(
                        Message(
                            owner, f": utility constraint {line} repeats a place of constraint {number[place] + 1}."
                        ),
                        option="constraints",
                        rows=(line, number[place] + 1),
                        hint="Remove the place from one of them.",
                    )
                number[place] = line - 1
        missing = sum(label not in number for label in self.histories.labels)
        if missing:
            raise SchemaError(
                Message(owner, f": {missing} of {len(self.histories.labels)} places are in no utility constraint."),
                option="constraints",
                hint="Add them. A place on a line of its own is never generalised.",
            )
        return np.array([number[label] for label in self.histories.labels], dtype=np.int32)

    def hierarchy_arrays(self, owner: str | MethodName) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Ints]:
        """Return the node of every place, and parent and leaf count of every node of the place hierarchy."""
        hierarchy = self.dataset.hierarchies.get("place")
        if hierarchy is None:
            raise SchemaError(
                Message(owner, ": needs a hierarchy of the places."),
                option="hierarchies",
                hint=Message("Give one: ", option("hierarchies", {"place": "FILE"}), "."),
            )
        hierarchy.require(list(self.histories.labels), owner)
        nodes = np.array([hierarchy.leaf(label) for label in self.histories.labels], dtype=np.int32)
        return nodes, np.asarray(hierarchy.parent, np.int32), np.asarray(hierarchy.leaves, np.int64)

    def refuse_sensitive(self, owner: str | MethodName) -> None:
        """Refuse sensitive places where a method has no notion of them."""
        if self.is_sensitive.any():
            raise ParameterError(
                Message(owner, ": has no protection for sensitive places and would generalise them like others."),
                option="sensitive",
                hint=Message("Use the method local-km, lm-anon, zga or sga, or leave out ", option("sensitive"), "."),
            )
