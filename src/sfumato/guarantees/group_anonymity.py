"""k-anonymity of groups, against a receiver who knows when monitored events happened."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.guarantee import Guarantee
from sfumato.core.params import Param
from sfumato.core.unit import PERSON, Unit

__all__ = ["GroupAnonymity", "say_known"]


def say_known(unit: Unit) -> str:
    """Say what the receiver of sequences knows, after ``knows when``.

    Examples
    --------
    >>> say_known(PERSON), say_known(Unit("stay", "stays", "patient"))
    ('a person did the monitored events', 'the monitored events of a stay of a patient happened')
    """
    return f"the monitored events of {unit.whose} happened" if unit != PERSON else "a person did the monitored events"


@dataclasses.dataclass(frozen=True)
class GroupAnonymity(Guarantee):
    """A receiver who knows all monitored events of a person, with their times, faces at least k records.

    Formally: every published record has the same monitored part (categories and intervals) as at least k-1
    others.

    Examples
    --------
    >>> GroupAnonymity(k=5, monitored=("mail",)).statement()
    'Whoever knows when a person did the monitored events (1 is named) cannot tell the record from at least 4 others. \
Safe for that receiver only.'

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 3.2.
    """

    name: ClassVar[str] = "group-anonymity"
    title: ClassVar[str] = "k-anonymity of groups"
    kinds: ClassVar[tuple[str, ...]] = ("sequences",)
    knowledge: ClassVar[str] = "monitored-events"

    k: Annotated[int, Param("Smallest number of records with the same monitored part.", ge=2)]
    monitored: tuple[str, ...] = ()
    suppressing: bool = False

    def statement(self, unit: Unit = PERSON) -> str:
        """State the promise."""
        known = say_known(unit)
        named = f"{len(self.monitored)} {'is' if len(self.monitored) == 1 else 'are'} named"
        missing = " Some monitored events are left out." if self.suppressing else ""
        return (
            f"Whoever knows when {known} ({named}) cannot tell the {unit.record} from at least "
            f"{self.k - 1} others. Safe for that receiver only.{missing}{self.say_count(unit)}"
        )
