"""Utility measures, plain and slow, on lists; and small originals with releases to measure."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.trajectories.guarantees import KmAnonymity
from sfumato.metrics.comparison import Comparison
from sfumato.release.recoding import name_values
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

PLACES = "abcdef"
POINTS = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (0.4, 1.2), "d": (2.6, 0.9), "e": (3.2, 2.4), "f": (-1.0, 2.0)}


def make_release(published, members=None, suppressed=(), records_in=None, places=None) -> Release:
    """Publish rows of labels; `members` maps generalised labels to places."""
    members = members or {}
    listed = [(value, member) for value, group in members.items() for member in group]
    listed += [(None, member) for member in suppressed]
    return Release(
        kind="trajectories",
        method="by-hand",
        guarantee=KmAnonymity(k=2, m=2),
        columns=(
            PublishedColumn("person", "identifier", ValueFormat("exact")),
            PublishedColumn("places", "history", ValueFormat("category", history=True)),
        ),
        table=pa.table(
            {
                "person": pa.array([f"r{i}" for i in range(len(published))], pa.string()),
                "places": ListColumn.from_lists(published).to_arrow(),
            }
        ),
        values=pa.table(
            {
                "column": pa.array(["places"] * len(listed), pa.string()),
                "value": pa.array([value for value, _ in listed], pa.string()),
                "member": pa.array([member for _, member in listed], pa.string()),
            }
        ),
        records_in=len(published) if records_in is None else records_in,
        places=places,
    )


def recode(original: Dataset, rows, group_of, suppressed=(), seed=0, with_rows=True) -> Comparison:
    """Publish some rows; `group_of(row)` maps places to the tuple of places they are published as."""
    histories = original.history().lists()
    groups = sorted({group_of(row)[place] for row in rows for place in histories[row] if place not in suppressed})
    names = dict(zip(groups, name_values(groups), strict=True))
    published = [[names[group_of(row)[p]] for p in histories[row] if p not in suppressed] for row in rows]
    members = {name: group for group, name in names.items() if len(group) > 1}
    x, y = zip(*POINTS.values(), strict=True)
    places = pa.table({"place": list(POINTS), "x": x, "y": y})
    release = make_release(published, members, suppressed, len(original), places)
    return Comparison(original, release, np.array(rows, dtype=np.int64) if with_rows else None, seed)


@st.composite
def comparisons(draw, clusters=2, longest=5):
    """Draw an original with a release: some rows withheld, some places suppressed, one recoding per cluster."""
    original = Dataset.of(
        "trajectories",
        draw(st.lists(st.lists(st.sampled_from(PLACES), min_size=1, max_size=longest), min_size=1, max_size=8)),
        POINTS,
    )
    suppressed = tuple(sorted(draw(st.sets(st.sampled_from(PLACES), max_size=2))))
    assigned = [draw(st.lists(st.integers(0, 3), min_size=len(PLACES), max_size=len(PLACES))) for _ in range(clusters)]
    recodings = []
    for numbers in assigned:
        same = {n: tuple(p for p, m in zip(PLACES, numbers, strict=True) if m == n) for n in numbers}
        recodings.append({p: same[n] for p, n in zip(PLACES, numbers, strict=True)})
    histories = original.history().lists()
    able = [row for row, history in enumerate(histories) if set(history) - set(suppressed)]
    if not able:
        suppressed, able = (), list(range(len(histories)))
    order = draw(st.permutations(able))
    rows = order[: draw(st.integers(1, len(order)))]
    cluster_of = draw(st.lists(st.integers(0, clusters - 1), min_size=len(histories), max_size=len(histories)))
    return recode(original, rows, lambda row: recodings[cluster_of[row]], suppressed)


def contains(history, query) -> bool:
    """Tell whether a query is left when places are deleted from a history."""
    return any(tuple(kept) == tuple(query) for kept in itertools.combinations(history, len(query)))


def published_sets(comparison: Comparison) -> list[list[tuple[str, ...]]]:
    """Return the published histories with the members of each value."""
    members = comparison.release.members()
    return [[members.get(label, (label,)) for label in row] for row in comparison.release.history().lists()]


def chance_to_contain(sets, query) -> float:
    """Return the share of all readings of a published history that contain the query."""
    readings = list(itertools.product(*sets))
    return sum(contains(reading, query) for reading in readings) / len(readings)


def average_relative_error(comparison: Comparison, queries, sanity=0.001) -> float:
    """Return ARE."""
    original, published = comparison.original.history().lists(), published_sets(comparison)
    errors = []
    for query in queries:
        truth = sum(contains(row, query) for row in original)
        estimate = sum(chance_to_contain(row, query) for row in published)
        errors.append(abs(estimate - truth) / max(truth, sanity * len(original)))
    return sum(errors) / len(errors)


def divergence(comparison: Comparison, subtrajectories) -> float:
    """Return the divergence of supports."""
    original, published = comparison.original.history().lists(), published_sets(comparison)
    before = [sum(contains(row, s) for row in original) for s in subtrajectories]
    after = [sum(chance_to_contain(row, s) > 0 for row in published) or 0.5 for s in subtrajectories]
    p = [count / sum(before) for count in before]
    q = [count / sum(after) for count in after]
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))


def location_distance(place, group, points=None) -> float:
    """Return the mean distance of a place to the members of what it is published as."""
    points = points or POINTS
    return sum(math.dist(points[place], points[member]) for member in group) / len(group)


def distance(comparison: Comparison, suppressed_distance=None) -> float:
    """Return D; suppressed places are left out, or have a given distance."""
    suppressed = set(comparison.release.suppressed())
    histories = comparison.original.history().lists()
    means = []
    for row, sets in zip(comparison.rows, published_sets(comparison), strict=True):
        values = iter(sets)
        found = []
        for place in histories[row]:
            if place not in suppressed:
                found.append(location_distance(place, next(values)))
            elif suppressed_distance is not None:
                found.append(suppressed_distance)
        means.append(sum(found) / len(found))
    return sum(means) / len(means)


def place_distance(comparison: Comparison) -> float:
    """Return the mean over generalised places of the mean distance of their pairs."""
    groups = comparison.release.members().values()
    inside = [
        np.mean([math.dist(POINTS[a], POINTS[b]) for a, b in itertools.combinations(group, 2)]) for group in groups
    ]
    return float(np.mean(inside)) if inside else 0.0


def largest_distance(points) -> float:
    """Return the largest distance of two points."""
    return max((math.dist(a, b) for a, b in itertools.combinations(points, 2)), default=0.0)


def frequent_patterns(histories, floor) -> set[tuple]:
    """Return all subsequences that at least `floor` histories contain."""
    found: dict[tuple, int] = {}
    for row in histories:
        own = {kept for size in range(1, len(row) + 1) for kept in itertools.combinations(row, size)}
        for pattern in own:
            found[pattern] = found.get(pattern, 0) + 1
    return {pattern for pattern, count in found.items() if count >= floor}
