"""Which classes of a release fit which people: every cell of the class holds the person's value.

Values that lie in the same cells cannot be told apart in the release, so they are one *kind* of value, and people with
the same kinds in all attributes are one *case*, which is looked for among the classes once.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from sfumato.checks.cache import cached
from sfumato.checks.class_index import HeldLabels, LabelIndex
from sfumato.data.dataset import Dataset
from sfumato.exceptions import VerificationError
from sfumato.kinds.table.dataset import attribute_of
from sfumato.kinds.table.decode import Cells, PublishedTable, number_rows
from sfumato.progress import track

__all__ = ["Fitting"]

Ints = npt.NDArray[np.int64]

_COLUMNS = 64
"""Values whose records are counted in one go."""


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
    >>> table = PublishedTable.of(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release)
    >>> found = Fitting.of(table, data)
    >>> found.weigh(table.sizes)[found.case].tolist()
    [2, 2, 2, 2]
    """

    case: Ints
    people: Ints
    fits: Any

    @classmethod
    @cached
    def of(cls, table: PublishedTable, original: Dataset) -> Fitting:
        """Look for the people of an original in a release."""
        return cls.among(table, original, original.table)

    @classmethod
    @cached
    def of_population(cls, table: PublishedTable, original: Dataset) -> Fitting:
        """Look for the population of an original, which must have one, in a release."""
        assert original.population is not None
        return cls.among(table, original, original.population)

    @classmethod
    def among(cls, table: PublishedTable, original: Dataset, people: pa.Table) -> Fitting:
        """Look for some people, of a table with the columns of an original, in a release."""
        read = [_read_attribute(column, original, people) for column in table.columns]
        case = number_rows([kinds for kinds, _ in read], people.num_rows)
        example = np.zeros(int(case.max(initial=-1)) + 1, np.int64)
        example[case] = np.arange(len(case))
        classes = LabelIndex.of(
            [(held, cells) for (_, held), cells in zip(read, table.cells.T, strict=True)], len(table.sizes)
        )
        labels = np.zeros((len(example), len(read)), np.int64)
        for at, (kinds, _) in enumerate(read):
            labels[:, at] = kinds[example]
        offsets, matches = classes.find(labels)
        fits = sparse.csr_array(
            (np.ones(len(matches), np.int64), matches, offsets), shape=(len(example), len(table.sizes))
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


def _read_attribute(column: Cells, original: Dataset, people: pa.Table) -> tuple[Ints, HeldLabels]:
    """Return the kind of value of every person, and which cells of a published column hold which kinds."""
    if all(original_column.name != column.name for original_column in original.schema.columns):
        raise VerificationError(f"table: the original has no column {column.name!r}, which the release has.")
    attribute = attribute_of(original, column.name, people)
    kind, held = column.sort_values(attribute)
    return kind[attribute.codes], held
