"""Synthetic activity data: what people of an invented town do from minute to minute."""

from typing import Any

import pyarrow as pa

from sfumato.core.errors import ParameterError
from sfumato.generating.options import Option, nearest_name, resolve_options
from sfumato.kinds.activity.generator import daily_lives

__all__ = ["MODELS", "OPTIONS", "Option", "generate"]

_OWNER = "generate activity"
_SIZE = Option("size", int, 100, "Number of people.", at_least=1)
_SEED = Option("seed", int, 1, "Decides everything that is random.", at_least=0)

MODELS: dict[str, str] = daily_lives.MODELS
"""Each model's name and what it does in one line."""

OPTIONS: dict[str, tuple[Option, ...]] = daily_lives.OPTIONS
"""Each model's options, with their defaults and help."""


def generate(size: int, seed: int, model: str = "long-weekend", **options: Any) -> pa.Table:
    """Make up the activities of `size` people; the same seed gives the same table.

    Parameters
    ----------
    size
        Number of people.
    seed
        Decides everything that is random.
    model
        One of the names in MODELS.
    **options
        What OPTIONS lists for the model, as values or as text.

    Returns
    -------
    pyarrow.Table
        One row per episode, by person and time: person, start, end and activity. Episodes of a person fill all the
        days without gaps and last whole minutes; no two that follow each other are the same activity.

    References
    ----------
    P. Parameshwarappa, Z. Chen, G. Koru, Anonymization of daily activity data by using l-diversity privacy model, ACM
    TMIS 12(3), 2021, Section 4.2.

    Examples
    --------
    >>> table = generate(20, seed=1)
    >>> table.column_names, len(table["person"].unique())
    (['person', 'start', 'end', 'activity'], 20)
    >>> generate(20, seed=1, model="long-holiday")
    Traceback (most recent call last):
        ...
    sfumato.core.errors.ParameterError: generate activity: there is no model 'long-holiday'; the nearest known
    one is 'long-weekend'.
    """
    size, seed = _SIZE.check(size, _OWNER), _SEED.check(seed, _OWNER)
    if model not in MODELS:
        known = nearest_name(model, MODELS)
        raise ParameterError(f"{_OWNER}: there is no model {model!r}; the nearest known one is {known!r}.")
    return daily_lives.simulate(size, seed, model, resolve_options(_OWNER, model, OPTIONS[model], options))
