"""k-anonymity of tables with what is promised on top, counted anew from the published files.

The verdict of a class carries over to whoever looks for a person: local recoding lets cells overlap, so that somebody
may fit several classes. Their records together are k or more where each class has k, have at least the values and the
entropy of the least diverse of them, keep (c, l), and are no farther from the whole than the farthest: all of these
get no worse when classes are put together.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import SHOWN_ROWS, Verdict
from sfumato.checks.classes import Classes
from sfumato.data.dataset import Dataset
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.kinds.table.knowledge import Fitting
from sfumato.kinds.table.verify.closeness import (
    judge_closeness,
    measure_equal,
    measure_hierarchical,
    measure_ordered,
)
from sfumato.kinds.table.verify.diversity import SLACK, ClassValues, Judged, judge_diversity
from sfumato.kinds.table.verify.extra_tables import SensitiveOrder, find_overlap, match_classes
from sfumato.messages import Message, option
from sfumato.release.decode import decode
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed
from sfumato.verification.faithful import check_rows

__all__ = ["judge_sensitive", "select_parameters", "verify", "verify_against"]


Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None

_SIZE = "every class has k records"
_DIVERSE = "sensitive values of every class are diverse"
_CLOSE = "sensitive values of every class are distributed as in the whole"
_APART = "nobody of the population fits two classes"
_PRESENT = "not too much of the population is in the data"
_FIT = "whoever is known fits 0 or at least k records"
_MATCHED = "published records fit what is known of them"
_COUNTED = "the population is counted as it is"
_RECORDS = "the original has as many records as the release says"
_NO_DUPLICATES = "every record is published at most once"


def select_parameters(claimed: KAnonymity) -> dict[str, Any]:
    """Return the parameters that promise something.

    Examples
    --------
    >>> select_parameters(KAnonymity(k=5, l=3, sensitive=("ill",)))
    {'k': 5, 'l': 3, 'diversity': 'distinct'}
    """
    parameters: dict[str, Any] = {"k": claimed.k}
    if claimed.l > 1:
        parameters |= {"l": claimed.l, "diversity": claimed.diversity} | ({} if claimed.c is None else {"c": claimed.c})
    if claimed.t is not None:
        parameters |= {"t": claimed.t, "distance": claimed.distance}
    return parameters if claimed.presence is None else parameters | {"presence": claimed.presence}


def verify(release: Release) -> Verdict:
    """Check a release on its own: has every class k records, and are their sensitive values as is promised?

    Entropies and distances may miss their bound by 1e-9, for they are sums of fractions; recursive diversity compares
    whole numbers with c as it is written. The witness is the worst class: its cells, its records, its first rows.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [(20, "flu"), (29, "cold"), (70, "flu"), (79, "cough")]
    >>> data = Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    >>> verify(sf.anonymize(data, sf.methods.Mondrian(k=2, l=2), secret=bytes(32)).release)
    Verified: the guarantee holds and every file is declared.
      parameter  claimed   measured
      k          2         2
      l          2         2
      diversity  distinct
      classes              2

    References
    ----------
    Machanavajjhala et al., l-diversity, Definitions 4.1 and 4.2; Li et al., t-closeness, Section 4; Nergiz et al.,
    Hiding the presence of individuals, Definition 2.
    """
    claimed, structure, unreadable = read_claimed(release, KAnonymity, describe=select_parameters, whole=True)
    if unreadable is not None:
        return unreadable
    table = Classes.of(decode(release))
    least = int(np.argmin(table.sizes))
    judgement = Judged(
        {"k": int(table.sizes[least]), "classes": len(table.sizes)}, least, bool(table.sizes[least] >= claimed.k)
    )
    verdict = structure & _conclude(table, claimed, _SIZE, judgement)
    for column in sorted(claimed.sensitive):
        judged = judge_sensitive(release, table, claimed, column)
        verdict &= dataclasses.replace(judged, measured=_keep_worst(verdict.measured, judged.measured))
    if claimed.presence is not None:
        overlap = find_overlap(table)
        counterexample = None if overlap is None else {"check": _APART, "part": "population", **overlap}
        verdict &= Verdict(overlap is None, select_parameters(claimed), {}, counterexample, {_APART: overlap is None})
        verdict &= _conclude(table, claimed, _PRESENT, _judge_presence(release, table, claimed.presence))
    return verdict


def _conclude(table: Classes, claimed: KAnonymity, check: str, judgement: Judged, column: str | None = None) -> Verdict:
    """Make a verdict of the worst class."""
    counterexample: Counterexample = None
    if not judgement.holds:
        counterexample = {
            "check": check,
            **({} if column is None else {"column": column}),
            "cells": table.format_cells(judgement.worst),
            "records": int(table.sizes[judgement.worst]),
            "rows": table.rows_of(judgement.worst, SHOWN_ROWS),
        }
    return Verdict(
        judgement.holds, select_parameters(claimed), judgement.measured, counterexample, {check: judgement.holds}
    )


def _keep_worst(previous: dict[str, Any], measured: dict[str, Any]) -> dict[str, Any]:
    """Return what the worst of several sensitive columns reaches: fewest values, and the largest c and t."""
    worst = dict(measured)
    for name, value in measured.items():
        both = [value, previous.get(name, value)]
        worst[name] = None if None in both else min(both) if name == "l" else max(both)
    return worst


def judge_sensitive(release: Release, table: Classes, claimed: KAnonymity, column: str) -> Verdict:
    """Check what is promised of one sensitive column.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [(1, "flu"), (1, "flu"), (9, "flu"), (9, "cold")]
    >>> data = Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    >>> claimed = KAnonymity(k=2, l=2, quasi=("age",), sensitive=("ill",))
    >>> judge_sensitive(release, Classes.of(decode(release)), claimed, "ill").counterexample["cells"]
    {'age': '[1..1]'}
    """
    verdict = Verdict(True, {}, {})
    if claimed.l == 1 and claimed.t is None:
        return verdict
    values = ClassValues.of(table, decode(release).column(column))
    if claimed.l > 1:
        judgement = judge_diversity(values, claimed.l, claimed.diversity, claimed.c)
        verdict &= _conclude(table, claimed, _DIVERSE, judgement, column)
    if claimed.t is not None:
        if claimed.distance == "equal":
            distances = measure_equal(values)
        elif claimed.distance == "ordered":
            distances = measure_ordered(values, SensitiveOrder(release).values(column))
        else:
            distances = measure_hierarchical(values, SensitiveOrder(release).parents(column))
        verdict &= _conclude(table, claimed, _CLOSE, judge_closeness(distances, claimed.t), column)
    return verdict


def _judge_presence(release: Release, table: Classes, presence: float) -> Judged:
    _, rows = match_classes(release, "population")
    people = np.zeros(len(table.sizes), np.int64)
    people[rows] = release.extra_tables["population"].table.column("people").to_numpy()
    return _share_of(table, people, presence)


def _share_of(table: Classes, people: Ints, presence: float) -> Judged:
    share = np.where(people > 0, table.sizes / np.maximum(people, 1), np.inf)
    worst = int(np.argmax(share))
    reached = None if np.isinf(share[worst]) else round(float(share[worst]), 6)
    return Judged({"presence": reached}, worst, bool(share[worst] <= presence + SLACK))


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original: whoever's quasi-identifiers are known fits 0 or at least k records.

    With ``rows``, published people must fit records; 0 is for people who were withheld. Where presence is promised, the
    people of the population are counted anew.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row of every published row, where the owner kept it.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("table", [(20,), (29,), (70,), (79,)], ("age",))
    >>> verify_against(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release, data)
    Verified: the guarantee holds and every file is declared.
      parameter  claimed  measured
      k          2
      fitting             2
    """
    claimed, _, unreadable = read_claimed(release, KAnonymity, describe=select_parameters, whole=True)
    if unreadable is not None:
        return unreadable
    wrong = None if rows is None else check_rows(release, original, np.asarray(rows))
    if wrong is not None:
        return Verdict(
            False, select_parameters(claimed), {}, {"check": _NO_DUPLICATES, **wrong}, {_NO_DUPLICATES: False}
        )
    table = Classes.of(decode(release))
    fitting = Fitting.of(table, original)
    sizes = fitting.weigh(table.sizes)[fitting.case]
    smallest = int(sizes[sizes > 0].min(initial=len(release)))
    lost = np.flatnonzero((sizes if rows is None else sizes[rows]) == 0)
    allowed = len(original) - len(release) if rows is None else 0
    checks = {
        _RECORDS: len(original) == release.records_in,
        _FIT: smallest >= claimed.k,
        _MATCHED: len(lost) <= allowed,
    }
    counterexample: Counterexample = None
    if not all(checks.values()):
        check = next(name for name, passed in checks.items() if not passed)
        counterexample = {"check": check, "fitting": smallest, "who_fit_nothing": len(lost), "records": len(original)}
        if rows is not None and len(lost):
            counterexample["rows"] = [int(row) + 1 for row in lost[:SHOWN_ROWS]]
    verdict = Verdict(all(checks.values()), select_parameters(claimed), {"fitting": smallest}, counterexample, checks)
    for more in _count_population(release, original, table, claimed):
        verdict &= more
    return verdict


def _count_population(release: Release, original: Dataset, table: Classes, claimed: KAnonymity) -> Iterator[Verdict]:
    """Count the people of the population in every class, where presence is promised."""
    if claimed.presence is None:
        return
    if original.population is None:
        need = Message(
            "The original was read without the population that the guarantee covers: ",
            option("population", "FILE"),
            ".",
        )
        yield Verdict(True, {}, {}, unsettled=(need,))
        return
    people = Fitting.of_population(table, original).count_people()
    yield _conclude(table, claimed, _PRESENT, _share_of(table, people, claimed.presence))
    _, rows = match_classes(release, "population")
    listed = release.extra_tables["population"].table.column("people").to_numpy()
    wrong = np.flatnonzero(listed != people[rows])
    counterexample: Counterexample = None
    if len(wrong):
        at = int(wrong[0])
        counterexample = {"check": _COUNTED, "part": "population", "row": at + 1, "people": int(people[rows[at]])}
    yield Verdict(counterexample is None, {}, {}, counterexample, {_COUNTED: counterexample is None})
