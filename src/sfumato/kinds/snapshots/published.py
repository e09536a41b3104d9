"""Published snapshots in numbers, and who could be whom in them: what verifiers, attackers and measures share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.clock import Clock
from sfumato.core.dataset import Dataset
from sfumato.core.release import Part, Release

__all__ = ["Disclosure", "PublishedSnapshots", "disclose", "original_codes", "original_times", "read_codes"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_EXPANDED = 1 << 21
"""So many pairs of person and value are looked at together: some tens of megabytes."""


class PublishedSnapshots(NamedTuple):
    """The records of a release and the sensitive values of their groups.

    Where sensitive values stand beside the records, every record is a group of its own.

    Attributes
    ----------
    times
        Snapshot of every record: a number, or microseconds since 1970.
    group
        Group of every record, numbered over all snapshots.
    group_time
        Snapshot of every group.
    pair_group, pair_value, pair_count
        Sensitive values of every group, in the order of groups, and how often they occur.
    labels
        Names of the sensitive values.
    """

    times: Ints
    group: Ints
    group_time: Ints
    pair_group: Ints
    pair_value: Ints
    pair_count: Ints
    labels: tuple[str, ...]

    @classmethod
    def of(cls, release: Release) -> PublishedSnapshots:
        """Read a release whose columns and parts have the shape of snapshots.

        Examples
        --------
        >>> import sfumato as sf
        >>> data = Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill")
        >>> release = sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32)).release
        >>> found = PublishedSnapshots.of(release)
        >>> found.group.tolist(), found.pair_count.tolist(), found.labels
        ([0, 0], [1, 1], ('cold', 'flu'))
        """
        times = _read_times(release.table.column(column_of(release, "time")))
        part = release.parts.get("sensitive")
        if part is None:
            values, labels = read_codes(release.table.column(column_of(release, "sensitive")))
            rows = np.arange(len(times))
            return cls(times, rows, times, rows, values, np.ones(len(times), np.int64), labels)
        groups = _read_numbers(release.table.column(column_of(release, "group")))
        pair_times = _read_times(part.table.column(column_of(part, "time")))
        pair_groups = _read_numbers(part.table.column(column_of(part, "group")))
        at_times, at = np.unique(np.append(times, pair_times), return_inverse=True)
        named, name = np.unique(np.append(groups, pair_groups), return_inverse=True)
        known, number = np.unique(at.astype(np.int64) * len(named) + name, return_inverse=True)
        order = np.argsort(number[len(times) :], kind="stable")
        values, labels = read_codes(part.table.column(column_of(part, "sensitive")))
        counts = _read_numbers(part.table.column(column_of(part, "count")))
        pairs = number[len(times) :][order]
        return cls(
            times,
            number[: len(times)],
            at_times[known // max(len(named), 1)],
            pairs,
            values[order],
            counts[order],
            labels,
        )

    @property
    def sizes(self) -> Ints:
        """Number of records in every group."""
        return np.bincount(self.group, minlength=len(self.group_time))

    @property
    def listed(self) -> Ints:
        """Number of sensitive values listed for every group."""
        return np.bincount(self.pair_group, self.pair_count, minlength=len(self.group_time)).astype(np.int64)


def column_of(described: Release | Part, role: str) -> str:
    """Return the name of the column of a release or part that has a role."""
    return next(column.name for column in described.columns if column.role == role)


def _read_times(column: pa.ChunkedArray) -> Ints:
    return np.asarray(column.cast(pa.int64()).to_numpy(), dtype=np.int64)


def _read_numbers(column: pa.ChunkedArray) -> Ints:
    return np.asarray(column.to_numpy(), dtype=np.int64)


def read_codes(column: pa.ChunkedArray) -> tuple[Ints, tuple[str, ...]]:
    """Return a column of text as codes in the order of the alphabet, and the names.

    Examples
    --------
    >>> codes, labels = read_codes(pa.chunked_array([["b", "a", "b"]]))
    >>> codes.tolist(), labels
    ([1, 0, 1], ('a', 'b'))
    """
    coded = column.cast(pa.string()).combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    found = coded.dictionary.to_pylist()
    order = sorted(range(len(found)), key=lambda i: found[i])
    rank = np.empty(len(found), np.int64)
    rank[order] = np.arange(len(found))
    codes = rank[coded.indices.to_numpy()] if len(found) else np.empty(0, np.int64)
    return codes, tuple(found[i] for i in order)


def original_times(original: Dataset, release: Release) -> Ints:
    """Return the times of the original records as the release spells them."""
    times = np.asarray(original.table.column(original.schema.time).to_numpy(), dtype=np.int64)
    form = next(column.form for column in release.columns if column.role == "time")
    # A release of dates holds points in time, whatever the unit of the clock.
    as_published = original.clock.to_arrow(times) if form.type == "timestamp" else pa.array(times)
    return np.asarray(as_published.cast(pa.int64()).to_numpy(), dtype=np.int64)


def steps_of(clock: Clock) -> int:
    """Return how many published units one snapshot lasts.

    Examples
    --------
    >>> steps_of(Clock()), steps_of(Clock("minute"))
    (1, 60000000)
    """
    return 1 if clock.unit is None else int(clock.to_arrow(np.array([1])).cast(pa.int64())[0].as_py())


def original_codes(original: Dataset, labels: tuple[str, ...]) -> Ints:
    """Return the sensitive value of every original record as a code of published values, -1 if it is not published."""
    name = next(column.name for column in original.schema.columns if column.role == "sensitive")
    codes, known = read_codes(original.table.column(name))
    code = {label: i for i, label in enumerate(labels)}
    recode = np.array([code.get(label, -1) for label in known], dtype=np.int64)
    return recode[codes] if len(recode) else codes


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
    """

    matches: Ints
    candidates: Ints
    share: Floats


