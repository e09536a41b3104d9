"""(g,l)-diversity: unmonitored events cannot be predicted inside any window of length g."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.kinds.sequences.guarantees.group_anonymity import NEIGHBOURS, THAT_RECEIVER, describe_blur, describe_events
from sfumato.params import Param

__all__ = ["GlDiversity"]


@dataclasses.dataclass(frozen=True)
class GlDiversity(Guarantee):
    """Within any window of length g, at most one in l of the records a receiver matches did an unmonitored event.

    Formally: for every set of records with the same monitored part, every unmonitored event e and every
    time t, at most a share 1/l of them holds e at a time in [t, t+g]. With k above 1 every such set also has
    at least k records; with ``blur`` no record of it says anything about the time up to that far before and after each
    of its intervals.

    Examples
    --------
    >>> print(GlDiversity(g=3600, l=4, k=1, monitored=("mail",), unit="second").statement())
    Someone who knows when a person did the monitored events (1 is named) learns a group of records. In any window of
    3600 seconds at most 1 in 4 of its records has the same other event. Not covered: other events keep their exact
    times. Someone who guesses that one of them soon follows or precedes a monitored one may find the record. This holds
    for that receiver only.

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Definition 1.
    """

    name: ClassVar[str] = "gl-diversity"
    title: ClassVar[str] = "(g,l)-diversity"
    knowledge: ClassVar[str] = "monitored-events"
    composes: ClassVar[bool] = True
    observed: ClassVar[tuple[str, ...]] = ("others",)

    g: Annotated[int, Param("Length of the window, in units of the data's time.", ge=0)]
    l: Annotated[int, Param("One over the largest share of a group that did an event inside a window.", ge=2)]
    k: Annotated[int, Param("Smallest number of records with the same monitored part.", ge=1)] = 1
    monitored: tuple[str, ...] = ()
    unit: str = ""
    blur: Annotated[int | None, Param("How far around monitored intervals no other event is published.", ge=0)] = None
    others: bool = True

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as plain values; without blur where there is none."""
        return {name: value for name, value in super().parameters().items() if value is not None}

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the promise."""
        window = f"{self.g} {self.unit}s" if self.unit else str(self.g)
        named = f"{len(self.monitored)} {'is' if len(self.monitored) == 1 else 'are'} named"
        subject = f" of at least {self.k} {unit.records}" if self.k > 1 else f" of {unit.records}"
        knows = f"Someone who knows when {describe_events(unit)} ({named}) learns a group{subject}."
        if not self.others:
            return f"{knows} No other events are published.{self.describe_count(unit)}"
        sentence = f"In any window of {window} at most 1 in {self.l} of its {unit.records} has the same other event."
        beyond = NEIGHBOURS if self.blur is None else describe_blur(self.blur, self.unit)
        return f"{knows} {sentence} {beyond} {THAT_RECEIVER}{self.describe_count(unit)}"
