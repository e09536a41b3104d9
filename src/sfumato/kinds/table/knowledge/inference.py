"""What the published classes say of sensitive columns: how sure a reader can be of a value, and of how many people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sfumato.base.remaining import Possibility, Remaining, quote
from sfumato.checks.classes import Classes
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.kinds.table.guarantees.k_anonymity import KAnonymity
from sfumato.release.decode import decode
from sfumato.release.release import Release

__all__ = ["describe_inference", "find_inferences", "is_guaranteed"]


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
    remedy = "What helps: l-diversity (l=2 or more) or t-closeness (t=0.3)."
    if guaranteed:
        remedy = "What helps: a larger l or a smaller t." if certain else ""
    return Possibility(
        "inference",
        column,
        "warning" if certain or not guaranteed else "note",
        wording + covered,
        remedy,
        {"people": certain, "of": people},
        {"confidence": confidence},
    )
