"""Guessing values from what became of records, person by person."""

from collections import Counter


def _right(weights, value):
    """Success of guessing the heaviest value; among equals by chance."""
    best = max(weights.values(), default=0)
    equals = [name for name, weight in weights.items() if weight == best]
    return (value in equals) / len(equals) if best else 0.0


def guesses(people, published, window):
    """For every person (time, value): fate, success with the release alone, success with the day's frequencies.

    ``published`` gives for everybody (snapshot, group), or None. Within groups every guess is one person's own.
    """
    days, groups, snapshots = {}, {}, {}
    for (time, value), where in zip(people, published, strict=True):
        days.setdefault(time, Counter())[value] += 1
        if where is not None:
            groups.setdefault(where, Counter())[value] += 1
            snapshots.setdefault(where[0], Counter())[value] += 1
    found = []
    for (time, value), where in zip(people, published, strict=True):
        seen = sum((snapshots.get(t, Counter()) for t in range(time, time + window)), Counter())
        if where is None:
            found.append(("missing", _right(seen, value), _right(days[time], value)))
            continue
        mine = groups[where]
        fate = "on_time" if where[0] == time else "late"
        alone = mine if fate == "on_time" else {name: seen[name] for name in mine}
        found.append((fate, _right(alone, value), _right({name: days[time][name] for name in mine}, value)))
    return found
