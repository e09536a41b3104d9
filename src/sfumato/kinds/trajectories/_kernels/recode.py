"""Global recoding of places: merge groups of places until no short sequence of them singles anyone out."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato._kernels.counter import ANY_COUNT, LARGEST_KEY, list_entries, new_counter, read_all
from sfumato._kernels.size_limits import refuse_endless
from sfumato.kinds.trajectories._kernels import repair, sequence_counts
from sfumato.kinds.trajectories._kernels.groups import compact_groups, new_groups
from sfumato.kinds.trajectories._kernels.linkage import choose_scale, measure_extent, new_linkage
from sfumato.kinds.trajectories._kernels.subsequences import new_walk

__all__ = ["Demand", "Outcome", "Places", "Rows", "Tree", "recode"]

# So much work at a time, and then it can be interrupted: some tenths of a second.
_ROWS_PER_SLICE = 50_000
_SEQUENCES_PER_SLICE = 20_000_000
_PACE = 200_000
_STATUS: dict[int, Literal["done", "infeasible", "limit"]] = {
    repair.DONE: "done",
    repair.INFEASIBLE: "infeasible",
    repair.OVER_LIMIT: "limit",
}


NO_CODES: NDArray[np.int32] = np.empty(0, np.int32)
NO_COUNTS: NDArray[np.int64] = np.empty(0, np.int64)
NO_HEIGHTS: NDArray[np.float64] = np.empty(0, np.float64)


class Rows(NamedTuple):
    """Trajectories over place codes, and the sensitive codes each of them visits.

    Attributes
    ----------
    offsets, values
        Trajectory r is ``values[offsets[r] : offsets[r + 1]]``; sensitive places are not among them.
    sensitive_offsets, sensitive_values
        The same for sensitive codes, in any order; both empty when there are none.

    Examples
    --------
    >>> rows = Rows(offsets=np.array([0, 2, 3]), values=np.array([4, 1, 4], np.int32))
    >>> rows.values[rows.offsets[0] : rows.offsets[1]].tolist(), rows.sensitive_values.size
    ([4, 1], 0)
    """

    offsets: NDArray[np.int64]
    values: NDArray[np.int32]
    sensitive_offsets: NDArray[np.int64] = NO_COUNTS
    sensitive_values: NDArray[np.int32] = NO_CODES


class Places(NamedTuple):
    """Where places lie and what they may be merged with, by place code.

    Attributes
    ----------
    x, y
        Coordinates; all zero when unknown.
    z, diameter
        The third coordinate and the diameter of the globe the places lie on, from whose centre all are counted;
        empty and 0 on a plane.
    constraint
        Only places of the same constraint are merged; empty when all may be.
    node
        The node of the tree the place is; empty without a tree.

    Examples
    --------
    >>> Places(x=np.array([0.0, 3.0]), y=np.array([1.0, 1.0])).points().tolist()
    [[0.0, 1.0, 0.0], [3.0, 1.0, 0.0]]
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    constraint: NDArray[np.int32] = NO_CODES
    node: NDArray[np.int32] = NO_CODES
    z: NDArray[np.float64] = NO_HEIGHTS
    diameter: float = 0.0

    def points(self) -> NDArray[np.float64]:
        """Return the three coordinates, a row for each place."""
        z = self.z if self.diameter else np.zeros(self.x.size)
        return np.column_stack([self.x, self.y, z]).astype(np.float64)


class Tree(NamedTuple):
    """A hierarchy over places; both arrays are empty when there is none.

    Attributes
    ----------
    parent
        The parent of every node, -1 for the root.
    leaves
        How many leaves lie below every node; 1 for a leaf.

    Examples
    --------
    >>> two_leaves = Tree(parent=np.array([-1, 0, 0], np.int32), leaves=np.array([2, 1, 1]))
    >>> int(two_leaves.leaves[two_leaves.parent[2]])
    2
    """

    parent: NDArray[np.int32] = NO_CODES
    leaves: NDArray[np.int64] = NO_COUNTS


class Demand(NamedTuple):
    """What the recoding has to reach.

    Attributes
    ----------
    k
        The least number of trajectories that hold any sequence of places that occurs.
    l
        At most one in l of the trajectories that hold a sequence may visit any one sensitive code; 0 or 1: no rule.
    sizes
        The sizes of the sequences to protect, in the order to protect them.
    limit
        The most places that may be suppressed, or -1 when none may.

    Examples
    --------
    >>> Demand(k=5)
    Demand(k=5, l=1, sizes=(1, 2), limit=-1)
    """

    k: int
    l: int = 1
    sizes: tuple[int, ...] = (1, 2)
    limit: int = -1


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


