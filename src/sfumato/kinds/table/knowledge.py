"""What an attacker can know of people in a table: which classes fit whom, and what they say of sensitive columns.

A class fits somebody where every cell of it holds the person's value. Values that lie in the same cells cannot be told
apart in the release, so they are one *kind* of value, and people with the same kinds in all attributes are one *case*,
which is looked for among the classes once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from sfumato.base.remaining import Possibility, Remaining, quote
from sfumato.checks.cache import cached
from sfumato.checks.class_index import HeldLabels, LabelIndex
from sfumato.checks.classes import Classes, number_rows
from sfumato.checks.values import group_values
from sfumato.data.coded import Coded
from sfumato.data.dataset import Dataset
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.exceptions import VerificationError
from sfumato.kinds.table.dataset import attribute_of
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.messages import Message, parameter
from sfumato.progress import track
from sfumato.release.decode import decode
from sfumato.release.release import Release

__all__ = ["Fitting", "describe_inference", "find_inferences", "is_guaranteed"]


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
    table = decode(release)
    classes = Classes.of(table)
    for column in table.with_role("sensitive") if table.records else ():
        width = len(column.values)
        pairs, counts = np.unique(classes.group * width + column.codes, return_counts=True)
        share = counts / classes.sizes[pairs // width]
        certain = int(counts[share == 1].sum())
        guaranteed, most = is_guaranteed(release, column.name), float(share.max())
        yield describe_inference(column.name, certain, table.records, most, guaranteed=guaranteed, unit=release.unit)


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


def _read_attribute(column: Coded, original: Dataset, people: pa.Table) -> tuple[Ints, HeldLabels]:
    """Return the kind of value of every person, and which entries of a published column hold which kinds."""
    if all(original_column.name != column.name for original_column in original.schema.columns):
        raise VerificationError(f"table: the original has no column {column.name!r}, which the release has.")
    attribute = attribute_of(original, column.name, people)
    kind, held = group_values(column.values, attribute.value_sets)
    return kind[attribute.entries], held
