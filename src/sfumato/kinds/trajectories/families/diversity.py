"""Why sensitive places cannot be hidden, in numbers."""

from __future__ import annotations

import numpy as np

from sfumato.core.errors import InfeasibleError
from sfumato.kinds.trajectories.model.histories import Trajectories

__all__ = ["explain_failure"]


def explain_failure(rows: Trajectories, l: int, owner: str) -> InfeasibleError:
    """Say how frequent the most frequent sensitive place is, and which l the data allow.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> data = Dataset.of("trajectories", [["a", "f"], ["a", "f"], ["a"]], sensitive=("f",))
    >>> print(explain_failure(Trajectories.of(data), 2, "LmAnon"))
    LmAnon: a sensitive place is visited in 2 of 3 records, more than 1 in l=2, and merging every place into one does \
not change that. No l of 2 or more is possible on these data; name fewer sensitive places.
    """
    counts = np.bincount(rows.visited_sensitive.codes, minlength=1)
    most, people = int(counts.max()), len(rows)
    largest = people // most if most else 0
    hint = (
        f"Use l={largest}"
        if largest >= 2
        else "No l of 2 or more is possible on these data; name fewer sensitive places"
    )
    return InfeasibleError(
        f"{owner}: a sensitive place is visited in {most} of {people} records, more than 1 in l={l}, and "
        f"merging every place into one does not change that. {hint}."
        if most * l > people
        else f"{owner}: records that share several ordinary places visit a sensitive place more often than 1 in "
        f"l={l} (overall {most} of {people}), and merging every place into one does not change that. "
        "Use a smaller l or m, or fewer clusters."
    )
