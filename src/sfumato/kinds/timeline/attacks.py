"""An observer who sees a timeline up to some moment and infers which sensitive events are frequent."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.base.remaining import Possibility, Remaining
from sfumato.base.tabular import Tabular
from sfumato.data.dataset import Dataset
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.kinds.timeline.decode import read_timeline
from sfumato.kinds.timeline.guarantees import PrefixFrequency
from sfumato.kinds.timeline.knowledge import Peak, find_peaks
from sfumato.release.release import Release

__all__ = ["KNOWLEDGE", "Exposure", "attack", "attack_by_knowledge", "attack_original", "expose"]

KNOWLEDGE = "prefixes"

_SEEN = (0.1, 0.25, 0.5)
_LEVELS = {"0.1 %": Fraction(1, 1000), "1 %": Fraction(1, 100), "5 %": Fraction(1, 20), "20 %": Fraction(1, 5)}
"""Relative frequencies at which events are counted, to show how many stand out."""

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Exposure(Tabular):
    """How frequent sensitive events become in the prefixes an observer can see.

    Parameters
    ----------
    peaks
        What is found of each event, by name.
    prefixes
        Prefixes there are.
    delta
        Threshold above which an event counts as frequent, if there is one.
    named
        Whether the events were named as sensitive; otherwise they are all there are, and not listed.
    seen
        Share of the time points that the observer has seen so far, where that is not all of them.

    Examples
    --------
    >>> Exposure({"wine": Peak(Fraction(1, 4), 2, 3)}, 9, Fraction(1, 5)).to_dict()
    {'knowledge': 'prefixes', 'prefixes': 9, 'largest_relative_frequency': 0.25,
     'events_that_reach': {'0.1 %': 1, '1 %': 1, '5 %': 1, '20 %': 1}, 'delta': 0.2, 'exposed_events': 1,
     'prefixes_at_or_above_delta': 3,
     'events': {'wine': {'largest_relative_frequency': 0.25, 'prefixes_at_or_above_delta': 3}}}
    """

    peaks: Mapping[str, Peak]
    prefixes: int
    delta: Fraction | None = None
    named: bool = True
    seen: float | None = None

    _shares: ClassVar[tuple[str, ...]] = ("largest_relative_frequency", "delta", "seen")

    @property
    def knowledge(self) -> str:
        """Name of what the observer knows."""
        return KNOWLEDGE

    @property
    def remaining(self) -> Remaining:
        """How frequent a sensitive event looks to an observer."""
        wording = (
            "To an observer of the timeline up to any time, a sensitive event makes up at most "
            "{confidence} of all events."
        )
        worst = {"confidence": float(self.largest)}
        return Remaining((Possibility("inference", "", "note", wording, worst=worst),) if self.named else ())

    @property
    def largest(self) -> Fraction:
        """Largest relative frequency of any of the events in any prefix."""
        return max((peak.frequency for peak in self.peaks.values()), default=Fraction(0))

    @property
    def exposed_events(self) -> int:
        """Events that reach the threshold in some prefix."""
        return sum(peak.exposed > 0 for peak in self.peaks.values())

    @property
    def exposed_prefixes(self) -> int:
        """Pairs of an event and a prefix in which it reaches the threshold."""
        return sum(peak.exposed for peak in self.peaks.values())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        values: dict[str, Any] = {
            "knowledge": KNOWLEDGE,
            "prefixes": self.prefixes,
            "largest_relative_frequency": float(self.largest),
            "events_that_reach": {
                name: sum(peak.frequency >= level for peak in self.peaks.values()) for name, level in _LEVELS.items()
            },
        }
        if self.seen is not None:
            values["seen"] = self.seen
        if self.delta is not None:
            values["delta"] = float(self.delta)
            values["exposed_events"] = self.exposed_events
            values["prefixes_at_or_above_delta"] = self.exposed_prefixes
        if self.named:
            values["events"] = {event: self._entry(peak) for event, peak in self.peaks.items()}
        return values

    def _entry(self, peak: Peak) -> dict[str, Any]:
        entry: dict[str, Any] = {"largest_relative_frequency": float(peak.frequency)}
        if self.delta is not None:
            entry["prefixes_at_or_above_delta"] = peak.exposed
        return entry


def expose(timeline: Timeline, events: tuple[str, ...], delta: Fraction | None) -> Exposure:
    """Look at every prefix of a timeline for some events, or for all where none are named.

    Examples
    --------
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 1, "b": 3}, {"a": 2, "b": 3}]))
    >>> expose(timeline, ("a",), Fraction(1, 3)).exposed_prefixes
    1
    """
    code = timeline.code_of()
    occurring = [event for event in events or timeline.labels if event in code]
    peaks = dict(zip(occurring, find_peaks(timeline, [code[event] for event in occurring], delta), strict=True))
    shown = {event: peaks.get(event, Peak(Fraction(0), None, 0)) for event in events or timeline.labels}
    return Exposure(shown, len(timeline), delta, bool(events))


def attack(release: Release, original: Dataset, rows: Ints | None = None) -> Exposure:  # noqa: ARG001
    """Look at every published prefix for the events that the owner calls sensitive.

    Parameters
    ----------
    release, original
        What was published, and the data that say which events are sensitive.
    rows
        Not needed: an observer has the release only.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.plugins import find_method
    >>> data = Dataset.of("timeline", [{"a": 2, "b": 3}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> result = find_method("odesa")(delta="1/4").anonymize(data, Run(bytes(32)))
    >>> attack(result.release, data).to_dict()["largest_relative_frequency"]
    0.125
    """
    guarantee = release.guarantee
    delta = guarantee.fraction if isinstance(guarantee, PrefixFrequency) else None
    return expose(read_timeline(release), tuple(dict.fromkeys(original.schema.sensitive)), delta)


def attack_by_knowledge(release: Release, original: Dataset, m: int, rows: Ints | None = None) -> list[Exposure]:  # noqa: ARG001
    """Look at the published prefixes after a tenth of the time points, a quarter, a half, and at last at all.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.plugins import find_method
    >>> data = Dataset.of("timeline", [{"a": 2, "b": 3}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> release = find_method("odesa")(delta="1/4").anonymize(data, Run(bytes(32))).release
    >>> [found.seen for found in attack_by_knowledge(release, data, 1)]
    [0.5, None]
    """
    guarantee = release.guarantee
    delta = guarantee.fraction if isinstance(guarantee, PrefixFrequency) else None
    return _watch(read_timeline(release), tuple(dict.fromkeys(original.schema.sensitive)), delta)


def attack_original(dataset: Dataset, m: int) -> list[Exposure]:  # noqa: ARG001
    """Look at the data as they stand after a tenth of the time points, a quarter, a half, and at last at all.

    There is no threshold yet, and m means nothing here: an observer knows more the longer they watch.

    Examples
    --------
    >>> data = Dataset.of("timeline", [{"a": 2, "b": 3}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> [(found.seen, found.to_dict()["largest_relative_frequency"]) for found in attack_original(data, 2)]
    [(0.5, 0.4), (None, 0.4)]
    """
    return _watch(Timeline.of(dataset), tuple(dict.fromkeys(dataset.schema.sensitive)), None)


def _watch(timeline: Timeline, events: tuple[str, ...], delta: Fraction | None) -> list[Exposure]:
    """Look for events in the beginning of a timeline, and ever more of it."""
    exposures = []
    for share in _SEEN:
        points = int(share * len(timeline))
        if points:
            end = timeline.offsets[points]
            part = Timeline(
                timeline.offsets[: points + 1],
                timeline.codes[:end],
                timeline.counts[:end],
                timeline.labels,
                timeline.times[:points],
            )
            exposures.append(dataclasses.replace(expose(part, events, delta), seen=share))
    return [*exposures, expose(timeline, events, delta)]
