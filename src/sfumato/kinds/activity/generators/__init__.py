"""Synthetic activity data: what people of an invented town do from minute to minute."""

from typing import Any

import pyarrow as pa

from sfumato.generators.options import Option, choose_model
from sfumato.kinds.activity.generators import daily_lives

__all__ = ["MODELS", "OPTIONS", "Option", "generate"]


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
    sfumato.exceptions.ParameterError: generate activity: there is no model 'long-holiday'. Did you mean 'long-weekend'?
    """
    size, seed, settings = choose_model("activity", size, seed, model, OPTIONS, options)
    return daily_lives.simulate(size, seed, model, settings)
