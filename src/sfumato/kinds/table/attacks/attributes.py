"""An attacker who knows all quasi-identifiers of a person: as prosecutor, journalist and marketer.

The prosecutor knows that the person is in the data. The journalist does not, and picks among the people of a
population who could be behind a record. The marketer wants many people, and does not mind errors.
"""

from __future__ import annotations

import dataclasses
import itertools
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.attacks.risk import Risk, draw_people, success
from sfumato.checks.classes import Classes, number_rows
from sfumato.data.coded import Coded, CodedTable
from sfumato.data.dataset import Dataset
from sfumato.kinds.table.decode import exact
from sfumato.kinds.table.knowledge import Fitting
from sfumato.release.decode import decode
from sfumato.release.release import Release

__all__ = ["KNOWLEDGE", "TableRisk", "attack", "attack_by_knowledge", "attack_original"]

KNOWLEDGE = "attributes"

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_SHOWN = 5
"""Sets of columns that are named, the most identifying first."""
_TRIED = 1000
"""Sets of columns that are tried at most; of more, those of the columns with most values."""
_TRIED_ON_RELEASE = 100
_DRAWN = 1000
"""People that are attacked with fewer than all columns of a release, where there are more."""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class TableRisk(Risk):
    """What an attacker reaches who knows quasi-identifiers, in the figures that statistical offices use.

    Parameters
    ----------
    prosecutor, journalist
        The highest chance to pick the right record (the right person) and its average over people, the share of people
        for whom it is above 1/k, and the share that is unique.
    marketer
        Share of people to be expected right where everybody is looked for: classes over records.
    unique_by
        Which columns give people away: sets of them, and the share of people they make unique, the largest first.

    Examples
    --------
    >>> TableRisk.of(np.array([2, 2]), KNOWLEDGE, marketer=0.5).to_dict()["marketer"]
    0.5

    References
    ----------
    El Emam, Dankar, Protecting privacy using k-anonymity, JAMIA 15 (2008).
    """

    prosecutor: dict[str, float] | None = None
    journalist: dict[str, Any] | None = None
    marketer: float | None = None
    unique_by: dict[str, float] | None = None


def attack(release: Release, original: Dataset, rows: Ints | None = None) -> TableRisk:
    """Attack every person of the original who is known by all quasi-identifiers.

    A person's set is all records whose cells hold what is known. Where sensitive columns are published, the largest
    share of these records with one sensitive value is ``max_sensitive_share``.

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    rows
        Original row of every published row, where the owner kept it: suppressed people then count as safe.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("table", [(20,), (29,), (70,), (79,)], ("age",))
    >>> found = attack(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release, data)
    >>> found.smallest_anonymity_set, found.marketer, found.prosecutor["average"]
    (2, 0.5, 0.5)
    """
    table = Classes.of(decode(release))
    fitting = Fitting.of(table, original)
    sizes = fitting.weigh(table.sizes)[fitting.case]
    published = None if rows is None else np.isin(np.arange(len(original)), rows)
    k = int(getattr(release.guarantee, "k", 2))
    there = sizes[sizes > 0] if published is None else sizes[published]
    return TableRisk.of(
        sizes,
        KNOWLEDGE,
        published=published,
        max_sensitive_share=_find_largest_share(decode(release), table, fitting),
        prosecutor=sum_up(success(there), k),
        journalist=_measure_population(table, original, sum_up(success(there), k), k),
        marketer=len(table.sizes) / max(table.records, 1),
    )


def sum_up(chance: Floats, k: int) -> dict[str, float]:
    """Sum up the chances to be right about people.

    Examples
    --------
    >>> sum_up(np.array([0.5, 0.25, 1.0, 0.25]), 2)
    {'highest': 1.0, 'average': 0.5, 'at_risk': 0.25, 'unique': 0.25}
    """
    count = max(len(chance), 1)
    return {
        "highest": float(chance.max(initial=0.0)),
        "average": float(chance.sum() / count),
        "at_risk": float((chance > 1 / k + 1e-12).sum() / count),
        "unique": float((chance == 1).sum() / count),
    }


