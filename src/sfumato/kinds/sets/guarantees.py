"""What a release of sets can guarantee."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, parameter
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
    knowledge: ClassVar[str] = "items"
    composes: ClassVar[bool] = True

    k: Annotated[int, Param("Smallest number of records that share what an attacker knows.", ge=2)]
    itemsets: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        # A claim that was read from a file has lists; the same itemsets make the same claim in any order.
        itemsets = tuple(sorted({tuple(sorted(set(itemset))) for itemset in self.itemsets}))
        if () in itemsets:
            raise ParameterError(
                Message(self.message_name, ": ", parameter("itemsets"), " must not have an empty itemset.")
            )
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

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> ItemsetAnonymity(k=5, itemsets=(("insulin", "aspirin"),)).label
        '5-anonymity of 1 named itemset'
        """
        named = "1 named itemset" if len(self.itemsets) == 1 else f"{len(self.itemsets)} named itemsets"
        return f"{self.k}-anonymity of {named}"

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
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
    Someone who knows up to 2 items of a person matches no record or at least 5 records. Where items are
    separated, they match in at least one dataset that the release allows.
    >>> print(KmItems(k=5, m=2, l=6, sensitive=("insulin",)).statement().partition("allows. ")[2])
    Each sensitive item (1 is named) is separated from every other item and known only to be among at least 6 records.

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
    l: Annotated[int, Param("Smallest number of records in the cluster of a sensitive item.", ge=1)] = 1
    sensitive: tuple[str, ...] = ()
    safe: bool = False

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> KmItems(k=5, m=2).label, KmItems(k=5, m=2, l=6, sensitive=("insulin",)).label
        ('5^2-anonymity of items', '5^2-anonymity of items, sensitive items among 6 records')
        """
        sensitive = f", sensitive items among {max(self.l, self.k)} records" if self.sensitive else ""
        return f"{self.k}^{self.m}-anonymity of items{sensitive}"

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
        items = f"{self.m} item{'s' * (self.m != 1)}"
        text = (
            f"Someone who knows up to {items} of {unit.record_of_person} matches no {unit.record} or at least {self.k} "
            f"{unit.records}. Where items are separated, they match in at least one dataset that the release "
            "allows."
        )
        if self.sensitive:
            verb = "is" if len(self.sensitive) == 1 else "are"
            text += (
                f" Each sensitive item ({len(self.sensitive)} {verb} named) is separated from every other item and "
                f"known only to be among at least {max(self.l, self.k)} {unit.records}."
            )
        if self.safe:
            text += f" No item is known to be in every {unit.record} of a cluster with other, separated items."
        return f"{text}{self.describe_count(unit)}"
