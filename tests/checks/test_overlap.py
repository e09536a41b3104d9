"""Counting with signs is counting record by record."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.checks.records import Records
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError


@st.composite
def releases(draw):
    """Records of values that lie inside each other, mostly; places are a, b, c, ..."""
    places = "abcdef"[: draw(st.integers(2, 6))]
    sets = [(place,) for place in places]
    for _ in range(4):
        if draw(st.integers(0, 9)):
            start, stop = sorted((draw(st.integers(0, len(places))), draw(st.integers(0, len(places)))))
            sets.append(tuple(places[start:stop]) or (places[0],))
        else:
            sets.append(tuple(sorted(draw(st.sets(st.sampled_from(places), min_size=1)))))
    values = {f"V{i}": members for i, members in enumerate(sets)}
    record = st.lists(st.sampled_from(sorted(values)), max_size=6)
    rows = draw(st.lists(record, min_size=1, max_size=6))
    among = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    return places, values, rows, among, draw(st.sampled_from([(), ("a",)]))


def matches(row, known, values):
    rest = iter(row)
    return all(any(place in values[value] for value in rest) for place in known)


@given(releases(), st.integers(1, 3))
@settings(max_examples=300)
def test_counts_are_those_of_reading_every_record(release, size):
    places, values, rows, among, sensitive = release
    records = Records(ListColumn.from_lists(rows), values, (), sensitive, places)
    names = {int(kind): place for kind, place in zip(records.kind, places, strict=True) if kind >= 0}
    known = sorted(product(names, repeat=size))
    wanted = np.array([sum(k * records.base ** (size - 1 - i) for i, k in enumerate(s)) for s in known], np.int64)
    found = records.count(wanted, size, np.array(among))
    for s, count in zip(known, found.tolist(), strict=True):
        told = [names[kind] for kind in s]
        assert count == sum(chosen and matches(row, told, values) for row, chosen in zip(rows, among, strict=True))


def test_sequences_of_values_whose_keys_would_run_over_are_refused():
    """Two kinds of places, of which sixteen are few sequences; in twenty values there are too many to tell apart."""
    values = {f"V{i}": ["a", f"x{i}"] for i in range(20)}
    records = Records(ListColumn.from_lists([[*values][:16], [*values][4:]]), values, (), (), ["a", "b"])
    assert records.overlapping.all() and records.count(np.array([0]), 2).tolist() == [2]
    with pytest.raises(ParameterError, match="sequences of 16 out of 20 values are too many to tell apart"):
        records.count(np.array([0]), 16)
