"""Patients: people with demographics that go together, and a diagnosis that depends on age and sex."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.generators.options import Option
from sfumato.generators.people import draw_people, pick_rows

__all__ = ["DESCRIPTION", "OPTIONS", "simulate"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

DESCRIPTION = "Patients of an invented country; diagnoses depend on age and sex."

OPTIONS = (
    Option("regions", int, 40, "Number of regions, which are the first digits of ZIP codes.", at_least=1, at_most=99),
    Option("missing", float, 0.0, "Share of missing educations and occupations.", at_least=0.0, at_most=1.0),
)  # fmt: skip


class _Finding(NamedTuple):
    """A diagnosis: how common it is, at which age about how many years around, and in how many women."""

    name: str
    weight: float
    age: float
    spread: float
    women: float


_FINDINGS = tuple(
    _Finding(*finding)
    for finding in (
        ("hypertension", 14.0, 72, 18, 0.5),
        ("influenza", 9.0, 35, 40, 0.5),
        ("back pain", 8.0, 50, 18, 0.5),
        ("type 2 diabetes", 7.0, 68, 15, 0.45),
        ("bronchitis", 6.0, 45, 35, 0.5),
        ("arthrosis", 6.0, 74, 13, 0.62),
        ("depression", 5.0, 42, 18, 0.66),
        ("asthma", 4.0, 32, 25, 0.55),
        ("migraine", 4.0, 36, 12, 0.76),
        ("coronary heart disease", 4.0, 74, 11, 0.35),
        ("allergic rhinitis", 4.0, 28, 16, 0.5),
        ("gastritis", 3.5, 45, 22, 0.5),
        ("anxiety disorder", 3.5, 34, 15, 0.65),
        ("hypothyroidism", 3.0, 55, 18, 0.83),
        ("fracture", 3.0, 60, 35, 0.5),
        ("urinary infection", 3.0, 45, 30, 0.85),
        ("cataract", 2.5, 77, 9, 0.57),
        ("eczema", 2.5, 30, 25, 0.5),
        ("chronic obstructive lung disease", 2.5, 70, 11, 0.42),
        ("atrial fibrillation", 2.5, 77, 10, 0.44),
        ("pregnancy", 2.4, 30, 5, 1.0),
        ("stroke", 2.0, 76, 11, 0.48),
        ("gallstones", 2.0, 58, 17, 0.68),
        ("prostate enlargement", 2.0, 71, 10, 0.0),
        ("breast cancer", 1.6, 64, 13, 0.99),
        ("prostate cancer", 1.5, 72, 9, 0.0),
        ("osteoporosis", 1.5, 76, 10, 0.85),
        ("kidney stones", 1.5, 48, 15, 0.35),
        ("alcohol dependence", 1.2, 47, 13, 0.28),
        ("bowel cancer", 1.2, 73, 11, 0.45),
        ("dementia", 1.2, 84, 6, 0.62),
        ("rheumatoid arthritis", 1.0, 58, 15, 0.73),
        ("epilepsy", 0.8, 45, 30, 0.5),
        ("lung cancer", 0.8, 70, 10, 0.38),
        ("endometriosis", 0.6, 35, 8, 1.0),
        ("parkinson", 0.6, 77, 8, 0.42),
        ("schizophrenia", 0.5, 36, 13, 0.45),
        ("multiple sclerosis", 0.4, 38, 11, 0.72),
        ("hiv", 0.3, 38, 12, 0.2),
        ("tuberculosis", 0.1, 42, 20, 0.4),
    )
)


def simulate(size: int, seed: int, settings: dict[str, Any]) -> pa.Table:
    """Make up `size` patients."""
    # Only Generator.random is used: its stream is the one least likely to change between NumPy versions.
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    people = draw_people(rng, size, settings["regions"])
    first = int(people.age.min())
    weights = _weigh_findings(np.arange(first, int(people.age.max()) + 1))
    diagnoses = pick_rows(np.cumsum(weights, axis=1), (people.age - first) * 2 + people.sex, rng.random(size))
    columns = people.columns()
    for name in ("education", "occupation"):
        unknown = rng.random(size) < settings["missing"]
        if unknown.any():
            columns[name] = pc.if_else(pa.array(unknown), "", columns[name])
    width = max(7, len(str(size)))
    names = pa.array([f"p{number:0{width}d}" for number in range(1, size + 1)], pa.string())
    labels = pa.array([finding.name for finding in _FINDINGS])
    return pa.table({"person": names, **columns, "diagnosis": labels.take(pa.array(diagnoses))})


def _weigh_findings(years: Longs) -> Floats:
    """Return how likely each diagnosis is by age and sex, women first; most are a little likely at any age."""
    weight, age, spread, women = (
        np.array([getattr(finding, name) for finding in _FINDINGS], dtype=np.float64)
        for name in ("weight", "age", "spread", "women")
    )
    anytime = np.where(spread > 8, 0.01, 0.0)
    by_age = weight * (anytime + np.exp(-0.5 * ((years[:, None] - age) / spread) ** 2))
    return np.stack([by_age * women, by_age * (1.0 - women)], axis=1).reshape(-1, len(_FINDINGS))
