"""An attacker who also sees that a record came late, or never: what does that tell about its value?

Knows attributes and true time of everybody, recognises each record, and guesses one value. Once with the release
alone, and once with the frequencies of the values in every snapshot of the original.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.kinds.snapshots.decode import PublishedSnapshots, shift_times
from sfumato.kinds.snapshots.knowledge.disclosure import EXPANDED, list_ranges
from sfumato.kinds.snapshots.knowledge.fates import MISSING, Fates
from sfumato.release.release import Release

__all__ = ["FATES", "Guesses", "guess_values"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FATES = ("on_time", "late", "missing")
_ROUNDS = 40
_LEAST = 1e-9
_TIE = 1e-6


class Guesses(NamedTuple):
    """How often the attacker is right about every original record; a guess among equals counts in part.

    Attributes
    ----------
    fate
        Position in :data:`FATES` of every original record.
    release_only
        Success of whoever has the release and no more.
    with_frequencies
        Success of whoever also knows how frequent the values were in every snapshot.

    Examples
    --------
    >>> Guesses(np.array([0, 1, 1]), np.array([0.5, 0.5, 1.0]), np.array([0.5, 1.0, 1.0])).rates()["late"]
    {'people': 2, 'right': 0.75, 'right_knowing_frequencies': 1.0}
    """

    fate: Ints
    release_only: Floats
    with_frequencies: Floats

    def rates(self) -> dict[str, dict[str, float]]:
        """Return, by fate, how many people there are and for which share of them the attacker is right."""
        by_fate = {}
        for number, name in enumerate(FATES):
            mine = self.fate == number
            if mine.any():
                by_fate[name] = {
                    "people": int(mine.sum()),
                    "right": float(self.release_only[mine].mean()),
                    "right_knowing_frequencies": float(self.with_frequencies[mine].mean()),
                }
        return by_fate


class _Weights(NamedTuple):
    """How likely values are in snapshots: sorted keys ``home * values + value``, and weights."""

    keys: Ints
    weights: Floats
    values: int

    def of(self, home: Ints, value: Ints) -> Floats:
        """Return weights of pairs, 0 for those that do not occur."""
        if not len(self.keys):
            return np.zeros(len(home))
        wanted = home * self.values + value
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where((self.keys[at] == wanted) & (value < self.values), self.weights[at], 0.0)

    def guess(self, home: Ints, value: Ints, homes: int) -> Floats:
        """Return the success of guessing the heaviest value of the home; nothing known means nothing guessed."""
        best = np.zeros(homes)
        np.maximum.at(best, self.keys // self.values, self.weights)
        equals = np.bincount(
            self.keys // self.values, self.weights >= best[self.keys // self.values] * (1 - _TIE), minlength=homes
        )
        mine = self.of(home, value)
        return np.where((mine > 0) & (mine >= best[home] * (1 - _TIE)), 1.0 / np.maximum(equals[home], 1), 0.0)


def guess_values(release: Release, original: Dataset, rows: Ints) -> Guesses:
    """Guess the value of every original record from what became of it.

    A late record is guessed to have, of the values in its group, the one that was most frequent when it arose; a
    missing one, of all values. With the release alone frequencies are those published in the snapshots in which the
    record could have been. With true frequencies the attacker also weighs which record of a group fits which value,
    all records together, and uses whichever way is right more often.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = [(1, "30", "flu"), (1, "40", "flu"), (2, "50", "cold"), (2, "60", "cold"), (2, "70", "cold")]
    >>> data = Dataset.of("snapshots", people, ("age",), "ill")
    >>> result = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), withhold_at_most=1)
    >>> found = guess_values(result.release, data, result.trace.rows).rates()
    >>> found["late"]["right_knowing_frequencies"], found["missing"]["right_knowing_frequencies"]
    (1.0, 1.0)
    """
    fates = Fates.of(release, original, rows)
    fate = np.select([fates.delay == MISSING, fates.delay > 0], [2, 1], 0).astype(np.int64)
    published = PublishedSnapshots.of(release)
    window = int(getattr(release.guarantee, "window", 1))
    seen = _published_weights(published, fates, shift_times(original.clock, fates.times, window))
    true_weights = _true_weights(fates)
    homes = len(fates.times)
    alone, with_frequencies = (
        seen.guess(fates.home, fates.value, homes),
        true_weights.guess(fates.home, fates.value, homes),
    )
    by_release, by_frequency, by_fit = _guess_published(published, fates, rows, seen, true_weights)
    late = fate[rows] == 1
    alone[rows] = np.where(late, by_release[0], by_release[1])
    with_frequencies[rows] = by_frequency
    for number in (0, 1):
        mine = fate[rows] == number
        if by_fit[mine].sum() > by_frequency[mine].sum():
            with_frequencies[rows[mine]] = by_fit[mine]
    return Guesses(fate, alone, with_frequencies)


def _true_weights(fates: Fates) -> _Weights:
    keys, counts = fates.count_values()
    values = max(len(fates.labels), 1)
    return _Weights(keys, counts / fates.sizes[keys // values], values)


def _number_values(published: PublishedSnapshots, fates: Fates) -> Ints:
    """Number the published values as those of the original; those that it does not have come after them."""
    code = {label: i for i, label in enumerate(fates.labels)}
    return np.array([code.setdefault(label, len(code)) for label in published.labels], dtype=np.int64)


def _published_weights(published: PublishedSnapshots, fates: Fates, until: Ints) -> _Weights:
    """Return how often values are published in the snapshots from each home to the last in which it may be."""
    number = _number_values(published, fates)
    when = published.group_time[published.pair_group]
    order = np.argsort(when, kind="stable")
    values = max(len(fates.labels), int(number.max(initial=0)) + 1)
    low, high = np.searchsorted(when[order], fates.times), np.searchsorted(when[order], until)
    keys: list[Ints] = [np.empty(0, np.int64)]
    weights: list[Floats] = [np.empty(0)]
    begin = 0
    while begin < len(low):
        load = np.cumsum((high - low)[begin:])
        end = begin + max(1, int(np.searchsorted(load, EXPANDED, side="right")))
        lengths = (high - low)[begin:end]
        pairs = order[list_ranges(low[begin:end], lengths)]
        home = np.repeat(np.arange(begin, end), lengths)
        cells, at = np.unique(home * values + number[published.pair_value[pairs]], return_inverse=True)
        keys.append(cells)
        counts = np.bincount(at.reshape(-1), published.pair_count[pairs], minlength=len(cells))
        weights.append(counts.astype(np.float64))
        begin = end
    return _Weights(np.concatenate(keys), np.concatenate(weights), values)


def _guess_published(
    published: PublishedSnapshots, fates: Fates, rows: Ints, seen: _Weights, true_weights: _Weights
) -> tuple[tuple[Floats, Floats], Floats, Floats]:
    """Guess within groups: by published frequencies, by numbers in the group, by true frequencies, and by fit."""
    number = _number_values(published, fates)
    first = np.searchsorted(published.pair_group, np.arange(len(published.group_time) + 1))
    order = np.argsort(published.group, kind="stable")
    lengths = np.diff(first)[published.group[order]]
    bounds = np.searchsorted(published.group[order], np.arange(len(published.group_time) + 1))
    load = np.append(0, np.cumsum(lengths))[bounds]
    chances = np.zeros((4, len(rows)))
    begin = 0
    while begin < len(published.group_time):
        end = max(begin + 1, int(np.searchsorted(load, load[begin] + EXPANDED, side="right")) - 1)
        records = order[bounds[begin] : bounds[end]]
        sizes = lengths[bounds[begin] : bounds[end]]
        which = np.repeat(np.arange(len(records)), sizes)
        pair = list_ranges(first[published.group[records]], sizes)
        home, value = fates.home[rows[records]][which], number[published.pair_value[pair]]
        right = value == fates.value[rows[records]][which]
        likely = true_weights.of(home, value)
        fit = _fit(likely, which, pair - first[begin], published.pair_count[first[begin] : first[end]])
        for way, weight in enumerate((seen.of(home, value), published.pair_count[pair].astype(float), likely, fit)):
            chances[way, records] = _pick(weight, which, right, len(records))
        begin = end
    return (chances[0], chances[1]), chances[2], chances[3]


def _fit(weights: Floats, which: Ints, pair: Ints, counts: Ints) -> Floats:
    """Scale weights until every record has one value and every value of a group as many records as are listed."""
    fit = np.maximum(weights, _LEAST)
    for _ in range(_ROUNDS):
        fit *= (counts / np.maximum(np.bincount(pair, fit, minlength=len(counts)), _LEAST**2))[pair]
        fit /= np.bincount(which, fit)[which]
    return fit


def _pick(weight: Floats, which: Ints, right: npt.NDArray[np.bool_], records: int) -> Floats:
    """Return the success of picking the heaviest value of every record; among equals by chance."""
    best = np.zeros(records)
    np.maximum.at(best, which, weight)
    equal = weight >= best[which] * (1 - _TIE)
    return np.bincount(which, equal & right, minlength=records) / np.maximum(
        np.bincount(which, equal, minlength=records), 1
    )
