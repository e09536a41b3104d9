"""Who is published with whom: people cut into parts of neighbours, each of which is published on its own.

The plan depends on the data, the parameters and the secret, and on nothing else: not on cores, machines or memory. So
the release is the same wherever and however often its parts are made.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError
from sfumato.core.locality import Keys
from sfumato.core.method import Method
from sfumato.core.publishing.secret import Secret
from sfumato.core.rooms import find_room, has_room

__all__ = ["Plan", "has_many_parts", "make_plan"]

Ints = npt.NDArray[np.int64]

_ROOM = "locality"
_MANY = 5
"""With more parts than these, one release of all would take long, or much memory."""


@dataclasses.dataclass(frozen=True, eq=False)
class Plan:
    """The part that everybody is in.

    Parameters
    ----------
    part
        Number of the part of every row, from 0.
    count
        Number of parts.

    Examples
    --------
    >>> plan = Plan.cut(np.array([9, 1, 8, 2, 7], np.uint64), Secret(bytes(32)), most=2)
    >>> plan.count, [rows.tolist() for rows in plan]
    (3, [[1, 3], [2, 4], [0]])
    """

    part: npt.NDArray[np.int32]
    count: int

    @classmethod
    def cut(cls, keys: Keys, secret: Secret, most: int) -> Plan:
        """Cut the line of people into as few parts of equal size as there can be with so many people at most.

        Who is alike in all that lays people in a line comes in a random order, as the secret has it: in the order of
        the file the parts would tell who came first.
        """
        order = np.lexsort((secret.numbers(len(keys), "people who are alike"), keys))
        count = max(-(-len(keys) // most), 1)
        part = np.empty(len(keys), np.int32)
        part[order] = np.arange(len(keys)) * count // max(len(keys), 1)
        return cls(part, count)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Ints]:
        """Yield the rows of every part, in the order of the data."""
        order = np.argsort(self.part, kind="stable")
        ends = np.searchsorted(self.part[order], np.arange(self.count + 1))
        for first, last in itertools.pairwise(ends.tolist()):
            yield order[first:last]


def has_many_parts(dataset: Dataset) -> bool:
    """Tell whether data are so many that they had better be published in parts, where their kind can be.

    Examples
    --------
    >>> has_many_parts(Dataset.of("sets", [["wine"]]))
    False
    """
    return has_room(dataset.kind, _ROOM) and len(dataset) > _MANY * find_room(dataset.kind, _ROOM).PART_SIZE


def make_plan(dataset: Dataset, method: Method, secret: Secret, part_size: int | None = None) -> Plan:
    """Plan the parts of a release of a dataset by a method; refuse promises that parts cannot keep.

    Parameters
    ----------
    dataset
        The original.
    method
        What every part is published by.
    secret
        The owner's: who of those who are alike is in which part follows from it.
    part_size
        People in a part at most; a constant of the kind of data if not given.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["tea"]] * 6)
    >>> plan = make_plan(data, sf.methods.Apriori(k=2, m=1), Secret(bytes(32)), 6)
    >>> [np.bincount(rows % 2, minlength=2).tolist() for rows in plan]
    [[0, 6], [6, 0]]
    """
    owner = type(method).__name__
    whole = [promise.name for promise in method.promises if not promise.composes]
    if whole or not has_room(dataset.kind, _ROOM):
        raise ParameterError(
            f"{owner}: a release of {dataset.kind} cannot be made in parts: what it promises is about all of the data "
            "in their order, not about people by themselves. Leave the engine out."
        )
    room = find_room(dataset.kind, _ROOM)
    size = room.PART_SIZE if part_size is None else part_size
    k = getattr(method, "k", None)
    least = 2 * max(k if isinstance(k, int) else 1, 1)
    if isinstance(size, bool) or not isinstance(size, int) or size < least:
        raise ParameterError(
            f"part_size: must be a whole number of at least {least}, so that every part has enough "
            f"{dataset.unit.many}, got {size!r}."
        )
    method.accept(dataset, k if isinstance(k, int) else 1)
    return Plan.cut(room.lay_in_line(dataset), secret.for_data(dataset.table, "parts"), size)
