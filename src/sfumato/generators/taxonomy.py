"""A hierarchy of events for which nobody has one."""

from collections.abc import Iterable

import numpy as np

from sfumato.generators.options import Option
from sfumato.hierarchies.derive import balanced
from sfumato.hierarchies.hierarchy import Hierarchy

__all__ = ["taxonomy"]

_SEED = Option("seed", int, 1, "Decides everything that is random.", at_least=0)


def taxonomy(events: Iterable[str], fanout: int, seed: int) -> Hierarchy:
    """Put events into random categories of at most `fanout` members each, these into larger ones, and so on.

    The same seed and the same set of events, in any order and however often named, give the same hierarchy.
    Popular and rare events fall into the same categories, so that nothing is won by how labels are numbered.

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
