"""People in a line by when they did what is monitored."""

from __future__ import annotations

import numpy as np

from sfumato.core.dataset import Dataset
from sfumato.core.locality import Keys, follow_curve, scale
from sfumato.kinds.sequences.model import Sequences

__all__ = ["PART_SIZE", "lay_in_line"]

PART_SIZE = 50_000
"""People in a part at most, unless its owner says otherwise."""
_BITS = 20
_MIXERS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))


def lay_in_line(dataset: Dataset) -> Keys:
    """Return the place of everybody's first and last monitored time on the Hilbert curve.

    People who did nothing that is monitored are spread evenly among the others, by what else they did: a part of
    nobody else could not be published.

    Examples
    --------
    >>> people = [[("mail", 3), ("mail", 90)], [("mail", 50)], [("mail", 4), ("mail", 92)]]
    >>> keys = lay_in_line(Dataset.of("sequences", people, monitored=("mail",)))
    >>> np.argsort(keys).tolist()
    [0, 2, 1]
    """
    sequences = Sequences.of(dataset)
    offsets, _, times = sequences.part(monitored=True)
    lengths = np.diff(offsets)
    some, none = np.flatnonzero(lengths), np.flatnonzero(lengths == 0)
    keys = np.zeros(len(dataset), np.uint64)
    if not len(some):
        return keys
    first, last = (pick.reduceat(times, offsets[:-1][some]) for pick in (np.minimum, np.maximum))
    # Both on one scale: a cell of the grid is as many units of time wide as high.
    both = scale(np.concatenate([first, last]), _BITS)
    keys[some] = follow_curve(both[: len(some)], both[len(some) :], _BITS)
    keys[none] = np.sort(keys[some])[(_digest(sequences)[none] % np.uint64(len(some))).astype(np.int64)]
    return keys


def _digest(sequences: Sequences) -> Keys:
    """Return a number for every record that depends on all its events and times."""
    entries = sequences.times.astype(np.uint64) * _MIXERS[0] + sequences.events.codes.astype(np.uint64) + np.uint64(1)
    entries = (entries ^ (entries >> np.uint64(31))) * _MIXERS[1]
    sums = np.append(np.zeros(1, np.uint64), np.cumsum(entries ^ (entries >> np.uint64(29))))
    offsets = sequences.events.offsets
    return np.asarray(sums[offsets[1:]] - sums[offsets[:-1]])
