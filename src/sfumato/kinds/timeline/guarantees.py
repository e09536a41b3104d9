"""What a release of timelines can promise."""

from __future__ import annotations

import dataclasses
import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.exceptions import ParameterError
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


def read_delta(owner: str, text: str) -> Fraction:
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
        raise ParameterError(f"{owner}: delta must be a decimal such as 0.2 or a fraction such as 1/5, got {text!r}.")
    try:
        delta = Fraction(text.replace(" ", ""))
    except ZeroDivisionError:
        raise ParameterError(f"{owner}: delta must be a fraction with a denominator above 0, got {text!r}.") from None
    if not 0 < delta <= 1:
        raise ParameterError(f"{owner}: delta must be above 0 and at most 1, got {text!r}.")
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
    'In no prefix of the timeline do occurrences of the event that is named make up 1/5 of all occurrences or more.'

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 3; for covers Section 3 of its supplement.
    """

    name: ClassVar[str] = "prefix-frequency"
    title: ClassVar[str] = "rare in every prefix"
    notation: ClassVar[str] = "frequency below {delta} in every prefix"
    knowledge: ClassVar[str] = "prefixes"
    composes: ClassVar[bool] = False

    delta: Annotated[str, Param("Relative frequency that no sensitive event reaches in any prefix.")]
    cover: Annotated[int, Param("Events that share each sensitive event's counts, itself included.", ge=1)] = 1
    events: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", format_delta(self.delta))
        super().__post_init__()
        read_delta(type(self).__name__, self.delta)

    @property
    def fraction(self) -> Fraction:
        """The threshold as an exact fraction."""
        return read_delta(type(self).__name__, self.delta)

    def statement(self, unit: RecordUnit = PERSON) -> str:  # noqa: ARG002
        """State the promise."""
        many = len(self.events) != 1
        named = f"any of the {len(self.events)} events that are named" if many else "the event that is named"
        sentence = (
            f"In no prefix of the timeline do occurrences of {named} make up {self.delta} of all occurrences or more."
        )
        if self.cover == 1:
            return sentence
        return (
            f"{sentence} Each of them that occurs is as frequent as at least {self.cover - 1} "
            f"other{'s' * (self.cover > 2)} of them in every prefix. Their names do not say which are sensitive."
        )
