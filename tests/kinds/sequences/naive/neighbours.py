"""A receiver who looks at the events next to those known, record by record; what records say near known times."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tests.kinds.sequences.naive.knowledge import Event, Members, Record, matches_all

NOTHING = math.inf
Score = Callable[[Record, Sequence[Event]], float]


def ahead(record: Record, time: int, horizon: float) -> tuple[str | None, float]:
    """Return the first other event at or after a time, and how far it is; nothing beyond the horizon."""
    found = sorted(((t - time, i) for i, (_, t) in enumerate(record.events) if t >= time))
    if not found or found[0][0] > horizon:
        return None, NOTHING
    return record.events[found[0][1]][0], found[0][0]


def back(record: Record, time: int, horizon: float) -> tuple[str | None, float]:
    """Return the last other event at or before a time, and how far it is; of several at one time the last."""
    found = sorted((time - t, -i) for i, (_, t) in enumerate(record.events) if t <= time)
    if not found or found[0][0] > horizon:
        return None, NOTHING
    return record.events[-found[0][1]][0], found[0][0]


def distances(way: str, horizon: float = NOTHING) -> Score:
    """Score a record by the sum of distances; nothing there is further than anything that may be there."""

    def far(gap: float) -> float:
        limit = min(horizon, float(1 << 40))
        return limit + 1 if gap == NOTHING else gap

    def score(record: Record, known: Sequence[Event]) -> float:
        total = 0.0
        for _, time in known:
            after, before = far(ahead(record, time, horizon)[1]), far(back(record, time, horizon)[1])
            total += {"next": after, "previous": before, "nearest": min(after, before)}[way]
        return total

    return score


def chances(
    people: Sequence[Sequence[Event]], records: Sequence[Record], rows: Sequence[int], members: Members, score: Score
) -> list[float]:
    """Return for every person with a record and monitored events (the knowledge given) the chance of being found."""
    found = []
    for number, known in enumerate(people):
        if not known or number not in rows:
            continue
        matching = [i for i, record in enumerate(records) if matches_all(record, known, members)]
        scores = {i: score(records[i], known) for i in matching}
        best = [i for i in matching if scores[i] <= min(scores.values()) + 1e-9]
        own = list(rows).index(number)
        found.append(1 / len(best) if own in best else 0.0)
    return found


def learn(records: Sequence[Record], labels: Sequence[str], side: str, horizon: float) -> list[list[float]]:
    """Learn from records alone, moment by moment, what comes next and how far away it is."""
    events = len(labels)
    look = ahead if side == "after" else back
    table = [[1 / ((events + 1) * 63)] * 63 for _ in range(events + 1)]
    for _ in range(12):
        counts = [[0.0] * 63 for _ in range(events + 1)]
        for record in records:
            for _, lo, hi in record.pairs:
                seen = [reading(look(record, moment, horizon), labels) for moment in range(lo, hi + 1)]
                weights = [table[event][digits] / width(digits) for event, digits in seen]
                for (event, digits), weight in zip(seen, weights, strict=True):
                    counts[event][digits] += weight / sum(weights)
        if not any(record.pairs for record in records):
            return table
        pooled = [sum(counts[e][d] for e in range(events)) + 1e-3 for d in range(63)]
        for e in range(events):
            counts[e] = [c + 0.5 * p / sum(pooled) for c, p in zip(counts[e], pooled, strict=True)]
        counts[events] = [c + 1e-9 for c in counts[events]]
        counts[events][0] += 0.5
        total = sum(map(sum, counts))
        table = [[c / total for c in row] for row in counts]
    return table


def reading(found: tuple[str | None, float], labels: Sequence[str]) -> tuple[int, int]:
    """Return the number of an event and the binary digits of its distance; the last number is for nothing."""
    label, gap = found
    return (len(labels), 0) if label is None else (labels.index(label), int(gap).bit_length())


def width(digits: int) -> int:
    return 1 if digits == 0 else 2 ** (digits - 1)


def likelihood(records: Sequence[Record], labels: Sequence[str], horizon: float) -> Score:
    """Score a record by how unlikely it makes the known times."""
    tables = {side: learn(records, labels, side, horizon) for side in ("after", "before")}

    def score(record: Record, known: Sequence[Event]) -> float:
        total = 0.0
        for _, time in known:
            for side, look in (("after", ahead), ("before", back)):
                event, digits = reading(look(record, time, horizon), labels)
                total -= math.log(tables[side][event][digits] / width(digits))
        return total

    return score


def list_near(record: Record, told: Sequence[tuple[str, int, int]], known: Sequence[Event], window: int) -> object:
    """Return all that a record says about the time within a window of known times, in full."""
    near = [(e, t) for e, t in record.events if any(abs(t - time) <= window for _, time in known)]
    return (tuple(record.pairs), tuple(sorted(near)), tuple(sorted(told)))
