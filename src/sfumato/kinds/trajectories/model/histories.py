"""Trajectories as the arrays that methods work on."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError, SchemaError
from sfumato.core.publication import Recoded
from sfumato.core.ragged import Ragged
from sfumato.core.recoding import Recoding
from sfumato.kinds.trajectories.model import find_coordinates, locate
from sfumato.kinds.trajectories.model.locations import Locations

__all__ = ["EMPTY", "TOO_LONG", "Trajectories"]

Ints = npt.NDArray[np.int64]

TOO_LONG = "more places than enough others have"
EMPTY = "no place left after suppression"


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
    histories: Ragged
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
    def ordinary(self) -> Ragged:
        """The rows without sensitive places."""
        return self.histories.keep(~self.is_sensitive[self.histories.codes])

    @property
    def visited_sensitive(self) -> Ragged:
        """The distinct sensitive places of every row."""
        inside = self.histories.keep(self.is_sensitive[self.histories.codes])
        keys = np.unique(inside.row_of_token * len(self.is_sensitive) + inside.codes)
        rows, codes = np.divmod(keys, max(len(self.is_sensitive), 1))
        offsets = np.searchsorted(rows, np.arange(len(self) + 1)).astype(np.int64)
        return Ragged(offsets, codes.astype(np.int32), self.histories.labels)

    def coordinates(self, owner: str) -> npt.NDArray[np.float64]:
        """Return x and y of the places; without them nothing tells which place is near."""
        if self.dataset.places is None or "x" not in self.dataset.places.column_names:
            raise SchemaError(
                f"{owner}: needs coordinates of the places. Give columns x and y (or lon and lat), or a places file."
            )
        return find_coordinates(self.dataset)

    def locations(self, owner: str) -> Locations:
        """Return where the places are."""
        self.coordinates(owner)
        return locate(self.dataset)

    def constraint_of_place(self, owner: str) -> npt.NDArray[np.int32]:
        """Return the number of the utility constraint each place belongs to."""
        groups = self.dataset.constraints.get("utility", ())
        if not groups:
            raise SchemaError(f"{owner}: needs utility constraints, a partition of the places (--constraints FILE).")
        number: dict[str, int] = {}
        for line, group in enumerate(groups, start=1):
            for place in group:
                if place in number:
                    raise SchemaError(
                        f"{owner}: utility constraint {line} repeats a place of constraint {number[place] + 1}."
                    )
                number[place] = line - 1
        missing = sum(label not in number for label in self.histories.labels)
        if missing:
            raise SchemaError(
                f"{owner}: {missing} of {len(self.histories.labels)} places are in no utility constraint; "
                "the constraints must be a partition. A place on a line of its own is never generalised."
            )
        return np.array([number[label] for label in self.histories.labels], dtype=np.int32)

    def hierarchy_arrays(self, owner: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Ints]:
        """Return the node of every place, and parent and leaf count of every node of the place hierarchy."""
        hierarchy = self.dataset.hierarchies.get("place")
        if hierarchy is None:
            raise SchemaError(f"{owner}: needs a hierarchy of the places (--hierarchy place=FILE).")
        hierarchy.require(list(self.histories.labels), owner)
        nodes = np.array([hierarchy.leaf(label) for label in self.histories.labels], dtype=np.int32)
        return nodes, np.asarray(hierarchy.parent, np.int32), np.asarray(hierarchy.leaves, np.int64)

    def refuse_sensitive(self, owner: str) -> None:
        """Refuse sensitive places where a method has no notion of them."""
        if self.is_sensitive.any():
            raise ParameterError(
                f"{owner}: knows no sensitive places and would generalise them like any other. "
                "Use lm-anon, zga or sga, or name no sensitive places."
            )

    def apply(self, recoding: Recoding, unknown: str) -> Recoded:
        """Publish these rows with a recoding learnt elsewhere.

        A place the recoding does not know is an error that names rows, or is removed (``unknown="suppress"``).
        """
        if unknown not in {"error", "suppress"}:
            raise ParameterError(f"apply: unknown must be error or suppress, got {unknown!r}.")
        number = {place: i for i, group in enumerate(recoding.groups) for place in group}
        known = set(recoding.suppressed) | set(number)
        strange = np.array([label not in known for label in self.histories.labels], dtype=bool)
        rows = np.unique(self.histories.row_of_token[strange[self.histories.codes]])
        if len(rows) and unknown == "error":
            shown = ", ".join(str(row + 1) for row in rows[:5])
            raise SchemaError(
                f"apply: {int(strange.sum())} places are not in the recoding; they are in {len(rows)} records, "
                f"for example {shown}. Use unknown=suppress to remove those visits, or anonymise the batch anew."
            )
        position = np.array([number.get(label, -1) for label in self.histories.labels], dtype=np.int32)
        image = position[self.histories.codes]
        kept = Ragged(self.histories.offsets, image, self.histories.labels).keep(image >= 0)
        left = np.flatnonzero(kept.lengths > 0)
        kept = kept.take(left)
        removed = {label for label, is_new in zip(self.histories.labels, strange, strict=True) if is_new}
        return Recoded(
            self.rows[left],
            kept.offsets,
            kept.codes,
            recoding.groups,
            tuple(sorted({*recoding.suppressed, *removed})),
            {EMPTY: len(self) - len(left)},
            recoding,
        )

    def recoded(self, group: npt.NDArray[np.int32]) -> Recoded:
        """Publish these rows with every ordinary place as its group; group -1 is removed.

        ``group`` holds, for each place, the smallest code of the group it belongs to. Rows that end empty
        are withheld.
        """
        codes = self.histories.codes
        published = np.where(self.is_sensitive, np.arange(len(group)), group).astype(np.int32)
        image = published[codes]
        kept = Ragged(self.histories.offsets, image, self.histories.labels).keep(image >= 0)
        left = kept.lengths > 0
        kept = kept.take(np.flatnonzero(left))
        occurring = np.zeros(len(group), dtype=bool)
        occurring[codes] = True
        members: dict[int, list[str]] = {}
        for code in np.flatnonzero(occurring & (published >= 0)):
            members.setdefault(int(published[code]), []).append(self.histories.labels[code])
        position = np.full(len(group), -1, dtype=np.int32)
        position[list(members)] = np.arange(len(members))
        groups = tuple(tuple(sorted(names)) for names in members.values())
        suppressed = tuple(sorted(self.histories.labels[c] for c in np.flatnonzero(occurring & (published < 0))))
        return Recoded(
            self.rows[left],
            kept.offsets,
            position[kept.codes],
            groups,
            suppressed,
            {EMPTY: int((~left).sum())},
            Recoding(self.dataset.schema.history, tuple(sorted(groups)), suppressed),
        )
