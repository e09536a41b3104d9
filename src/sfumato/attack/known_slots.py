"""An attacker who knows what a person did at some times, and wants to know whether the person is away."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.core.activity import PublishedClasses, Slots
from sfumato.core.activity_windows import bound_from_above, find_throughout
from sfumato.core.dataset import Dataset
from sfumato.core.known_slots import KnownDays, KnownSlots
from sfumato.core.release import Release
from sfumato.core.risk import Risk, success

__all__ = ["KINDS", "KNOWLEDGE", "attack", "attack_original"]

KNOWLEDGE = "known-slots"
KINDS = ("activity",)

Ints = npt.NDArray[np.int64]

_DRAWN = 2


def attack(release: Release, original: Dataset, rows: Ints | None = None, m: int | None = None, seed: int = 0) -> Risk:
    """Attack every person of the original: which classes may the person be in, and how many people are in them?

    The worst attacker knows all that a person did; with ``m``, the slots that one by one leave fewest people. Another
    one knows slots drawn at random, m of them or two; its mean success is ``mean_success_random``.

    Whoever found the class of a person knows how likely the person is to do a sensitive activity throughout a window:
    ``max_sensitive_share`` is the largest such share of any class, counted with the owner's class file, or else the
    largest that the published shares allow. What single people of a class did is not published, so no knowledge of
    slots makes some of them likelier than others.

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    rows
        Original rows, class by class, where the owner kept them: withheld people then count as safe.
    m
        Number of slots known; None for all.
    seed
        Draws the slots of the second attacker.

    Examples
    --------
    >>> import sfumato as sf
    >>> days = [["home"] * 3, ["home", "home", "out"], ["away"] * 3, ["away", "away", "out"]]
    >>> data = Dataset.from_activity(days, sensitive=("away",))
    >>> method = sf.methods.McLMdavWd(k=2, delta="2", epsilon="1/2", aggregate="3,1")
    >>> result = sf.anonymize(data, method, secret=bytes(32))
    >>> risk = attack(result.release, data, result.trace.rows)
    >>> risk.smallest_anonymity_set, risk.max_sensitive_share
    (2, 0.5)
    """
    known = KnownSlots.of(release, original)
    sizes = known.know_all() if m is None else known.know_best(m)
    slots = known.slots.codes.shape[1]
    drawn = np.random.default_rng(seed).integers(0, max(slots, 1), (len(original), min(m or _DRAWN, slots)))
    random = known.know_some(drawn)
    if rows is not None:
        published = np.isin(np.arange(len(original)), rows)
        sizes, random = sizes * published, random * published
    share = _find_largest_share(release, known, rows)
    return _sum_up(sizes, share, m, float(success(random).mean()) if len(random) else 0.0)


def attack_original(dataset: Dataset, m: int) -> list[Risk]:
    """Attack the data as they stand, without names, with one slot known, two, and so on up to m.

    The sensitive share is that of the people who fit and do a sensitive activity in the same slot.

    Examples
    --------
    >>> data = Dataset.from_activity([["home", "out"], ["home", "away"], ["home", "away"]], sensitive=("away",))
    >>> [(risk.smallest_anonymity_set, risk.max_sensitive_share) for risk in attack_original(data, 2)]
    [(1, 1.0), (1, 1.0)]
    """
    slots = Slots.of(dataset)
    sensitive = [code for code in slots.find(dataset.schema.sensitive) if code >= 0]
    sizes, shares = KnownDays(slots, m, sensitive).fit()
    return [
        _sum_up(sizes[known - 1], float(shares[known - 1]) if sensitive else None, known, None)
        for known in range(1, m + 1)
    ]


def _find_largest_share(release: Release, known: KnownSlots, rows: Ints | None) -> float | None:
    """Return the largest share of a class that does a sensitive activity throughout a window; None without claim."""
    sensitive = tuple(getattr(release.guarantee, "sensitive", ()))
    if not sensitive:
        return None
    window, published = int(getattr(release.guarantee, "window", 1)), known.published
    largest = 0.0
    for label, code in zip(sensitive, known.slots.find(sensitive), strict=True):
        if rows is None:
            most = _bound(known, label, window)
        else:
            crowds = [
                find_throughout(known.slots.codes[people], code, known.begins, window).sum(axis=0).max(initial=0)
                for people in published.members(np.asarray(rows))
            ]
            most = np.array(crowds, dtype=np.int64)
        largest = max(largest, float((most / np.maximum(published.sizes, 1)).max(initial=0.0)))
    return largest


def _bound(known: KnownSlots, label: str, window: int) -> Ints:
    published: PublishedClasses = known.published
    error = 0.0 if known.digits is None else 10.0**-known.digits
    return np.asarray(
        bound_from_above(published.shares_of(label), published.sizes, window, error).max(axis=1, initial=0)
    )


def _sum_up(sizes: Ints, share: float | None, m: int | None, drawn: float | None) -> Risk:
    reached = sizes[sizes > 0]
    smallest = int(reached.min()) if len(reached) else 0
    return Risk(
        smallest_anonymity_set=smallest,
        mean_success=float(success(sizes).mean()) if len(sizes) else 0.0,
        max_success=1.0 / smallest if smallest else 0.0,
        knowledge=KNOWLEDGE,
        people=len(sizes),
        unique_share=float((sizes == 1).mean()) if len(sizes) else 0.0,
        set_sizes=sizes,
        max_sensitive_share=share,
        m=m,
        mean_success_random=drawn,
    )
