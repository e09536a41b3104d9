"""Shared chunks: terms that two trees of clusters hold in term chunks, brought together over the records of both.

A shared chunk keeps k^m-anonymity as a record chunk does. Three more rules come with sharing:

- A chunk with a term that is published further down must be k-anonymous, since its subrecords do not fit everywhere
  (Property 1): records are kept in classes by what they have in the chunk, and each class that a new term splits must
  leave nothing or k records on either side.
- The subrecords that do not fit everywhere must leave k records free wherever one of them fits. That is so where their
  number and k together are at most the records of the leaves that are open to any one of them; otherwise Hall's
  condition decides, over the different sets of leaves they fit.
- A leaf keeps the last term of its term chunk where Lemma 2 asks for one.

References
----------
Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy Preservation by Disassociation", Section 5 (Property 1,
Lemma 3).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sets._kernels.capacity import add_pattern, has_capacity, make_patterns
from sfumato.kinds.sets._kernels.cluster_terms import ClusterTerms, set_bit
from sfumato.kinds.sets._kernels.joint_clusters import (
    Candidates,
    Closed,
    Forest,
    Rules,
    Scratch,
    close_leaves,
    count_open,
    find_closed_runs,
)
from sfumato.kinds.sets._kernels.vertical_partition import fits_chunk

__all__ = ["number_shared_chunks"]


class _Classes(NamedTuple):
    """Records by what they have in the chunk under way; class 0 has nothing.

    Attributes
    ----------
    of
        By record: its class.
    size
        By class: how many records.
    bound
        By class: whether its subrecord does not fit everywhere.
    hit, sample
        By class: how many records have the term that is tried, zero in between; and one of them.
    touched
        Classes with such records.
    heir
        By class: where its records with the new term go.
    slot
        By class, except class 0: the last slot of the list of terms that its records have.
    state
        `_COUNT` of classes; whether the chunk is k-anonymous so far (`_ANONYMOUS`); whether it has a term that is
        published further down (`_MIXED`); how many subrecords do not fit everywhere (`_BOUND`), and to how many
        records the one that fits least is open (`_LEAST`).
    """

    of: NDArray[np.int64]
    size: NDArray[np.int64]
    bound: NDArray[np.bool_]
    hit: NDArray[np.int64]
    sample: NDArray[np.int64]
    touched: NDArray[np.int64]
    heir: NDArray[np.int64]
    slot: NDArray[np.int64]
    state: NDArray[np.int64]


_COUNT, _ANONYMOUS, _MIXED, _BOUND, _LEAST = range(5)


class _Case(NamedTuple):
    """Candidates over the records that have one of them, numbered from 0.

    `record` lists the records by candidate from `start` on, `records` says how many there are; `bits` holds them as
    bit sets where combinations of more than two terms are counted; `closed` says in which leaves the candidates are
    published, `open_size` how many records the other leaves have.
    """

    start: NDArray[np.int64]
    record: NDArray[np.int64]
    records: int
    bits: NDArray[np.uint64]
    closed: Closed
    open_size: NDArray[np.int64]


class _Company(NamedTuple):
    """Which terms of the chunk under way each record has, as linked lists, and who a new term meets.

    Attributes
    ----------
    last
        By record: the last slot of its list, -1 for none.
    before, term
        By slot: the slot before it, and the candidate it stands for.
    times
        By candidate: how many records of the new term have it; zero in between.
    met
        Candidates that the new term meets.
    used
        How many slots are taken.
    """

    last: NDArray[np.int64]
    before: NDArray[np.int64]
    term: NDArray[np.int64]
    times: NDArray[np.int64]
    met: NDArray[np.int64]
    used: NDArray[np.int64]


@njit(cache=True, nogil=True)
def number_shared_chunks(
    index: ClusterTerms,
    forest: Forest,
    roots: tuple[int, int],
    candidates: Candidates,
    rules: Rules,
    scratch: Scratch,
) -> NDArray[np.int64]:
    """Deal out terms to shared chunks of two trees; return the number of the chunk by candidate, 0 for none.

    The terms that go are taken off `forest.spare`.
    """
    case = _build_case(index, forest, roots, candidates, rules.m, scratch)
    number = np.zeros(candidates.term.size, np.int64)
    refused = np.zeros(number.size, np.bool_)
    held = np.empty((min(rules.m, number.size) + 1, case.bits.shape[1]), np.uint64)
    company = _no_company(case)
    chunk, count = 0, 1
    while count > 0:
        chunk += 1
        count = 0
        classes = _build_single_class(case, rules.k)
        company.last[:] = -1
        company.used[0] = 0
        for i in range(number.size):
            if number[i] > 0 or refused[i]:
                continue
            if (
                _may_leave(index, forest, candidates, i)
                and not (rules.safe and candidates.support[i] == case.open_size[i])
                and _fits_company(case, company, i, rules, held)
                and _split_classes(case, company, classes, i, rules.k)
            ):
                _leave_term_chunks(index, forest, candidates, i)
                _keep_company(case, company, classes, i)
                number[i] = chunk
                count += 1
            elif count == 0:
                refused[i] = True
    return number


@njit(cache=True, nogil=True)
def _no_company(case: _Case) -> _Company:
    terms, slots = case.start.size - 1, case.record.size
    return _Company(
        np.empty(case.records, np.int64),
        np.empty(slots, np.int64),
        np.empty(slots, np.int64),
        np.zeros(terms, np.int64),
        np.empty(terms, np.int64),
        np.zeros(1, np.int64),
    )


@njit(cache=True, nogil=True)
def _fits_company(case: _Case, company: _Company, new: int, rules: Rules, held: NDArray[np.uint64]) -> bool:
    """Tell whether a new term leaves the chunk k^m-anonymous.

    It is enough to look at terms its own records have: what is met fewer than k times is refused, and where larger
    combinations count only the terms that are met can be in one.
    """
    if rules.m == 1:
        return True
    count = 0
    for record in case.record[case.start[new] : case.start[new + 1]]:
        slot = company.last[record]
        while slot >= 0:
            other = company.term[slot]
            if company.times[other] == 0:
                company.met[count] = other
                count += 1
            company.times[other] += 1
            slot = company.before[slot]
    fits = True
    for other in company.met[:count]:
        fits &= company.times[other] >= rules.k
        company.times[other] = 0
    if not fits or rules.m == 2 or count < 2:
        return fits
    met = company.met[:count].copy()
    met.sort()
    return bool(fits_chunk(case.bits, met, new, rules.k, rules.m, held))


@njit(cache=True, nogil=True)
def _keep_company(case: _Case, company: _Company, classes: _Classes, new: int) -> None:
    for record in case.record[case.start[new] : case.start[new + 1]]:
        slot = company.used[0]
        company.used[0] += 1
        company.before[slot], company.term[slot] = company.last[record], new
        company.last[record] = slot
        classes.slot[classes.of[record]] = slot


@njit(cache=True, nogil=True)
def _build_case(
    index: ClusterTerms,
    forest: Forest,
    roots: tuple[int, int],
    candidates: Candidates,
    m: int,
    scratch: Scratch,
) -> _Case:
    seats = scratch.seat
    count = candidates.term.size
    start = np.zeros(count + 1, np.int64)
    start[1:] = np.cumsum(candidates.support)
    record, seen = np.empty(start[-1], np.int64), np.empty(start[-1], np.int64)
    write, records = 0, 0
    for i in range(count):
        for entry in (candidates.first[i], candidates.second[i]):
            while entry >= 0:
                for at in range(index.start[entry], index.start[entry + 1]):
                    seat = index.seat[at]
                    if seats[seat] < 0:
                        seats[seat] = records
                        seen[records] = seat
                        records += 1
                    record[write] = seats[seat]
                    write += 1
                entry = forest.next_entry[entry]
    seats[seen[:records]] = -1
    bits = np.zeros((count, (records + 63) >> 6 if m > 2 else 0), np.uint64)
    for i in range(count if m > 2 else 0):
        for at in range(start[i], start[i + 1]):
            set_bit(bits[i], record[at])
    closed = find_closed_runs(forest, roots, candidates.term, scratch.term)
    open_size = np.empty(count, np.int64)
    for i in range(count):
        runs = slice(closed.start[i], closed.start[i + 1])
        open_size[i] = count_open(closed.low[runs], closed.high[runs], closed.records)
    return _Case(start, record, records, bits, closed, open_size)


@njit(cache=True, nogil=True)
def _build_single_class(case: _Case, k: int) -> _Classes:
    most = case.records // k + 2
    size = np.zeros(most, np.int64)
    size[0] = case.records
    return _Classes(
        np.zeros(case.records, np.int64),
        size,
        np.zeros(most, np.bool_),
        np.zeros(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.array([1, 1, 0, 0, case.closed.records[-1]]),
    )


@njit(cache=True, nogil=True)
def _split_classes(case: _Case, company: _Company, classes: _Classes, new: int, k: int) -> bool:
    """Take a term into the chunk, unless a chunk that must be k-anonymous would not be, or would lack room."""
    state = classes.state
    is_bound = case.closed.start[new + 1] > case.closed.start[new]
    must = state[_MIXED] > 0 or is_bound
    own = case.record[case.start[new] : case.start[new + 1]]
    anonymous, count = state[_ANONYMOUS] > 0, 0
    for record in own[: own.size if anonymous else 0]:
        c = classes.of[record]
        if classes.hit[c] == 0:
            classes.touched[count], classes.sample[c] = c, record
            count += 1
        classes.hit[c] += 1
    for c in classes.touched[:count]:
        anonymous &= classes.hit[c] >= k and (c == 0 or not 0 < classes.size[c] - classes.hit[c] < k)
    allowed = (anonymous or not must) and (not is_bound or _has_capacity(case, company, classes, new, count, k))
    if allowed and anonymous:
        _move_to_heirs(classes, count, is_bound, own)
    for c in classes.touched[:count]:
        classes.hit[c] = 0
    if allowed:
        state[_ANONYMOUS] = 1 if anonymous else 0
        state[_MIXED] = 1 if must else 0
    return bool(allowed)


@njit(cache=True, nogil=True)
def _has_capacity(case: _Case, company: _Company, classes: _Classes, new: int, count: int, k: int) -> bool:
    """Tell whether the subrecords that do not fit everywhere leave k records wherever one of them fits.

    A class that the new term takes over as a whole fits nowhere better than before, so the least room of all
    classes is that of the old ones and of the new ones.
    """
    bound, least = classes.state[_BOUND], classes.state[_LEAST]
    for c in classes.touched[:count]:
        least = min(least, _count_open_to(case, company, classes.sample[c], new) if c > 0 else case.open_size[new])
        bound += 0 if classes.bound[c] else classes.hit[c]
    if bound + k > least and not _keeps_capacity(case, company, classes, new, k):
        return False
    classes.state[_BOUND], classes.state[_LEAST] = bound, least
    return True


@njit(cache=True, nogil=True)
def _keeps_capacity(case: _Case, company: _Company, classes: _Classes, new: int, k: int) -> bool:
    """Tell whether the subrecords still leave k records when it is known which leaves each of them fits.

    Classes that fit everywhere take no room; with the new term all of them, and class 0, fit the same leaves.
    """
    sizes = np.diff(case.closed.records)
    patterns = make_patterns(sizes.size)
    fits = np.empty(sizes.size, np.bool_)
    unbound = 0
    for c in range(classes.state[_COUNT]):
        hit = classes.hit[c]
        if not classes.bound[c]:
            unbound += hit
            continue
        fits[:] = True
        slot = classes.slot[c]
        while slot >= 0:
            close_leaves(case.closed, company.term[slot], fits)
            slot = company.before[slot]
        if classes.size[c] > hit and not add_pattern(patterns, fits, classes.size[c] - hit):
            return False
        if hit > 0:
            close_leaves(case.closed, new, fits)
            if not add_pattern(patterns, fits, hit):
                return False
    if unbound > 0:
        fits[:] = True
        close_leaves(case.closed, new, fits)
        if not add_pattern(patterns, fits, unbound):
            return False
    return bool(has_capacity(patterns, sizes, k))


@njit(cache=True, nogil=True)
def _count_open_to(case: _Case, company: _Company, record: int, new: int) -> int:
    """Count the records of the leaves that are open to what a record has in the chunk together with a new term."""
    closed = case.closed
    width = closed.records.size
    count = closed.start[new + 1] - closed.start[new]
    slot = company.last[record]
    while slot >= 0:
        count += closed.start[company.term[slot] + 1] - closed.start[company.term[slot]]
        slot = company.before[slot]
    runs, write = np.empty(count, np.int64), 0
    slot, term = company.last[record], new
    while term >= 0:
        for at in range(closed.start[term], closed.start[term + 1]):
            runs[write] = closed.low[at] * width + closed.high[at]
            write += 1
        term = company.term[slot] if slot >= 0 else -1
        slot = company.before[slot] if slot >= 0 else -1
    runs.sort()
    return int(count_open(runs // width, runs % width, closed.records))


@njit(cache=True, nogil=True)
def _move_to_heirs(classes: _Classes, count: int, is_bound: bool, own: NDArray[np.int64]) -> None:
    """Give records with the new term to classes of their own."""
    for c in classes.touched[:count]:
        heir = c
        if c == 0 or classes.hit[c] < classes.size[c]:
            heir = classes.state[_COUNT]
            classes.state[_COUNT] += 1
            classes.size[heir] = classes.hit[c]
            classes.size[c] -= classes.hit[c]
        classes.heir[c] = heir
        classes.bound[heir] = classes.bound[c] or is_bound
    for record in own:
        classes.of[record] = classes.heir[classes.of[record]]


@njit(cache=True, nogil=True)
def _may_leave(index: ClusterTerms, forest: Forest, candidates: Candidates, i: int) -> bool:
    """Tell whether every leaf that holds the term can spare it."""
    for entry in (candidates.first[i], candidates.second[i]):
        while entry >= 0:
            if forest.spare[index.cluster[entry]] == 0:
                return False
            entry = forest.next_entry[entry]
    return True


@njit(cache=True, nogil=True)
def _leave_term_chunks(index: ClusterTerms, forest: Forest, candidates: Candidates, i: int) -> None:
    for entry in (candidates.first[i], candidates.second[i]):
        while entry >= 0:
            forest.spare[index.cluster[entry]] -= 1
            entry = forest.next_entry[entry]
