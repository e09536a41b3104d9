"""An attacker who knows what a person did at some times, and wants to know whether the person is away."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.attacks.risk import Risk, draw_people, success
from sfumato.data.dataset import Dataset
from sfumato.kinds.activity.dataset import Slots
from sfumato.kinds.activity.knowledge.bounds import PublishedTime
from sfumato.kinds.activity.knowledge.slots import KnownDays, KnownSlots
from sfumato.kinds.activity.knowledge.windows import count_shown
from sfumato.release.release import Release

__all__ = ["KNOWLEDGE", "attack", "attack_by_knowledge", "attack_original"]

KNOWLEDGE = "known-slots"

Ints = npt.NDArray[np.int64]

_DRAWN = 2
_CELLS = 20_000_000
"""Slots of people that are all looked at; where there are more, people are drawn."""
_PEOPLE = 1000


def attack(release: Release, original: Dataset, rows: Ints | None = None, m: int | None = None, seed: int = 0) -> Risk:
    """Attack every person of the original: which classes may the person be in, and how many people are in them?

    The worst attacker knows all that a person did; with ``m``, the slots that one by one leave fewest people. Another
    one knows slots drawn at random, m of them or two; its mean success is ``mean_success_random``.

    Someone who found the class of a person knows how likely the person is to do a sensitive activity throughout a
    window: ``max_sensitive_share`` is the largest such share of any class, counted with the owner's class file, or else
    the largest that the published shares allow. Only people count who are observed then.

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    rows
        Original rows, class by class, where the owner kept them: suppressed people then count as safe.
    m
        Number of slots known; None for all.
    seed
        Draws the slots of the second attacker.

    Examples
    --------
    >>> import sfumato as sf
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.of("activity", days, sensitive=("away",))
    >>> method = sf.methods.McLMdavWd(k=2, delta="2", epsilon="1/2", aggregate="3,1")
    >>> result = sf.anonymize(data, method, secret=bytes(32))
    >>> risk = attack(result.release, data, result.owner_record.rows)
    >>> risk.smallest_anonymity_set, risk.max_sensitive_share
    (2, 0.5)
    """
    knowledge = KnownSlots.of(release, original)
    sizes = knowledge.know_all() if m is None else knowledge.know_best(m)[-1]
    slots = knowledge.slots.codes.shape[1]
    drawn = np.random.default_rng(seed).integers(0, max(slots, 1), (len(original), min(m or _DRAWN, slots)))
    random = knowledge.know_slots(drawn)
    if rows is not None:
        published = np.isin(np.arange(len(original)), rows)
        sizes, random = sizes * published, random * published
    share = _find_largest_share(release, knowledge, rows)
    at_random = float(success(random).mean()) if len(random) else 0.0
    return Risk.of(sizes, KNOWLEDGE, max_sensitive_share=share, m=m, mean_success_random=at_random)


def attack_by_knowledge(release: Release, original: Dataset, m: int, rows: Ints | None = None) -> list[Risk]:
    """Attack a release with one slot of everybody known, two, and so on up to m, and at last with everything.

    With m slots, those are known that one by one leave fewest people. Where there are many people, 1,000 of them drawn
    at random are attacked this way, and the sampling error is stated.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"], ["eat", "eat"], ["eat", "eat"]])
    >>> release = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32)).release
    >>> [(risk.m, risk.smallest_anonymity_set) for risk in attack_by_knowledge(release, data, 1)]
    [(1, 2), (None, 2)]
    """
    knowledge = KnownSlots.of(release, original)
    people = draw_people(len(original), _PEOPLE, 0)
    targets = np.arange(len(original)) if people is None else people
    published = None if rows is None else np.isin(targets, rows)
    parts = [
        Risk.of(sizes, KNOWLEDGE, published=published, people=len(original), m=number)
        for number, sizes in enumerate(knowledge.know_best(m, targets), start=1)
    ]
    return [*parts, attack(release, original, rows)]


def attack_original(dataset: Dataset, m: int) -> list[Risk]:
    """Attack the data as they stand, without names, with one slot known, two, and so on up to m, and with all.

    The sensitive share is that of the people who fit and do a sensitive activity in the same slot. Where there are
    more than twenty million slots altogether, 1,000 people drawn at random are attacked, and the sampling error is
    stated.

    Examples
    --------
    >>> data = Dataset.of("activity", [["home", "out"], ["home", "away"], ["home", "away"]], sensitive=("away",))
    >>> [(risk.smallest_anonymity_set, risk.max_sensitive_share) for risk in attack_original(data, 2)]
    [(1, 1.0), (1, 1.0), (1, 1.0)]
    """
    slots = Slots.of_history(dataset.view_history())
    sensitive = [code for code in slots.find(dataset.schema.sensitive) if code >= 0]
    people = draw_people(len(dataset), _PEOPLE, 0) if slots.codes.size > _CELLS else None
    sizes, shares = KnownDays(slots, m, sensitive, people).fit()
    parts = [
        Risk.of(
            sizes[number - 1],
            KNOWLEDGE,
            people=len(dataset),
            max_sensitive_share=float(shares[number - 1]) if sensitive else None,
            m=number,
        )
        for number in range(1, m + 1)
    ]
    return [*parts, _know_everything(slots, sensitive)]


def _know_everything(slots: Slots, sensitive: list[int]) -> Risk:
    """Return what an attacker reaches who knows all that a person did: only people with the same days fit."""
    # Digests in place of days: a copy of all days could be gigabytes.
    seen: dict[bytes, int] = {}
    digests = (hashlib.blake2b(day.tobytes(), digest_size=16).digest() for day in slots.codes)
    number = np.array([seen.setdefault(digest, len(seen)) for digest in digests], dtype=np.int64)
    share = float(any((slots.codes == code).any() for code in sensitive)) if sensitive else None
    return Risk.of(np.bincount(number)[number].astype(np.int64), KNOWLEDGE, max_sensitive_share=share)


def _find_largest_share(release: Release, knowledge: KnownSlots, rows: Ints | None) -> float | None:
    """Return the largest share of a class that may do a sensitive activity throughout a window; None without claim."""
    guarantee: Any = release.guarantee
    sensitive = tuple(getattr(guarantee, "sensitive", ()))
    if not sensitive:
        return None
    slots, published = knowledge.slots, knowledge.published
    gap = -1 if knowledge.gap is None else slots.find((knowledge.gap,))[0]
    largest = Fraction(0)
    for label, code in zip(sensitive, slots.find(sensitive), strict=True):
        if rows is None:
            time = PublishedTime.of(published, label, guarantee)
            counts = [time.bound_from_above(owner, guarantee.delta_slots) for owner in range(len(published.names))]
        else:
            classes = zip(knowledge.hidden, published.members(np.asarray(rows)), strict=True)
            counts = [count_shown(slots.codes[people], code, gap, hidden, guarantee)[1] for hidden, people in classes]
        largest = max([largest, *(of_class.largest()[0] for of_class in counts)])
    return float(largest)
