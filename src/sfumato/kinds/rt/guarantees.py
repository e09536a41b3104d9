"""What releases of tables with a set of items can guarantee."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option, parameter
from sfumato.params import Param

__all__ = ["KKmAnonymity"]


@dataclasses.dataclass(frozen=True)
class KKmAnonymity(Guarantee):
    """Someone who knows all quasi-identifiers of a person and up to m items still faces at least k records.

    Records that are published with equal quasi-identifiers are a *class*. Every class has at least k records, and
    every set of at most m published values of items that one of its records has is in at least k records of the class.
    Sensitive items are what an attacker wants to learn: they are published unchanged and are no part of what is
    known. With ``l`` above 1, whatever of this is known, no sensitive item is in more than 1/l of the records that fit;
    a combination of sensitive items is in even fewer.

    Examples
    --------
    >>> print(KKmAnonymity(k=5, m=2, quasi=("age", "sex")).statement())
    Someone who knows age and sex of a person and up to 2 items matches no record or at least 5 records.
    >>> print(KKmAnonymity(k=5, m=1, l=3, quasi=("age",), sensitive=("insulin",)).statement())
    Someone who knows age of a person and up to 1 item that is not sensitive matches no record or at least 5 records. No
    sensitive item (1 is named), and so no combination of them, is in more than 1 in 3 of these records.
    >>> print(KKmAnonymity(k=5, m=2, quasi=("age",)))
    (5,5^2)-anonymity of attributes and items

    References
    ----------
    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos: Anonymizing data with relational and transaction attributes
    (2013), Definitions 1 and 2 and Section 5.
    """

    name: ClassVar[str] = "kkm-anonymity"
    title: ClassVar[str] = "(k,k^m)-anonymity of tables with a set"
    knowledge: ClassVar[str] = "attributes and items"
    composes: ClassVar[bool] = True

    k: Annotated[int, Param("Smallest number of records that share what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of items an attacker knows.", ge=1)]
    l: Annotated[int, Param("No sensitive item is in more than 1/l of these records; 1 for no bound.", ge=1)] = 1
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.l > 1 and not self.sensitive:
            raise ParameterError(
                Message(self.message_name, ": ", parameter("l", self.l), " needs sensitive items."),
                hint=Message("Name them: ", option("sensitive_items", ["ITEM"]), "."),
            )

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> KKmAnonymity(k=5, m=2, quasi=("age",)).label
        '(5,5^2)-anonymity of attributes and items'
        """
        diverse = f", {self.l}-diversity of items" if self.l > 1 else ""
        return f"({self.k},{self.k}^{self.m})-anonymity of attributes and items{diverse}"

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
        columns = list(self.quasi)
        attributes = " and ".join([", ".join(columns[:-1]), columns[-1]] if len(columns) > 1 else columns)
        attributes = attributes or "all quasi-identifiers"
        items = f"{self.m} item{'s' * (self.m != 1)}"
        if self.sensitive:
            items += f" that {'is' if self.m == 1 else 'are'} not sensitive"
        text = (
            f"Someone who knows {attributes} of {unit.record_of_person} and up to {items} matches no {unit.record} "
            "or at least "
            f"{self.k} {unit.records}."
        )
        named = f"({len(self.sensitive)} {'is' if len(self.sensitive) == 1 else 'are'} named)"
        if self.l > 1:
            text += (
                f" No sensitive item {named}, and so no combination of them, is in more than 1 in {self.l} of these "
                f"{unit.records}."
            )
        elif self.sensitive:
            text += f" Sensitive items {named} are published unchanged and are not covered."
        return f"{text}{self.describe_count(unit)}"
