"""Synthetic tables: people of a country that does not exist, and what they are treated for."""

from typing import Any

import pyarrow as pa

from sfumato.generators.options import Option, choose_model
from sfumato.kinds.table.generators import patients

__all__ = ["MODELS", "OPTIONS", "Option", "generate"]

_SIMULATIONS = {"patients": patients.simulate}

MODELS: dict[str, str] = {"patients": patients.DESCRIPTION}
"""Each model's name and what it does in one line."""

OPTIONS: dict[str, tuple[Option, ...]] = {"patients": patients.OPTIONS}
"""Each model's options, with their defaults and help."""


def generate(size: int, seed: int, model: str = "patients", **options: Any) -> pa.Table:
    """Make up the attributes of `size` people; the same seed gives the same table.

    Parameters
    ----------
    size
        Number of people, one row each.
    seed
        Decides everything that is random.
    model
        One of the names in MODELS.
    **options
        What OPTIONS lists for the model, as values or as text.

    Returns
    -------
    pyarrow.Table
        person (an identifier), age, sex, zip, education, marital_status, occupation (quasi-identifiers), income and
        diagnosis (sensitive).

    Examples
    --------
    >>> table = generate(100, seed=1)
    >>> table.column_names
    ['person', 'age', 'sex', 'zip', 'education', 'marital_status', 'occupation', 'income', 'diagnosis']
    >>> generate(100, seed=1, region=30)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: generate table: model patients has no option 'region'. Did you mean 'regions'?
    """
    size, seed, settings = choose_model("table", size, seed, model, OPTIONS, options)
    return _SIMULATIONS[model](size, seed, settings)
