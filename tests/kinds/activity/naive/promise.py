"""The promise of classes of days in a reader's terms: every class, every slot, every window, everybody in it."""

import itertools
from fractions import Fraction


def hidden_intervals(release, gap):
    """Class and interval of which nothing is published."""
    table = release.table.to_pylist()
    order = {begin: place for place, begin in enumerate(sorted({row["interval"] for row in table}))}
    return {(row["class"], order[row["interval"]]) for row in table if row["activity"] == gap and row["share"] == 1.0}


def count_least_observed(days, members, shown, gap):
    """The fewest people of a class who are observed in a slot of which something is published."""
    counts = [sum(days[person][slot] != gap for person in members) for slot in shown]
    return min(counts, default=len(members))


def largest_share(days, members, shown, sensitive, window, gap=None):
    """The largest share of those seen in a window who are seen doing one sensitive activity in it and nothing else."""
    largest = Fraction(0)
    for start in range(len(days[0]) - window + 1):
        slots = range(start, start + window)
        if not all(slot in shown for slot in slots):
            continue
        seen = [{days[person][slot] for slot in slots} - {gap} for person in members]
        seen = [activities for activities in seen if activities]
        for activity in sensitive:
            largest = max(largest, Fraction(sum(each == {activity} for each in seen), len(seen) or 1))
    return largest


def assignments(people, lengths, counts):
    """All days of so many people that have the counted slots of each activity in each interval."""
    by_interval = []
    for length, count in zip(lengths, counts, strict=True):
        cells = [activity for activity, number in count.items() for _ in range(number)]
        orders = sorted(set(itertools.permutations(cells)))
        by_interval.append([[cells[p * length : (p + 1) * length] for p in range(people)] for cells in orders])
    for parts in itertools.product(*by_interval):
        yield [[slot for part in parts for slot in part[person]] for person in range(people)]


def share_time(days, begins, activities):
    """The share of people's time that goes into each activity, interval by interval, counted slot by slot."""
    ends = [*begins[1:], len(days[0])]
    return [
        [
            sum(day[slot] == activity for day in days for slot in range(begin, end)) / (len(days) * (end - begin))
            for activity in range(activities)
        ]
        for begin, end in zip(begins, ends, strict=True)
    ]
