"""An attacker who knows some of a person's items."""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.attacks.risk import Risk, draw_people, success
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError
from sfumato.kinds.sets.decode import is_disassociated
from sfumato.kinds.sets.knowledge.chunks import ChunkRecords
from sfumato.kinds.sets.knowledge.items import ItemRecords
from sfumato.kinds.sets.knowledge.named import NamedItems
from sfumato.kinds.sets.knowledge.search import MatchableRecords, best_knowledge, draw_knowledge
from sfumato.kinds.sets.knowledge.set_support import count_sets
from sfumato.release.release import Release

__all__ = ["KNOWLEDGE", "attack", "attack_by_knowledge", "attack_original"]

KNOWLEDGE = "items"

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_DRAWN = 1000
_EXACT = 500_000
_SETS_PER_PERSON = 2500


def attack(release: Release, original: Dataset, rows: Ints | None = None, seed: int = 0) -> Risk:
    """Attack every person of the original with up to m of their items, m being that of the claim.

    Two attackers: one knows, of each person, the items that give the person away most; the other knows m items drawn
    at random, and its mean success is ``mean_success_random``.
    Where the claim is about named itemsets, the attacker knows all that a person has of any one of them, and there is
    no second attacker. Sensitive items are known like any other.

    Records that match are counted where items are generalised. Where records are disassociated, they are those that
    may have all known items at once in one possible original, counted from below: see
    :mod:`sfumato.kinds.sets.knowledge.chunks`.

    Where people have more than half a million sets of up to m items altogether, 1,000 drawn at random are attacked
    and the sampling error is stated; of those with very many items the attacker tries the rarest.

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    rows
        Original row of every published person, where the owner kept it: suppressed people then count as safe.
    seed
        Draws the items of the second attacker.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.release.text import ValueFormat
    >>> from sfumato.data.lists import ListColumn
    >>> from sfumato.release.release import PublishedColumn
    >>> from sfumato.kinds.sets.guarantees import KmItems
    >>> columns = (
    ...     PublishedColumn("person", "identifier", ValueFormat("exact")),
    ...     PublishedColumn("items", "history", ValueFormat("category", history=True, meaning="at least one of")),
    ... )
    >>> people = pa.table({"person": ["x", "y"], "items": ListColumn.from_lists([["P", "c"], ["P", "c"]]).to_arrow()})
    >>> values = pa.table({"column": ["items"] * 2, "value": ["P"] * 2, "member": ["a", "b"]})
    >>> release = Release("sets", "by-hand", KmItems(k=2, m=2), columns, people, values, records_in=2)
    >>> risk = attack(release, Dataset.of("sets", [["a", "c"], ["b", "c"]]))
    >>> risk.smallest_anonymity_set, risk.mean_success, risk.mean_success_random
    (2, 0.5, 0.5)
    """
    published = None if rows is None else np.isin(np.arange(len(original)), rows)
    itemsets = getattr(release.guarantee, "itemsets", None)
    if itemsets is not None:
        outcome = NamedItems.of(release).attack(original, itemsets)
        return Risk.of(outcome.smallest, KNOWLEDGE, published=published, people=len(original))
    m = getattr(release.guarantee, "m", None)
    if m is None:
        raise ParameterError(f"The guarantee {release.guarantee.name} does not state how many items are known.")
    return _attack_records(release, original, rows, m, seed)


def _attack_records(release: Release, original: Dataset, rows: Ints | None, m: int, seed: int) -> Risk:
    published = None if rows is None else np.isin(np.arange(len(original)), rows)
    if is_disassociated(release):
        sample = _Sample.choose(original.history(), m, seed)
        chunks = ChunkRecords.of(release, original, rows, sample.people)
        return _attack_sample(chunks, None, sample, published, m, at_random=True)
    records = ItemRecords.of(release, original)
    sample = _Sample.choose(records.known_items, m, seed)
    return _attack_sample(records, sample.people, sample, published, m, at_random=True)


def attack_by_knowledge(release: Release, original: Dataset, m: int, rows: Ints | None = None) -> list[Risk]:
    """Attack a release with one item of everybody known, two, and so on up to m; with named itemsets once for all.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("sets", [["a", "b"], ["a", "b"], ["a"], ["b"]])
    >>> release = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32)).release
    >>> [(risk.m, risk.smallest_anonymity_set >= 2) for risk in attack_by_knowledge(release, data, 2)]
    [(1, True), (2, True)]
    """
    if getattr(release.guarantee, "itemsets", None) is not None:
        return [attack(release, original, rows)]
    return [_attack_records(release, original, rows, size, 0) for size in range(1, m + 1)]


def attack_original(dataset: Dataset, m: int) -> list[Risk]:
    """Attack the data as they stand, without names, with one item known, two, and so on up to m.

    Examples
    --------
    >>> data = Dataset.of("sets", [["a", "c"], ["b", "c"], ["b", "c"]])
    >>> [risk.smallest_anonymity_set for risk in attack_original(data, 2)]
    [1, 1]
    """
    records = ItemRecords.of_original(dataset)
    risks = []
    for size in range(1, m + 1):
        sample = _Sample.choose(records.known_items, size, 0)
        risks.append(_attack_sample(records, sample.people, sample, None, size, at_random=False))
    return risks


class _Sample(NamedTuple):
    """Whom to attack, and with how many of their items, so that it stays cheap."""

    people: Ints | None
    """Rows of the people drawn; None for everybody."""
    everybody: int
    most_items: int | None
    """Someone with n items has n!/(m!(n-m)!) sets of m: the attacker tries so many of the rarest; None for all."""
    seed: int

    @classmethod
    def choose(cls, knowledge: ListColumn, m: int, seed: int) -> _Sample:
        """Take everybody and everything, where that is cheap."""
        if sum(count_sets(knowledge, size) for size in range(1, m + 1)) <= _EXACT:
            return cls(None, len(knowledge), None, seed)
        most = next(n for n in range(m, _SETS_PER_PERSON + m + 1) if comb(n, m) >= _SETS_PER_PERSON)
        return cls(draw_people(len(knowledge), _DRAWN, seed), len(knowledge), most, seed)


def _attack_sample(
    records: MatchableRecords, within: Ints | None, sample: _Sample, published: Flags | None, m: int, *, at_random: bool
) -> Risk:
    """Attack the people of a sample, who are all of a group or some rows within it."""
    outcome = best_knowledge(records, m, within, sample.most_items)
    here = published if published is None or sample.people is None else published[sample.people]
    success_at_random = None
    if at_random:
        sizes = draw_knowledge(
            records, m, sample.seed, np.arange(len(records.known_items)) if within is None else within
        )
        success_at_random = float(success(sizes if here is None else sizes * here).mean()) if len(sizes) else 0.0
    return Risk.of(
        outcome.smallest, KNOWLEDGE, published=here, people=sample.everybody, m=m, mean_success_random=success_at_random
    )
