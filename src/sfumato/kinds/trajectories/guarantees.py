"""What a release of trajectories can guarantee."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.params import Param

__all__ = ["KlmAnonymity", "KmAnonymity"]


@dataclasses.dataclass(frozen=True)
class KmAnonymity(Guarantee):
    """Someone who knows up to m places of a person, in order, still faces at least k published records.

    Formally: every subtrajectory of at most m places of every published trajectory is contained in at
    least k distinct published trajectories.

    Examples
    --------
    >>> KmAnonymity(k=5, m=2).statement()
    'Every sequence of up to 2 places of a published record occurs in at least 5 published records.'
    >>> print(KmAnonymity(k=5, m=2).statement(RecordUnit("day", "days", "person")))
    Every sequence of up to 2 places of a published day occurs in at least 5 published days. A record is a day of a
    person, and a person may have several: the guarantee counts days, not people.

    References
    ----------
    Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Definition 4.
    """

    name: ClassVar[str] = "km-anonymity"
    title: ClassVar[str] = "k^m-anonymity"
    knowledge: ClassVar[str] = "ordered-places"
    composes: ClassVar[bool] = True

    k: Annotated[int, Param("Smallest number of records that share what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of places an attacker knows, in order.", ge=1)]

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> KmAnonymity(k=5, m=2).label
        '5^2-anonymity of places'
        """
        return f"{self.k}^{self.m}-anonymity of places"

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
        places = f"{self.m} place{'s' * (self.m != 1)}"
        return (
            f"Every sequence of up to {places} of a published {unit.record} occurs in at least "
            f"{self.k} published {unit.records}.{self.describe_count(unit)}"
        )


@dataclasses.dataclass(frozen=True)
class KlmAnonymity(Guarantee):
    """Up to m ordinary places match k records, of which at most one in l visits any one sensitive place.

    Formally: for every subtrajectory s of at most m non-sensitive places of a published trajectory, at
    least k published trajectories contain s, and for every sensitive place p at most a share 1/l of
    them visits p.

    Examples
    --------
    >>> KlmAnonymity(k=5, m=2, l=3, sensitive=("clinic",)).statement()
    'Every sequence of up to 2 non-sensitive places of a published record occurs in at least 5 published records. \
At most 1 in 3 of those visits the same sensitive place (1 is named).'

    References
    ----------
    Poulis et al., Select-Organize-Anonymize, Definition 3, read by the guarantee stated below it.
    """

    name: ClassVar[str] = "klm-anonymity"
    title: ClassVar[str] = "(k,l)^m-anonymity"
    knowledge: ClassVar[str] = "ordered-places"
    composes: ClassVar[bool] = True

    k: Annotated[int, Param("Smallest number of records that share what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of places an attacker knows, in order.", ge=1)]
    l: Annotated[int, Param("One over the largest share that may visit a sensitive place.", ge=2)]
    sensitive: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> KlmAnonymity(k=5, m=2, l=3).label
        '(5,3)^2-anonymity of places'
        """
        return f"({self.k},{self.l})^{self.m}-anonymity of places"

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
        places = f"{self.m} non-sensitive place{'s' * (self.m != 1)}"
        return (
            f"Every sequence of up to {places} of a published {unit.record} occurs in at least "
            f"{self.k} published {unit.records}. At most 1 in {self.l} of those visits the same sensitive place "
            f"({len(self.sensitive)} {'is' if len(self.sensitive) == 1 else 'are'} named).{self.describe_count(unit)}"
        )
