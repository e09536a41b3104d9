"""An attacker who knows all quasi-identifiers of a person, and some of the person's items."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.attacks.risk import Risk, draw_people, success
from sfumato.checks.classes import Classes
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError
from sfumato.kinds.rt.dataset import known_items
from sfumato.kinds.rt.decode import PublishedRecords
from sfumato.kinds.rt.knowledge.candidates import CandidateCounts, Candidates
from sfumato.kinds.table.decode import exact
from sfumato.release.release import Release

__all__ = ["KNOWLEDGE", "attack", "attack_by_knowledge", "attack_original"]

KNOWLEDGE = "attributes and items"

Ints = npt.NDArray[np.int64]

_DRAWN = 1000
_EXACT = 1_000_000
_PAIRS = 20_000_000
"""Pairs of people with the same attributes that are all compared; where there are more, people are drawn."""


def attack(release: Release, original: Dataset, rows: Ints | None = None, seed: int = 0) -> Risk:
    """Attack every person of the original with all quasi-identifiers and up to m items, m being that of the claim.

    Two attackers: one knows, of each person, the items that give the person away most; the other knows m items drawn
    at random, and its mean success is ``mean_success_random``. Sensitive items are what both want to learn: the largest
    share of the records that fit which have one of them is ``max_sensitive_share``.

    Where there are more than a million sets of up to m items altogether, 1,000 people drawn at random are attacked and
    the sampling error is stated.

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    rows
        Original row of every published record, where the owner kept it: suppressed people then count as safe.
    seed
        Draws the items of the second attacker.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("rt", [(20,), (29,), (60,), (60,)], ("age",), [["a"], ["a", "b"], ["c"], ["c"]])
    >>> release = sf.anonymize(data, sf.methods.RFirst(k=2, m=2, transaction="coat"), secret=bytes(32)).release
    >>> risk = attack(release, data)
    >>> risk.smallest_anonymity_set, risk.mean_success, risk.mean_success_random
    (2, 0.5, 0.5)
    """
    m = getattr(release.guarantee, "m", None)
    if m is None:
        raise ParameterError(f"The guarantee {release.guarantee.name} does not state how many items are known.")
    return _attack(release, original, rows, m, seed)


def attack_by_knowledge(release: Release, original: Dataset, m: int, rows: Ints | None = None) -> list[Risk]:
    """Attack a release with all quasi-identifiers and one item of everybody known, two, and so on up to m.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("rt", [(20,), (29,), (60,), (60,)], ("age",), [["a"], ["a", "b"], ["c"], ["c"]])
    >>> release = sf.anonymize(data, sf.methods.RFirst(k=2, m=2, transaction="coat"), secret=bytes(32)).release
    >>> [(risk.m, risk.smallest_anonymity_set) for risk in attack_by_knowledge(release, data, 2)]
    [(1, 2), (2, 2)]
    """
    return [_attack(release, original, rows, size, 0) for size in range(1, m + 1)]


def _attack(release: Release, original: Dataset, rows: Ints | None, m: int, seed: int) -> Risk:
    people = _choose(known_items(original), m, seed)
    counts = Candidates(PublishedRecords.of(release), original, people).counts(m)
    published = None
    if rows is not None:
        published = np.isin(np.arange(len(original)) if people is None else people, rows)
    drawn = _draw(counts, m, seed)
    return Risk.of(
        counts.smallest(),
        KNOWLEDGE,
        published=published,
        people=len(original),
        m=m,
        max_sensitive_share=counts.largest_share() if original.schema.sensitive else None,
        mean_success_random=float(success(drawn if published is None else drawn * published).mean()),
    )


def attack_original(dataset: Dataset, m: int) -> list[Risk]:
    """Attack the data as they stand, with all quasi-identifiers and no item known, one item, and so on up to m.

    Examples
    --------
    >>> data = Dataset.of("rt", [(20,), (20,), (60,), (60,)], ("age",), [["a"], ["a", "b"], ["c"], ["c"]])
    >>> [(risk.m, risk.unique_share) for risk in attack_original(data, 2)]
    [(0, 0.0), (1, 0.25), (2, 0.25)]
    """
    items = known_items(dataset).distinct()
    group = Classes.of(exact(dataset)).group
    people = _choose(items, m, 0)
    if people is None and float((np.bincount(group).astype(np.float64) ** 2).sum()) > _PAIRS:
        people = draw_people(len(dataset), _DRAWN, 0)
    rows = np.arange(len(dataset)) if people is None else people
    smallest = [np.bincount(group)[group[rows]]]
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(int(group.max(initial=0)) + 2))
    for size in range(1, m + 1):
        before = smallest[-1].copy()
        for at, row in enumerate(rows.tolist()):
            if before[at] > 1:
                members = order[ends[group[row]] : ends[group[row] + 1]]
                before[at] = min(int(before[at]), _count_matches(items, members, row, size))
        smallest.append(before)
    return [Risk.of(sizes, KNOWLEDGE, people=len(dataset), m=size) for size, sizes in enumerate(smallest)]


def _count_matches(items: ListColumn, members: Ints, row: int, size: int) -> int:
    """Return the fewest of some people who share the attributes of one that have the same items of a size too."""
    mine = items.codes[items.offsets[row] : items.offsets[row + 1]]
    if len(mine) < size:
        return len(members)
    others = items.take(members)
    holds = np.zeros((len(mine), len(members)), dtype=bool)
    at = np.searchsorted(mine, others.codes)
    inside = mine[np.minimum(at, len(mine) - 1)] == others.codes
    holds[at[inside], others.row_of_token[inside]] = True
    return _count_smallest(holds, np.ones(len(members), dtype=bool), size)


def _count_smallest(holds: npt.NDArray[np.bool_], so_far: npt.NDArray[np.bool_], size: int) -> int:
    """Return the fewest columns that so many rows have all marked."""
    if size == 1:
        return int((holds & so_far).sum(axis=1).min())
    least = int(so_far.sum())
    for at in range(len(holds) - size + 1):
        least = min(least, _count_smallest(holds[at + 1 :], so_far & holds[at], size - 1))
        if least == 1:
            break
    return least


def _choose(items: ListColumn, m: int, seed: int) -> Ints | None:
    """Draw whom to attack where attacking everybody takes long; None for everybody."""
    lengths, sets, ways = items.lengths.astype(np.float64), 1.0, np.ones(len(items))
    for size in range(1, m + 1):
        ways = ways * np.maximum(lengths - size + 1, 0) / size
        sets += float(ways.sum())
    return None if sets <= _EXACT else draw_people(len(items), _DRAWN, seed)


def _draw(counts: CandidateCounts, m: int, seed: int) -> Ints:
    """Return how many records fit m items drawn at random of each person, or all the person has."""
    knowledge = counts.knowledge
    most = np.maximum.reduceat(knowledge.sizes, knowledge.offsets[:-1])
    person = np.repeat(np.arange(len(most)), np.diff(knowledge.offsets))
    chosen = np.flatnonzero(knowledge.sizes == np.minimum(most, m)[person])
    begins = np.searchsorted(person[chosen], np.arange(len(most) + 1))
    drawn = begins[:-1] + (np.random.default_rng(seed).random(len(most)) * np.diff(begins)).astype(np.int64)
    return counts.fitting[chosen[drawn]]
