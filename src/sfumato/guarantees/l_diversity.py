"""l-diversity of groups: what is known about a person leaves every sensitive value at most as likely as 1/l."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.guarantee import Guarantee
from sfumato.core.params import Param
from sfumato.core.unit import PERSON, Unit
from sfumato.guarantees.l_eligibility import say_delay

__all__ = ["LDiversity"]


@dataclasses.dataclass(frozen=True)
class LDiversity(Guarantee):
    """In every published group, every sensitive value is that of at most one record in l.

    Formally: for every group g of a published snapshot and every sensitive value s, l |g[s]| <= |g|; and a record of
    snapshot i is published in a snapshot j with i <= j < i + window, if at all.

    Examples
    --------
    >>> LDiversity(l=3, window=1).statement()
    'Whoever finds a person by attributes and time learns a group in which each sensitive value is that of at most 1 \
in 3 records; records are published in their own snapshot.'

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Definition 1.
    """

    name: ClassVar[str] = "l-diversity"
    title: ClassVar[str] = "l-diversity"
    kinds: ClassVar[tuple[str, ...]] = ("snapshots",)
    knowledge: ClassVar[str] = "attributes-and-time"

    l: Annotated[int, Param("One over the largest share of a sensitive value in a group.", ge=2)]
    window: Annotated[int, Param("Number of snapshots in which a record may be published.", ge=1)] = 1

    def statement(self, unit: Unit = PERSON) -> str:
        """State the promise."""
        return (
            "Whoever finds a person by attributes and time learns a group in which each sensitive value is that of at "
            f"most 1 in {self.l} records; {say_delay(self.window)}.{self.say_count(unit)}"
        )
