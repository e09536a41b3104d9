"""Global recoding of places: merge groups of places until no short sequence of them singles anyone out."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels import repair, tally
from sfumato.kernels.counter import ANY_COUNT, LARGEST_KEY, list_entries, new_counter, read_all
from sfumato.kernels.linkage import Groups, Linkage, choose_bits, measure_diagonal, new_linkage
from sfumato.kernels.subsequences import new_walk

__all__ = ["Demand", "Outcome", "Places", "Rows", "Tree", "recode"]

_ROWS_PER_SLICE = 50_000
_STATUS: dict[int, Literal["done", "infeasible", "limit"]] = {
    repair.DONE: "done",
    repair.INFEASIBLE: "infeasible",
    repair.BEYOND_LIMIT: "limit",
}


class Rows(NamedTuple):
    """Trajectories over place codes, and the sensitive codes each of them visits.

    Attributes
    ----------
    offsets, values
        Trajectory r is ``values[offsets[r] : offsets[r + 1]]``; sensitive places are not among them.
    sensitive_offsets, sensitive_values
        The same for sensitive codes, in any order; both empty when there are none.
    """

    offsets: NDArray[np.int64]
    values: NDArray[np.int32]
    sensitive_offsets: NDArray[np.int64]
    sensitive_values: NDArray[np.int32]


class Places(NamedTuple):
    """Where places lie and what they may be merged with, by place code.

    Attributes
    ----------
    x, y
        Coordinates; all zero when unknown.
    constraint
        Only places of the same constraint are merged; empty when all may be.
    node
        The node of the tree the place is; empty without a tree.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    constraint: NDArray[np.int32]
    node: NDArray[np.int32]


class Tree(NamedTuple):
    """A hierarchy over places; both arrays are empty when there is none.

    Attributes
    ----------
    parent
        The parent of every node, -1 for the root.
    leaves
        How many leaves lie below every node; 1 for a leaf.
    """

    parent: NDArray[np.int32]
    leaves: NDArray[np.int64]


class Demand(NamedTuple):
    """What the recoding has to reach.

    Attributes
    ----------
    k
        The least number of trajectories that hold any sequence of places that occurs.
    l
        At most one in l of the trajectories that hold a sequence may visit any one sensitive code; 0 or 1: no such rule.
    sizes
        The sizes of the sequences to protect, in the order to protect them.
    limit
        The most places that may be suppressed, or -1 when none may.
    """

    k: int
    l: int
    sizes: tuple[int, ...]
    limit: int


class Outcome(NamedTuple):
    """How the recoding ended.

    Attributes
    ----------
    status
        ``done``; ``infeasible`` when a sequence cannot be repaired and no place may be suppressed; ``limit`` when
        more places would have to be suppressed than may be.
    group
        By place: the smallest code among the places it is now one with, or -1 when suppressed.
    size, support
        Of the sequence that could not be repaired; 0 when done.
    merges, suppressed, sequences_checked
        Merges of two groups, places suppressed (those beyond the limit included), and looks at a sequence.
    """

    status: Literal["done", "infeasible", "limit"]
    group: NDArray[np.int32]
    size: int
    support: int
    merges: int
    suppressed: int
    sequences_checked: int


def recode(
    rows: Rows, places: Places, tree: Tree, demand: Demand, report: Callable[[int, int, int], None]
) -> Outcome:
    """Merge places until every sequence of them that occurs is held by enough trajectories.

    For every size in turn, the sequences that break the demand are repaired, the rarest first: while one breaks
    it, its rarest group is merged with the nearest group that it may be merged with, or suppressed if there is
    none. Equals are resolved by the smallest place code. With ``l`` above 1 merging can break what held before,
    so that all sizes are repeated until nothing changes.

    Parameters
    ----------
    rows, places, tree
        The data; they are not modified. Places that do not occur in any row keep to themselves.
    demand
        What to reach.
    report
        Called with size, sequences done and sequences to do, several times a second.

    Returns
    -------
    Outcome
        The groups, or what stands in the way.

    Raises
    ------
    ValueError
        If sequences of so many places cannot be told apart by a 62-bit number, or the coordinates lie too far apart.

    References
    ----------
    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis, "Apriori-based algorithms for k^m-anonymizing trajectory
    data", section 4; "Select-Organize-Anonymize: A framework for trajectory data anonymization", section on LMAnon.

    Examples
    --------
    >>> rows = Rows(np.array([0, 2, 4, 6]), np.array([0, 1, 0, 1, 0, 2], np.int32), np.empty(0, np.int64),
    ...             np.empty(0, np.int32))
    >>> places = Places(np.array([0.0, 5.0, 6.0]), np.zeros(3), np.empty(0, np.int32), np.empty(0, np.int32))
    >>> tree = Tree(np.empty(0, np.int32), np.empty(0, np.int64))
    >>> outcome = recode(rows, places, tree, Demand(k=2, l=1, sizes=(1, 2), limit=-1), lambda *_: None)
    >>> outcome.status, outcome.group.tolist()
    ('done', [0, 1, 1])
    """
    return _Recoding(rows, places, tree, demand).run(report)


