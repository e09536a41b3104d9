"""What a release of timelines can guarantee."""

from __future__ import annotations

import dataclasses
import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, MethodName, parameter
from sfumato.params import Param

__all__ = ["PrefixFrequency", "format_delta", "read_delta"]

_DELTA = re.compile(r"(\d{0,20}\.?\d{1,20}|\d{1,20}\s?/\s?\d{1,20})")


def format_delta(value: object) -> object:
    """Return a number as the text that says it exactly; a floating point number as it is written.

    Examples
    --------
    >>> format_delta(0.2), format_delta(Fraction(1, 3)), format_delta("1/5"), format_delta(1e-05)
    ('0.2', '1/3', '1/5', '0.00001')
    """
    if isinstance(value, float):
        return f"{Decimal(repr(value)):f}"
    return str(value) if isinstance(value, Fraction | int) and not isinstance(value, bool) else value


def read_delta(owner: str | MethodName, text: str) -> Fraction:
    """Read a threshold exactly, or raise :class:`ParameterError`.

    Examples
    --------
    >>> read_delta("Odesa", "0.2"), read_delta("Odesa", "1/5")
    (Fraction(1, 5), Fraction(1, 5))
    >>> read_delta("Odesa", "1.5")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Odesa: delta must be above 0 and at most 1, got '1.5'.
    """
    if not _DELTA.fullmatch(text.strip()):
        raise ParameterError(
            Message(
                owner,
                ": ",
                parameter("delta"),
                f" must be a decimal such as 0.2 or a fraction such as 1/5, got {text!r}.",
            )
        )
    try:
        delta = Fraction(text.replace(" ", ""))
    except ZeroDivisionError:
        raise ParameterError(
            Message(owner, ": ", parameter("delta"), f" must be a fraction with a denominator above 0, got {text!r}.")
        ) from None
    if not 0 < delta <= 1:
        raise ParameterError(Message(owner, ": ", parameter("delta"), f" must be above 0 and at most 1, got {text!r}."))
    return delta


@dataclasses.dataclass(frozen=True)
class PrefixFrequency(Guarantee):
    """Someone who sees the timeline up to any moment never sees a sensitive event reach a share delta of all events.

    Formally: for every named event and every prefix of the timeline, the occurrences of the event are fewer than
    delta times all occurrences, or there are none. With a cover k above 1 every named event that occurs has, at every
    time point, the count of at least k-1 others that are named: the sensitive events and those they hide among. Then
    their relative frequencies agree in every prefix, and the names do not say which of them are sensitive.

    Examples
    --------
    >>> PrefixFrequency(delta="1/5", events=("wine",)).statement()
    'No named event (1 is named) makes up 1/5 of all occurrences or more in any prefix of the timeline.'

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 3; for covers Section 3 of its supplement.
    """

    name: ClassVar[str] = "prefix-frequency"
    title: ClassVar[str] = "rare in every prefix"
    knowledge: ClassVar[str] = "prefixes"
    composes: ClassVar[bool] = False

    delta: Annotated[str, Param("Relative frequency that no sensitive event reaches in any prefix.")]
    cover: Annotated[
        int, Param("Number of events with the counts of each sensitive event, including itself.", ge=1)
    ] = 1
    events: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", format_delta(self.delta))
        super().__post_init__()
        read_delta(self.message_name, self.delta)

    @property
    def fraction(self) -> Fraction:
        """The threshold as an exact fraction."""
        return read_delta(self.message_name, self.delta)

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> PrefixFrequency(delta="1/5").label
        'frequency below 1/5 in every prefix'
        """
        cover = f", cover of {self.cover}" if self.cover > 1 else ""
        return f"frequency below {self.delta} in every prefix{cover}"

    def statement(self, unit: RecordUnit = PERSON) -> str:  # noqa: ARG002
        """State the guarantee."""
        named = f"{len(self.events)} {'is' if len(self.events) == 1 else 'are'} named"
        sentence = (
            f"No named event ({named}) makes up {self.delta} of all occurrences or more in any prefix of the timeline."
        )
        if self.cover == 1:
            return sentence
        return (
            f"{sentence} Each named event that occurs is as frequent in every prefix as at least {self.cover - 1} "
            f"other named event{'s' * (self.cover > 2)}. The names do not show which are sensitive."
        )
