"""Which classes of a release fit which people: every cell of the class holds the person's value.

Values that lie in the same cells cannot be told apart in the release, so they are one *kind* of value, and people with
the same kinds in all attributes are one *case*. For every kind of value the classes that hold it are kept as bits; a
case fits the classes whose bits are set in all attributes. Plain NumPy: it shares nothing with the methods.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from sfumato.checks.cache import cached
from sfumato.checks.classes import Classes, number_rows
from sfumato.checks.values import group_values
from sfumato.data.dataset import Dataset
from sfumato.exceptions import VerificationError
from sfumato.kinds.table.dataset import attribute_of
from sfumato.progress import track

__all__ = ["Fitting"]

Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint8]

_COLUMNS = 64
"""Values whose records are counted in one go."""
_BYTES = 1 << 24
"""Bytes of bits looked at in one go."""


class _Read(NamedTuple):
    """An attribute: the kind of value of every person, which cells hold which kind, and the cell of every class."""

    kinds: Ints
    holds: npt.NDArray[np.bool_]
    cells: Ints


class _MatchableAttribute(NamedTuple):
    """An attribute ready to be matched: the kind of value of everybody, and the classes that hold each, as bits."""

    kinds: Ints
    bits: Bits


@dataclasses.dataclass(frozen=True, eq=False)
class Fitting:
    """People by what is known of them, and the classes they fit.

    Attributes
    ----------
    case
        Case of every person.
    people
        Number of people of every case.
    fits
        Which case fits which class: a sparse matrix of zeros and ones, one row per case.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20,), (29,), (70,), (79,)], ("age",))
    >>> from sfumato.release.decode import decode
    >>> table = Classes.of(decode(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release))
    >>> found = Fitting.of(table, data)
    >>> found.weigh(table.sizes)[found.case].tolist()
    [2, 2, 2, 2]
    """

    case: Ints
    people: Ints
    fits: Any

    @classmethod
    @cached
    def of(cls, table: Classes, original: Dataset) -> Fitting:
        """Look for the people of an original in a release."""
        return cls.among(table, original, original.table)

    @classmethod
    @cached
    def of_population(cls, table: Classes, original: Dataset) -> Fitting:
        """Look for the population of an original, which must have one, in a release."""
        assert original.population is not None
        return cls.among(table, original, original.population)

    @classmethod
    def among(cls, table: Classes, original: Dataset, people: pa.Table) -> Fitting:
        """Look for some people, of a table with the columns of an original, in a release."""
        read = _read_attributes(table, original, people)
        order = np.arange(len(table.sizes))
        if read:
            # The attribute whose values are in fewest classes comes first, and classes in the order of its cells:
            # then only a stretch of the bits has to be looked at for any of its values.
            first = min(range(len(read)), key=lambda at: float(read[at].holds[read[at].cells].mean()))
            order = np.argsort(read[first].cells, kind="stable")
            read.insert(0, read.pop(first))
        facts = [
            _MatchableAttribute(attribute.kinds, np.packbits(attribute.holds[attribute.cells[order]].T, axis=1))
            for attribute in read
        ]
        case = number_rows([attribute.kinds for attribute in facts], people.num_rows)
        example = np.zeros(int(case.max(initial=-1)) + 1, np.int64)
        example[case] = np.arange(len(case))
        cases = [_MatchableAttribute(attribute.kinds[example], attribute.bits) for attribute in facts]
        pairs = [np.empty((2, 0), np.int64), *_match(cases, len(example), len(order))]
        of_case, of_class = np.concatenate(pairs, axis=1)
        fits = sparse.csr_array(
            (np.ones(len(of_case), np.int64), (of_case, order[of_class])), shape=(len(example), len(order))
        )
        return cls(case, np.bincount(case, minlength=len(example)), fits)

    def weigh(self, weights: Ints) -> Ints:
        """Add up, for every case, the weights of the classes it fits; weights may have several columns."""
        return np.asarray(self.fits @ weights, dtype=np.int64)

    def count_most(self, group: Ints, value: Ints, values: int) -> Ints:
        """Count, for every case, the records it fits that have the value most of them have.

        Parameters
        ----------
        group, value
            Class and value of every record.
        values
            Number of values.
        """
        most = np.zeros(len(self.people), np.int64)
        counts = sparse.csc_array((np.ones(len(group), np.int64), (group, value)), shape=(self.fits.shape[1], values))
        for first in track("compare values", range(0, values, _COLUMNS)):
            largest = (self.fits @ counts[:, first : first + _COLUMNS]).max(axis=1)
            most = np.maximum(most, np.asarray(largest.todense()).reshape(-1))
        return most

    def count_people(self) -> Ints:
        """Count the people who fit every class."""
        return np.asarray(self.fits.T @ self.people, dtype=np.int64)


def _read_attributes(table: Classes, original: Dataset, people: pa.Table) -> list[_Read]:
    attributes = []
    for column, cells in zip(table.columns, table.cells.T, strict=True):
        if all(original_column.name != column.name for original_column in original.schema.columns):
            raise VerificationError(f"table: the original has no column {column.name!r}, which the release has.")
        attribute = attribute_of(original, column.name, people)
        kind, holds = group_values(column.values, attribute.value_sets)
        attributes.append(_Read(kind[attribute.codes], holds, cells))
    return attributes


def _match(cases: list[_MatchableAttribute], count: int, classes: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield cases and the classes they fit, two rows of equal length, in portions."""
    if not cases:
        every = np.indices((count, classes)).reshape(2, -1)
        yield every.astype(np.int64)
        return
    lead = cases[0]
    begins = np.searchsorted(lead.kinds, np.arange(len(lead.bits) + 1))
    for kind, bits in enumerate(lead.bits):
        stretch = np.flatnonzero(bits)
        if not len(stretch) or begins[kind] == begins[kind + 1]:
            continue
        low, high = int(stretch[0]), int(stretch[-1]) + 1
        step = max(1, _BYTES // (high - low))
        for begin in range(int(begins[kind]), int(begins[kind + 1]), step):
            rows = slice(begin, min(begin + step, int(begins[kind + 1])))
            left = np.repeat(bits[None, low:high], rows.stop - rows.start, axis=0)
            for other in cases[1:]:
                left &= other.bits[other.kinds[rows], low:high]
            # Bytes with a bit that is set, and these bits. One row of truth values is searched fastest.
            row, byte = np.divmod(np.flatnonzero(left != 0), high - low)
            which, bit = np.nonzero(np.unpackbits(left[row, byte][:, None], axis=1))
            yield np.stack([begin + row[which], 8 * (low + byte[which]) + bit]).astype(np.int64)
