"""Synthetic sequences of timed events: who did what and when, on a web that does not exist."""

from typing import Any

import pyarrow as pa

from sfumato.generators.options import Option, choose_model
from sfumato.kinds.sequences.generators import clickstreams

__all__ = ["MODELS", "OPTIONS", "Option", "generate"]

_SIMULATIONS = {"clicks": clickstreams.simulate}

MODELS: dict[str, str] = {"clicks": clickstreams.DESCRIPTION}
"""Each model's name and what it does in one line."""

OPTIONS: dict[str, tuple[Option, ...]] = {"clicks": clickstreams.OPTIONS}
"""Each model's options, with their defaults and help."""


def generate(size: int, seed: int, model: str = "clicks", **options: Any) -> pa.Table:
    """Make up the sequences of `size` people; the same seed gives the same table.

    :func:`sfumato.generators.taxonomy.taxonomy` makes up a hierarchy of the events.

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
        One row per event, ordered by person and time: person, time (UTC, whole seconds), event. Nobody does two things
        in the same second.

    References
    ----------
    R. Sherkat, J. Li, N. Mamoulis, Efficient timestamped event sequence anonymization, 2011, Section 6.1. The defaults
    give about the numbers of events, and of events at portals, that its click streams of several receivers (Mixed)
    have per person.

    Examples
    --------
    >>> table = generate(100, seed=1, mean_events=20)
    >>> table.column_names
    ['person', 'time', 'event']
    >>> table.slice(0, 1)["event"].to_pylist()[0].rstrip("0123456789") in {"portal", "site"}
    True
    >>> generate(100, seed=1, evnts=30)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: generate sequences: model clicks has no option 'evnts'. Did you mean 'events'?
    """
    size, seed, settings = choose_model("sequences", size, seed, model, OPTIONS, options)
    return _SIMULATIONS[model](size, seed, settings)
