"""How far methods for sets are from the best there is, on cases small enough for an exact solver (HiGHS)."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

import sfumato as sf
from benchmarks.measure import run_parts, table
from sfumato.hierarchies.hierarchy import Hierarchy

K, M, CASES = 2, 2, 12
SECRET = bytes([1] * 32)
Records = list[tuple[str, ...]]


class Programme:
    """An integer programme with variables that are 0 or 1, put together piece by piece."""

    def __init__(self) -> None:
        self.price: list[float] = []
        self._entries: list[tuple[int, int, float]] = []
        self._low: list[float] = []
        self._high: list[float] = []

    def add(self, price: float = 0.0) -> int:
        """Add a variable and return its number."""
        self.price.append(price)
        return len(self.price) - 1

    def demand(self, terms: Sequence[tuple[int, float]], low: float = -np.inf, high: float = np.inf) -> None:
        """Keep a sum of variables between two numbers."""
        self._entries += [(len(self._low), at, weight) for at, weight in terms]
        self._low.append(low)
        self._high.append(high)

    def solve(self) -> float:
        """Return the smallest price."""
        row, column, weight = zip(*self._entries, strict=True)
        matrix = coo_array((weight, (row, column)), shape=(len(self._low), len(self.price))).tocsr()
        found = milp(
            np.array(self.price),
            constraints=LinearConstraint(matrix, self._low, self._high),
            integrality=np.ones(len(self.price)),
            bounds=Bounds(0, 1),
            options={"time_limit": 120},
        )
        if found.status != 0:
            raise SystemExit(f"HiGHS did not finish: {found.message}")
        return float(found.fun)


def draw_records(draw: random.Random, items: str, number: int, longest: int) -> Records:
    """Draw records, the first items more often than the last."""
    weights = [1 / (at + 1) for at in range(len(items))]
    return [tuple(sorted(set(draw.choices(items, weights, k=draw.randint(1, longest))))) for _ in range(number)]


def best_labels(records: Records, tree: Hierarchy, k: int, m: int) -> float:
    """Return the smallest loss of any labels on the paths from the items to the root, in leaves.

    A variable for every label of every item, for every label and every set of labels of a record, and for every set.
    """
    leaves = dict(zip(tree.labels, tree.leaves.tolist(), strict=True))
    programme = Programme()
    supports: dict[tuple[str, ...], tuple[int, list[int]]] = {}
    for record in records:
        choice: dict[str, list[int]] = {}
        for item in record:
            ways = []
            for label in [item, *tree.ancestors(item)]:
                ways.append(programme.add(float(leaves[label]) if leaves[label] > 1 else 0.0))
                choice.setdefault(label, []).append(ways[-1])
            programme.demand([(at, 1) for at in ways], 1, 1)
        holds = {label: programme.add() for label in choice}
        for label, ways in choice.items():
            programme.demand([(holds[label], 1), *((at, -1) for at in ways)], high=0)
            for at in ways:
                programme.demand([(holds[label], 1), (at, -1)], low=0)
        for size in range(1, m + 1):
            for labels in itertools.combinations(sorted(holds), size):
                mine = programme.add()
                occurs, holders = supports.setdefault(labels, (programme.add(), []))
                holders.append(mine)
                for label in labels:
                    programme.demand([(mine, 1), (holds[label], -1)], high=0)
                programme.demand([(occurs, -1), *((holds[label], 1) for label in labels)], high=size - 1)
    for occurs, holders in supports.values():
        programme.demand([(occurs, -k), *((at, 1) for at in holders)], low=0)
    return programme.solve()


def labels(folder: Path) -> list[list[object]]:
    """Loss of apriori and of local-km beside the best labels of all, over the same tree: 14 records, 8 items."""

    def found() -> Iterator[list[object]]:
        totals = np.zeros(4)
        for seed in range(CASES):
            records = draw_records(random.Random(seed), "abcdefgh", 14, 4)
            tree = Hierarchy.from_paths([(i, f"2 {at // 2}", f"4 {at // 4}", "*") for at, i in enumerate("abcdefgh")])
            data = sf.Dataset.of("sets", [list(record) for record in records], hierarchy=tree)
            counters = sf.anonymize(data, sf.methods.LocalKmItems(k=K, m=M), secret=SECRET).owner_record.counters
            best = best_labels(records, tree, K, M)
            row = [counters["loss_of_cut"], counters["loss_before_swap"], counters["loss"], best]
            if best > row[2] + 1e-6:
                raise SystemExit(f"case {seed}: local-km is below what is called the best, so that is no bound")
            totals += row
            yield [seed, *row[:3], round(best), row[2] / best if best else 1.0]
        yield ["all", *totals.astype(int).tolist(), totals[2] / totals[3]]

    rows = list(found())
    columns = ["case", "apriori", "local-km without SWAP", "local-km", "best", "local-km by best"]
    table(f"Loss in leaves, k={K}, m={M}", columns, rows)
    return rows


def split(terms: Sequence[str]) -> Iterator[list[list[str]]]:
    """List all ways to put terms into chunks."""
    if not terms:
        yield []
        return
    for parts in split(terms[1:]):
        yield [[terms[0]], *parts]
        for at in range(len(parts)):
            yield [*parts[:at], [terms[0], *parts[at]], *parts[at + 1 :]]


def most_kept(cluster: Records, k: int, m: int) -> int:
    """Return the most occurrences that one cluster can publish in record chunks, of all ways to form these."""
    support = Counter(term for record in cluster for term in record)
    terms = sorted(support)
    best = 0
    for size in range(len(terms) + 1):
        for inside in itertools.combinations(terms, size):
            kept = sum(support[term] for term in inside)
            if kept > best and any(
                is_allowed(cluster, parts, len(inside) < len(terms), k, m) for parts in split(inside)
            ):
                best = kept
    return best


def is_allowed(cluster: Records, parts: list[list[str]], has_term_chunk: bool, k: int, m: int) -> bool:
    """Whether chunks are k^m-anonymous, and fill all records where there is no term chunk (Lemma 2)."""
    subrecords = 0
    for part in parts:
        rows = [tuple(term for term in record if term in part) for record in cluster]
        subrecords += sum(map(bool, rows))
        sets = Counter(s for row in rows for size in range(1, m + 1) for s in itertools.combinations(row, size))
        if any(count < k for count in sets.values()):
            return False
    return has_term_chunk or (bool(parts) and subrecords >= len(cluster) + k * (min(m, len(parts)) - 1))


def best_clusters(records: Records, k: int, m: int, largest: int) -> float:
    """Return the most occurrences that stay in record chunks, of all ways to form clusters, without joint ones."""
    programme = Programme()
    member: list[list[int]] = [[] for _ in records]
    for size in range(k, largest + 1):
        for rows in itertools.combinations(range(len(records)), size):
            at = programme.add(-float(most_kept([records[row] for row in rows], k, m)))
            for row in rows:
                member[row].append(at)
    for clusters in member:
        programme.demand([(at, 1) for at in clusters], 1, 1)
    return -programme.solve()


def clusters(folder: Path) -> list[list[object]]:
    """Occurrences outside term chunks: disassociation with and without REFINE, the best clusters, and what there is.

    The best clusters have no joint ones; no cluster has more than four of the nine records.
    """

    def found() -> Iterator[list[object]]:
        totals = np.zeros(5)
        for seed in range(CASES):
            records = draw_records(random.Random(seed), "abcde", 9, 4)
            data = sf.Dataset.of("sets", [list(record) for record in records])
            total, row = sum(map(len, records)), []
            for refine in (False, True):
                method = sf.methods.Disassociation(k=K, m=M, max_cluster=4, refine=refine, bands=False)
                counters = sf.anonymize(data, method, secret=SECRET).owner_record.counters
                row.append(total - counters["occurrences_in_term_chunks"])
            best = best_clusters(records, K, M, 4)
            if best < row[0]:
                raise SystemExit(f"case {seed}: more is kept than is called the best, so that is no bound")
            frequent = Counter(term for record in records for term in record)
            row += [best, sum(count for count in frequent.values() if count >= K), total]
            totals += row
            yield [seed, *map(int, row), row[0] / best]
        yield ["all", *totals.astype(int).tolist(), totals[0] / totals[2]]

    rows = list(found())
    columns = ["case", "without REFINE", "with REFINE", "best clusters", "of terms k records have", "occurrences"]
    table(f"Occurrences outside term chunks, k={K}, m={M}", [*columns, "without REFINE by best"], rows)
    return rows


if __name__ == "__main__":
    run_parts("set-gaps", __doc__ or "", labels, clusters)
