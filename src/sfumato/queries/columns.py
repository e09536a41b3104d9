"""Attributes of all records: numbers within ranges, and labels that stand for one of several."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.queries.published_view import AttributeCondition, Names, Selection, Values
from sfumato.queries.three_valued import Truth

__all__ = ["Labels", "Ranges"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True, eq=False)
class Ranges:
    """A number or day of every record, of which a closed range is known.

    Records refer to cells, for many have the same one.

    Parameters
    ----------
    lo, hi
        The range of every cell.
    missing
        Cells that say that there is no value.
    hidden
        Cells that say nothing: any value, or none.
    index
        Cell of every record.
    whole
        Whether values are whole numbers, or days since 1970.
    names
        Numbers have no names.
    dated
        Whether they are days since 1970.

    Examples
    --------
    >>> no = np.zeros(2, bool)
    >>> age = Ranges(np.array([20, 28]), np.array([29, 35]), no, no, np.array([0, 1, 1]), whole=True)
    >>> young = age.judge(AttributeCondition(span=(-math.inf, 29)))
    >>> young.low.tolist(), young.high.tolist()
    ([1, 0, 0], [1, 1, 1])
    """

    lo: Numbers
    hi: Numbers
    missing: Flags
    hidden: Flags
    index: Ints
    whole: bool
    names: Names = dataclasses.field(default_factory=lambda: Names(()))
    dated: bool = False

    @classmethod
    def exact(cls, values: Numbers, index: Ints, *, whole: bool, dated: bool = False) -> Ranges:
        """Take values that are what they are; a record of index -1 has none."""
        padded = np.append(values, np.zeros(1, values.dtype))
        missing = np.zeros(len(padded), dtype=bool)
        missing[-1] = True
        at = np.where(index < 0, len(values), index).astype(np.int64)
        return cls(padded, padded, missing, np.zeros(len(padded), dtype=bool), at, whole, dated=dated)

    @property
    def numeric(self) -> bool:
        """Numbers can be compared."""
        return True

    @property
    def is_published(self) -> bool:
        """Whether some record has a cell that says something."""
        return not bool(self.hidden[self.index].all())

    def judge(self, question: AttributeCondition) -> Truth:
        """Tell which records have a number in a closed range; one that is missing lies in none."""
        low, high = question.span if question.span is not None else (math.inf, -math.inf)
        if self.whole:
            # No whole number lies between two neighbours: ask for those that there are.
            low, high = (low if math.isinf(low) else math.ceil(low)), (high if math.isinf(high) else math.floor(high))
        is_reported = ~self.missing & ~self.hidden
        must = is_reported & (self.lo >= low) & (self.hi <= high)
        can = (is_reported & (self.lo <= high) & (self.hi >= low)) | self.hidden
        can &= low <= high
        return Truth.of(must[self.index], can[self.index])

    def draw(self, random: np.random.Generator) -> Ranges:
        """Draw a number from every range; where nothing is known, from the range of another record."""
        index = _borrow(self.index, self.hidden, random)
        share = random.random(len(index))
        lo, hi = self.lo[index], self.hi[index]
        drawn = lo + (np.floor(share * (hi - lo + 1)).astype(lo.dtype) if self.whole else share * (hi - lo))
        none = self.missing[index] | self.hidden[index]
        nothing = np.zeros(len(none), dtype=bool)
        return Ranges(drawn, drawn, none, nothing, np.arange(len(index)), self.whole, dated=self.dated)


@dataclasses.dataclass(frozen=True, eq=False)
class Labels:
    """A label of every record, of which some are known that it may be.

    Parameters
    ----------
    names
        The labels, and categories that stand for several of them. A value that is missing is the empty label.
    values
        Labels that every cell may be.
    index
        Cell of every record.
    places
        Where labels that are numbers or days lie, in the order of the labels, so that they can be compared; NaN where
        one is none, None where labels are only labels.
    dated
        Whether the labels are days.

    Examples
    --------
    >>> cells = Values.of([(0,), (0, 1)])
    >>> city = Labels(Names(("a", "b")), cells, np.array([0, 1, 1]))
    >>> there = city.judge(AttributeCondition(city.names.find("a")))
    >>> there.low.tolist(), there.high.tolist()
    ([1, 0, 0], [1, 1, 1])
    """

    names: Names
    values: Values
    index: Ints
    places: npt.NDArray[np.float64] | None = None
    dated: bool = False

    @property
    def numeric(self) -> bool:
        """Whether the labels are numbers or days."""
        return self.places is not None

    @property
    def is_published(self) -> bool:
        """Whether some record has a cell that says something."""
        return not bool(self.values.open[self.index].all())

    def judge(self, question: AttributeCondition) -> Truth:
        """Tell which records have one of the labels asked for."""
        selection = question.selection
        if selection is None:
            selection = self._within(question.span or (math.inf, -math.inf))
        return Truth.of(self.values.must(selection)[self.index], self.values.can(selection)[self.index])

    def _within(self, span: tuple[float, float]) -> Selection:
        if self.places is None:
            return Selection(np.zeros(len(self.names.labels), dtype=bool))
        with np.errstate(invalid="ignore"):
            inside = (self.places >= span[0]) & (self.places <= span[1])
        return Selection(inside, unseen=span[0] <= span[1])

    def draw(self, random: np.random.Generator) -> Labels:
        """Draw one of the labels that every record may have, all equally likely, or those of another record."""
        index = _borrow(self.index, self.values.open, random)
        labels = len(self.names.labels)
        is_reported = ~self.values.open[index]
        drawn = np.full(len(index), labels, dtype=np.int64)
        drawn[is_reported] = self.values.draw(index[is_reported], random)
        # Behind the labels stands what nobody told anything of.
        exact = Values.of([*([code] for code in range(labels)), ()], [labels])
        return Labels(self.names, exact, drawn, self.places, self.dated)


def _borrow(index: Ints, hidden: Flags, random: np.random.Generator) -> Ints:
    """Give records whose cell says nothing the cell of another record, if there is one that says something."""
    if not hidden.any():
        return index
    silent, reported = np.flatnonzero(hidden[index]), np.flatnonzero(~hidden[index])
    if not len(silent) or not len(reported):
        return index
    borrowed = index.copy()
    borrowed[silent] = index[reported[random.integers(0, len(reported), len(silent))]]
    return borrowed
