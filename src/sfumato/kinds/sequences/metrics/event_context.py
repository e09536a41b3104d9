"""How well the release tells what happens around monitored events."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.sequences.comparison import SequenceComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import Facts, PartialSums
from sfumato.params import Param

__all__ = ["EventContext"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_POINTS = 8


@dataclasses.dataclass(frozen=True)
class EventContext(SummedMetric):
    """Measure the divergence of what happens within a window of monitored events, original against published.

    In the original an event that is not monitored counts when the same person did a monitored event within
    the window before or after it. In the release the time of a monitored event is known as an
    interval: it is read as one event, equally likely at every point of the interval and independent of the others, and
    an event counts with the chance that one of them is within the window. Events are counted, not pairs of
    events, because a release does not say how many monitored events an interval holds. The counts by
    event are divided by their sums, and the Kullback-Leibler divergence is in nats.

    There is one detail for every window: a minute to a month (of 30 days), or powers of ten where times are plain
    numbers. Windows shorter than the unit of the times are left out. The value is that of an hour, or of
    `window`. It falls as the window grows.

    An event that is near a monitored one in the original but never in the release, because people are suppressed or
    entries suppressed, would make the divergence infinite. It counts as half an event instead, or as much as
    the rarest one if that is less. ``without_counterpart`` says how many events that concerns.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> people = [[("mail", 0), ("news", 1)], [("mail", 5), ("shop", 9)]]
    >>> data = Dataset.of("sequences", people, monitored=("mail",))
    >>> result = Hi(k=2).anonymize(data, Run())
    >>> score = EventContext(window=4).measure(Comparison(data, result.release))
    >>> round(score.value, 4)
    0.3569

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 6.4.3.
    """

    name: ClassVar[str] = "event-context"
    title: ClassVar[str] = "Divergence of events around monitored events (KL)"
    explanation = (
        "Difference between release and original in the events around a monitored event. 0 is no "
        "difference; a nat is a unit of information, about 1.44 bits."
    )
    unit: ClassVar[str] = "nats"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: no difference; no upper bound"
    paper: ClassVar[str] = "Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 6.4.3"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = (
        "It compares shares of events, and longer intervals may bring them closer to the original."
    )

    window: Annotated[
        int | None, Param("Length of the window that the value is about, in units of the data's time.", ge=0)
    ] = None

    def partial(self, comparison: Comparison) -> PartialSums:
        """Count events near monitored ones, for every window."""
        view = comparison.view(SequenceComparison)
        windows = dict(view.durations)
        usual = view.usual_duration
        if self.window is not None:
            usual = next((name for name, length in windows.items() if length == self.window), str(self.window))
            windows[usual] = self.window
        events = len(comparison.places)
        codes, distances = _distances(view)
        before = {name: np.bincount(codes[distances <= length], minlength=events) for name, length in windows.items()}
        after = {name: _count_published(view, length) for name, length in windows.items()}
        return {"before": before, "after": after, "usual": Facts(name=usual)}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare the distributions for every window."""
        before, after, usual = partial["before"], partial["after"], partial["usual"]["name"]
        details = {name: _diverge(before[name], after[name]) for name in before}
        return details[usual], {
            **{f"within_{name}": value for name, value in details.items()},
            "without_counterpart": int(((before[usual] > 0) & (after[usual] == 0)).sum()),
        }


def _distances(view: SequenceComparison) -> tuple[npt.NDArray[np.int32], Ints]:
    """Return the events near a monitored one of the same person, and how far away the nearest is."""
    history, times, monitored = view.comparison.history, view.times, view.monitored_entries
    row = history.row_of_token
    place = np.arange(len(times))
    earlier = np.maximum.accumulate(np.where(monitored, place, -1))
    later = np.minimum.accumulate(np.where(monitored, place, len(times))[::-1])[::-1]
    has_earlier = earlier >= history.offsets[row]
    has_later = later < history.offsets[row + 1]
    before = times - times[np.where(has_earlier, earlier, place)]
    after = times[np.where(has_later, later, place)] - times
    nearest = np.where(has_earlier & has_later, np.minimum(before, after), np.where(has_earlier, before, after))
    is_near = ~monitored & (has_earlier | has_later)
    return history.codes[is_near], nearest[is_near]


def _count_published(view: SequenceComparison, window: int) -> Floats:
    """Return how many of each event are expected within the window of a monitored one."""
    (events, exact), covers = view.others, view.covers
    blurred, parts = view.blurred, np.arange(1, 2 * _POINTS, 2)
    # Of a blurred event only the interval is known: it counts in parts, at points spread over the interval.
    spread = blurred.lows[:, None] + blurred.lengths[:, None] // (2 * _POINTS) * parts[None, :]
    rows = np.concatenate([events.row_of_token, np.repeat(blurred.row_of_interval, _POINTS)])
    times = np.concatenate([exact, spread.ravel()])
    codes = np.concatenate([events.codes, np.repeat(blurred.categories, _POINTS)])
    weights = np.concatenate([np.ones(len(exact)), np.full(spread.size, 1 / _POINTS)])
    able = np.flatnonzero(np.diff(covers.offsets)[rows])
    first, last = times[able] - window, times[able] + window
    apart = np.ones(len(able))
    decided = np.zeros(len(able), dtype=bool)
    for at, interval in covers.meet(rows[able], first, last, decided):
        low, high = covers.lows[interval], covers.highs[interval]
        shared = np.minimum(high, last[at]) - np.maximum(low, first[at]) + 1
        apart[at] *= 1 - shared / (high - low + 1)
        decided[at] = apart[at] == 0
    counts = np.bincount(codes[able], (1 - apart) * weights[able], minlength=len(view.comparison.places))
    return np.asarray(counts, dtype=np.float64)


def _diverge(original: Ints, published: Floats) -> float:
    """Return the divergence; what is missing in the release counts as little as anything in it."""
    there = original > 0
    if not there.any():
        return 0.0
    least = min(0.5, float(published[published > 0].min(initial=0.5)))
    published = np.where(there & (published == 0), least, published)
    p, q = original[there] / original.sum(), published[there] / published.sum()
    return max(0.0, float((p * np.log(p / q)).sum()))
