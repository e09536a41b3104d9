"""What a release of snapshots can guarantee."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.params import Param

__all__ = ["DELAYS", "DELAYS_HELP", "LDiversity", "LEligibility", "describe_delay", "describe_lateness"]


DELAYS = ("paper", "hidden")
DELAYS_HELP = (
    "Which records are late or missing: paper delays those with too frequent values; hidden delays all values alike."
)


@dataclasses.dataclass(frozen=True)
class LEligibility(Guarantee):
    """In every published snapshot, every sensitive value is that of at most one record in l.

    Formally: for every snapshot P and sensitive value s, l |P[s]| <= |P|; and a record of snapshot i is published in a
    snapshot j with i <= j < i + window, if at all. With hidden delays j does not depend on the value. Sensitive values
    stand beside the records: this is a step on the way to l-diversity and no protection by itself.

    Examples
    --------
    >>> print(LEligibility(l=3, window=7).statement())
    In every snapshot at most 1 in 3 records have the same sensitive value. Records are published at most 6 snapshots
    late. The sensitive value of each record is published: someone who recognises a record reads its value. This is
    input for a method that forms groups, not a release to publish. Not covered: inference from a record being late or
    missing.

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Definition 1.
    """

    name: ClassVar[str] = "l-eligibility"
    title: ClassVar[str] = "l-eligibility"
    knowledge: ClassVar[str] = "attributes-and-time"
    composes: ClassVar[bool] = False

    l: Annotated[int, Param("At most 1/l of a snapshot has the same sensitive value.", ge=2)]
    window: Annotated[int, Param("Number of snapshots in which a record may be published.", ge=1)] = 1
    delays: Annotated[str, Param(DELAYS_HELP, choices=DELAYS)] = "paper"

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> LEligibility(l=3, window=7, delays="hidden").label
        '3-eligibility, window of 7 snapshots, hidden delays'
        """
        return _label(self)

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
        return (
            f"In every snapshot at most 1 in {self.l} records have the same sensitive value. "
            f"{describe_delay(self.window)} The sensitive value of each record is published: someone who recognises a "
            "record reads its value. This is input for a method that forms groups, not a release to publish. "
            f"{describe_lateness(self.l, self.window, self.delays)}{self.describe_count(unit)}"
        )


def describe_lateness(l: int, window: int, delays: str) -> str:
    """State what late or missing records reveal.

    Examples
    --------
    >>> describe_lateness(2, 1, "paper")
    'Not covered: inference from a record being missing.'
    """
    if delays == "hidden":
        same = "on time" if window == 1 else "equally late"
        return (
            f"Of the records of a snapshot that are {same}, or missing, at most 1 in {l} (or the value's own share of "
            "the snapshot, if larger) plus two records have the same value. Only the owner can check this. Not "
            f"covered: someone who knows that a value exceeds 1 in {l} of a snapshot can infer it as often as it "
            "occurs there."
        )
    return f"Not covered: inference from a record being {'missing' if window == 1 else 'late or missing'}."


def describe_delay(window: int) -> str:
    """Say how late records are published.

    Examples
    --------
    >>> describe_delay(1), describe_delay(2)
    ('Records are published in their own snapshot.', 'Records are published at most 1 snapshot late.')
    """
    if window == 1:
        return "Records are published in their own snapshot."
    return f"Records are published at most {window - 1} snapshot{'s' * (window > 2)} late."


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
    Someone who finds a person by attributes and time learns a group. At most 1 in 3 of its records have the same
    sensitive value. Records are published in their own snapshot. Not covered: inference from a record being missing.
    >>> print(LDiversity(l=3, window=7, delays="hidden").statement().partition("sensitive value. ")[2])
    Records are published at most 6 snapshots late. Of the records of a snapshot that are equally late, or missing, at
    most 1 in 3 (or the value's own share of the snapshot, if larger) plus two records have the same value. Only the
    owner can check this. Not covered: someone who knows that a value exceeds 1 in 3 of a snapshot can infer it as often
    as it occurs there.

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Definition 1.
    """

    name: ClassVar[str] = "l-diversity"
    title: ClassVar[str] = "l-diversity"
    knowledge: ClassVar[str] = "attributes-and-time"
    composes: ClassVar[bool] = False

    l: Annotated[int, Param("At most 1/l of a group has the same sensitive value.", ge=2)]
    window: Annotated[int, Param("Number of snapshots in which a record may be published.", ge=1)] = 1
    delays: Annotated[str, Param(DELAYS_HELP, choices=DELAYS)] = "paper"

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> LDiversity(l=3, window=7, delays="hidden").label
        '3-diversity, window of 7 snapshots, hidden delays'
        """
        return _label(self)

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
        return (
            f"Someone who finds {unit.record_of_person} by attributes and time learns a group. At most 1 in "
            f"{self.l} of its records have the same sensitive value. {describe_delay(self.window)} "
            f"{describe_lateness(self.l, self.window, self.delays)}"
            f"{self.describe_count(unit)}"
        )


def _label(guarantee: LEligibility | LDiversity) -> str:
    window = f", window of {guarantee.window} snapshots" if guarantee.window > 1 else ""
    hidden = ", hidden delays" if guarantee.delays == "hidden" else ""
    return f"{guarantee.l}{guarantee.title.removeprefix('l')}{window}{hidden}"
