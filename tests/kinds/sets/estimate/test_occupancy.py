"""Chances and draws of subsets that leave no place empty, against trying all."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from sfumato.kinds.sets.estimate.occupancy import draw_subsets, meeting_chance


@pytest.mark.parametrize(
    ("size", "inside", "outside"), [(4, (3, 3), ()), (4, (2, 3), (1,)), (5, (3, 2, 2), (1,)), (5, (3,), (2, 2))]
)
def test_chances_to_meet_by_trying_all(size, inside, outside):
    subsets = [list(itertools.combinations(range(size), count)) for count in inside + outside]
    filling = [way for way in itertools.product(*subsets) if set().union(*way) == set(range(size))]
    hits = sum(all(0 in subset for subset in way[: len(inside)]) for way in filling)
    assert meeting_chance(size, inside, outside) == pytest.approx(hits / len(filling))


def test_ways_to_fill_all_places_are_equally_likely():
    generator = np.random.default_rng(0)
    found = Counter(
        tuple(tuple(sorted(subset.tolist())) for subset in draw_subsets(generator, 3, (2, 2))) for _ in range(1200)
    )
    assert len(found) == 6
    assert min(found.values()) > 130
