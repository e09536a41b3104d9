"""Some of the data in place of all: people stay whole, and nothing is left of the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.kinds.contract_data import KINDS
from tests.contracts.kinds.test_contract import ordinary_rows

import sfumato as sf
from sfumato import plugins
from sfumato.data.select import take_rows
from sfumato.studies.explore.sample import draw_sample


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_some_records_of_every_kind_can_be_inspected(kind):
    method = next(iter(plugins.methods_for(kind).values()))
    data = KINDS[kind].build(ordinary_rows(), method)
    some = draw_sample(data, 20)
    assert 0 < len(some) < len(data)
    assert sf.inspect(some, 1)["kind"] == kind


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), min_size=2, max_size=8), st.data())
def test_records_that_are_taken_hold_what_they_held(rows, draw):
    data = sf.Dataset.of("trajectories", rows, {place: (ord(place), 0) for place in {p for r in rows for p in r}})
    chosen = sorted(draw.draw(st.sets(st.integers(0, len(rows) - 1), min_size=1)))
    some = take_rows(data, np.array(chosen))
    assert some.history().lists() == [rows[at] for at in chosen]
    labels = some.history().labels
    assert set(labels) == {place for at in chosen for place in rows[at]}
    assert some.places.column("place").to_pylist() == list(labels)
    assert some.places.column("x").to_pylist() == [ord(place) for place in labels]


def test_people_with_several_records_stay_whole():
    names = [f"p{number // 3}" for number in range(60)]
    data = sf.Dataset.of("sets", [["a"]] * 60).of_people(names)
    some = draw_sample(data, 20)
    taken = some.people.to_pylist()
    assert len(taken) <= 20
    assert all(taken.count(name) == 3 for name in set(taken))


def test_a_timeline_is_cut_and_not_thinned():
    data = sf.Dataset.of("timeline", [{"a": 1}] * 30)
    assert draw_sample(data, 10).table.column("time").to_pylist() == list(range(10))
