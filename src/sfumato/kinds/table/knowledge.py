"""What an attacker can know of people in a table: which classes fit whom, and what they say of sensitive columns.

A class fits somebody where every cell of it holds the person's value. Values that lie in the same cells cannot be told
apart in the release, so they are one *kind* of value, and people with the same kinds in all attributes are one *case*.
For every kind of value the classes that hold it are kept as bits; a case fits the classes whose bits are set in all
attributes. Plain NumPy: it shares nothing with the methods.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from sfumato.base.remaining import Possibility, Remaining, quote
from sfumato.checks.cache import cached
from sfumato.data.dataset import Dataset
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.exceptions import VerificationError
from sfumato.kinds.table.dataset import attribute_of
from sfumato.kinds.table.decode import PublishedTable, number_rows
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.messages import Message, parameter
from sfumato.progress import track
from sfumato.release.release import Release

__all__ = ["Fitting", "describe_inference", "find_inferences", "is_guaranteed", "number_values"]


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


def _read_attributes(table: PublishedTable, original: Dataset, people: pa.Table) -> list[_Read]:
    attributes = []
    for column, cells in zip(table.columns, table.cells.T, strict=True):
        if all(original_column.name != column.name for original_column in original.schema.columns):
            raise VerificationError(f"table: the original has no column {column.name!r}, which the release has.")
        attribute = attribute_of(original, column.name, people)
        kind, holds = column.sort_values(attribute)
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


def find_inferences(release: Release, measured: Any = None) -> Remaining:  # noqa: ARG001
    """Return, for every sensitive column, how sure a reader of the published files can be of its values.

    A class is counted by itself. Whoever fits several classes is less sure; whoever knows who is in which one is not.

    Parameters
    ----------
    release
        A release whose structure was checked.
    measured
        What its verifier counted; not needed here.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [(20, "flu"), (29, "flu"), (70, "flu"), (79, "cold")]
    >>> data = sf.Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    >>> print(next(iter(find_inferences(release))))
    2 of 4 people (50 %) match only records with the same value of 'ill'. The guarantee does not cover it. What helps:
    l-diversity (l=2 or more) or t-closeness (t=0.3).
    """
    return Remaining(tuple(_judge_columns(release)))


def _judge_columns(release: Release) -> Iterator[Possibility]:
    table = PublishedTable.of(release)
    for column in release.columns:
        if column.role == "sensitive" and table.records:
            value, width = number_values(release, column.name)
            pairs, counts = np.unique(table.group * width + value, return_counts=True)
            share = counts / table.sizes[pairs // width]
            certain = int(counts[share == 1].sum())
            guaranteed, most = is_guaranteed(release, column.name), float(share.max())
            yield describe_inference(
                column.name, certain, table.records, most, guaranteed=guaranteed, unit=release.unit
            )


def is_guaranteed(release: Release, column: str) -> bool:
    """Tell whether the guarantee of a release bounds what can be inferred of a sensitive column.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "flu"), (21, "cold")], ("age", "ill"), sensitive=("ill",))
    >>> [is_guaranteed(sf.anonymize(data, sf.methods.Mondrian(k=2, l=l)).release, "ill") for l in (1, 2)]
    [False, True]
    """
    guarantee = release.guarantee
    return (
        isinstance(guarantee, KAnonymity)
        and (guarantee.l > 1 or guarantee.t is not None)
        and column in guarantee.sensitive
    )


def number_values(release: Release, column: str) -> tuple[Ints, int]:
    """Return the value of every published record as a number, and how many there are.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "flu"), (20, "flu")], ("age", "ill"), sensitive=("ill",))
    >>> values, width = number_values(sf.anonymize(data, sf.methods.Mondrian(k=2)).release, "ill")
    >>> values.tolist(), width
    ([0, 0], 1)
    """
    coded = release.table.column(column).combine_chunks().dictionary_encode()
    return coded.indices.to_numpy(zero_copy_only=False).astype(np.int64), max(len(coded.dictionary), 1)


def describe_inference(
    column: str, certain: int, people: int, confidence: float, *, guaranteed: bool, unit: RecordUnit = PERSON
) -> Possibility:
    """Say how sure somebody can be of the values of a sensitive column who knows all quasi-identifiers.

    Parameters
    ----------
    column
        The sensitive column.
    certain, people
        For how many all records that match have the same value, and of how many.
    confidence
        The largest share of one value among the records that anybody matches.
    guaranteed
        Whether the guarantee bounds it.
    unit
        What one record is.

    Examples
    --------
    >>> print(describe_inference("ill", 0, 200, 0.6, guaranteed=True).sentence)
    Someone who knows all quasi-identifiers can infer a value of 'ill' with up to 60 % confidence.
    """
    name = quote(repr(column))
    wording = (
        f"Someone who knows all quasi-identifiers can infer a value of {name} with up to {{confidence}} confidence."
    )
    if certain:
        wording = f"{{people}} of {{of}} {unit.many} ({{share}}) match only records with the same value of {name}."
    covered = "" if guaranteed else " The guarantee does not cover it."
    remedy = Message(
        "What helps: l-diversity (", parameter("l", 2), " or more) or t-closeness (", parameter("t", 0.3), ")."
    )
    if guaranteed:
        remedy = Message("What helps: a larger l or a smaller t.") if certain else Message()
    return Possibility(
        "inference",
        column,
        "warning" if certain or not guaranteed else "note",
        wording + covered,
        remedy,
        {"people": certain, "of": people},
        {"confidence": confidence},
    )
