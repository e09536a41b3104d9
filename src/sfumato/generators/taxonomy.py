"""Random hierarchies of events."""

from collections.abc import Iterable

import numpy as np

from sfumato.generators.options import Option
from sfumato.hierarchies.derive import balanced
from sfumato.hierarchies.hierarchy import Hierarchy

__all__ = ["taxonomy"]

_SEED = Option("seed", int, 1, "Seed of random numbers.", at_least=0)


def taxonomy(events: Iterable[str], fanout: int, seed: int) -> Hierarchy:
    """Put events into random categories of at most `fanout` members each, these into larger ones, and so on.

    The same seed and the same set of events, in any order, give the same hierarchy. Popular and rare events are in the
    same categories, so that the numbers in labels give no advantage.

    Examples
    --------
    >>> taxonomy(["news", "mail", "shop", "maps"], fanout=2, seed=1)
    Hierarchy below *: 4 of 7 nodes are leaves, height 2
    *
      g/0
        news
        mail
      g/1
        shop
        maps
    """
    labels = sorted(set(events))
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(_SEED.check(seed, "taxonomy"))))
    return balanced([labels[place] for place in np.argsort(rng.random(len(labels)), kind="stable")], fanout)
