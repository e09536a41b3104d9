"""l-eligibility: no sensitive value is too frequent in any published snapshot."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.core.guarantee import Guarantee
from sfumato.core.params import Param
from sfumato.core.unit import PERSON, Unit

__all__ = ["DELAYS", "DELAYS_HELP", "LEligibility", "say_delay", "say_fate"]

DELAYS = ("paper", "hidden")
DELAYS_HELP = "Whether late and missing records may tell their value (paper), or depend on chance alone (hidden)."


@dataclasses.dataclass(frozen=True)
class LEligibility(Guarantee):
    """In every published snapshot, every sensitive value is that of at most one record in l.

    Formally: for every snapshot P and sensitive value s, l |P[s]| <= |P|; and a record of snapshot i is published in a
    snapshot j with i <= j < i + window, if at all. With hidden delays j does not depend on the value. Sensitive values
    stand beside the records: this is a step on the way to l-diversity and no protection by itself.

    Examples
    --------
    >>> LEligibility(l=3, window=7).statement()
    'In every snapshot each sensitive value is that of at most 1 in 3 records, and records are published at most 6 \
snapshots late. Sensitive values stand beside the records, so whoever recognises a record reads them: this is input \
for a method that makes groups, not a release to publish. Not covered: whoever knows when a record arose and finds it \
late or misses it can guess its value, which was too frequent then.'

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Definition 1.
    """

    name: ClassVar[str] = "l-eligibility"
    title: ClassVar[str] = "l-eligibility"
    knowledge: ClassVar[str] = "attributes-and-time"
    composes: ClassVar[bool] = False

    l: Annotated[int, Param("One over the largest share of a sensitive value.", ge=2)]
    window: Annotated[int, Param("Number of snapshots in which a record may be published.", ge=1)] = 1
    delays: Annotated[str, Param(DELAYS_HELP, choices=DELAYS)] = "paper"

    def statement(self, unit: Unit = PERSON) -> str:
        """State the promise."""
        return (
            f"In every snapshot each sensitive value is that of at most 1 in {self.l} records, and "
            f"{say_delay(self.window)}. Sensitive values stand beside the records, so whoever recognises a record "
            "reads them: this is input for a method that makes groups, not a release to publish. "
            f"{say_fate(self.l, self.window, self.delays)}{self.say_count(unit)}"
        )


def say_fate(l: int, window: int, delays: str) -> str:
    """Say what being late or missing tells about a record.

    Examples
    --------
    >>> say_fate(2, 1, "paper")
    'Not covered: whoever knows when a record arose and misses it can guess its value, which was too frequent then.'
    """
    if delays == "hidden":
        fates = "on time or missing" if window == 1 else "on time, late or missing"
        return (
            f"Whether a record is {fates} depends on its snapshot and on chance, not on its value, which only the "
            f"owner can check; where a value exceeds 1 in {l} of a snapshot, whoever knows the frequencies of that "
            "snapshot still guesses it as often as it occurs there."
        )
    found = "misses it" if window == 1 else "finds it late or misses it"
    return (
        f"Not covered: whoever knows when a record arose and {found} can guess its value, which was too frequent then."
    )


def say_delay(window: int) -> str:
    """Say how late records are published.

    Examples
    --------
    >>> say_delay(1), say_delay(2)
    ('records are published in their own snapshot', 'records are published at most 1 snapshot late')
    """
    if window == 1:
        return "records are published in their own snapshot"
    return f"records are published at most {window - 1} snapshot{'s' * (window > 2)} late"
