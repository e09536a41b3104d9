"""What it costs to publish a record late, or not at all: read exactly, counted in whole numbers."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError
from sfumato.messages import Message, MethodName, parameter

__all__ = ["CostModel"]

Ints = npt.NDArray[np.int64]

_LARGEST = 1 << 40
"""Scaled costs stay below this, so that sums over a window fit into 64 bits."""
_COMMA = re.compile(r"(?<!\\),")
_OTHERS = "*"


@dataclasses.dataclass(frozen=True)
class CostModel:
    """The cost of every distance within a window and of suppressing every value, in units of ``1 / scale``.

    Parameters
    ----------
    mu
        Cost of publishing a record d snapshots late, for d below the window's size.
    beta
        Cost of suppressing a record of a value that is not listed.
    beta_of
        Cost of suppressing a record, by value.
    scale
        How many units make one.

    Examples
    --------
    >>> CostModel.read("Reposition", "quadratic", None, 3)
    CostModel(mu=(0, 1, 4), beta=9, beta_of={}, scale=1)
    >>> CostModel.read("Reposition", "0.5,2", "*=3,flu=1.25", 3)
    CostModel(mu=(0, 2, 8), beta=12, beta_of={'flu': 5}, scale=4)
    >>> CostModel.read("Reposition", "2,3", None, 3)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Reposition: cost must be convex: each further snapshot costs at least as much
    as the one before. It is not at delay 2.
    """

    mu: tuple[int, ...]
    beta: int
    beta_of: Mapping[str, int]
    scale: int

    @classmethod
    def read(cls, owner: str | MethodName, cost: str, beta: str | None, window: int) -> CostModel:
        """Read ``linear``, ``quadratic`` or a table of costs by distance, and costs of suppression.

        Without a cost of suppression, a suppressed record costs as much as one published a whole window late.
        """
        distances = _distances(owner, cost, window)
        general, listed = _suppression(owner, beta, distances[window])
        numbers = [*distances[:window], general, *listed.values()]
        scale = math.lcm(*(number.denominator for number in numbers))
        if max(numbers) * scale >= _LARGEST:
            raise ParameterError(
                Message(
                    owner,
                    ": ",
                    parameter("cost"),
                    " and ",
                    parameter("beta"),
                    f" must have fewer digits: the largest is over {_LARGEST:,} times the smallest difference.",
                )
            )
        units = [int(number * scale) for number in numbers]
        return cls(tuple(units[:window]), units[window], dict(zip(listed, units[window + 1 :], strict=True)), scale)

    def by_distance(self) -> Ints:
        """Return the cost of every distance."""
        return np.array(self.mu, dtype=np.int64)

    def by_value(self, labels: Iterable[str]) -> Ints:
        """Return the cost of suppressing a record, for each value.

        Examples
        --------
        >>> CostModel.read("Reposition", "linear", "*=3,flu=1", 3).by_value(["cold", "flu"]).tolist()
        [3, 1]
        """
        return np.array([self.beta_of.get(label, self.beta) for label in labels], dtype=np.int64)


def _distances(owner: str | MethodName, cost: str, window: int) -> list[Fraction]:
    """Return the cost of every distance from 0 up to the window's size."""
    power = {"linear": 1, "quadratic": 2}.get(cost)
    if power is not None:
        return [Fraction(d) ** power for d in range(window + 1)]
    table = [_number(text) for text in cost.split(",")]
    if None in table:
        raise ParameterError(
            Message(
                owner,
                ": ",
                parameter("cost"),
                f" must be linear, quadratic or costs by delay such as 1,3,6, got {cost!r}.",
            )
        )
    given = [Fraction(0), *(number for number in table if number is not None)]
    if len(given) < window:
        raise ParameterError(
            Message(
                owner,
                ": ",
                parameter("cost"),
                f" must have a number for every delay from 1 to {window - 1}, got {len(given) - 1}.",
            )
        )
    steps = [later - earlier for earlier, later in itertools.pairwise(given)]
    for distance, (before, step) in enumerate(zip([Fraction(0), *steps], steps, strict=False), start=1):
        if step <= 0:
            raise ParameterError(
                Message(owner, ": ", parameter("cost"), f" must rise with the delay; it does not at delay {distance}.")
            )
        if step < before:
            raise ParameterError(
                Message(
                    owner,
                    ": ",
                    parameter("cost"),
                    " must be convex: each further snapshot costs at least as much as the one before. It is "
                    "not "
                    f"at delay {distance}.",
                )
            )
    given = given[: window + 1]
    return given if len(given) > window else [*given, given[-1] + (steps[-1] if steps else Fraction(1))]


def _suppression(owner: str | MethodName, beta: str | None, usual: Fraction) -> tuple[Fraction, dict[str, Fraction]]:
    if beta is None:
        return usual, {}
    listed: dict[str, Fraction] = {}
    for position, entry in enumerate(_COMMA.split(beta), start=1):
        value, equals, text = entry.rpartition("=")
        number = _number(text)
        if number is None or number <= 0 or bool(equals) == (not value.strip()):
            # The text may hold values of the data, which a message must not show.
            raise ParameterError(
                Message(
                    owner,
                    ": ",
                    parameter("beta"),
                    f" must be a positive number, or entries such as flu=20,*=10; entry {position} is neither.",
                )
            )
        listed[value.strip().replace("\\,", ",") or _OTHERS] = number
    return listed.pop(_OTHERS, usual), listed


def _number(text: str) -> Fraction | None:
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        return None
