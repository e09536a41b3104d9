"""The spread lost inside classes, against the kernel's own count and the values that others publish."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.table.given_classes import GivenClasses

import sfumato as sf
from sfumato._kernels.microaggregation import measure_error_share, standardise
from sfumato.exceptions import SchemaError
from sfumato.kinds.table.methods.mdav import Mdav
from sfumato.kinds.table.metrics.microaggregation_error import MicroaggregationError
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run


@dataclasses.dataclass(frozen=True)
class GivenMeans(GivenClasses):
    """Given classes, with their means."""

    name = "given-means"
    further_tables = Mdav.further_tables


def compare(rows, group):
    data = sf.Dataset.of("table", rows, ("age", "height"))
    result = GivenMeans(k=2, group=tuple(group)).anonymize(data, Run(bytes([1] * 32)))
    return Comparison(data, result.release, result.owner_record.rows)


def converge(rows, group):
    """Let records that cannot be told apart be of one class: they are, once they are published."""
    seen = {}
    bounds = {
        number: tuple(
            (
                min(r[c] for r, g in zip(rows, group, strict=True) if g == number),
                max(r[c] for r, g in zip(rows, group, strict=True) if g == number),
            )
            for c in (0, 1)
        )
        for number in set(group)
    }
    return [seen.setdefault(bounds[number], number) for number in group]


@st.composite
def classes(draw):
    row = st.tuples(st.integers(0, 20), st.integers(0, 20).map(float))
    rows = draw(st.lists(row, min_size=3, max_size=9))
    group = draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    for _ in range(len(rows)):
        group = converge(rows, group)
    return rows, group


@given(classes())
def test_error_is_that_of_squared_distances(drawn):
    rows, group = drawn
    values = np.array(rows, dtype=float)
    lost, there = [], []
    for column in values.T:
        means = [np.mean([v for v, g in zip(column, group, strict=True) if g == own]) for own in group]
        lost.append(sum((v - m) ** 2 for v, m in zip(column, means, strict=True)))
        there.append(sum((v - column.mean()) ** 2 for v in column))
    shares = [a / b for a, b in zip(lost, there, strict=True) if b > 0]
    score = MicroaggregationError().measure(compare(rows, group)).value
    assert score == pytest.approx(sum(shares) / len(shares) if shares else 0.0, abs=1e-9)
    assert 0 <= score <= 1 + 1e-9


@given(classes())
def test_larger_classes_are_never_better(drawn):
    rows, group = drawn
    joined = [0 if number == max(group) else number for number in group]
    for _ in range(len(rows)):
        joined = converge(rows, joined)
    was, now = (MicroaggregationError().measure(compare(rows, each)).value for each in (group, joined))
    assert now >= was - 1e-9


def test_every_record_alone_loses_nothing():
    assert MicroaggregationError().measure(compare([(1, 2.0), (3, 5.0), (8, 1.0)], [0, 1, 2])).value == 0.0


def test_error_is_what_the_method_counts():
    generator = np.random.default_rng(1)
    rows = [(int(a), float(b)) for a, b in generator.normal(50, 20, (80, 2))]
    data = sf.Dataset.of("table", rows, ("age", "height"))
    result = sf.anonymize(data, sf.methods.Mdav(k=4), secret=bytes([1] * 32))
    score = MicroaggregationError().measure(Comparison(data, result.release, result.owner_record.rows))
    assert score.value == pytest.approx(result.owner_record.counters["millionths_of_spread_lost"] / 1e6, abs=1e-6)
    assert measure_error_share(standardise(np.array(rows)), np.arange(80) // 80) == pytest.approx(1)


def test_a_withheld_record_has_the_mean_of_all():
    comparison = compare([(0, 0.0), (0, 0.0), (10, 10.0)], [0, 0, -1])
    assert MicroaggregationError().measure(comparison).value == pytest.approx(
        (20 / 3) ** 2 / (2 * (10 / 3) ** 2 + (20 / 3) ** 2)
    )


def test_without_means_a_sentence_is_left():
    data = sf.Dataset.of("table", [(1,), (2,)], ("age",))
    result = GivenClasses(k=2, group=(0, 0)).anonymize(data, Run(bytes(32)))
    told = MicroaggregationError().obstacle(Comparison(data, result.release, result.owner_record.rows))
    assert told == "the release has no means of groups; mdav publishes them."


def test_means_of_other_classes_are_refused():
    comparison = compare([(1, 2.0), (3, 5.0), (8, 1.0)], [0, 0, 1])
    extra_table = comparison.release.extra_tables["means"]
    extra_tables = {"means": dataclasses.replace(extra_table, table=extra_table.table.slice(0, 1))}
    broken = dataclasses.replace(comparison.release, extra_tables=extra_tables)
    with pytest.raises(SchemaError, match="table of means"):
        MicroaggregationError().measure(Comparison(comparison.original, broken, comparison.rows))
