"""A receiver who knows when each person did the monitored events, and looks at what is published next to them.

The receiver knows the exact times of a person's monitored events and nothing else about the person. Among the
published records whose monitored part matches, one is picked by the other events, which keep their exact times: the
guess is that something else happens soon after, or soon before, a monitored event. Four ways to pick are tried:

``next``, ``previous``, ``nearest``
    The record with the smallest sum, over the known times, of the distance to the first other event at or after the
    time, to the last at or before it, or to the nearer of the two. Nothing there counts as further than anything.
``likelihood``
    The record that makes the known times most likely, by how far apart monitored and other events are, and which
    event comes next, as :mod:`sfumato.kinds.sequences.attacks.gaps` learns from the published records alone.

Where several records are best, one of them is drawn. The success for a person is the chance that the record picked is
the person's.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.remaining import Possibility, Remaining, Severity
from sfumato.base.tabular import Tabular
from sfumato.data.dataset import Dataset
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.data.time_units import MONTHS, UNITS, TimeUnit
from sfumato.kinds.sequences.attacks.gaps import learn_gaps
from sfumato.kinds.sequences.attacks.picks import check_own, pick_records, sum_distances
from sfumato.kinds.sequences.decode import Entries, count_ticks, mark_events
from sfumato.kinds.sequences.knowledge.class_matches import ClassMatches, build_knowledge
from sfumato.messages import Message, option, parameter
from sfumato.release.release import Release

__all__ = ["KNOWLEDGE", "Neighbours", "attack", "attack_original"]

KNOWLEDGE = "neighbouring-events"

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_CELLS = 4_000_000
_DISTANCES = 1_000_000
_LONGEST = 1 << 40
_DURATIONS = {"minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}


@dataclasses.dataclass(frozen=True, repr=False)
class Neighbours(Tabular):
    """How many people are found by the events published next to what is known of them.

    Parameters
    ----------
    people
        People in the release who have monitored events: of others this receiver knows nothing.
    attacked
        How many of them were attacked: all, or a sample where there are too many records to compare.
    success
        Mean chance of picking the right record, by way of picking.
    chance_level
        The same for a record drawn among those that match: what the release gives away without its other events.
    guaranteed
        What the guarantee makes a reader expect at most: 1/k, or the guess where there is no k.
    typical_gap
        How far from a monitored event nine in ten people have another event, in units of the data's time, rounded up.
    unit
        That unit.
    released
        Whether a release was attacked, or the data as they stand.
    record
        What one record is: a person, or something of a person.

    Examples
    --------
    >>> risk = Neighbours(1050, 1050, {"next": 0.94, "nearest": 0.9}, 0.19, 0.2, 3600, "second")
    >>> risk.identified, risk.wins
    (987, True)
    >>> print(next(iter(risk.remaining)).sentence)
    Someone who knows when monitored events happened finds 987 of 1,050 people (94 %) by the other events near them.
    The guarantee suggests at most 20 %.
    """

    people: int
    attacked: int
    success: dict[str, float]
    chance_level: float
    guaranteed: float
    typical_gap: int
    unit: str = ""
    released: bool = True
    record: RecordUnit = PERSON

    knowledge = KNOWLEDGE
    _shares = (
        "success",
        *("by_next", "by_previous", "by_nearest", "by_likelihood", "by_guessing"),
        "promised",
        "sampling_error",
    )

    @property
    def best(self) -> str:
        """The way of picking that finds most people."""
        return max(self.success, key=lambda name: self.success[name], default="")

    @property
    def rate(self) -> float:
        """Mean success of the best way."""
        return self.success.get(self.best, 0.0)

    @property
    def identified(self) -> int:
        """How many people the best way finds, all people taken together."""
        return round(self.rate * self.people)

    @property
    def sampling_error(self) -> float:
        """Standard error of the success, for a sample; 0 where everybody was attacked."""
        if self.attacked >= self.people:
            return 0.0
        return math.sqrt(self.rate * (1 - self.rate) / max(self.attacked, 1))

    @property
    def wins(self) -> bool:
        """Whether more are found than guaranteed, by more than chance explains: three standard deviations."""
        spread = math.sqrt(self.guaranteed * (1 - self.guaranteed) / max(self.attacked, 1))
        return self.rate > self.guaranteed + 3 * spread

    @property
    def remaining(self) -> Remaining:
        """How many people this receiver finds, and what would help where that is too many."""
        sampled = ""
        if self.attacked < self.people:
            sampled = f", by a sample of {self.attacked:,}, ±{200 * self.sampling_error:.0f} points"
        extent = f"{{people}} of {{of}} {self.record.many} ({{share}}{sampled})"
        wording = (
            f"Someone who knows when monitored events happened finds {extent} by the other events near "
            "them. The guarantee suggests at most {promised}."
        )
        if not self.released:
            wording = (
                f"Someone who knows only the other events near monitored ones finds {extent}. Guessing "
                "finds {promised}."
            )
        length = f"{{blur}} {self.unit}{'s' * (self.typical_gap != 1)}" if self.unit else "a distance of {blur}"
        remedy = Message(
            "What helps: ",
            parameter("blur", "{blur}"),
            " with ",
            parameter("k"),
            f", which removes times of other events within {length} of an interval; or ",
            option("monitored", "*"),
            ".",
        )
        severity: Severity = "warning" if self.wins else "note"
        counts = {"people": self.identified, "of": self.people}
        worst = {"promised": self.guaranteed, "blur": self.typical_gap}
        return Remaining(
            (Possibility("uniqueness", KNOWLEDGE, severity, wording, remedy if self.wins else "", counts, worst),)
        )

    def join(self, other: Neighbours) -> Neighbours:
        """Return what is found in two partitions of a release together: shares of the people of both.

        Examples
        --------
        >>> one, other = (Neighbours(n, n, {"next": chance}, 0.1, 0.5, 1) for n, chance in ((30, 0.5), (10, 0.1)))
        >>> one.join(other).success
        {'next': 0.4}
        """
        people = self.people + other.people

        def average(mine: float, more: float) -> float:
            return (self.people * mine + other.people * more) / max(people, 1)

        return dataclasses.replace(
            self,
            people=people,
            attacked=self.attacked + other.attacked,
            success={name: average(chance, other.success[name]) for name, chance in self.success.items()},
            chance_level=average(self.chance_level, other.chance_level),
            guaranteed=average(self.guaranteed, other.guaranteed),
            typical_gap=max(self.typical_gap, other.typical_gap),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "knowledge": self.knowledge,
            self.record.many.replace(" ", "_"): self.people,
            "attacked": self.attacked,
            "found": self.identified,
            "success": self.rate,
            "by": self.best,
            **{f"by_{name}": value for name, value in self.success.items()},
            "by_guessing": self.chance_level,
            **({"promised": self.guaranteed} if self.released else {}),
            "sampling_error": self.sampling_error,
            "wins": self.wins,
            "warnings": list(self.remaining.warnings),
        }


def attack(
    release: Release, original: Dataset, rows: Ints | None = None, horizon: int | None = None
) -> Neighbours | None:
    """Attack every published person by the events next to their monitored ones.

    Parameters
    ----------
    release, original
        What was published, and what the receiver's knowledge is drawn from.
    rows
        Original row of every published row. Without it nobody can tell whether the receiver picks the right record,
        and there is no answer; nor is there one where nobody has monitored events.
    horizon
        How far the receiver looks, in units of the original's time; as far as there are records if not given.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> people = [[("mail", 10), ("news", 11)], [("mail", 30), ("news", 31)]]
    >>> data = Dataset.of("sequences", people, monitored=("mail",))
    >>> made = Hi(k=2).anonymize(data, Run(bytes(32)))
    >>> risk = attack(made.release, data, made.owner_record.rows)
    >>> risk.success["next"], risk.chance_level
    (1.0, 0.5)
    """
    scale = count_ticks(release, original.time_unit.unit)
    if rows is None or scale is None or len(release) == 0:
        return None
    matches = ClassMatches.of(release, original)
    records, knowledge = matches.records, matches.knowledge
    able = np.flatnonzero(knowledge.entries.events.lengths[knowledge.of_person[rows]])
    if not len(able):
        return None
    check_own(matches, knowledge.of_person[rows[able]], records.class_of_row[able])
    order = np.random.default_rng(0).permutation(able)
    distances = matches.weigh(records.sizes) * np.maximum(knowledge.entries.events.lengths, 1)
    costs = distances[knowledge.of_person[rows[order]]]
    drawn = order[: max(1, int(np.searchsorted(np.cumsum(costs), _DISTANCES, side="right")))]
    limit = _LONGEST * scale if horizon is None else horizon * scale
    gaps = learn_gaps(records, scale, limit)
    picked = pick_records(matches, knowledge.of_person[rows[drawn]], drawn, limit, gaps)
    k = getattr(release.guarantee, "k", 1)
    success = {name: float(chance.mean()) for name, chance in picked.success.items()}
    chance_level = float(picked.chance_level.mean())
    return Neighbours(
        len(able),
        len(drawn),
        success,
        chance_level,
        1 / k if k > 1 else chance_level,
        _find_typical_gap(original, set(getattr(release.guarantee, "monitored", ()))),
        original.time_unit.unit or "",
        record=original.unit,
    )


def attack_original(dataset: Dataset) -> Neighbours | None:
    """Attack the data as if all monitored events were left out and all others published unchanged.

    Every record matches then: no grouping of the monitored events can do better against this receiver.

    Examples
    --------
    >>> people = [[("mail", 10), ("news", 11)], [("mail", 30), ("news", 31)], [("mail", 50), ("news", 52)]]
    >>> attack_original(Dataset.of("sequences", people, monitored=("mail",))).success["next"]
    1.0
    """
    monitored = set(dataset.schema.monitored)
    knowledge = build_knowledge(dataset, monitored)
    events = dataset.history()
    others = Entries(events, dataset.times()).keep(~mark_events(events, monitored))
    able = np.flatnonzero(knowledge.entries.events.lengths[knowledge.of_person])
    if not monitored or not len(others.times) or not len(able):
        return None
    order = np.random.default_rng(0).permutation(able)
    drawn = order[: max(1, _CELLS // len(dataset))]
    sums = sum_distances(others, knowledge.entries.take(knowledge.of_person[drawn]))
    own = np.arange(len(drawn)), drawn
    success = {}
    for name, far in sums.items():
        best = far == far.min(axis=1, keepdims=True)
        success[name] = float((best[own] / best.sum(axis=1)).mean())
    chance_level = 1 / len(dataset)
    typical_gap, unit = _find_typical_gap(dataset, monitored), dataset.time_unit.unit or ""
    return Neighbours(
        len(able),
        len(drawn),
        success,
        chance_level,
        chance_level,
        typical_gap,
        unit,
        released=False,
        record=dataset.unit,
    )


def _find_typical_gap(original: Dataset, monitored: set[str]) -> int:
    """Return how near nine in ten people have another event to a monitored one, rounded up to a usual length."""
    events, times = original.history(), original.times()
    if not len(times):
        return 1
    is_monitored = mark_events(events, monitored)
    rows = events.row_of_token
    place = np.arange(len(times))
    last = np.maximum.accumulate(np.where(is_monitored, -1, place))
    first = np.minimum.accumulate(np.where(is_monitored, len(times), place)[::-1])[::-1]
    gaps = np.full(len(times), np.iinfo(np.int64).max)
    behind, ahead = last >= events.offsets[rows], first < events.offsets[rows + 1]
    gaps[behind] = times[behind] - times[last[behind]]
    gaps[ahead] = np.minimum(gaps[ahead], times[first[ahead]] - times[ahead])
    nearest = np.full(len(original), np.iinfo(np.int64).max)
    np.minimum.at(nearest, rows[is_monitored], gaps[is_monitored])
    near = np.sort(nearest[nearest < np.iinfo(np.int64).max])
    if not len(near):
        return 1
    return _round_up(int(near[(len(near) * 9) // 10 if len(near) > 1 else 0]), original.time_unit)


def _round_up(length: int, time_unit: TimeUnit) -> int:
    """Round up to a minute, an hour, a day or weeks; to a power of ten where times are plain numbers or months."""
    if time_unit.unit is None or time_unit.unit in MONTHS:
        return int(10 ** len(str(max(length - 1, 0)))) if length > 1 else 1
    step = UNITS[time_unit.unit]
    usual = [seconds // step for seconds in _DURATIONS.values() if seconds >= step]
    return next((size for size in usual if size >= length), -(-length // usual[-1]) * usual[-1])