class _Recoding:
    """One run of `recode`: the arrays that the compiled parts work on."""

    def __init__(self, rows: Rows, places: Places, tree: Tree, demand: Demand) -> None:
        self.demand = demand
        self.places = places.x.size
        occurs = np.flatnonzero(np.bincount(rows.values, minlength=self.places))
        constraint = places.constraint if places.constraint.size else np.zeros(self.places, np.int32)
        self.codes = occurs[np.argsort(constraint[occurs], kind="stable")].astype(np.int32)
        self.linkage = _link(places, tree, self.codes, constraint)
        self.trips = _prepare_trips(rows, self.codes, self.places, demand.l)
        node = places.node[self.codes] if tree.parent.size else np.zeros(self.codes.size)
        self.groups = _seat_alone(self.codes, node, np.diff(self.trips.row_offsets))
        self.walk = new_walk(int(self.trips.length.max(initial=0)), max(demand.sizes), self.codes.size)
        self.progress = repair.Progress(*(np.zeros(1, np.int64) for _ in repair.Progress._fields))

    def run(self, report: Callable[[int, int, int], None]) -> Outcome:
        """Repeat all sizes until nothing changes; once is enough without sensitive codes."""
        while True:
            merges = int(self.progress.merges[0])
            for size in self.demand.sizes:
                status = self.protect_size(size, report)
                if status != repair.DONE:
                    return self.conclude(status)
            if self.trips.visits.size == 0 or merges == self.progress.merges[0]:
                return self.conclude(repair.DONE)

    def protect_size(self, size: int, report: Callable[[int, int, int], None]) -> int:
        """Repair all sequences of one size."""
        self.compact_labels()
        supports = self.count_sequences(size)
        queue = _queue_violations(supports, self.demand)
        rule = repair.Rule(self.demand.k, self.demand.l, self.demand.limit)
        self.progress.position[0] = 0
        report(size, 0, queue.size)
        while self.progress.position[0] < queue.size:
            status, supports = repair.repair_sequences(
                queue, self.trips, self.groups, self.linkage, self.walk, supports, rule, self.progress
            )
            report(size, int(self.progress.position[0]), queue.size)
            if status != repair.DONE:
                return int(status)
        return repair.DONE

    def compact_labels(self) -> None:
        """Renumber the groups that are alive in the order of their codes, so that keys sort like codes."""
        groups = self.groups
        alive = np.flatnonzero(groups.forward == np.arange(groups.forward.size))
        alive = alive[np.argsort(groups.code[alive])]
        relabel = np.full(groups.code.size + 1, -1, np.int32)
        relabel[alive] = np.arange(alive.size)
        tally.relabel_rows(self.trips, relabel, max(self.demand.sizes))
        by_label = {name: getattr(groups, name)[alive] for name in Groups._fields[:-3]}
        self.groups = Groups(
            **by_label,
            forward=np.arange(alive.size, dtype=np.int32),
            label=relabel[groups.label],
            following=groups.following,
        )

    def count_sequences(self, size: int) -> tally.Tally:
        """Count the rows of all sequences of one size."""
        base, codes = max(1, self.groups.code.size), self.trips.visits.size
        space, shared_space = base**size, base**size * codes
        if max(space, shared_space) > LARGEST_KEY:
            raise ValueError(
                f"recode: m={size} asks for sequences that a 62-bit number cannot tell apart with {base} places; "
                f"the largest m possible is {_find_largest_size(base, codes)}."
            )
        lengths = self.trips.length.astype(np.float64)
        sequences = np.ones(lengths.size)
        for step in range(size):
            sequences *= np.maximum(lengths - step, 0) / (step + 1)
        visits = np.diff(self.trips.code_offsets)
        supports = tally.Tally(
            support=new_counter(space, float(sequences.sum())),
            shared=new_counter(shared_space, float(sequences @ visits)),
            size=size,
            base=base,
            codes=codes,
        )
        for begin in range(0, lengths.size, _ROWS_PER_SLICE):
            end = min(lengths.size, begin + _ROWS_PER_SLICE)
            supports = tally.count_rows(self.trips, self.walk, supports, begin, end)
        return supports

    def conclude(self, status: int) -> Outcome:
        """Say how it ended."""
        group = np.arange(self.places, dtype=np.int32)
        # The label of suppressed seats is -1: they find the last entry.
        group[self.codes] = np.append(self.groups.code, np.int32(-1))[self.groups.label]
        done = status == repair.DONE
        return Outcome(
            status=_STATUS[status],
            group=group,
            size=0 if done else int(self.progress.size[0]),
            support=0 if done else int(self.progress.support[0]),
            merges=int(self.progress.merges[0]),
            suppressed=int(self.progress.suppressed[0]),
            sequences_checked=int(self.progress.checked[0]),
        )


