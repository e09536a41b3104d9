"""Attributes of all records as columns of codes: numbers within ranges, and labels that stand for one of several."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from sfumato.checks.values import can, draw, must
from sfumato.data.coded import ValueSets
from sfumato.queries.published_view import AttributeCondition, Names
from sfumato.queries.three_valued import Truth

__all__ = ["CodedAttribute"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class CodedAttribute:
    """An attribute of every record, of which a range or some labels are known that it may be.

    Parameters
    ----------
    values
        What the entries may be. A value that is missing is the empty label, or lies in no range.
    codes
        Entry of every record.
    names
        The labels, and categories that stand for several of them; numbers have no names.
    places
        Where labels that are numbers or days lie, in the order of the labels, so that they can be compared; NaN where
        one is none, None where labels are only labels.
    dated
        Whether values are days since 1970.

    Examples
    --------
    >>> no = np.zeros(2, bool)
    >>> ages = ValueSets.of_ranges(np.array([20, 28]), np.array([29, 35]), no, no, "integer")
    >>> young = CodedAttribute(ages, np.array([0, 1, 1])).judge(AttributeCondition(span=(-math.inf, 29)))
    >>> young.low.tolist(), young.high.tolist()
    ([1, 0, 0], [1, 1, 1])
    >>> names = Names(("a", "b"))
    >>> city = CodedAttribute(ValueSets.of_labels(names.labels, [(0,), (0, 1)]), np.array([0, 1, 1]), names)
    >>> there = city.judge(AttributeCondition(city.names.find("a")))
    >>> there.low.tolist(), there.high.tolist()
    ([1, 0, 0], [1, 1, 1])
    """

    values: ValueSets
    codes: Ints
    names: Names = dataclasses.field(default_factory=lambda: Names(()))
    places: Floats | None = None
    dated: bool = False

    @property
    def numeric(self) -> bool:
        """Whether values can be compared: numbers, or labels that are numbers or days."""
        return self.values.low is not None or self.places is not None

    @property
    def is_published(self) -> bool:
        """Whether some record has a cell that says something."""
        return not bool(self.values.suppressed[self.codes].all())

    def judge(self, question: AttributeCondition) -> Truth:
        """Tell which records have a value that was asked for; one that is missing lies in no range."""
        selection, span = question.selection, question.span or (math.inf, -math.inf)
        if self.values.low is not None:
            certain, possible = must(self.values, span), can(self.values, span)
        elif selection is None:
            inside, reachable = self._within(span)
            certain, possible = must(self.values, inside), can(self.values, inside, unseen=reachable)
        else:
            certain = must(self.values, selection.inside, everything=selection.whole)
            possible = can(self.values, selection.inside, unseen=selection.unseen)
        return Truth.of(certain[self.codes], possible[self.codes])

    def _within(self, span: tuple[float, float]) -> tuple[Flags, bool]:
        """Mark the labels that lie in a range, and tell whether others could."""
        if self.places is None:
            return np.zeros(len(self.names.labels), dtype=bool), False
        with np.errstate(invalid="ignore"):
            return (self.places >= span[0]) & (self.places <= span[1]), span[0] <= span[1]

    def draw(self, random: np.random.Generator) -> CodedAttribute:
        """Draw one of the values that every record may have, or one of another record where its cell says nothing."""
        codes = _borrow(self.codes, self.values.suppressed, random)
        if self.values.low is not None:
            drawn = draw(self.values, codes, random)
            empty = self.values.missing[codes] | self.values.suppressed[codes]
            exact = ValueSets.of_ranges(drawn, drawn, empty, np.zeros(len(empty), dtype=bool), self.values.scale)
            return dataclasses.replace(self, values=exact, codes=np.arange(len(codes)))
        is_reported = ~self.values.suppressed[codes]
        # Behind the labels stands what nobody told anything of.
        labels = len(self.names.labels)
        drawn = np.full(len(codes), labels, dtype=np.int64)
        drawn[is_reported] = draw(self.values, codes[is_reported], random)
        exact = ValueSets.of_labels(self.names.labels, [*([code] for code in range(labels)), []], [labels])
        return dataclasses.replace(self, values=exact, codes=drawn)


def _borrow(codes: Ints, hidden: Flags, random: np.random.Generator) -> Ints:
    """Give records whose cell says nothing the cell of another record, if there is one that says something."""
    if not hidden.any():
        return codes
    silent, reported = np.flatnonzero(hidden[codes]), np.flatnonzero(~hidden[codes])
    if not len(silent) or not len(reported):
        return codes
    borrowed = codes.copy()
    borrowed[silent] = codes[reported[random.integers(0, len(reported), len(silent))]]
    return borrowed
