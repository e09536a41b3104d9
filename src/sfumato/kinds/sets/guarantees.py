"""What a release of sets can promise."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.exceptions import ParameterError
from sfumato.params import Param

__all__ = ["ItemsetAnonymity", "KmItems"]


@dataclasses.dataclass(frozen=True)
class ItemsetAnonymity(Guarantee):
    """Someone who knows some items of one of the named itemsets faces no record or at least k.

    Formally: for every named itemset and every non-empty subset of it, take the published values of its items,
    without the items that are published nowhere; no record or at least k records hold all of them.

    Examples
    --------
    >>> guarantee = ItemsetAnonymity(k=5, itemsets=(("insulin", "aspirin"),))
    >>> guarantee.itemsets
    (('aspirin', 'insulin'),)
    >>> print(guarantee.statement())
    Someone who knows items of one of the named itemsets (1 is named) of a person matches no record or at least 5
    records.

    References
    ----------
    Loukides, Gkoulalas-Divanis, Malin: COAT: constraint-based anonymization of transactions (privacy constraints).
    """

    name: ClassVar[str] = "itemset-anonymity"
    title: ClassVar[str] = "anonymity of named itemsets"
    notation: ClassVar[str] = "{k}-anonymity of named itemsets"
    knowledge: ClassVar[str] = "items"
    composes: ClassVar[bool] = True

    k: Annotated[int, Param("Smallest number of records that share what an attacker knows.", ge=2)]
    itemsets: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        # A claim that was read from a file has lists; the same itemsets make the same claim in any order.
        itemsets = tuple(sorted({tuple(sorted(set(itemset))) for itemset in self.itemsets}))
        if () in itemsets:
            raise ParameterError("ItemsetAnonymity: itemsets must not be empty.")
        object.__setattr__(self, "itemsets", itemsets)

    def join(self, other: Guarantee) -> Guarantee:
        """Name the itemsets of both: a partition names what of them its own people have, and of the rest it has nobody.

        Examples
        --------
        >>> one, other = ItemsetAnonymity(k=2, itemsets=(("a", "b"),)), ItemsetAnonymity(k=2, itemsets=(("a",),))
        >>> one.join(other).itemsets
        (('a',), ('a', 'b'))
        """
        named = (*self.itemsets, *other.itemsets) if isinstance(other, ItemsetAnonymity) else self.itemsets
        mine = dataclasses.replace(self, itemsets=named)
        theirs = dataclasses.replace(other, itemsets=named) if isinstance(other, ItemsetAnonymity) else other
        return Guarantee.join(mine, theirs)

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the promise."""
        verb = "is" if len(self.itemsets) == 1 else "are"
        return (
            f"Someone who knows items of one of the named itemsets ({len(self.itemsets)} {verb} named) of "
            f"{unit.record_of_person} matches no {unit.record} or at least {self.k} "
            f"{unit.records}.{self.describe_count(unit)}"
        )


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
    notation: ClassVar[str] = "{k}^{m}-anonymity of items"
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