def _measure_population(table: Classes, original: Dataset, prosecutor: dict[str, float], k: int) -> dict[str, Any]:
    """Pick a person of the population for every record: everybody whose values lie in its cells may be behind it."""
    if original.population is None:
        return {**prosecutor, "note": "No population file: journalist risk equals prosecutor risk."}
    people = np.maximum(Fitting.of_population(table, original).count_people(), table.sizes)
    return sum_up(success(people)[table.group], k)


def _find_largest_share(release: CodedTable, table: Classes, fitting: Fitting) -> float | None:
    """Return the largest share of one sensitive value among the records that anyone fits; None without such values."""
    columns = release.with_role("sensitive")
    if not columns:
        return None
    total = np.maximum(fitting.weigh(table.sizes), 1)
    counts = (fitting.count_most(table.group, column.codes, len(column.values)) for column in columns)
    return max(float((most / total).max(initial=0.0)) for most in counts)


def attack_by_knowledge(release: Release, original: Dataset, m: int, rows: Ints | None = None) -> list[Risk]:
    """Attack a release with one quasi-identifier of everybody known, two, and so on up to m, and at last with all.

    With fewer than all, of each person those are known that leave fewest records; 1,000 people drawn at random are
    attacked, where there are more, and the sampling error is stated.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("table", [(20, "f"), (29, "f"), (70, "m"), (79, "m")], ("age", "sex"))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    >>> [(risk.m, risk.smallest_anonymity_set) for risk in attack_by_knowledge(release, data, 1)]
    [(1, 2), (2, 2)]
    """
    table = Classes.of(decode(release))
    people = draw_people(len(original), _DRAWN, 0)
    attacked = np.arange(len(original)) if people is None else people
    published = None if rows is None else np.isin(attacked, rows)
    targets = original.table.take(attacked)
    risks: list[Risk] = []
    for size in range(1, min(m, len(table.columns) - 1) + 1):
        columns = list(table.columns)
        while comb(len(columns), size) > _TRIED_ON_RELEASE:
            columns.remove(min(columns, key=lambda column: len(column.values)))
        smallest = np.full(len(attacked), table.records, np.int64)
        for chosen in itertools.combinations(columns, size):
            part = Classes(chosen, table.records)
            fitting = Fitting.among(part, original, targets)
            smallest = np.minimum(smallest, fitting.weigh(part.sizes)[fitting.case])
        risks.append(TableRisk.of(smallest, KNOWLEDGE, published=published, people=len(original), m=size))
    return [*risks, dataclasses.replace(attack(release, original, rows), m=len(table.columns))]


def attack_original(dataset: Dataset, m: int) -> list[Risk]:
    """Attack the data as they stand, with one quasi-identifier known, two, and so on up to m, and at last with all.

    With fewer than all of them, the attacker knows of everybody those that give this person away most; ``unique_by``
    says which make most people unique.

    Examples
    --------
    >>> data = Dataset.of("table", [(20, "f"), (20, "m"), (30, "m"), (30, "m")], ("age", "sex"))
    >>> [(risk.m, risk.unique_share) for risk in attack_original(data, 1)]
    [(1, 0.25), (2, 0.5)]
    >>> attack_original(data, 1)[0].unique_by
    {'sex': 0.25, 'age': 0.0}
    """
    columns = exact(dataset).with_role("quasi-identifier")
    sizes = sorted({*range(1, min(m, len(columns)) + 1), len(columns)} - {0})
    return [_compute_subset_risk(columns, len(dataset), size) for size in sizes]


def _compute_subset_risk(columns: tuple[Coded, ...], records: int, size: int) -> Risk:
    selected = list(columns)
    while comb(len(selected), size) > _TRIED:
        selected.remove(min(selected, key=lambda column: len(column.values)))
    smallest = np.full(records, records, np.int64)
    unique_shares: dict[str, float] = {}
    for chosen in itertools.combinations(selected, size):
        group = number_rows([column.codes for column in chosen], records)
        group_sizes = np.bincount(group)[group] if len(group) else group
        smallest = np.minimum(smallest, group_sizes)
        unique_shares[" + ".join(column.name for column in chosen)] = (
            float((group_sizes == 1).mean()) if len(group_sizes) else 0.0
        )
    most = sorted(unique_shares, key=lambda names: -unique_shares[names])[:_SHOWN]
    return TableRisk.of(smallest, KNOWLEDGE, m=size, unique_by={names: unique_shares[names] for names in most})
