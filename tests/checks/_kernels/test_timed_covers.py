"""Classes whose intervals hold what is known: what is compiled keeps those that plain Python does."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.checks._kernels.timed_covers import keep_covering

EVENTS = 10
events = st.lists(st.tuples(st.integers(0, 12), st.integers(0, EVENTS - 1)), max_size=4).map(sorted)
categories = st.lists(st.sets(st.integers(0, EVENTS - 1)), min_size=1, max_size=3)


@st.composite
def covers(draw: Any, most: int) -> list[tuple[int, int, int]]:
    """Draw intervals that ascend and do not meet, each with a category."""
    bounds = sorted(draw(st.lists(st.integers(0, 12), max_size=6, unique=True)))
    return [(lo, hi, draw(st.integers(0, most))) for lo, hi in zip(bounds[::2], bounds[1::2], strict=False)]


def matches(known: list[Any], cover: list[Any], members: list[set[int]], partial: bool) -> bool:
    held = [[at for at, (lo, hi, of) in enumerate(cover) if lo <= t <= hi and e in members[of]] for t, e in known]
    return {at for places in held for at in places} == set(range(len(cover))) and (partial or all(held))


@settings(max_examples=300)
@given(st.lists(events, min_size=1, max_size=4), categories, st.booleans(), st.data())
def test_the_same_classes_are_kept(
    known: list[Any], members: list[set[int]], partial: bool, data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(covers(len(members) - 1), min_size=1, max_size=4))
    flags = np.array([[event in held for event in range(EVENTS)] for held in members])
    cells = np.array([cell for row in known for cell in row], np.int64).reshape(-1, 2).T
    bounds = np.array([cell for cover in drawn for cell in cover], np.int64).reshape(-1, 3).T
    found = keep_covering(
        np.arange(len(known) + 1) * len(drawn),
        np.tile(np.arange(len(drawn)), len(known)),
        np.cumsum([0, *map(len, known)]),
        *map(np.ascontiguousarray, cells),
        np.cumsum([0, *map(len, drawn)]),
        *map(np.ascontiguousarray, bounds),
        np.packbits(flags, axis=1, bitorder="little"),
        partial,
    )
    wanted = [[at for at, cover in enumerate(drawn) if matches(row, cover, members, partial)] for row in known]
    assert [part.tolist() for part in np.split(found[1], found[0][1:-1])] == wanted