def recode(rows: Rows, places: Places, tree: Tree, demand: Demand, report: Callable[[int, int, int], None]) -> Outcome:
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
        Called with size, sequences done and sequences in all: at the start of every size, and then several
        times a second.

    Returns
    -------
    Outcome
        The groups, or what stands in the way.

    Raises
    ------
    ValueError
        If sequences of so many places cannot be told apart by a 62-bit number (the message has the largest m
        possible), records hold more sequences than can be counted, or a place code, the coordinates, the tree or the
        sizes are out of range.

    References
    ----------
    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis, "Apriori-based algorithms for k^m-anonymizing trajectory
    data", section 4; "Select-Organize-Anonymize: A framework for trajectory data anonymization", section III.

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
        _check_input(rows, places, tree, demand)
        self.demand = demand
        self.places = places.x.size
        occurs = np.flatnonzero(np.bincount(rows.values, minlength=self.places)).astype(np.int32)
        constraint = places.constraint if places.constraint.size else np.zeros(self.places, np.int32)
        # Seats: the places that occur, those of one constraint side by side.
        self.code = occurs[np.argsort(constraint[occurs], kind="stable")]
        self.linkage = new_linkage(
            points=places.points()[self.code],
            scale=choose_scale(places.points(), places.diameter),
            constraint=constraint[self.code],
            parent=tree.parent.astype(np.int32),
            leaves=tree.leaves.astype(np.int64),
        )
        self.trips = _prepare_trips(rows, self.code, self.places, demand.l)
        self.sensitive = int(self.trips.codes.max(initial=-1)) + 1
        node = places.node[self.code] if tree.parent.size else np.zeros(self.code.size)
        self.groups = new_groups(self.code, np.diff(self.trips.row_offsets), node.astype(np.int32))
        self.walk = new_walk(int(self.trips.length.max(initial=0)), max(demand.sizes), self.code.size)
        self.progress = repair.Progress(*(np.zeros(1, np.int64) for _ in repair.Progress._fields))

    def run(self, report: Callable[[int, int, int], None]) -> Outcome:
        """Repeat all sizes until nothing changes; once is enough without sensitive codes."""
        while True:
            merges = int(self.progress.merges[0])
            for size in self.demand.sizes:
                status = self.protect_size(size, report)
                if status != repair.DONE:
                    return self.conclude(status)
            if self.sensitive == 0 or merges == self.progress.merges[0]:
                return self.conclude(repair.DONE)

    def protect_size(self, size: int, report: Callable[[int, int, int], None]) -> int:
        """Repair all sequences of one size."""
        self.groups, relabel = compact_groups(self.groups)
        sequence_counts.relabel_rows(self.trips, relabel, max(self.demand.sizes))
        counted = self.count_sequences(size)
        queue = _queue_violations(counted, self.demand)
        rule = repair.Rule(self.demand.k, self.demand.l, self.demand.limit, _PACE)
        self.progress.position[0] = 0
        report(size, 0, queue.size)
        while self.progress.position[0] < queue.size:
            status, counted = repair.repair_sequences(
                queue, self.trips, self.groups, self.linkage, self.walk, counted, rule, self.progress
            )
            report(size, int(self.progress.position[0]), queue.size)
            if status != repair.DONE:
                return int(status)
        return repair.DONE

    def count_sequences(self, size: int) -> sequence_counts.SequenceCounts:
        """Count the rows of all sequences of one size."""
        base, codes = max(1, self.groups.code.size), self.sensitive
        space = base**size
        if space * max(1, codes) > LARGEST_KEY:
            raise ValueError(
                f"recode: sequences of {size} places cannot be numbered in 62 bits with {base} places; "
                f"the largest m possible is {_find_largest_size(base, codes)}."
            )
        refuse_endless(self.trips.start, self.trips.length, self.trips.tokens, size, base)
        # An upper bound: the ways to choose positions.
        sequences = np.ones(self.trips.length.size)
        for step in range(size):
            sequences *= np.maximum(self.trips.length - step, 0) / (step + 1)
        visits = np.diff(self.trips.code_offsets)
        counted = sequence_counts.SequenceCounts(
            support=new_counter(space, float(sequences.sum())),
            visits=new_counter(space if codes else 0, float(sequences @ (visits > 0))),
            shared=new_counter(space * codes, float(sequences @ visits)),
            size=size,
            base=base,
            codes=codes,
        )
        begin = 0
        while begin < sequences.size:
            batch = sequences[begin : begin + _ROWS_PER_SLICE]
            end = begin + max(1, int(np.searchsorted(np.cumsum(batch), _SEQUENCES_PER_SLICE)))
            counted = sequence_counts.count_rows(self.trips, self.walk, counted, begin, end)
            begin = end
        return counted

    def conclude(self, status: int) -> Outcome:
        """Say how it ended."""
        group = np.arange(self.places, dtype=np.int32)
        # The label of suppressed seats is -1: they find the last entry.
        group[self.code] = np.append(self.groups.code, np.int32(-1))[self.groups.label]
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


