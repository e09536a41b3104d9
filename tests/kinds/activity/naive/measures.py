"""Measures of activity data, the plain way: lists, loops and fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

Rows = Sequence[Sequence[str]]
Classes = Sequence[Sequence[int]]


def centroid(rows: Rows, members: Sequence[int], length: int) -> list[dict[str, Fraction]]:
    """Return the shares of a class by interval."""
    found = []
    for first in range(0, len(rows[0]), length):
        done = [label for row in members for label in rows[row][first : first + length]]
        found.append({label: Fraction(done.count(label), len(done)) for label in set(done)})
    return found


def slot_shares(rows: Rows, members: Sequence[int], length: int) -> list[dict[str, Fraction]]:
    """Return the published shares of a class for every slot."""
    shares = centroid(rows, members, length)
    return [shares[slot // length] for slot in range(len(rows[0]))]


def relative_difference(rows: Rows, classes: Classes, length: int, span: int, *, everybody: bool = False) -> Fraction:
    """Average over people, spans of slots and activities; with everybody, those left out are published with nothing."""
    labels = sorted({label for row in rows for label in row})
    of = {row: members for members in classes for row in members}
    chosen = [row for row in range(len(rows)) if everybody or row in of]
    spans = range(0, len(rows[0]), span)
    total = Fraction(0)
    for row in chosen:
        published = slot_shares(rows, of[row], length) if row in of else [{} for _ in rows[0]]
        for first in spans:
            for label in labels:
                before = Fraction(list(rows[row][first : first + span]).count(label))
                after = sum((share.get(label, Fraction(0)) for share in published[first : first + span]), Fraction(0))
                if max(before, after) > 0:
                    total += abs(before - after) / max(before, after)
    return total / (max(len(chosen), 1) * len(spans) * len(labels))


def mean_totals(rows: Rows, classes: Classes) -> tuple[dict[str, Fraction], dict[str, Fraction]]:
    """Return the mean number of slots by activity, over everybody and over the published."""
    published = [row for members in classes for row in members]
    before = Counter(label for row in rows for label in row)
    after = Counter(label for row in published for label in rows[row])
    return (
        {label: Fraction(count, len(rows)) for label, count in before.items()},
        {label: Fraction(after[label], len(published)) for label in before},
    )


def transitions(rows: Rows, classes: Classes, length: int, step: int) -> Fraction:
    """Return the total variation distance of pairs `step` intervals apart."""
    apart, slots = step * length, len(rows[0])
    before: Counter[tuple[str, str]] = Counter()
    after: Counter[tuple[str, str]] = Counter()
    for row in rows:
        before.update((row[slot], row[slot + apart]) for slot in range(slots - apart))
    for members in classes:
        shares = slot_shares(rows, members, length)
        for slot in range(slots - apart):
            for one, much in shares[slot].items():
                for two, more in shares[slot + apart].items():
                    after[one, two] += len(members) * much * more  # type: ignore[assignment]
    total_before, total_after = sum(before.values()), sum(after.values())
    return (
        sum(
            (abs(Fraction(before[pair], total_before) - after[pair] / total_after) for pair in {*before, *after}),
            Fraction(0),
        )
        / 2
    )


def time_of_day(rows: Rows, classes: Classes, length: int, origin: int) -> Fraction:
    """Return the mean over hours of the day of the distance between shares; slots are hours, the first one `origin`."""
    before: dict[int, Counter[str]] = {}
    after: dict[int, dict[str, Fraction]] = {}
    for slot in range(len(rows[0])):
        hour = (origin + slot) % 24
        before.setdefault(hour, Counter()).update(row[slot] for row in rows)
        for members in classes:
            for label, share in slot_shares(rows, members, length)[slot].items():
                sums = after.setdefault(hour, {})
                sums[label] = sums.get(label, Fraction(0)) + share * len(members)
    distances = []
    for hour, counts in before.items():
        all_before, all_after = sum(counts.values()), sum(after[hour].values())
        labels = {*counts, *after[hour]}
        apart = [
            abs(Fraction(counts[label], all_before) - after[hour].get(label, Fraction(0)) / all_after)
            for label in labels
        ]
        distances.append(sum(apart, Fraction(0)) / 2)
    return sum(distances, Fraction(0)) / len(distances)
