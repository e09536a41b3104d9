"""Leaving people out until no window is too full: enough, hardly ever more than the fewest, and bounded from below."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive import thinning as naive

from sfumato.kinds.sequences._kernels.thinning import thin_windows
from sfumato.kinds.sequences._kernels.windows import Unmonitored, key_pairs

person = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=4)
group = st.lists(person, min_size=1, max_size=9)
demands = {"g": st.integers(0, 5), "l": st.integers(2, 4)}


def thin(people, g, l):
    offsets = np.cumsum([0, *map(len, people)])
    pairs = [pair for one in people for pair in one]
    event, time = (np.array([pair[i] for pair in pairs], kind) for i, kind in ((0, np.int32), (1, np.int64)))
    return thin_windows(key_pairs(Unmonitored(offsets, event, time), g), l)


@given(people=group, **demands)
@settings(max_examples=300)
def test_enough_are_left_out_and_the_bound_is_one(people, g, l) -> None:
    found = thin(people, g, l)
    assert naive.is_diverse([one for one, stays in zip(people, found.stays, strict=True) if stays], g, l)
    gone, smallest = int((~found.stays).sum()), naive.count_removals(people, g, l)
    assert found.at_least <= smallest <= gone


@given(
    people=st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=1), min_size=1, max_size=10),
    **demands,
)
@settings(max_examples=300)
def test_where_nobody_does_two_things_the_fewest_are_left_out(people, g, l) -> None:
    found = thin(people, g, l)
    assert int((~found.stays).sum()) == naive.count_removals(people, g, l)


@given(people=group, **demands)
def test_nobody_who_is_left_out_could_come_back(people, g, l) -> None:
    stays = thin(people, g, l).stays
    for back in np.flatnonzero(~stays):
        with_one_more = [one for i, one in enumerate(people) if stays[i] or i == back]
        assert not naive.is_diverse(with_one_more, g, l)


@given(people=group, **demands)
def test_whoever_is_diverse_stays(people, g, l) -> None:
    if naive.is_diverse(people, g, l):
        assert thin(people, g, l).stays.all()


def test_it_is_the_fewest_nearly_always() -> None:
    rng = np.random.default_rng(5)
    more = 0
    for _ in range(500):
        people = [
            [(int(rng.integers(3)), int(rng.integers(10))) for _ in range(rng.integers(0, 5))]
            for _ in range(rng.integers(1, 9))
        ]
        g, l = int(rng.integers(0, 6)), int(rng.integers(2, 5))
        more += int((~thin(people, g, l).stays).sum()) > naive.count_removals(people, g, l)
    assert more <= 5
