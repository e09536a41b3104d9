"""Synthetic sets of items: what people buy in a shop that does not exist."""

from typing import Any

import pyarrow as pa

from sfumato.generators.options import Option, choose_model
from sfumato.kinds.sets.generators import baskets

__all__ = ["MODELS", "OPTIONS", "Option", "generate"]

_SIMULATIONS = {"baskets": baskets.simulate}

MODELS: dict[str, str] = {"baskets": baskets.DESCRIPTION}
"""Each model's name and what it does in one line."""

OPTIONS: dict[str, tuple[Option, ...]] = {"baskets": baskets.OPTIONS}
"""Each model's options, with their defaults and help."""


def generate(size: int, seed: int, model: str = "baskets", **options: Any) -> pa.Table:
    """Make up the sets of `size` people; the same seed gives the same table.

    :func:`sfumato.generators.taxonomy.taxonomy` makes up a hierarchy of the items.

    Parameters
    ----------
    size
        Number of people, each with one basket.
    seed
        Decides everything that is random.
    model
        One of the names in MODELS.
    **options
        What OPTIONS lists for the model, as values or as text.

    Returns
    -------
    pyarrow.Table
        One row per person and item, in that order: person, item. Nobody has an item twice, and everybody has one.

    References
    ----------
    R. Agrawal, R. Srikant, Fast algorithms for mining association rules, VLDB 1994, Section 2.4.3.

    Examples
    --------
    >>> table = generate(100, seed=1, mean_length=5)
    >>> table.column_names, len(table["person"].unique())
    (['person', 'item'], 100)
    >>> generate(100, seed=1, itms=30)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: generate sets: model baskets has no option 'itms'. Did you mean 'items'?
    """
    size, seed, settings = choose_model("sets", size, seed, model, OPTIONS, options)
    return _SIMULATIONS[model](size, seed, settings)
