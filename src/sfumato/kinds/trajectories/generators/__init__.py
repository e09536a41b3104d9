"""Synthetic trajectories: who was where and when, in cities that do not exist."""

from typing import Any

import pyarrow as pa

from sfumato.generators.options import Option, choose_model
from sfumato.generators.visits import tabulate
from sfumato.kinds.trajectories.generators import checkins, roads

__all__ = ["MODELS", "OPTIONS", "Option", "generate"]

_SIMULATIONS = {"checkins": checkins.simulate, "roads": roads.simulate}

MODELS: dict[str, str] = {"checkins": checkins.DESCRIPTION, "roads": roads.DESCRIPTION}
"""Each model's name and what it does in one line."""

OPTIONS: dict[str, tuple[Option, ...]] = {"checkins": checkins.OPTIONS, "roads": roads.OPTIONS}
"""Each model's options, with their defaults and help."""


def generate(size: int, seed: int, model: str = "checkins", **options: Any) -> pa.Table:
    """Make up the trajectories of `size` people; the same seed gives the same table.

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
        One row per visit, ordered by person and time: person, time (UTC), place, and x, y or lon, lat. No person is at
        the same place twice in a row.

    References
    ----------
    The roads model follows T. Brinkhoff, A framework for generating network-based moving objects,
    GeoInformatica 6(2), 2002. The defaults give about the trajectory lengths and numbers of places on which
    SeqAnon was evaluated.

    Examples
    --------
    >>> table = generate(100, seed=1, places=30)
    >>> table.column_names
    ['person', 'time', 'place', 'lon', 'lat']
    >>> len(table.column("person").unique())
    100
    >>> generate(100, seed=1, model="roads", cells=4, junctions=100).equals(
    ...     generate(100, seed=1, model="roads", cells=4, junctions=100))
    True
    >>> generate(100, seed=1, placs=30)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: generate trajectories: model checkins has no option 'placs'. Did you mean
    'places'?
    """
    size, seed, settings = choose_model("trajectories", size, seed, model, OPTIONS, options)
    axes = ("lon", "lat") if settings.get("coordinates") == "lonlat" else ("x", "y")
    return tabulate(_SIMULATIONS[model](size, seed, settings), settings["start"], axes)
