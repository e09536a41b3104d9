"""Random people with demographics that depend on each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.generators.tails import accumulate_zipf, pick

__all__ = ["EDUCATION", "MARITAL", "OCCUPATION", "SEX", "People", "draw_people", "pick_rows"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

SEX = ("female", "male")
EDUCATION = ("primary", "secondary", "vocational", "bachelor", "master", "doctorate")
"""From the lowest to the highest."""
MARITAL = ("never married", "married", "divorced", "widowed")
OCCUPATION = (
    *("student", "retired", "unemployed", "craft", "transport", "cleaning", "sales", "clerical", "care", "farming"),
    *("technician", "teaching", "engineering", "management", "medicine", "law"),
)

_YOUNGEST, _OLDEST = 18, 95
_DISTRICTS = 20
_MOST_REGIONS = 99
_SPREAD = 0.35  # of the logarithm of incomes
# Typical education, from 0 to 5, of people with an occupation; the share of women; pay relative to the average.
_SCHOOLING = np.array([1.5, 1.8, 1.2, 1.6, 1.4, 0.5, 1.8, 2.2, 2.0, 1.2, 2.6, 3.6, 3.7, 3.4, 4.6, 4.2])
_WOMEN = np.array([0.5, 0.55, 0.5, 0.1, 0.15, 0.8, 0.55, 0.7, 0.85, 0.3, 0.25, 0.7, 0.2, 0.4, 0.55, 0.45])
_PAY = np.array([0.35, 0.6, 0.35, 0.9, 0.85, 0.6, 0.8, 0.9, 0.8, 0.7, 1.1, 1.05, 1.35, 1.6, 1.7, 1.6])
_SIZE = np.array([1.0, 1.0, 0.8, 1.4, 1.0, 0.8, 1.4, 1.6, 1.2, 0.4, 1.0, 0.9, 0.9, 1.0, 0.5, 0.3])


class People(NamedTuple):
    """Attributes of every person; labels as positions in the lists above.

    Examples
    --------
    >>> people = draw_people(np.random.Generator(np.random.PCG64(1)), 1000)
    >>> list(people.columns())
    ['age', 'sex', 'zip', 'education', 'marital_status', 'occupation', 'income']
    """

    age: Longs
    sex: Longs
    region: Longs
    """From 0; regions with low numbers are large."""
    district: Longs
    education: Longs
    marital: Longs
    occupation: Longs
    income: Longs
    """A year, to the hundred."""

    def columns(self) -> dict[str, Any]:
        """Return the people as Arrow columns; a ZIP code is made of region and district, and may begin with 0."""
        labels = {"sex": SEX, "education": EDUCATION, "marital_status": MARITAL, "occupation": OCCUPATION}
        codes = (self.sex, self.education, self.marital, self.occupation)
        named = {
            name: pa.array(categories).take(pa.array(code))
            for (name, categories), code in zip(labels.items(), codes, strict=True)
        }
        zips = pa.array([f"{number:05d}" for number in range((_MOST_REGIONS + 1) * 1_000)])
        places = zips.take(pa.array((self.region + 1) * 1_000 + self.district * 7 + 3))
        return {
            "age": pa.array(self.age),
            "sex": named.pop("sex"),
            "zip": places,
            **named,
            "income": pa.array(self.income),
        }


def draw_people(rng: np.random.Generator, size: int, regions: int = 40) -> People:
    """Draw people whose attributes depend on each other.

    Old people are more often women; the young live in the large regions; the education of the young, and of large
    regions, is better; people marry, part and are widowed with age; occupations depend on education and sex; incomes
    depend on all of it.

    Parameters
    ----------
    rng
        Random numbers; only ``random`` is called, as its stream is least likely to change.
    size
        Number of people.
    regions
        Number of regions, at most 99.

    Examples
    --------
    >>> people = draw_people(np.random.Generator(np.random.PCG64(1)), 5000)
    >>> widowed = people.marital == MARITAL.index("widowed")
    >>> bool(people.age[widowed].mean() > people.age.mean() + 15)
    True
    """
    years = np.arange(_YOUNGEST, _OLDEST + 1)
    age = years[pick(np.cumsum(1.0 / (1.0 + np.exp((years - 72) / 8.0))), rng.random(size))]
    sex = (rng.random(size) < 0.51 - 0.12 / (1.0 + np.exp((78 - age) / 6.0))).astype(np.int64)
    region = _draw_regions(rng.random(size), age, regions)
    district = pick(accumulate_zipf(_DISTRICTS, 0.7), rng.random(size)).astype(np.int64)
    urban = 1.0 / (1.0 + region / 4.0)
    score = 2.3 + 0.9 * urban - 0.02 * (age - 45) + 1.2 * _draw_normal(rng, size)
    most = np.where(age < 21, 2, np.where(age < 24, 3, np.where(age < 28, 4, 5)))
    education = np.minimum(np.clip(np.rint(score), 0, 5).astype(np.int64), most)
    marital = _draw_marital(rng.random(size), age, sex)
    occupation = _draw_occupations(rng.random(size), age, sex, education)
    career = 0.7 + 0.5 * np.exp(-(((age - 50) / 18.0) ** 2))
    pay = 31_000 * _PAY[occupation] * career * (0.8 + 0.12 * education) * (0.92 + 0.08 * sex) * (0.9 + 0.3 * urban)
    income = np.rint(pay * np.exp(_SPREAD * _draw_normal(rng, size)) / 100).astype(np.int64) * 100
    return People(age, sex, region, district, education, marital, occupation, income)


def pick_rows(cumulative: Floats, row: Longs, uniform: Floats) -> Longs:
    """Draw indices with cumulative weights that differ from row to row of a matrix.

    Examples
    --------
    >>> weights = np.cumsum([[1.0, 1.0], [0.0, 2.0]], axis=1)
    >>> pick_rows(weights, np.array([0, 0, 1]), np.array([0.4, 0.6, 0.1])).tolist()
    [0, 1, 1]
    """
    kinds = cumulative.shape[1]
    # The rows follow each other, each over an interval of length 1, so that one search finds all.
    line = (cumulative / cumulative[:, -1:] + np.arange(len(cumulative))[:, None]).ravel()
    indices = np.searchsorted(line, row + uniform, side="right") - row * kinds
    picked: Longs = np.clip(indices, 0, kinds - 1).astype(np.int64)
    return picked


def _draw_regions(uniform: Floats, age: Longs, regions: int) -> Longs:
    """Draw the regions of people; the young live more often in large ones."""
    popularity = np.arange(1, regions + 1, dtype=np.float64)
    weights = popularity[None, :] ** -np.linspace(1.1, 0.6, 8)[:, None]
    return pick_rows(np.cumsum(weights, axis=1), np.minimum((age - _YOUNGEST) // 10, 7), uniform)


def _draw_marital(uniform: Floats, age: Longs, sex: Longs) -> Longs:
    years = np.arange(_YOUNGEST, _OLDEST + 1, dtype=np.float64)[:, None]
    man = np.array([[0.0, 1.0]])
    never = 0.12 + 0.88 / (1.0 + np.exp((years - 29 - 2 * man) / 4.0))
    widowed = (1.0 - never) * 0.85 / (1.0 + np.exp((80 + 7 * man - years) / 6.0))
    divorced = (1.0 - never - widowed) * 0.25 / (1.0 + np.exp((42 - years) / 6.0))
    chances = np.stack([never, 1.0 - never - widowed - divorced, divorced, widowed], axis=2)
    return pick_rows(np.cumsum(chances.reshape(-1, len(MARITAL)), axis=1), (age - _YOUNGEST) * 2 + sex, uniform)


def _draw_occupations(uniform: Floats, age: Longs, sex: Longs, education: Longs) -> Longs:
    level = np.arange(len(EDUCATION), dtype=np.float64)[:, None, None]
    stage = np.array([0, 1, 2])  # before 25, in between, from 65 on
    share = np.array([_WOMEN, 1.0 - _WOMEN])
    weights = _SIZE * np.exp(-((level - _SCHOOLING) ** 2)) * share
    by_stage = np.repeat(weights[:, :, None, :], 3, axis=2)
    by_stage[:, :, 1:, 0] *= 0.01
    by_stage[:, :, :2, 1] *= 0.01
    by_stage[:, :, 0, 0] += by_stage[:, :, 0].sum(axis=2) * 0.8
    by_stage[:, :, 2, 1] += by_stage[:, :, 2].sum(axis=2) * 6.0
    when = stage[(age >= 25).astype(np.int64) + (age >= 65)]
    row = (education * len(SEX) + sex) * 3 + when
    return pick_rows(np.cumsum(by_stage.reshape(-1, len(OCCUPATION)), axis=1), row, uniform)


def _draw_normal(rng: np.random.Generator, size: int) -> Floats:
    """Make normal numbers of uniform ones (Box and Muller)."""
    radius = np.sqrt(-2.0 * np.log1p(-rng.random(size)))
    normal: Floats = radius * np.cos(2.0 * np.pi * rng.random(size))
    return normal
