"""How much of the data a release may leave out before it is refused."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

from sfumato.exceptions import InfeasibleError, ParameterError

__all__ = ["WITHHOLD_AT_MOST", "Counted", "describe_suppression", "exceeds", "read_limit", "refuse_excess"]

WITHHOLD_AT_MOST = 0.05
"""Share of the records that a release may withhold, unless its owner says otherwise."""


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
    sfumato.exceptions.ParameterError: withhold_at_most must be a share between 0 and 1, such as 0.05, got 5.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ParameterError(f"withhold_at_most must be a share between 0 and 1, such as 0.05, got {value!r}.")
    return float(value)


def exceeds(suppressed_records: int, records: int, limit: float) -> bool:
    """Tell whether more than a share of the records is withheld; the share is taken as it is written.

    Examples
    --------
    >>> exceeds(29, 100, 0.29), exceeds(30, 100, 0.29)
    (False, True)
    """
    return suppressed_records > Fraction(repr(limit)) * records


def describe_suppression(suppressed_records: Mapping[str, int], records: int) -> str:
    """Say how many records are withheld, and why.

    Examples
    --------
    >>> describe_suppression({"suppressed": 30, "arrived too late": 2}, 1000)
    '32 of 1,000 records are withheld, 3.2 % (suppressed: 30; arrived too late: 2)'
    """
    total = sum(suppressed_records.values())
    reasons = "; ".join(f"{reason}: {count:,}" for reason, count in suppressed_records.items() if count)
    return f"{total:,} of {records:,} records are withheld, {100 * total / max(records, 1):.3g} % ({reasons})"


def refuse_excess(release: Counted, limit: float) -> None:
    """Refuse a release that withholds more than a share of its records, with the reasons counted.

    A record is a row of the original: a person, or a time point of a timeline. What is deleted or generalised inside
    a record that is published is not counted here.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold"), (1, "50", "flu")], ("age",), "ill")
    >>> sf.anonymize(data, sf.methods.Reposition(l=2, window=1))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.InfeasibleError: reposition: 1 of 3 records are withheld, 33.3 % (suppressed: 1); at most 5 %
    may be (withhold_at_most=0.05). Ask for less (smaller parameters of the promise), give the method more room ...
    """
    if not exceeds(sum(release.suppressed_records.values()), release.records_in, limit):
        return
    raise InfeasibleError(
        f"{release.method}: {describe_suppression(release.suppressed_records, release.records_in)}"
        f"; at most {100 * limit:.3g} % may be "
        f"(withhold_at_most={limit:g}). Ask for less (smaller parameters of the promise), give the method more room "
        "(wider windows, coarser times or values), or accept the loss by raising withhold_at_most."
    )
