"""Who is published with whom: people cut into partitions of neighbours, each of which is published on its own.

The plan depends on the data, the parameters and the secret, and on nothing else: not on cores, machines or memory. So
the release is the same wherever and however often its partitions are made.
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
from sfumato.messages import Message, MethodName, option

__all__ = ["Line", "Plan", "check_partitions", "draw_chances", "has_many_partitions", "make_plan"]

Ints = npt.NDArray[np.int64]

_MANY = 5
"""With more partitions than these, one release of all would take long, or much memory."""


@dataclasses.dataclass(frozen=True, eq=False)
class Plan:
    """The partition that everybody is in.

    Parameters
    ----------
    partition
        Number of the partition of every row, from 0.
    count
        Number of partitions.

    Examples
    --------
    >>> plan = Plan.cut(np.array([9, 1, 8, 2, 7], np.uint64), Secret(bytes(32)), most=2)
    >>> plan.count, [rows.tolist() for rows in plan]
    (3, [[1, 3], [2, 4], [0]])
    """

    partition: npt.NDArray[np.int32]
    count: int

    @classmethod
    def cut(cls, keys: Keys, secret: Secret, most: int, names: Sequence[str] | None = None) -> Plan:
        """Cut the line of people into as few partitions of equal size as there can be with so many people at most.

        Who is alike in all that lays people in a line comes in a random order, as the secret has it, by their names
        where they have some: in the order of the file the partitions would tell who came first.
        """
        chance = draw_chances(secret, range(len(keys)) if names is None else names)
        order, partition = np.lexsort((chance, keys)), np.empty(len(keys), np.int32)
        line = Line.of(len(keys), int((keys != ANYWHERE).sum()), most)
        partition[order] = line.assign_partitions()
        return cls(partition, line.partitions)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Ints]:
        """Yield the rows of every partition, in the order of the data."""
        order = np.argsort(self.partition, kind="stable")
        ends = np.searchsorted(self.partition[order], np.arange(self.count + 1))
        for first, last in itertools.pairwise(ends.tolist()):
            yield order[first:last]


class Line(NamedTuple):
    """How a line of people is cut: so many partitions, of those who have a place in it and of those who have none.

    Examples
    --------
    >>> Line.of(7, placed=4, most=4).assign_partitions().tolist()
    [0, 0, 1, 1, 0, 0, 1]
    """

    people: int
    placed: int
    partitions: int

    @classmethod
    def of(cls, people: int, placed: int, most: int) -> Line:
        """Cut into partitions with so many people at most."""
        return cls(people, placed, max(-(-people // most), 1))

    def ends(self) -> tuple[Ints, Ints]:
        """Return where partitions end in the line, and among those who have no place in it and fill partitions up."""
        number = np.arange(1, self.partitions + 1)
        placed = -(-number * self.placed // self.partitions)
        return placed, np.maximum.accumulate(-(-number * self.people // self.partitions) - placed)

    def assign_partitions(self) -> npt.NDArray[np.int32]:
        """Return the partition of everybody, in the order of the line; those without a place come last."""
        inside, beside = (np.diff(ends, prepend=0) for ends in self.ends())
        return np.repeat(np.tile(np.arange(self.partitions, dtype=np.int32), 2), np.concatenate([inside, beside]))


def draw_chances(secret: Secret, names: Iterable[object]) -> npt.NDArray[np.uint64]:
    """Return the random numbers by which people who are alike are ordered: by their names, or by their rows.

    Examples
    --------
    >>> secret = Secret(bytes(32))
    >>> draw_chances(secret, ["ann", "bob"]).tolist() == draw_chances(secret, ["bob", "ann"]).tolist()[::-1]
    True
    """
    return secret.number_names(map(str, names), "people who are alike")


def check_partitions(kind: str, unit: RecordUnit, method: Method, partition_size: int | None = None) -> int:
    """Return how many people a partition has at most; refuse promises that partitions cannot keep, and small sizes.

    Examples
    --------
    >>> import sfumato as sf
    >>> check_partitions("sets", sf.Dataset.of("sets", [["tea"]]).unit, sf.methods.Apriori(k=2, m=1), 9)
    9
    """
    owner = MethodName(type(method).__name__, method.name)
    whole = [guarantee.name for guarantee in method.guarantees if not guarantee.composes]
    sort_key = find_kind(kind).sort_key
    if whole or sort_key is None:
        raise ParameterError(
            Message(owner, f": {kind} data cannot be published in partitions: the guarantee is about their order."),
            hint=Message("Leave out ", option("engine"), "."),
        )
    size = sort_key.load().PARTITION_SIZE if partition_size is None else partition_size
    k = getattr(method, "k", None)
    least = 2 * max(k if isinstance(k, int) else 1, 1)
    if isinstance(size, bool) or not isinstance(size, int) or size < least:
        raise ParameterError(
            Message(
                option("partition_size"),
                f" must be a whole number of at least {least}, so that every partition has enough {unit.many}, "
                f"got {size!r}.",
            )
        )
    return size


def has_many_partitions(dataset: Dataset) -> bool:
    """Tell whether data are so many that they had better be published in partitions, where their kind can be.

    Examples
    --------
    >>> has_many_partitions(Dataset.of("sets", [["wine"]]))
    False
    """
    sort_key = find_kind(dataset.kind).sort_key
    return sort_key is not None and len(dataset) > _MANY * sort_key.load().PARTITION_SIZE


def make_plan(dataset: Dataset, method: Method, secret: Secret, partition_size: int | None = None) -> Plan:
    """Plan the partitions of a release of a dataset by a method; refuse promises that partitions cannot keep.

    Parameters
    ----------
    dataset
        The original.
    method
        What every partition is published by.
    secret
        The owner's: who of those who are alike is in which partition follows from it.
    partition_size
        People in a partition at most; a constant of the kind of data if not given.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["tea"]] * 6)
    >>> plan = make_plan(data, sf.methods.Apriori(k=2, m=1), Secret(bytes(32)), 6)
    >>> [np.bincount(rows % 2, minlength=2).tolist() for rows in plan]
    [[0, 6], [6, 0]]
    """
    size = check_partitions(dataset.kind, dataset.unit, method, partition_size)
    k = getattr(method, "k", None)
    method.accept(dataset, k if isinstance(k, int) else 1)
    keys = require(find_kind(dataset.kind).sort_key).compute_sort_key(dataset)
    names = find_names(dataset)
    chosen = secret.derive(Fingerprint.of(digest_records(dataset)).to_bytes(), "parts")
    return Plan.cut(keys, chosen, size, None if names is None else names.to_pylist())
