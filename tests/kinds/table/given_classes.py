"""Releases of tables whose classes are given, so that measures and pages can be tested without any method."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

import sfumato as sf
from sfumato.kinds.table.methods._base.relational import Relational
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run

TREE = sf.Hierarchy.from_paths(
    [("Spain", "South", "Europe", "*"), ("Italy", "South", "Europe", "*"), ("Norway", "Europe", "*"), ("Chile", "*")]
)
NAMES = ("age", "height", "sex", "origin", "ill")


@dataclasses.dataclass(frozen=True)
class GivenClasses(Relational):
    """Publishes the classes it is told: the class of every row, -1 for a record that is withheld."""

    name = "given-classes"
    summary = "Publishes the classes it is told."
    paper = "none"
    optimises = "nothing"
    group: tuple[int, ...] = ()

    def partition(self, attributes, requirement, run):
        return np.array(self.group, np.int64)


def publish(data: sf.Dataset, group: Sequence[int], k: int = 2):
    """Return the result of publishing these classes; the promise need not hold."""
    return GivenClasses(k=k, group=tuple(group)).anonymize(data, Run(bytes([1] * 32)))


def compare(data: sf.Dataset, group: Sequence[int], k: int = 2, **options) -> Comparison:
    result = publish(data, group, k)
    return Comparison(data, result.release, result.owner_record.rows, **options)


def make_people(rows: Sequence[Sequence[object]]) -> sf.Dataset:
    """A whole number, a decimal, labels without and with a hierarchy, and an illness."""
    return sf.Dataset.of("table", rows, NAMES, sensitive=("ill",), hierarchies={"origin": TREE})


def people_rows(least: int = 2, most: int = 8) -> st.SearchStrategy:
    row = st.tuples(
        st.none() | st.integers(18, 30),
        st.none() | st.sampled_from([1.5, 1.75, 1.8, 2.0]),
        st.none() | st.sampled_from("fmx"),
        st.none() | st.sampled_from(["Spain", "Italy", "Norway", "Chile"]),
        st.sampled_from(["flu", "cold", "cough"]),
    )
    # A column without any value has no scale.
    whole = [(18, 1.5, "f", "Spain", "flu"), (30, 2.0, "m", "Chile", "cold")]
    return st.lists(row, min_size=max(least - 2, 0), max_size=most - 2).map(lambda rows: [*whole, *rows])
