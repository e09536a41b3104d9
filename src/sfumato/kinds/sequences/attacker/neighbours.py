"""A receiver who knows when each person did the monitored events, and looks at what is published next to them.

The receiver knows the exact times of a person's monitored events and nothing else about the person. Among the
published records whose monitored part matches, one is picked by the other events, which keep their exact times: the
guess is that something else happens soon after, or soon before, a monitored event. Four ways to pick are tried:

``next``, ``previous``, ``nearest``
    The record with the smallest sum, over the known times, of the distance to the first other event at or after the
    time, to the last at or before it, or to the nearer of the two. Nothing there counts as further than anything.
``likelihood``
    The record that makes the known times most likely, by how far apart monitored and other events are, and which
    event comes next, as :mod:`sfumato.kinds.sequences.attacker.gaps` learns from the published records alone.

Where several records are best, one of them is drawn. The success for a person is the chance that the record picked is
the person's.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.core.clock import UNITS, Clock
from sfumato.core.dataset import Dataset
from sfumato.core.errors import SchemaError
from sfumato.core.release import Release
from sfumato.core.unit import PERSON, Unit
from sfumato.kinds.sequences.attacker.gaps import Gaps, learn_gaps
from sfumato.kinds.sequences.knowledge import Knowledge, known_events, matching_classes
from sfumato.kinds.sequences.published import Entries, TimedRecords, last_at_most, ticks

__all__ = ["BEYOND", "KNOWLEDGE", "Neighbours", "attack", "attack_original"]

KNOWLEDGE = "neighbouring-events"
BEYOND = "monitored-events"
"""Tried on releases that promise something about this knowledge, and goes beyond it."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_CELLS = 4_000_000
_DISTANCES = 1_000_000
_PORTION = 500_000
_LONGEST = 1 << 40
_TIE = 1e-9
_DURATIONS = {"minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}


@dataclasses.dataclass(frozen=True)
class Neighbours:
    """How many people are found by the events published next to what is known of them.

    Parameters
    ----------
    people
        People in the release who have monitored events: of others this receiver knows nothing.
    attacked
        How many of them were attacked: all, or a sample where there are too many records to compare.
    success
        Mean chance of picking the right record, by way of picking.
    guess
        The same for a record drawn among those that match: what the release gives away without its other events.
    promised
        What the promise makes a reader expect at most: 1/k, or the guess where there is no k.
    reach
        How far from a monitored event nine in ten people have another event, in units of the data's time, rounded up.
    unit
        That unit.
    released
        Whether a release was attacked, or the data as they stand.
    record
        What one record is: a person, or something of a person.

    Examples
    --------
    >>> found = Neighbours(1050, 1050, {"next": 0.94, "nearest": 0.9}, 0.19, 0.2, 3600, "second")
    >>> found.found, found.wins
    (987, True)
    >>> found.warnings[0][:90]
    'Whoever knows only when the monitored events happened finds 987 of 1,050 people (94 %) by '
    """

    people: int
    attacked: int
    success: dict[str, float]
    guess: float
    promised: float
    reach: int
    unit: str = ""
    released: bool = True
    record: Unit = PERSON

    knowledge = KNOWLEDGE

    @property
    def best(self) -> str:
        """The way of picking that finds most people."""
        return max(self.success, key=lambda name: self.success[name], default="")

    @property
    def rate(self) -> float:
        """Mean success of the best way."""
        return self.success.get(self.best, 0.0)

    @property
    def found(self) -> int:
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
        """Whether more are found than promised, by more than chance explains: three standard deviations."""
        spread = math.sqrt(self.promised * (1 - self.promised) / max(self.attacked, 1))
        return self.rate > self.promised + 3 * spread

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to say loudly, and what would help; nothing if this receiver does not win."""
        if not self.wins:
            return ()
        share = f"{100 * self.rate:.0f} %"
        if self.attacked < self.people:
            share += f", from a sample of {self.attacked:,}, give or take {200 * self.sampling_error:.0f}"
        length = f"{self.reach} {self.unit}{'s' * (self.reach != 1)}" if self.unit else f"a distance of {self.reach}"
        way = "the other events published next to them"
        if self.released:
            expected = f"the promise makes a reader expect at most {100 * self.promised:.0f} %"
        else:
            way = "the other events next to them, even if every monitored event were left out"
            expected = f"blind guessing finds {100 * self.promised:.2g} %"
        return (
            f"Whoever knows only when the monitored events happened finds {self.found:,} of "
            f"{self.record.count(self.people)} ({share}) by {way}; {expected}.",
            f"What helps: -p blur={self.reach}, with k, takes the times of other events within {length} of a published "
            "interval away (a larger blur takes more); or --monitored '*' makes intervals of all events.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "knowledge": self.knowledge,
            self.record.many.replace(" ", "_"): self.people,
            "attacked": self.attacked,
            "found": self.found,
            "success": self.rate,
            "by": self.best,
            **{f"by_{name}": value for name, value in self.success.items()},
            "by_guessing": self.guess,
            **({"promised": self.promised} if self.released else {}),
            "sampling_error": self.sampling_error,
            "wins": self.wins,
            "warnings": list(self.warnings),
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
    >>> from types import SimpleNamespace
    >>> from sfumato.core.run import Run
    >>> from sfumato.kinds.sequences.publication import Cover, Grouped, Sequences, publish_groups
    >>> from sfumato.kinds.sequences.guarantees.group_anonymity import GroupAnonymity
    >>> people = [[("mail", 10), ("news", 11)], [("mail", 30), ("news", 31)]]
    >>> data = Dataset.of("sequences", people, monitored=("mail",))
    >>> grouped = Grouped(Sequences.of(data), np.array([0, 0]), [Cover(("mail",), (10,), (30,))])
    >>> by_hand = SimpleNamespace(name="by-hand", parameters=dict)
    >>> made = publish_groups(data, by_hand, GroupAnonymity(2, ("mail",)), grouped, Run(bytes(32)))
    >>> found = attack(made.release, data, made.trace.rows)
    >>> found.success["next"], found.guess
    (1.0, 0.5)
    """
    scale = ticks(release, original.clock.unit)
    if rows is None or scale is None or len(release) == 0:
        return None
    known = known_events(original, getattr(release.guarantee, "monitored", ()), scale)
    records = TimedRecords.of(release, known.entries.events.labels)
    which, classes = matching_classes(records, known)
    matches = _Matches(which, classes, records, known)
    able = np.flatnonzero(known.entries.events.lengths[known.of_person[rows]])
    if not len(able):
        return None
    _check_own(matches, known.of_person[rows[able]], records.class_of_row[able])
    order = np.random.default_rng(0).permutation(able)
    costs = matches.costs()[known.of_person[rows[order]]]
    drawn = order[: max(1, int(np.searchsorted(np.cumsum(costs), _DISTANCES, side="right")))]
    limit = _LONGEST * scale if horizon is None else horizon * scale
    gaps = learn_gaps(records, scale, limit)
    found = _pick(records.entries, known, matches.pairs(known.of_person[rows[drawn]]), drawn, limit, gaps)
    k = getattr(release.guarantee, "k", 1)
    success = {name: float(chance.mean()) for name, chance in found.success.items()}
    guess = float(found.guess.mean())
    return Neighbours(
        len(able),
        len(drawn),
        success,
        guess,
        1 / k if k > 1 else guess,
        _reach(original, set(getattr(release.guarantee, "monitored", ()))),
        original.clock.unit or "",
        record=original.unit,
    )


def attack_original(dataset: Dataset) -> Neighbours | None:
    """Attack the data as if all monitored events were left out and all others published as they are.

    Every record matches then: no grouping of the monitored events can do better against this receiver.

    Examples
    --------
    >>> people = [[("mail", 10), ("news", 11)], [("mail", 30), ("news", 31)], [("mail", 50), ("news", 52)]]
    >>> attack_original(Dataset.of("sequences", people, monitored=("mail",))).success["next"]
    1.0
    """
    monitored = set(dataset.schema.monitored)
    known = known_events(dataset, monitored)
    is_other = np.array([label not in monitored for label in dataset.history().labels], dtype=bool)
    marked = is_other[dataset.history().codes] if len(is_other) else np.zeros(0, dtype=bool)
    others = Entries(dataset.history(), dataset.times()).keep(marked)
    able = np.flatnonzero(known.entries.events.lengths[known.of_person])
    if not monitored or not len(others.times) or not len(able):
        return None
    order = np.random.default_rng(0).permutation(able)
    drawn = order[: max(1, _CELLS // len(dataset))]
    sums = _sum_distances(others, known.entries.take(known.of_person[drawn]))
    own = np.arange(len(drawn)), drawn
    success = {}
    for name, far in sums.items():
        best = far == far.min(axis=1, keepdims=True)
        success[name] = float((best[own] / best.sum(axis=1)).mean())
    guess = 1 / len(dataset)
    reach, unit = _reach(dataset, monitored), dataset.clock.unit or ""
    return Neighbours(len(able), len(drawn), success, guess, guess, reach, unit, released=False, record=dataset.unit)


def _sum_distances(others: Entries, told: Entries) -> dict[str, Ints]:
    """Sum up how far the known times of people (rows of what is told) are from the events of every record (columns).

    Known times are taken in order, so that the first event of a record that is not earlier only moves forward.
    """
    begin, end = others.events.offsets[:-1], others.events.offsets[1:]
    by_time = np.argsort(others.times, kind="stable")
    times, rows = others.times[by_time], others.events.row_of_token[by_time]
    limit = (1 << 62) // max(int(told.events.lengths.max(initial=1)), 1) - 1
    found = {name: np.zeros((len(told.events), len(begin)), dtype=np.int64) for name in ("next", "previous", "nearest")}
    at, passed = begin.copy(), 0
    last = len(others.times) - 1
    for known in np.argsort(told.times, kind="stable"):
        when, person = int(told.times[known]), int(told.events.row_of_token[known])
        until = int(np.searchsorted(times, when))
        at += np.bincount(rows[passed:until], minlength=len(at))
        passed = until
        ahead = _distance(others.times, np.minimum(at, last), at < end, np.full(len(at), when), limit)
        back = _distance(others.times, np.maximum(at - 1, 0), at > begin, np.full(len(at), when), limit)
        back[ahead == 0] = 0
        found["next"][person] += ahead
        found["previous"][person] += back
        found["nearest"][person] += np.minimum(ahead, back)
    return found


class _Pairs(NamedTuple):
    """Number of the knowledge of every person attacked, and the records each of them may be."""

    knowledge: Ints
    candidates: Iterator[Ints]


@dataclasses.dataclass(frozen=True, eq=False)
class _Matches:
    """Which classes match each knowledge."""

    which: Ints
    classes: Ints
    records: TimedRecords
    known: Knowledge

    def costs(self) -> Ints:
        """Return how many distances there are to take for each knowledge."""
        matching = np.bincount(self.which, self.records.sizes[self.classes], minlength=len(self.known))
        return np.asarray(matching * np.maximum(self.known.entries.events.lengths, 1), dtype=np.int64)

    def pairs(self, knowledges: Ints) -> _Pairs:
        """Return the records of all classes that match, for each of some knowledges."""
        order = np.argsort(self.which, kind="stable")
        begin = np.searchsorted(self.which[order], np.arange(len(self.known) + 1))
        classes = self.classes[order]
        ends = np.cumsum(self.records.sizes)
        members = np.split(np.argsort(self.records.class_of_row, kind="stable"), ends[:-1])
        found = (np.concatenate([members[c] for c in classes[begin[q] : begin[q + 1]]]) for q in knowledges.tolist())
        return _Pairs(knowledges, found)


class _Picked(NamedTuple):
    """Chance of the right record for every person attacked, by way of picking, and by drawing one that matches."""

    success: dict[str, Floats]
    guess: Floats


def _check_own(matches: _Matches, knowledge: Ints, classes: Ints) -> None:
    """Refuse people who do not match their own records: success would be counted for strangers."""
    groups = max(len(matches.records.sizes), 1)
    there = np.isin(knowledge * groups + classes, matches.which * groups + matches.classes)
    if not there.all():
        raise SchemaError(
            f"attack: {int((~there).sum())} of {len(there)} people do not match the record that was made of them. The "
            "original has its people in another order than when the release was made, or one of the two was changed "
            "since: give the file that the release was made from, and try verify --original."
        )


def _pick(entries: Entries, known: Knowledge, pairs: _Pairs, own: Ints, limit: int, gaps: Gaps) -> _Picked:
    """Pick the best of the candidates of every person, portion by portion."""
    names = ("next", "previous", "nearest", "likelihood")
    success: dict[str, list[Floats]] = {name: [] for name in names}
    guess: list[Floats] = []
    waiting: list[tuple[int, int, Ints]] = []
    cells = 0
    for number, (q, rows) in enumerate(zip(pairs.knowledge.tolist(), pairs.candidates, strict=True)):
        waiting.append((q, int(own[number]), rows))
        cells += len(rows) * max(1, int(known.entries.events.lengths[q]))
        if cells >= _PORTION or number == len(own) - 1:
            scores = _scores(entries, known, waiting, limit, gaps)
            sizes = np.array([len(rows) for _, _, rows in waiting])
            mine = np.concatenate([rows == row for _, row, rows in waiting])
            begin = np.cumsum(sizes) - sizes
            for name in names:
                success[name].append(_chances(scores[name], mine, begin, sizes))
            guess.append(np.add.reduceat(mine, begin) / sizes)
            waiting, cells = [], 0
    return _Picked({name: np.concatenate(found) for name, found in success.items()}, np.concatenate(guess))


def _chances(scores: Floats | Ints, mine: npt.NDArray[np.bool_], begin: Ints, sizes: Ints) -> Floats:
    """Return the chance of drawing the own record among the best of each stretch: the lowest scores."""
    best = np.repeat(np.minimum.reduceat(scores, begin), sizes)
    tied = scores <= best + (_TIE if scores.dtype.kind == "f" else 0)
    return np.asarray(np.add.reduceat(tied & mine, begin) / np.add.reduceat(tied, begin), dtype=np.float64)


def _scores(
    entries: Entries, known: Knowledge, people: list[tuple[int, int, Ints]], limit: int, gaps: Gaps
) -> dict[str, Any]:
    """Score every candidate of some people, the best lowest."""
    offsets, times = known.entries.events.offsets, known.entries.times
    rows = np.concatenate([rows for _, _, rows in people])
    knowledge = np.repeat([q for q, _, _ in people], [len(rows) for _, _, rows in people])
    count = offsets[knowledge + 1] - offsets[knowledge]
    pair = np.repeat(np.arange(len(rows)), count)
    at = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count - offsets[knowledge], count)
    when, row = times[at], rows[pair]
    begin, end = entries.events.offsets[row], entries.events.offsets[row + 1]
    if not len(entries.times):
        begin, end = np.zeros_like(row), np.zeros_like(row)
    before = last_at_most(entries.times, begin, end, when)
    after = last_at_most(entries.times, begin, end, when - 1) + 1
    # Further than the limit is as good as nothing there; sums of so many distances stay whole numbers.
    limit = min(limit, (1 << 62) // max(int(count.max(initial=1)), 1) - 1)
    ahead = _distance(entries.times, after, after < end, when, limit)
    back = _distance(entries.times, before, before >= begin, when, limit)
    found: dict[str, Any] = {}
    for name, gap in (("next", ahead), ("previous", back), ("nearest", np.minimum(ahead, back))):
        found[name] = np.zeros(len(rows), dtype=np.int64)
        np.add.at(found[name], pair, gap)
    unlikely = np.zeros(len(pair))
    for side, where, gap in (("after", after, ahead), ("before", before, back)):
        there = gap <= limit
        events = np.full(len(pair), -1)
        events[there] = entries.events.codes[where[there]]
        unlikely -= gaps.log_chance(side, events, gap)
    found["likelihood"] = np.bincount(pair, unlikely, minlength=len(rows))
    return found


def _distance(times: Ints, at: Ints, there: npt.NDArray[np.bool_], when: Ints, limit: int) -> Ints:
    """Return how far the entries are from the known times; one more than the limit where there is none so near."""
    gap = np.full(len(at), limit + 1, dtype=np.int64)
    gap[there] = np.minimum(np.abs(times[at[there]] - when[there]), limit + 1)
    return gap


def _reach(original: Dataset, monitored: set[str]) -> int:
    """Return how near nine in ten people have another event to a monitored one, rounded up to a usual length."""
    events, times = original.history(), original.times()
    if not len(times):
        return 1
    is_monitored = np.array([label in monitored for label in events.labels], dtype=bool)[events.codes]
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
    return _round_up(int(near[(len(near) * 9) // 10 if len(near) > 1 else 0]), original.clock)


def _round_up(length: int, clock: Clock) -> int:
    """Round up to a minute, an hour, a day or weeks; to a power of ten where times are plain numbers."""
    if clock.unit is None:
        return int(10 ** len(str(max(length - 1, 0)))) if length > 1 else 1
    step = UNITS[clock.unit]
    usual = [seconds // step for seconds in _DURATIONS.values() if seconds >= step]
    return next((size for size in usual if size >= length), -(-length // usual[-1]) * usual[-1])
