"""Who could be whom: what attributes and time of a person lead to in published snapshots."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.kinds.snapshots.decode import PublishedSnapshots, original_times, read_codes, shift_times
from sfumato.release.release import Release

__all__ = ["EXPANDED", "Disclosure", "disclose", "list_ranges"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

EXPANDED = 1 << 21
"""So many pairs of person and possible value are looked at together: some tens of megabytes."""


class Disclosure(NamedTuple):
    """What attributes and time of every original record lead to.

    Attributes
    ----------
    matches
        Published records with the attributes, in the snapshots in which the person's record may be.
    candidates
        Records of the groups these are in: one of them has the person's sensitive value.
    share
        Largest probability of a sensitive value.

    Examples
    --------
    >>> Disclosure(np.array([1, 2]), np.array([2, 4]), np.array([0.5, 0.25])).share.tolist()
    [0.5, 0.25]
    """

    matches: Ints
    candidates: Ints
    share: Floats


def disclose(release: Release, original: Dataset, names: Collection[str] | None = None) -> Disclosure:
    """Look every original record up by its attributes in the snapshots from its own to the last possible one.

    Parameters
    ----------
    release, original
        What was published, and the records to look up.
    names
        Names of the attributes to look for; all of them if not given.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill")
    >>> disclose(sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32)).release, data).share.tolist()
    [0.5, 0.5]
    """
    published = PublishedSnapshots.of(release)
    quasi = [column.name for column in original.schema.columns if column.role == "quasi-identifier"]
    attributes = [name for name in quasi if names is None or name in names]
    ours, theirs = _combine(
        [(original.table.column(name), release.table.column(name)) for name in attributes],
        len(original),
        release.table.num_rows,
    )
    begin = original_times(original, release)
    last = shift_times(original.time_unit, begin, getattr(release.guarantee, "window", 1) - 1)
    order = np.lexsort((published.times, theirs))
    knowledge, of_person = np.unique(np.stack([ours, begin, last], axis=1), axis=0, return_inverse=True)
    low = _position(theirs[order], published.times[order], knowledge[:, 0], knowledge[:, 1])
    high = _position(theirs[order], published.times[order], knowledge[:, 0], knowledge[:, 2] + 1)
    candidates, share = _shares(published, order, low, high)
    at = of_person.reshape(-1)
    return Disclosure((high - low)[at], candidates[at], share[at])


def _combine(columns: list[tuple[pa.ChunkedArray, pa.ChunkedArray]], people: int, published: int) -> tuple[Ints, Ints]:
    """Return one code for all attributes of a record, the same in original and release."""
    code = np.zeros(people + published, np.int64)
    for ours, theirs in columns:
        both = pa.chunked_array([*ours.cast(pa.string()).chunks, *theirs.cast(pa.string()).chunks], pa.string())
        codes, labels = read_codes(both)
        code = np.unique(code * max(len(labels), 1) + codes, return_inverse=True)[1].astype(np.int64)
    return code[:people], code[people:]


def _position(key: Ints, time: Ints, wanted_key: Ints, wanted_time: Ints) -> Ints:
    """Return where pairs of key and time would be put into sorted pairs."""
    times = np.unique(np.append(time, wanted_time))
    base = len(times) + 1
    return np.searchsorted(
        key * base + np.searchsorted(times, time), wanted_key * base + np.searchsorted(times, wanted_time)
    )


def _shares(published: PublishedSnapshots, order: Ints, low: Ints, high: Ints) -> tuple[Ints, Floats]:
    """Return the records behind each range of matches and the largest share of a value among them."""
    candidates, share = np.zeros(len(low), np.int64), np.zeros(len(low))
    first_pair = np.searchsorted(published.pair_group, np.arange(len(published.group_time) + 1))
    pairs = np.diff(first_pair)
    weight = np.append(0, np.cumsum(pairs[published.group[order]]))
    load = np.cumsum(weight[high] - weight[low])
    begin = 0
    while begin < len(low):
        end = max(begin + 1, int(np.searchsorted(load, (load[begin - 1] if begin else 0) + EXPANDED, side="right")))
        matches = (high - low)[begin:end]
        which = np.repeat(np.arange(end - begin), matches)
        records = list_ranges(low[begin:end], matches)
        groups = published.group[order[records]]
        candidates[begin:end], share[begin:end] = _judge(published, first_pair, which, groups, matches)
        begin = end
    return candidates, share


def _judge(
    published: PublishedSnapshots, first_pair: Ints, which: Ints, groups: Ints, matches: Ints
) -> tuple[Ints, Floats]:
    size = published.sizes
    lengths = np.diff(first_pair)[groups]
    pair = list_ranges(first_pair[groups], lengths)
    chance = np.repeat(1.0 / np.maximum(size[groups], 1), lengths) * published.pair_count[pair]
    base = max(len(published.labels), 1)
    cells, at = np.unique(np.repeat(which, lengths) * base + published.pair_value[pair], return_inverse=True)
    sums = np.bincount(at, chance, minlength=len(cells))
    best = np.zeros(len(matches))
    np.maximum.at(best, cells // base, sums / np.maximum(matches, 1)[cells // base])
    distinct = np.unique(which * (len(size) + 1) + groups)
    candidates = np.bincount(distinct // (len(size) + 1), size[distinct % (len(size) + 1)], minlength=len(matches))
    return candidates.astype(np.int64), best


def list_ranges(begin: Ints, lengths: Ints) -> Ints:
    """Return the whole numbers from each begin on, so many each.

    Examples
    --------
    >>> list_ranges(np.array([4, 9]), np.array([3, 2])).tolist()
    [4, 5, 6, 9, 10]
    """
    offsets = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(begin - offsets, lengths))