def disclose(release: Release, original: Dataset) -> Disclosure:
    """Look every original record up by its attributes in the snapshots from its own to the last possible one.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill")
    >>> disclose(sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32)).release, data).share.tolist()
    [0.5, 0.5]
    """
    found = PublishedSnapshots.of(release)
    attributes = [column.name for column in original.schema.columns if column.role == "quasi-identifier"]
    ours, theirs = _combine(
        [(original.table.column(name), release.table.column(name)) for name in attributes], len(original)
    )
    begin = original_times(original, release)
    last = begin + (getattr(release.guarantee, "window", 1) - 1) * steps_of(original.clock)
    order = np.lexsort((found.times, theirs))
    knowledge, of_person = np.unique(np.stack([ours, begin, last], axis=1), axis=0, return_inverse=True)
    low = _position(theirs[order], found.times[order], knowledge[:, 0], knowledge[:, 1])
    high = _position(theirs[order], found.times[order], knowledge[:, 0], knowledge[:, 2] + 1)
    candidates, share = _shares(found, order, low, high)
    at = of_person.reshape(-1)
    return Disclosure((high - low)[at], candidates[at], share[at])


def _combine(columns: list[tuple[pa.ChunkedArray, pa.ChunkedArray]], people: int) -> tuple[Ints, Ints]:
    """Return one code for all attributes of a record, the same in original and release."""
    rows = people + (len(columns[0][1]) if columns else 0)
    code = np.zeros(rows, np.int64)
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


def _shares(found: PublishedSnapshots, order: Ints, low: Ints, high: Ints) -> tuple[Ints, Floats]:
    """Return the records behind each range of matches and the largest share of a value among them."""
    candidates, share = np.zeros(len(low), np.int64), np.zeros(len(low))
    first_pair = np.searchsorted(found.pair_group, np.arange(len(found.group_time) + 1))
    pairs = np.diff(first_pair)
    weight = np.append(0, np.cumsum(pairs[found.group[order]]))
    load = np.cumsum(weight[high] - weight[low])
    begin = 0
    while begin < len(low):
        end = max(begin + 1, int(np.searchsorted(load, (load[begin - 1] if begin else 0) + _EXPANDED, side="right")))
        matches = (high - low)[begin:end]
        which = np.repeat(np.arange(end - begin), matches)
        records = _ranges(low[begin:end], matches)
        groups = found.group[order[records]]
        candidates[begin:end], share[begin:end] = _judge(found, first_pair, which, groups, matches)
        begin = end
    return candidates, share


def _judge(
    found: PublishedSnapshots, first_pair: Ints, which: Ints, groups: Ints, matches: Ints
) -> tuple[Ints, Floats]:
    size = found.sizes
    lengths = np.diff(first_pair)[groups]
    pair = _ranges(first_pair[groups], lengths)
    chance = np.repeat(1.0 / np.maximum(size[groups], 1), lengths) * found.pair_count[pair]
    base = max(len(found.labels), 1)
    cells, at = np.unique(np.repeat(which, lengths) * base + found.pair_value[pair], return_inverse=True)
    sums = np.bincount(at, chance, minlength=len(cells))
    best = np.zeros(len(matches))
    np.maximum.at(best, cells // base, sums / np.maximum(matches, 1)[cells // base])
    distinct = np.unique(which * (len(size) + 1) + groups)
    candidates = np.bincount(distinct // (len(size) + 1), size[distinct % (len(size) + 1)], minlength=len(matches))
    return candidates.astype(np.int64), best


def _ranges(begin: Ints, lengths: Ints) -> Ints:
    """Return the whole numbers from each begin on, so many each."""
    offsets = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(begin - offsets, lengths))
