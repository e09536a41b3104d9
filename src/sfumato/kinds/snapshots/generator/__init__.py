"""Synthetic snapshots: records with a time, attributes and one sensitive value, skewed and bursty."""

from typing import Any

import pyarrow as pa

from sfumato.core.errors import ParameterError
from sfumato.generating.options import Option, nearest_name, resolve_options
from sfumato.kinds.snapshots.generator import outbreaks

__all__ = ["MODELS", "OPTIONS", "Option", "generate"]

_OWNER = "generate snapshots"
_SIZE = Option("size", int, 10_000, "Number of records.", at_least=1)
_SEED = Option("seed", int, 1, "Decides everything that is random.", at_least=0)
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
    sfumato.core.errors.ParameterError: generate snapshots: model outbreaks has no option 'snapshot';
    the nearest known one is 'snapshots'.
    """
    size, seed = _SIZE.check(size, _OWNER), _SEED.check(seed, _OWNER)
    if model not in MODELS:
        known = nearest_name(model, MODELS)
        raise ParameterError(f"{_OWNER}: there is no model {model!r}; the nearest known one is {known!r}.")
    return _SIMULATIONS[model](size, seed, resolve_options(_OWNER, model, OPTIONS[model], options))
