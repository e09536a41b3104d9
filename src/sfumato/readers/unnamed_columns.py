"""Names for columns of a file without a header, by their cells."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["name_columns_by_cells"]

_WORDS = {
    "sex": "male female m f man woman",
    "race": "white black asian asian-pac-islander amer-indian-eskimo hispanic latino caucasian other",
    "marital_status": "never-married married married-civ-spouse married-spouse-absent married-af-spouse divorced "
    "separated widowed single",
    "education": "bachelors masters doctorate hs-grad some-college assoc-acdm assoc-voc prof-school preschool primary "
    "secondary tertiary 12th 11th 10th 9th 7th-8th 5th-6th 1st-4th",
    "relationship": "husband wife own-child not-in-family unmarried other-relative spouse child",
    "workclass": "private self-emp-not-inc self-emp-inc federal-gov local-gov state-gov without-pay never-worked",
    "occupation": "adm-clerical exec-managerial prof-specialty craft-repair sales handlers-cleaners other-service "
    "machine-op-inspct transport-moving tech-support farming-fishing protective-serv priv-house-serv armed-forces",
    "country": "united-states usa us mexico germany canada france italy spain england china india japan brazil poland "
    "portugal greece ireland cuba jamaica philippines vietnam austria switzerland netherlands belgium",
    "income": "<=50k >50k <=50k. >50k.",
}
"""Typical labels of columns."""
_MOSTLY = 0.6
_OLDEST = 110
_MANY_AGES = 20


def name_columns_by_cells(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return a name for every column: by its labels, or by its position.

    Examples
    --------
    >>> name_columns_by_cells([["Male", "x", ">50K"], ["Female", "y", "<=50K"]], 3)
    ['sex', 'column2', 'income']
    """
    columns = [[row[at].strip().lower() for row in rows if at < len(row)] for at in range(width)]
    names = [f"column{at}" for at in range(1, width + 1)]
    for about, words in _WORDS.items():
        vocabulary = set(words.split())
        fitting = [
            at for at, cells in enumerate(columns) if len(set(cells)) > 1 and _share(cells, vocabulary) >= _MOSTLY
        ]
        if len(fitting) == 1:
            names[fitting[0]] = about
    ages = sorted(((len(set(cells)), -at) for at, cells in enumerate(columns) if _may_be_ages(cells)), reverse=True)
    # Hours of work look like ages, but have fewer different values.
    if ages and (len(ages) == 1 or ages[0][0] >= 1.5 * ages[1][0]):
        names[-ages[0][1]] = "age"
    return names


def _share(cells: Sequence[str], vocabulary: set[str]) -> float:
    return sum(cell in vocabulary for cell in cells) / max(len(cells), 1)


def _may_be_ages(cells: Sequence[str]) -> bool:
    whole = all(cell.isdecimal() and int(cell) <= _OLDEST for cell in cells)
    return whole and _MANY_AGES <= len(set(cells)) < len(cells)
