"""Synthetic snapshots: records with a time, attributes and one sensitive value, skewed and bursty."""

from typing import Any

import pyarrow as pa

from sfumato.generators.options import Option, choose_model
from sfumato.kinds.snapshots.generators import outbreaks

__all__ = ["MODELS", "OPTIONS", "Option", "generate"]

_SIMULATIONS = {"outbreaks": outbreaks.simulate}

MODELS: dict[str, str] = {"outbreaks": outbreaks.DESCRIPTION}
"""Each model's name and what it does in one line."""

OPTIONS: dict[str, tuple[Option, ...]] = {"outbreaks": outbreaks.OPTIONS}
"""Each model's options, with their defaults and help."""


def generate(size: int, seed: int, model: str = "outbreaks", **options: Any) -> pa.Table:
    """Make up `size` records in the order of time; the same seed gives the same table.

    Parameters
    ----------
    size
        Number of records.
    seed
        Decides everything that is random.
    model
        One of the names in MODELS.
    **options
        What OPTIONS lists for the model, as values or as text.

    Returns
    -------
    pyarrow.Table
        One row per record: time, age, sex, area and condition, the sensitive one.

    Examples
    --------
    >>> table = generate(100, seed=1, snapshots=7)
    >>> table.column_names
    ['time', 'age', 'sex', 'area', 'condition']
    >>> generate(100, seed=1, snapshot=7)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: generate snapshots: model outbreaks has no option 'snapshot'. Did you mean
    'snapshots'?
    """
    size, seed, settings = choose_model("snapshots", size, seed, model, OPTIONS, options)
    return _SIMULATIONS[model](size, seed, settings)
