"""Grouping of people with alike times, step by step with exact fractions.

A person is a list of (time, leaf) events; what they do unmonitored is a list of (event, time) pairs. Clusters are
sorted lists of person numbers.
"""

from fractions import Fraction
from itertools import pairwise
from math import fsum

from tests.kinds.sequences.naive.covers import bound_by_neighbours, count_events, least_loss_stepwise


class Loss:
    """CP of groups of people, remembered."""

    def __init__(self, people, weights=(1, 0), span=1, parent=()):
        self.people, self.arguments, self.known = people, (weights, span, parent), {}

    def __call__(self, cluster):
        if (key := tuple(cluster)) not in self.known:
            group = [self.people[person] for person in key]
            self.known[key] = Fraction(least_loss_stepwise(group, *self.arguments)) / count_events(group)
        return self.known[key]


def find_fullest(cluster, pairs, g):
    """The most members who do one event within a closed window of length g, the event, and the window's start."""
    windows = sorted({(event, start) for person in cluster for event, start in pairs[person]})
    fullest = (0, -1, 0)
    for event, start in windows:
        present = sum(any(e == event and start <= t <= start + g for e, t in pairs[person]) for person in cluster)
        if present > fullest[0]:
            fullest = (present, event, start)
    return fullest


def fulfils(cluster, pairs, k, l, g):
    return len(cluster) >= max(k, l) and l * find_fullest(cluster, pairs, g)[0] <= len(cluster)


def in_conflict(one, other, pairs, g):
    return any(e == f and abs(t - u) <= g for p in one for q in other for e, t in pairs[p] for f, u in pairs[q])


def group_greedily(clusters, order, pairs, demand, loss, parts=None):
    """Algorithm 1 for the people in the order, or in every part of it; the clusters given stand already."""
    k, l, g = demand
    done = list(clusters)
    for part in parts or [order]:
        waiting = [[person] for person in sorted(part)]
        for person in part:
            if [person] not in waiting:
                continue
            waiting.remove([person])
            cluster = [person]
            while len(cluster) < max(k, l):
                free = [other for other in waiting if l == 0 or not in_conflict(cluster, other, pairs, g)]
                if not free:
                    break
                nearest = min(free, key=lambda other: (loss(sorted(cluster + other)), other[0]))
                waiting.remove(nearest)
                cluster = sorted(cluster + nearest)
            done.append(cluster)
    for small in sorted(cluster for cluster in done if len(cluster) < max(k, l)):
        if small not in done:
            continue
        done.remove(small)
        while not fulfils(small, pairs, k, l, g):
            nearest = min(done, key=lambda other: (loss(sorted(small + other)), other[0]))
            done.remove(nearest)
            small = sorted(small + nearest)
        done.append(small)
    return sorted(done)


def walk_hilbert(bits):
    """All cells of the grid along the curve: up, right, down, each quarter a smaller curve."""
    if bits == 0:
        return [(0, 0)]
    side, curve = 1 << (bits - 1), walk_hilbert(bits - 1)
    return [
        *((y, x) for x, y in curve),
        *((x, y + side) for x, y in curve),
        *((x + side, y + side) for x, y in curve),
        *((2 * side - 1 - y, side - 1 - x) for x, y in curve),
    ]


def order_hilbert(people):
    """People along the curve through the plane of their first and last time."""
    spans = [(min(person)[0], max(person)[0]) for person in people]
    low, high = min(start for start, _ in spans), max(end for _, end in spans)
    curve = walk_hilbert((high - low).bit_length())
    return sorted(range(len(people)), key=lambda person: curve.index(tuple(time - low for time in spans[person])))


def assign_regions(order, people):
    """Who of the order is in region A."""
    apart = [float(bound_by_neighbours([people[p]], [people[q]])) for p, q in pairwise(order)]
    if not apart:
        return [p for p in order if len({time for time, _ in people[p]}) == 1]
    apart = [apart[0], *apart]
    mean = fsum(apart) / len(apart)
    return [p for p, far in zip(order, apart, strict=True) if far < mean or len({t for t, _ in people[p]}) == 1]


def cut_curve(order, size, loss):
    """The best cut into runs of at least so many and less than twice as many: (loss, runs), sums as doubles."""
    best = [(0.0, [])] + [None] * len(order)
    for end in range(1, len(order) + 1):
        for members in range(size, min(2 * size - 1, end) + 1):
            if best[end - members] is None:
                continue
            run = sorted(order[end - members : end])
            total = best[end - members][0] + members * float(loss(run))
            if best[end] is None or total < best[end][0]:
                best[end] = (total, [*best[end - members][1], run])
    return best[-1]


def group_blocks(curve, order, pairs, demand, loss, block):
    """Algorithm 1 in stretches of the curve; clusters that stay too small join the nearest of all."""
    blocks = max(1, len(order) // block)
    parts = [
        [person for person in order if curve.index(person) * blocks // len(order) == number] for number in range(blocks)
    ]
    return group_greedily([], order, pairs, demand, loss, parts)


def group_hybrid(region, order, pairs, demand, loss):
    """Algorithm 3, the people of the region along the curve."""
    k, l, g = demand
    runs = cut_curve(region, max(k, l), loss)[1] if len(region) >= max(k, l) else []
    runs = [run for run in runs if fulfils(run, pairs, k, l, g)]
    rest = [person for person in order if all(person not in run for run in runs)]
    return group_greedily(runs, rest, pairs, demand, loss)
