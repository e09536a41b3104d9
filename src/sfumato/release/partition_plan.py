"""Who is published with whom: people cut into parts of neighbours, each of which is published on its own.

The plan depends on the data, the parameters and the secret, and on nothing else: not on cores, machines or memory. So
the release is the same wherever and however often its parts are made.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.fingerprint import Fingerprint, digest_records
from sfumato.data.kind import find_kind, require
from sfumato.data.record_unit import RecordUnit
from sfumato.data.secret import Secret
from sfumato.data.select import find_names
from sfumato.data.sort_key import ANYWHERE, Keys
from sfumato.exceptions import ParameterError

__all__ = ["Line", "Plan", "check_parts", "draw_chances", "has_many_parts", "make_plan"]

Ints = npt.NDArray[np.int64]

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
    def cut(cls, keys: Keys, secret: Secret, most: int, names: Sequence[str] | None = None) -> Plan:
        """Cut the line of people into as few parts of equal size as there can be with so many people at most.

        Who is alike in all that lays people in a line comes in a random order, as the secret has it, by their names
        where they have some: in the order of the file the parts would tell who came first.
        """
        chance = draw_chances(secret, range(len(keys)) if names is None else names)
        order, part = np.lexsort((chance, keys)), np.empty(len(keys), np.int32)
        line = Line.of(len(keys), int((keys != ANYWHERE).sum()), most)
        part[order] = line.assign_parts()
        return cls(part, line.parts)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Ints]:
        """Yield the rows of every part, in the order of the data."""
        order = np.argsort(self.part, kind="stable")
        ends = np.searchsorted(self.part[order], np.arange(self.count + 1))
        for first, last in itertools.pairwise(ends.tolist()):
            yield order[first:last]


class Line(NamedTuple):
    """How a line of people is cut: so many parts, of those who have a place in the line and of those who have none.

    Examples
    --------
    >>> Line.of(7, placed=4, most=4).assign_parts().tolist()
    [0, 0, 1, 1, 0, 0, 1]
    """

    people: int
    placed: int
    parts: int

    @classmethod
    def of(cls, people: int, placed: int, most: int) -> Line:
        """Cut into parts with so many people at most."""
        return cls(people, placed, max(-(-people // most), 1))

    def ends(self) -> tuple[Ints, Ints]:
        """Return where parts end in the line, and among those who have no place in it and fill parts up."""
        number = np.arange(1, self.parts + 1)
        placed = -(-number * self.placed // self.parts)
        return placed, np.maximum.accumulate(-(-number * self.people // self.parts) - placed)

    def assign_parts(self) -> npt.NDArray[np.int32]:
        """Return the part of everybody, in the order of the line; those without a place come last."""
        inside, beside = (np.diff(ends, prepend=0) for ends in self.ends())
        return np.repeat(np.tile(np.arange(self.parts, dtype=np.int32), 2), np.concatenate([inside, beside]))


def draw_chances(secret: Secret, names: Iterable[object]) -> npt.NDArray[np.uint64]:
    """Return the random numbers by which people who are alike are ordered: by their names, or by their rows.

    Examples
    --------
    >>> secret = Secret(bytes(32))
    >>> draw_chances(secret, ["ann", "bob"]).tolist() == draw_chances(secret, ["bob", "ann"]).tolist()[::-1]
    True
    """
    return secret.number_names(map(str, names), "people who are alike")


def check_parts(kind: str, unit: RecordUnit, method: Method, part_size: int | None = None) -> int:
    """Return how many people a part has at most; refuse promises that parts cannot keep, and sizes that are too small.

    Examples
    --------
    >>> import sfumato as sf
    >>> check_parts("sets", sf.Dataset.of("sets", [["tea"]]).unit, sf.methods.Apriori(k=2, m=1), 9)
    9
    """
    owner = type(method).__name__
    whole = [guarantee.name for guarantee in method.guarantees if not guarantee.composes]
    sort_key = find_kind(kind).sort_key
    if whole or sort_key is None:
        raise ParameterError(
            f"{owner}: a release of {kind} cannot be made in parts: what it promises is about all of the data "
            "in their order, not about people by themselves. Leave the engine out."
        )
    size = sort_key.load().PART_SIZE if part_size is None else part_size
    k = getattr(method, "k", None)
    least = 2 * max(k if isinstance(k, int) else 1, 1)
    if isinstance(size, bool) or not isinstance(size, int) or size < least:
        raise ParameterError(
            f"part_size: must be a whole number of at least {least}, so that every part has enough {unit.many}, "
            f"got {size!r}."
        )
    return size


def has_many_parts(dataset: Dataset) -> bool:
    """Tell whether data are so many that they had better be published in parts, where their kind can be.

    Examples
    --------
    >>> has_many_parts(Dataset.of("sets", [["wine"]]))
    False
    """
    sort_key = find_kind(dataset.kind).sort_key
    return sort_key is not None and len(dataset) > _MANY * sort_key.load().PART_SIZE


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
    size = check_parts(dataset.kind, dataset.unit, method, part_size)
    k = getattr(method, "k", None)
    method.accept(dataset, k if isinstance(k, int) else 1)
    keys = require(find_kind(dataset.kind).sort_key).compute_sort_key(dataset)
    names = find_names(dataset)
    chosen = secret.derive(Fingerprint.of(digest_records(dataset)).to_bytes(), "parts")
    return Plan.cut(keys, chosen, size, None if names is None else names.to_pylist())
