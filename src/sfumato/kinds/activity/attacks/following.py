"""An attacker who knows one slot in which a person alone of a class does something, and follows from there."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.remaining import Possibility, Remaining
from sfumato.base.tabular import Tabular
from sfumato.data.dataset import Dataset
from sfumato.data.record_unit import plural
from sfumato.kinds.activity.knowledge.following import follow
from sfumato.kinds.activity.knowledge.slots import KnownSlots
from sfumato.messages import Message, parameter
from sfumato.release.release import Release

__all__ = ["KNOWLEDGE", "Followed", "attack", "attack_original"]

KNOWLEDGE = "followed-slots"

Ints = npt.NDArray[np.int64]

_SELDOM = 0.05
"""People cannot be followed any more if this is the share of known slots, or less, from which anything is learnt."""
_AGREEING = 3


@dataclasses.dataclass(frozen=True, repr=False)
class Followed(Tabular):
    """How far people can be followed from one known slot.

    Parameters
    ----------
    slots
        Slots before and after a known one that the attacker also gets right 99 times of 100, the median over known
        slots in which a person alone of the class does something.
    share
        Share of these known slots from which the attacker gets any further.
    stops_at
        Slots in the shortest published interval, of those tried, at which this share is 5 % at most, and at the next
        two as well; None if there is none.
    length
        Slots in a published interval.
    unit
        What a slot is.

    Examples
    --------
    >>> print(Followed(slots=34.0, share=0.97, stops_at=15, length=1, unit="minute").remaining.warnings[0])
    Someone who knows one minute unique to a person in a class learns 34 more minutes in 99 of 100 cases. What helps:
    publish intervals of 15 minutes (interval, or the last length of aggregate).
    >>> Followed(slots=0.0, share=0.01, stops_at=60, length=60, unit="minute").remaining.warnings
    ()
    """

    slots: float
    share: float
    stops_at: int | None
    length: int
    unit: str = "slot"

    knowledge = KNOWLEDGE
    _shares = ("followed_share",)

    @property
    def wins(self) -> bool:
        """Whether people can be followed through the intervals that are published."""
        return self.stops_at != self.length

    @property
    def remaining(self) -> Remaining:
        """How far people can be followed, and what would help where they can be."""
        attacker = f"Someone who knows one {self.unit} unique to a person in a class"
        if not self.wins:
            possibility = Possibility("uniqueness", self.knowledge, "note", f"{attacker} learns almost nothing more.")
            return Remaining((possibility,))
        worst: dict[str, float] = {"slots": round(self.slots), "cases": self.share}
        learns = f"learns {{slots}} more {self._name(worst['slots'])} in 99 of 100 cases"
        if not worst["slots"]:
            learns = "learns more of the person in {cases} of the cases"
        remedy = Message("What helps: larger classes (", parameter("k"), ").")
        if self.stops_at is not None:
            worst["stops_at"] = self.stops_at
            remedy = Message(
                f"What helps: publish intervals of {{stops_at}} {self._name(self.stops_at)} (",
                parameter("interval"),
                ", or the last length of ",
                parameter("aggregate"),
                ").",
            )
        return Remaining(
            (Possibility("uniqueness", self.knowledge, "warning", f"{attacker} {learns}.", remedy, worst=worst),)
        )

    def _name(self, number: float) -> str:
        return self.unit if number == 1 else plural(self.unit)

    def join(self, other: Followed) -> Followed:
        """Return what is found in the partition of a release in which people can be followed furthest.

        Examples
        --------
        >>> Followed(0.0, 0.01, 60, 60).join(Followed(5.0, 0.5, 120, 60)).slots
        5.0
        """
        return max(self, other, key=lambda followed: (followed.wins, followed.slots, followed.share))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "knowledge": self.knowledge,
            "followed_slots": self.slots,
            "followed_share": self.share,
            "published_interval": self.length,
            "stops_at_interval": self.stops_at,
            "wins": self.wins,
            "warnings": list(self.remaining.warnings),
        }


def attack(release: Release, original: Dataset, rows: Ints | None = None, seed: int = 0) -> Followed | None:
    """Follow people of a release from one known slot (:func:`sfumato.kinds.activity.knowledge.following.follow`).

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    rows
        Original rows, class by class. Without them nobody can tell whether the attacker is right: there is no answer.
    seed
        Draws the known slots, where there are many.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("activity", [["a"] * 6 + ["b"] * 6, ["b"] * 12, ["b"] * 12])
    >>> result = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="slot"), secret=bytes(32))
    >>> attack(result.release, data, result.owner_record.rows).slots
    11.0
    """
    if rows is None or not len(release):
        return None
    knowledge = KnownSlots.of(release, original)
    followings = follow(knowledge, np.asarray(rows), original.time_unit.unit, seed)
    seldom = [following.share <= _SELDOM for following in followings]
    # One length alone may be just below: the next ones must say the same.
    stops = next(
        (following.length for at, following in enumerate(followings) if all(seldom[at : at + _AGREEING])), None
    )
    return Followed(
        followings[0].median, followings[0].share, stops, knowledge.length, original.time_unit.unit or "slot"
    )


def attack_original(dataset: Dataset) -> None:
    """Return nothing: someone who has the data as they stand need not follow anyone."""
