"""How many records a release may suppress before it is refused."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.messages import Message, option

__all__ = ["MAX_SUPPRESSED_RECORDS", "Counted", "describe_suppression", "exceeds", "read_limit", "refuse_excess"]

MAX_SUPPRESSED_RECORDS = 0.05
"""Share of the records that may be suppressed by default."""


class Counted(Protocol):
    """A release as far as its numbers of records go: a whole one, or one in partitions."""

    @property
    def method(self) -> str:
        """Name of the method."""

    @property
    def records_in(self) -> int:
        """Records the owner had."""

    @property
    def suppressed_records(self) -> Mapping[str, int]:
        """Records left out, by reason."""


def read_limit(value: object) -> float:
    """Return a share between 0 and 1, or raise :class:`ParameterError`.

    Examples
    --------
    >>> read_limit(0.2), read_limit(1)
    (0.2, 1.0)
    >>> read_limit(5)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: max_suppressed_records= must be a share between 0 and 1, such as 0.05, got 5.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        named = option("max_suppressed_records")
        raise ParameterError(Message(named, f" must be a share between 0 and 1, such as 0.05, got {value!r}."))
    return float(value)


def exceeds(suppressed_records: int, records: int, limit: float) -> bool:
    """Tell whether more than a share of the records is suppressed; 0.29 of 100 records are exactly 29.

    Examples
    --------
    >>> exceeds(29, 100, 0.29), exceeds(30, 100, 0.29)
    (False, True)
    """
    return suppressed_records > Fraction(repr(limit)) * records


def describe_suppression(suppressed_records: Mapping[str, int], records: int) -> str:
    """Return how many records are suppressed, by reason.

    Examples
    --------
    >>> describe_suppression({"suppressed": 30, "arrived too late": 2}, 1000)
    '32 of 1,000 records are suppressed, 3.2 % (suppressed: 30; arrived too late: 2)'
    """
    total = sum(suppressed_records.values())
    reasons = "; ".join(f"{reason}: {count:,}" for reason, count in suppressed_records.items() if count)
    return f"{total:,} of {records:,} records are suppressed, {100 * total / max(records, 1):.3g} % ({reasons})"


def refuse_excess(release: Counted, limit: float) -> None:
    """Refuse a release that suppresses more than a share of its records, with the reasons counted.

    A record is a row of the original: a person, or a time point of a timeline. Values that are deleted or generalised
    inside a published record are not counted here.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold"), (1, "50", "flu")], ("age",), "ill")
    >>> sf.anonymize(data, sf.methods.Reposition(l=2, window=1))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.InfeasibleError: reposition: 1 of 3 records are suppressed, 33.3 % (suppressed: 1);
    max_suppressed_records=0.05 allows 5 %. Use smaller parameters of the guarantee, wider windows or ...
    """
    if not exceeds(sum(release.suppressed_records.values()), release.records_in, limit):
        return
    raise InfeasibleError(
        Message(
            f"{release.method}: {describe_suppression(release.suppressed_records, release.records_in)}; ",
            option("max_suppressed_records", limit),
            f" allows {100 * limit:.3g} %.",
        ),
        hint=Message(
            "Use smaller parameters of the guarantee, wider windows or coarser values, or raise ",
            option("max_suppressed_records"),
            ".",
        ),
    )
