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
from sfumato.kinds.snapshots.knowledge.record_delays import MISSING, RecordDelays
from sfumato.release.release import Release

__all__ = ["STATES", "Inferences", "infer_values"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

STATES = ("on_time", "late", "missing")
_ROUNDS = 40
_LEAST = 1e-9
_TIE = 1e-6


class Inferences(NamedTuple):
    """How often the attacker is right about every original record; a guess among equals counts in part.

    Attributes
    ----------
    state
        Position in :data:`STATES` of every original record.
    release_only
        Success of someone who has the release and no more.
    with_frequencies
        Success of someone who also knows how frequent the values were in every snapshot.

    Examples
    --------
    >>> Inferences(np.array([0, 1, 1]), np.array([0.5, 0.5, 1.0]), np.array([0.5, 1.0, 1.0])).rates()["late"]
    {'people': 2, 'right': 0.75, 'right_knowing_frequencies': 1.0}
    """

    state: Ints
    release_only: Floats
    with_frequencies: Floats

    def rates(self) -> dict[str, dict[str, float]]:
        """Return, by fate, how many people there are and for which share of them the attacker is right."""
        by_state = {}
        for number, name in enumerate(STATES):
            mine = self.state == number
            if mine.any():
                by_state[name] = {
                    "people": int(mine.sum()),
                    "right": float(self.release_only[mine].mean()),
                    "right_knowing_frequencies": float(self.with_frequencies[mine].mean()),
                }
        return by_state


class _Weights(NamedTuple):
    """How likely values are in snapshots: sorted keys ``origin * values + value``, and weights."""

    keys: Ints
    weights: Floats
    values: int

    def of(self, origin: Ints, value: Ints) -> Floats:
        """Return weights of pairs, 0 for those that do not occur."""
        if not len(self.keys):
            return np.zeros(len(origin))
        wanted = origin * self.values + value
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where((self.keys[at] == wanted) & (value < self.values), self.weights[at], 0.0)

    def compute_success(self, origin: Ints, value: Ints, origins: int) -> Floats:
        """Return the success of guessing the heaviest value of the home; nothing known means nothing guessed."""
        best = np.zeros(origins)
        np.maximum.at(best, self.keys // self.values, self.weights)
        equals = np.bincount(
            self.keys // self.values, self.weights >= best[self.keys // self.values] * (1 - _TIE), minlength=origins
        )
        mine = self.of(origin, value)
        return np.where((mine > 0) & (mine >= best[origin] * (1 - _TIE)), 1.0 / np.maximum(equals[origin], 1), 0.0)


def infer_values(release: Release, original: Dataset, rows: Ints) -> Inferences:
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
    >>> result = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), max_suppressed_records=1)
    >>> found = infer_values(result.release, data, result.owner_record.rows).rates()
    >>> found["late"]["right_knowing_frequencies"], found["missing"]["right_knowing_frequencies"]
    (1.0, 1.0)
    """
    record_delays = RecordDelays.of(release, original, rows)
    state = np.select([record_delays.delay == MISSING, record_delays.delay > 0], [2, 1], 0).astype(np.int64)
    published = PublishedSnapshots.of(release)
    window = int(getattr(release.guarantee, "window", 1))
    seen = _published_weights(published, record_delays, shift_times(original.time_unit, record_delays.times, window))
    true_weights = _true_weights(record_delays)
    origins = len(record_delays.times)
    alone, with_frequencies = (
        seen.compute_success(record_delays.origin, record_delays.value, origins),
        true_weights.compute_success(record_delays.origin, record_delays.value, origins),
    )
    by_release, by_frequency, by_fit = _infer_published(published, record_delays, rows, seen, true_weights)
    late = state[rows] == 1
    alone[rows] = np.where(late, by_release[0], by_release[1])
    with_frequencies[rows] = by_frequency
    for number in (0, 1):
        mine = state[rows] == number
        if by_fit[mine].sum() > by_frequency[mine].sum():
            with_frequencies[rows[mine]] = by_fit[mine]
    return Inferences(state, alone, with_frequencies)


def _true_weights(record_delays: RecordDelays) -> _Weights:
    keys, counts = record_delays.count_values()
    values = max(len(record_delays.labels), 1)
    return _Weights(keys, counts / record_delays.sizes[keys // values], values)


def _number_values(published: PublishedSnapshots, record_delays: RecordDelays) -> Ints:
    """Number the published values as those of the original; those that it does not have come after them."""
    code = {label: i for i, label in enumerate(record_delays.labels)}
    return np.array([code.setdefault(label, len(code)) for label in published.labels], dtype=np.int64)


def _published_weights(published: PublishedSnapshots, record_delays: RecordDelays, until: Ints) -> _Weights:
    """Return how often values are published in the snapshots from each home to the last in which it may be."""
    number = _number_values(published, record_delays)
    when = published.group_time[published.pair_group]
    order = np.argsort(when, kind="stable")
    values = max(len(record_delays.labels), int(number.max(initial=0)) + 1)
    low, high = np.searchsorted(when[order], record_delays.times), np.searchsorted(when[order], until)
    keys: list[Ints] = [np.empty(0, np.int64)]
    weights: list[Floats] = [np.empty(0)]
    begin = 0
    while begin < len(low):
        load = np.cumsum((high - low)[begin:])
        end = begin + max(1, int(np.searchsorted(load, EXPANDED, side="right")))
        lengths = (high - low)[begin:end]
        pairs = order[list_ranges(low[begin:end], lengths)]
        origin = np.repeat(np.arange(begin, end), lengths)
        cells, at = np.unique(origin * values + number[published.pair_value[pairs]], return_inverse=True)
        keys.append(cells)
        counts = np.bincount(at.reshape(-1), published.pair_count[pairs], minlength=len(cells))
        weights.append(counts.astype(np.float64))
        begin = end
    return _Weights(np.concatenate(keys), np.concatenate(weights), values)


def _infer_published(
    published: PublishedSnapshots, record_delays: RecordDelays, rows: Ints, seen: _Weights, true_weights: _Weights
) -> tuple[tuple[Floats, Floats], Floats, Floats]:
    """Guess within groups: by published frequencies, by numbers in the group, by true frequencies, and by fit."""
    number = _number_values(published, record_delays)
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
        origin, value = record_delays.origin[rows[records]][which], number[published.pair_value[pair]]
        right = value == record_delays.value[rows[records]][which]
        likely = true_weights.of(origin, value)
        fit = _fit(likely, which, pair - first[begin], published.pair_count[first[begin] : first[end]])
        for way, weight in enumerate((seen.of(origin, value), published.pair_count[pair].astype(float), likely, fit)):
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