def _check_input(rows: Rows, places: Places, tree: Tree, demand: Demand) -> None:
    """Refuse what would make the compiled parts read outside their arrays."""
    if rows.values.size and not 0 <= rows.values.min() <= rows.values.max() < places.x.size:
        raise ValueError(f"recode: place codes must lie between 0 and {places.x.size - 1}.")
    if not demand.sizes or min(demand.sizes) < 1:
        raise ValueError(f"recode: sizes must be 1 or more, got {demand.sizes}.")
    if not np.isfinite(measure_extent(places.points(), places.diameter)):
        raise ValueError("recode: the coordinates lie too far apart to compute distances; use a larger unit.")
    if tree.parent.size and np.count_nonzero(tree.parent < 0) != 1:
        raise ValueError("recode: a tree needs exactly one root, with parent -1.")


def _find_largest_size(base: int, codes: int) -> int:
    """Find the size of the longest sequences that have keys."""
    size = 0
    while base ** (size + 1) * max(1, codes) <= LARGEST_KEY:
        size += 1
    return size


def _queue_violations(counted: sequence_counts.SequenceCounts, demand: Demand) -> NDArray[np.int64]:
    """List the keys of the sequences that break the demand, by support and then by code."""
    keys, counts = list_entries(counted.support, demand.k)
    if counted.codes:
        shared_keys, shared = list_entries(counted.shared, ANY_COUNT)
        sequences = shared_keys // counted.codes
        support = read_all(counted.support, sequences)
        broken = np.unique(sequences[(demand.l * shared > support) & (support >= demand.k)])
        keys = np.concatenate([keys, broken])
        counts = np.concatenate([counts, read_all(counted.support, broken)])
    space = counted.base**counted.size
    if (int(counts.max(initial=0)) + 1) * space > LARGEST_KEY:
        queue: NDArray[np.int64] = keys[np.lexsort((keys, counts))]
        return queue
    # One number that sorts by support first is much faster to sort than pairs.
    queue = counts
    queue *= space
    queue += keys
    queue.sort()
    queue %= space
    return queue


def _prepare_trips(rows: Rows, codes: NDArray[np.int32], places: int, diversity: int) -> sequence_counts.Trips:
    """Copy the rows, with seats for place codes, and list the rows of every seat."""
    start, length = np.array(rows.offsets[:-1], np.int64), np.diff(rows.offsets).astype(np.int64)
    seat = np.zeros(places, np.int32)
    seat[codes] = np.arange(codes.size)
    tokens = seat[rows.values]
    row_offsets, visiting_rows = sequence_counts.list_rows_by_seat(start, length, tokens, codes.size)
    if diversity > 1 and rows.sensitive_values.size:
        code_offsets, sensitive = _number_sensitive(rows.sensitive_offsets, rows.sensitive_values)
    else:
        code_offsets, sensitive = np.zeros(length.size + 1, np.int64), np.empty(0, np.int32)
    return sequence_counts.Trips(
        start=start,
        length=length,
        tokens=tokens,
        row_offsets=row_offsets,
        rows=visiting_rows,
        code_offsets=code_offsets,
        codes=sensitive,
        stamp=np.zeros(length.size + 1, np.int64),
    )


def _number_sensitive(
    offsets: NDArray[np.int64], values: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Number the sensitive codes from 0, and let every row visit each of them at most once."""
    codes, number = np.unique(values, return_inverse=True)
    row = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    row, number = np.divmod(np.unique(row * np.int64(codes.size) + number), np.int64(codes.size))
    return np.searchsorted(row, np.arange(offsets.size)).astype(np.int64), number.astype(np.int32)
