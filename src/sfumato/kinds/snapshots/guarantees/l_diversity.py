"""l-diversity of groups: in the group of a person, every sensitive value is that of at most one record in l."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.kinds.snapshots.guarantees.l_eligibility import DELAYS, DELAYS_HELP, describe_delay, describe_lateness
from sfumato.params import Param

__all__ = ["LDiversity"]


@dataclasses.dataclass(frozen=True)
class LDiversity(Guarantee):
    """In every published group, every sensitive value is that of at most one record in l.

    Formally: for every group g of a published snapshot and every sensitive value s, l |g[s]| <= |g|; and a record of
    snapshot i is published in a snapshot j with i <= j < i + window, if at all. With hidden delays j, or that there is
    none, does not depend on the value: of the records of a snapshot that are published in the same one, or never, at
    most the larger of 1/l and the value's own share, and two more, have the same value.

    Examples
    --------
    >>> print(LDiversity(l=3, window=1).statement())
    Someone who finds a person by attributes and time learns a group. Each sensitive value is that of at most 1 in 3 of
    its records. Records are published in their own snapshot. Not covered: what it tells that a record is missing.
    >>> print(LDiversity(l=3, window=7, delays="hidden").statement().partition("records. ")[2])
    Records are published at most 6 snapshots late. Of the records of a snapshot that are equally late, or missing, a
    value has at most its own share or 1 in 3, and two more. Only the owner can check this. Not covered: someone who
    knows that a value exceeds 1 in 3 of a snapshot guesses it as often as it occurs there.

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Definition 1.
    """

    name: ClassVar[str] = "l-diversity"
    title: ClassVar[str] = "l-diversity"
    knowledge: ClassVar[str] = "attributes-and-time"
    composes: ClassVar[bool] = False

    l: Annotated[int, Param("One over the largest share of a sensitive value in a group.", ge=2)]
    window: Annotated[int, Param("Number of snapshots in which a record may be published.", ge=1)] = 1
    delays: Annotated[str, Param(DELAYS_HELP, choices=DELAYS)] = "paper"

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the promise."""
        return (
            f"Someone who finds {unit.record_of_person} by attributes and time learns a group. Each sensitive value "
            "is that of at "
            f"most 1 in {self.l} of its records. {describe_delay(self.window)} "
            f"{describe_lateness(self.l, self.window, self.delays)}"
            f"{self.describe_count(unit)}"
        )
