"""Clusters of consecutive rows, each recoded on its own; clusters that cannot stand alone join a neighbour."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import InfeasibleError
from sfumato.release.encode import Recoded
from sfumato.release.run import Run

__all__ = ["cut", "join", "recode_clusters"]

Ints = npt.NDArray[np.int64]


def cut(order: Ints, clusters: int, smallest: int) -> list[Ints]:
    """Cut an order of rows into clusters of equal size; a remainder below ``smallest`` joins the one before.

    Examples
    --------
    >>> [partition.tolist() for partition in cut(np.arange(7), clusters=3, smallest=2)]
    [[0, 1], [2, 3], [4, 5, 6]]
    """
    size = max(len(order) // clusters, smallest)
    partitions = [order[start : start + size] for start in range(0, len(order), size)]
    if len(partitions) > 1 and len(partitions[-1]) < max(size, smallest):
        last = partitions.pop()
        partitions[-1] = np.concatenate([partitions[-1], last])
    return partitions


def recode_clusters(partitions: list[Ints], recode: Callable[[Ints], Recoded], run: Run) -> list[Recoded]:
    """Recode every cluster; where one is infeasible alone, merge it with its neighbour in the order and retry.

    Only when a single cluster is left and still infeasible, give up.
    """

    def attempt(partition: Ints) -> Recoded | InfeasibleError:
        try:
            return recode(partition)
        except InfeasibleError as error:
            return error

    results: list[Recoded | InfeasibleError | None] = [None] * len(partitions)
    while True:
        waiting = [i for i, result in enumerate(results) if result is None]
        for i, result in zip(waiting, run.engine.map(attempt, [partitions[i] for i in waiting]), strict=True):
            results[i] = result
        failed = next((i for i, r in enumerate(results) if isinstance(r, InfeasibleError)), None)
        if failed is None:
            return [result for result in results if isinstance(result, Recoded)]
        if len(partitions) == 1:
            raise results[0]  # type: ignore[misc]
        first = max(failed - 1, 0)
        partitions = [*partitions[:first], np.concatenate(partitions[first : first + 2]), *partitions[first + 2 :]]
        results = [*results[:first], None, *results[first + 2 :]]
        run.counters["clusters_joined"] = run.counters.get("clusters_joined", 0) + 1


def join(partitions: list[Recoded]) -> Recoded:
    """Put recoded clusters together; every cluster keeps its own groups.

    Examples
    --------
    >>> a = Recoded(np.array([0]), np.array([0, 1]), np.array([0], np.int32), [("a", "b")])
    >>> b = Recoded(np.array([1]), np.array([0, 1]), np.array([0], np.int32), [("b",)])
    >>> join([a, b]).groups, join([a, b]).codes.tolist()
    ([('a', 'b'), ('b',)], [0, 1])
    """
    groups: list[tuple[str, ...]] = []
    codes, lengths = [], []
    suppressed_records: dict[str, int] = {}
    for partition in partitions:
        codes.append(partition.codes + np.int32(len(groups)))
        lengths.append(np.diff(partition.offsets))
        groups.extend(partition.groups)
        for reason, count in partition.suppressed_records.items():
            suppressed_records[reason] = suppressed_records.get(reason, 0) + count
    return Recoded(
        np.concatenate([partition.rows for partition in partitions]),
        np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64),
        np.concatenate(codes).astype(np.int32),
        groups,
        tuple(sorted({value for partition in partitions for value in partition.suppressed})),
        suppressed_records,
        partitions[0].recoding if len(partitions) == 1 else None,
    )
