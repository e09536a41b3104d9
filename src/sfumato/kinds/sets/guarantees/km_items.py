"""k^m-anonymity of sets of items."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.params import Param

__all__ = ["KmItems"]


@dataclasses.dataclass(frozen=True)
class KmItems(Guarantee):
    """Someone who knows up to m items of a person still faces at least k candidate records.

    Where items are generalised: every set of at most m published values of a record occurs in at least k published
    records. Where records are separated into chunks: for every set of at most m items that can come from one record,
    some data set that could have been published as this release has at least k records with all of them.

    Examples
    --------
    >>> print(KmItems(k=5, m=2).statement())
    Someone who knows up to 2 items of a person matches no record or at least 5 records. Where items are published
    apart, they match in at least one dataset that fits the release.
    >>> print(KmItems(k=5, m=2, l=6, sensitive=("insulin",)).statement().partition("release. ")[2])
    Each sensitive item (1 is named) is published apart from every other item, as present somewhere among at least 6
    records.

    References
    ----------
    Terrovitis et al., Privacy Preservation by Disassociation, Definition 1, Guarantee 1 and Section 5 (Diversity).
    """

    name: ClassVar[str] = "km-items"
    title: ClassVar[str] = "k^m-anonymity of sets"
    knowledge: ClassVar[str] = "items"
    composes: ClassVar[bool] = True

    k: Annotated[int, Param("Smallest number of records that fit what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of items an attacker knows.", ge=1)]
    l: Annotated[int, Param("Smallest number of records a sensitive item is hidden among.", ge=1)] = 1
    sensitive: tuple[str, ...] = ()
    safe: bool = False

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the promise."""
        items = f"{self.m} item{'s' * (self.m != 1)}"
        text = (
            f"Someone who knows up to {items} of {unit.record_of_person} matches no {unit.record} or at least {self.k} "
            f"{unit.records}. Where items are published apart, they match in at least one dataset that fits the "
            "release."
        )
        if self.sensitive:
            verb = "is" if len(self.sensitive) == 1 else "are"
            text += (
                f" Each sensitive item ({len(self.sensitive)} {verb} named) is published apart from every other item, "
                f"as present somewhere among at least {max(self.l, self.k)} {unit.records}."
            )
        if self.safe:
            text += (
                f" No item is known to belong to every {unit.record} of a cluster that holds other, separated items."
            )
        return f"{text}{self.describe_count(unit)}"