def _find_largest_size(base: int, codes: int) -> int:
    size = 0
    while base ** (size + 1) * max(1, codes) <= LARGEST_KEY:
        size += 1
    return size


def _queue_violations(supports: tally.Tally, demand: Demand) -> NDArray[np.int64]:
    """List the keys of the sequences that break the demand, by support and then by code."""
    keys, counts = list_entries(supports.support, demand.k)
    if supports.codes:
        shared_keys, shared = list_entries(supports.shared, ANY_COUNT)
        sequences = shared_keys // supports.codes
        broken = sequences[demand.l * shared > read_all(supports.support, sequences)]
        keys = np.unique(np.concatenate([keys, broken]))
        counts = read_all(supports.support, keys)
    space = supports.base**supports.size
    if int(counts.max(initial=0)) * space > LARGEST_KEY:
        return keys[np.lexsort((keys, counts))]
    # One number that sorts by support first is much faster to sort than pairs.
    counts *= space
    counts += keys
    counts.sort()
    return np.remainder(counts, space, out=counts)


def _link(places: Places, tree: Tree, codes: NDArray[np.int32], constraint: NDArray[np.int32]) -> Linkage:
    diagonal = measure_diagonal(places.x, places.y)
    if not np.isfinite(diagonal):
        raise ValueError(
            "recode: the coordinates lie too far apart to compute distances; use a smaller unit."
        )
    return new_linkage(
        x=places.x[codes].astype(np.float64),
        y=places.y[codes].astype(np.float64),
        scale=(2.0 ** choose_bits(places.x.size), diagonal),
        constraint=constraint[codes],
        parent=tree.parent.astype(np.int32),
        leaves=tree.leaves.astype(np.int64),
    )


def _prepare_trips(rows: Rows, codes: NDArray[np.int32], places: int, diversity: int) -> tally.Trips:
    """Copy the rows, with seats for codes, and list the rows of every seat."""
    start, length = np.array(rows.offsets[:-1], np.int64), np.diff(rows.offsets).astype(np.int64)
    seat = np.zeros(places, np.int32)
    seat[codes] = np.arange(codes.size)
    tokens = seat[rows.values]
    row_offsets, visiting_rows = tally.list_visits(start, length, tokens, codes.size)
    if diversity > 1 and rows.sensitive_values.size:
        code_offsets, sensitive, sensitive_visits = _rank_sensitive(rows)
    else:
        code_offsets, sensitive = np.zeros(length.size + 1, np.int64), np.empty(0, np.int32)
        sensitive_visits = np.empty(0, np.int64)
    return tally.Trips(
        start=start,
        length=length,
        tokens=tokens,
        row_offsets=row_offsets,
        rows=visiting_rows,
        code_offsets=code_offsets,
        codes=sensitive,
        visits=sensitive_visits,
        stamp=np.zeros(length.size + 1, np.int64),
    )


def _rank_sensitive(rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Number the sensitive codes by descending visits; repeated visits of a row count once."""
    number = rows.sensitive_offsets.size - 1
    codes, dense = np.unique(rows.sensitive_values, return_inverse=True)
    row = np.repeat(np.arange(number), np.diff(rows.sensitive_offsets))
    row, dense = np.divmod(np.unique(row * np.int64(codes.size) + dense), np.int64(codes.size))
    visits = np.bincount(dense, minlength=codes.size).astype(np.int64)
    by_visits = np.argsort(-visits, kind="stable")
    rank = np.empty(codes.size, np.int32)
    rank[by_visits] = np.arange(codes.size)
    return np.searchsorted(row, np.arange(number + 1)).astype(np.int64), rank[dense], visits[by_visits]


def _seat_alone(codes: NDArray[np.int32], node: NDArray[np.int32], reach: NDArray[np.int64]) -> Groups:
    """Put every seat into a group of its own; labels are seats until they are compacted."""
    seats = np.arange(codes.size, dtype=np.int32)
    return Groups(
        code=codes.copy(),
        support=reach.copy(),
        reach=reach.copy(),
        size=np.ones(codes.size, np.int64),
        head=seats.copy(),
        tail=seats.copy(),
        node=node.astype(np.int32),
        cache=np.full(codes.size, -1, np.int32),
        forward=seats.copy(),
        label=seats.copy(),
        following=np.full(codes.size, -1, np.int32),
    )
