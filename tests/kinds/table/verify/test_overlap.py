"""Whether one person may fit two classes of a population: found as by trying every person there could be."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

import sfumato as sf
from sfumato.checks.classes import Classes
from sfumato.kinds.table.verify.extra_tables import find_overlap
from sfumato.release.decode import decode

ROWS = [(age, town) for age, town in zip([1, 1, 4, 4], "abab", strict=True)]
DATA = sf.Dataset.of("table", ROWS, ("age", "town"))
GOOD = sf.anonymize(DATA, sf.methods.Optimal(k=2), secret=bytes(32)).release
AGES, TOWNS = [None, 0, 1, 2, 3, 4], ["", "a", "b", "c"]

ranges = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda ends: {"lo": min(ends), "hi": max(ends)})
ages = st.one_of(ranges, st.sampled_from([None, {"lo": None, "hi": None}]))
towns = st.one_of(st.none(), st.lists(st.sampled_from(TOWNS), min_size=1, max_size=2, unique=True).map(sorted))


def rebuild(classes: list[tuple[Any, Any]]) -> Classes:
    """A release with one record in each of some classes, read back."""
    cells = {name: [row[at] for row in classes] for at, name in enumerate(("age", "town"))}
    table = pa.table({name: pa.array(cells[name], GOOD.table.schema.field(name).type) for name in cells})
    return Classes.of(decode(dataclasses.replace(GOOD, table=table)))


def fits(row: tuple[Any, Any], age: int | None, town: str) -> bool:
    held, towns = row
    aged = held is None or (held["lo"] == age if age is None or held["lo"] is None else held["lo"] <= age <= held["hi"])
    return aged and (towns is None or town in towns)


@settings(max_examples=300)
@given(classes=st.lists(st.tuples(ages, towns), min_size=1, max_size=4))
def test_somebody_fits_two_classes(classes) -> None:
    different = [row for at, row in enumerate(classes) if row not in classes[:at]]
    people = list(itertools.product(AGES, TOWNS))
    twice = any(sum(fits(row, *person) for row in different) > 1 for person in people)
    assert (find_overlap(rebuild(different)) is not None) == twice
