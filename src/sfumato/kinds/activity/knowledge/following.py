"""An attacker who knows one slot of a person and follows the person through the published shares, interval by interval.

Published shares say how many people of a class do what, or how many people's worth of time goes into it. Whoever knows
that a person is the only one of the class to do something can go on from there if hardly anybody changes what they do
from one interval to the next, which is so when intervals are short.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.time_units import UNITS
from sfumato.kinds.activity.decode import measure_intervals
from sfumato.kinds.activity.knowledge.slots import KnownSlots

__all__ = ["Following", "Steps", "follow"]

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_CLASSES, _STARTS = 40, 1200
"""So many classes are looked at, and so many known slots of all of them: enough for a median."""
_RIGHT = 0.99
_STEPS = 240
"""Nobody is followed for more intervals than that in one direction: what is reported is a median."""
_GROUP_SIZES = (1.0, 3.0, np.inf)
_CHANGES = (0.0, 2.0, 10.0, np.inf)
"""How many may do the same as the person, and how many of the class may have changed what they do, before the attacker
gives up: what serves best is reported."""
_NEARLY = 1e-9
_SECONDS = (60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_MULTIPLES = (2, 5, 10, 15, 30, 60)


class Following(NamedTuple):
    """How far people can be followed if intervals of a length are published.

    Attributes
    ----------
    length
        Slots in an interval.
    median
        Slots, before and after the known one, that are predicted and are right 99 times of 100: the median over known
        slots in which a person alone of the class does something. 0 where there is no such slot.
    share
        Share of these known slots from which anything is predicted.
    starts
        How many known slots were looked at.

    Examples
    --------
    >>> Following(length=60, median=0.0, share=0.02, starts=300).share <= 0.05
    True
    """

    length: int
    median: float
    share: float
    starts: int


class _Track(NamedTuple):
    """Predictions from some known slots on, in one direction: by slot and step.

    Attributes
    ----------
    group_size
        The most who did the same as the person so far; not a number where nothing is predicted any more.
    changes
        How many people of the class changed what they do so far, at least.
    right
        What share of the interval is predicted right.
    """

    group_size: Floats
    changes: Floats
    right: Floats

    def select(self, group_size: float, changes: float) -> Flags:
        """Tell what is predicted by an attacker who gives up at some crowd, and after some changes."""
        # Nothing compares with what is not a number.
        return np.asarray((self.group_size <= group_size + _NEARLY) & (self.changes <= changes + _NEARLY))


class Steps(NamedTuple):
    """Where the people of a class go from one interval to the next, if as few of them as possible change.

    Attributes
    ----------
    people
        By interval and activity: how many people's worth of time goes into it.
    changes
        By interval: how many people at least do something else in the next one.
    only
        By interval: the one activity that takes more time in the next one; -1 if there are none or several.
    closed
        Intervals and activities that nothing can be said about: unknown time.
    """

    people: Floats
    changes: Floats
    only: Ints
    closed: Flags

    @classmethod
    def of(cls, people: Floats, closed: Flags) -> Steps:
        """Find what takes more time in the next interval."""
        more = people[1:] > people[:-1] + _NEARLY
        only = np.where(more.sum(axis=1) == 1, more.argmax(axis=1), -1)
        return cls(people, np.abs(np.diff(people, axis=0)).sum(axis=1) / 2, only, closed)

    def advance(self, interval: Ints, activity: Ints) -> Ints:
        """Return what somebody does in the next interval, given what the person does in this; -1 if that is open.

        Where as much time as before goes into it, or more, nobody left it. Where none does, everybody left it, and if
        one other activity takes more time than before, for that.

        Examples
        --------
        >>> people = np.array([[1.0, 2.0, 0.0], [1.0, 1.0, 1.0], [0.0, 2.0, 1.0]])
        >>> steps = Steps.of(people, np.zeros((3, 3), bool))
        >>> steps.advance(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 2])).tolist()
        [0, -1, 1, 2]
        """
        then, now = self.people[interval + 1, activity], self.people[interval, activity]
        moved = np.where(then <= _NEARLY, self.only[interval], -1)
        next_activity = np.where(then >= now - _NEARLY, activity, moved)
        return np.where((next_activity >= 0) & ~self.closed[interval + 1, next_activity], next_activity, -1)


def follow(knowledge: KnownSlots, rows: Ints, unit: str | None, seed: int = 0) -> list[Following]:
    """Follow people through a release, and through the same classes published by longer intervals.

    The attacker knows the class of a person and one slot, in which no more than one person's worth of the class's time
    goes into what the person does. From there predictions go on, forwards and backwards, as long as
    :meth:`Steps.advance` leaves one continuation, and as far as they are right 99 times of 100.
    Who is among many who do
    the same is lost easily, so some attackers give up sooner; the one that gets farthest is reported.

    Parameters
    ----------
    knowledge
        The original beside the published classes.
    rows
        Original rows, class by class.
    unit
        Unit of the slots; None where nobody knows how long they are.
    seed
        Draws classes and known slots, where there are many.

    Returns
    -------
    list[Following]
        By length of intervals, from the published one on.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.data.dataset import Dataset
    >>> data = Dataset.of("activity", [["a"] * 6 + ["b"] * 6, ["b"] * 12, ["b"] * 12])
    >>> result = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="slot"), secret=bytes(32))
    >>> follow(KnownSlots.of(result.release, data), result.owner_record.rows, "minute")[0]
    Following(length=1, median=11.0, share=1.0, starts=6)
    """
    generator = np.random.default_rng(seed)
    members = knowledge.published.members(rows)
    chosen = np.sort(generator.permutation(len(members))[:_CLASSES])
    lengths = _list_lengths(knowledge, unit)
    tracks: dict[int, list[_Track]] = {length: [] for length in lengths}
    tables = (table for at, table in enumerate(knowledge.published.tables()) if at in set(chosen.tolist()))
    for at, shares in zip(chosen.tolist(), tables, strict=True):
        for length in lengths:
            tracks[length] += _follow_class(knowledge, members[at], shares, length, (generator, _STARTS // len(chosen)))
    return [_sum_up(length, tracks[length]) for length in lengths]


def _list_lengths(knowledge: KnownSlots, unit: str | None) -> list[int]:
    """List lengths of intervals, in slots: the published one, and longer ones that people would choose."""
    length, slots = knowledge.length, knowledge.slots.codes.shape[1]
    if unit is None:
        longer = [length * times for times in _MULTIPLES]
    else:
        longer = [seconds // UNITS[unit] for seconds in _SECONDS if seconds % UNITS[unit] == 0]
    return [
        length,
        *(
            candidate
            for candidate in longer
            if candidate > length and candidate % length == 0 and 2 * candidate <= slots
        ),
    ]


def _follow_class(
    knowledge: KnownSlots, people: Ints, shares: Floats, length: int, draw: tuple[np.random.Generator, int]
) -> list[_Track]:
    """Follow people of a class from some known slots, drawn at random, forwards and then backwards."""
    labels = np.array(knowledge.slots.find(knowledge.published.labels), dtype=np.int64)
    whole = knowledge.slots.codes.shape[1] // length
    merged = len(people) * _merge(shares, knowledge, length)[:whole]
    closed = np.zeros(merged.shape, dtype=bool)
    if knowledge.gap in knowledge.published.labels:
        closed[:, knowledge.published.labels.index(knowledge.gap)] = True
    days = knowledge.slots.codes[people, : whole * length].reshape(len(people), whole, length)
    column = np.full(len(knowledge.slots.labels), -1, dtype=np.int64)
    column[labels[labels >= 0]] = np.flatnonzero(labels >= 0)
    alone = (merged > _NEARLY) & (merged <= 1.0 + _NEARLY) & ~closed
    done = column[days]
    who, when, slot = np.nonzero((done >= 0) & alone[np.arange(whole)[None, :, None], done])
    if not len(who):
        return []
    generator, starts = draw
    drawn = generator.permutation(len(who))[:starts]
    who, when, what = who[drawn], when[drawn], done[who[drawn], when[drawn], slot[drawn]]
    forwards = _walk(Steps.of(merged, closed), done, (who, when, what))
    backwards = _walk(Steps.of(merged[::-1], closed[::-1]), done[:, ::-1], (who, whole - 1 - when, what))
    return [forwards, backwards]


def _merge(shares: Floats, knowledge: KnownSlots, length: int) -> Floats:
    """Return shares of intervals of a length that published ones make up."""
    begins = np.arange(0, len(shares), length // knowledge.length)
    lengths = measure_intervals(knowledge.slots.codes.shape[1], knowledge.length)
    time = np.add.reduceat(shares * lengths[:, None], begins, axis=0)
    return np.asarray(time / np.add.reduceat(lengths, begins)[:, None])


def _walk(steps: Steps, done: Ints, start: tuple[Ints, Ints, Ints]) -> _Track:
    """Go on from known slots in the direction of time."""
    who, when, what = start
    going, at, what = np.arange(len(who)), when.copy(), what.copy()
    most, changed = np.zeros(len(who)), np.zeros(len(who))
    track = []
    for _ in range(min(_STEPS, len(steps.people))):
        going = going[at[going] + 1 < len(steps.people)]
        what[going] = steps.advance(at[going], what[going])
        going = going[what[going] >= 0]
        if not len(going):
            break
        changed[going] += steps.changes[at[going]]
        at[going] += 1
        most[going] = np.maximum(most[going], steps.people[at[going], what[going]])
        step = np.full((3, len(who)), np.nan)
        step[0, going], step[1, going] = most[going], changed[going]
        step[2, going] = (done[who[going], at[going]] == what[going, None]).mean(axis=1)
        track.append(step)
    return _Track(*np.array(track).reshape(len(track), 3, len(who)).transpose(1, 2, 0))


def _sum_up(length: int, tracks: list[_Track]) -> Following:
    """Return what the attacker reaches who gives up when it serves best."""
    if not tracks:
        return Following(length, 0.0, 0.0, 0)
    tries = [_measure_reliable(tracks, group_size, changes) for group_size in _GROUP_SIZES for changes in _CHANGES]
    best = max(tries, key=lambda both: (np.median(both), (both > 0).mean()))
    return Following(length, float(np.median(best)) * length, float((best > 0).mean()), len(best))


def _measure_reliable(tracks: list[_Track], group_size: float, changes: float) -> Floats:
    """Return by known slot how many intervals are predicted, as far as predictions are right 99 times of 100."""
    steps = max(track.group_size.shape[1] for track in tracks)
    predicted, right = np.zeros(steps), np.zeros(steps)
    for track in tracks:
        here = track.select(group_size, changes)
        predicted[: here.shape[1]] += here.sum(axis=0)
        right[: here.shape[1]] += np.where(here, track.right, 0.0).sum(axis=0)
    reliable = np.flatnonzero((np.cumsum(right) >= _RIGHT * np.cumsum(predicted)) & (predicted > 0))
    far = int(reliable[-1]) + 1 if len(reliable) else 0
    reached = [track.select(group_size, changes)[:, :far].sum(axis=1) for track in tracks]
    return np.concatenate([forwards + other for forwards, other in zip(reached[::2], reached[1::2], strict=True)])
