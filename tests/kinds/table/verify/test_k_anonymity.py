"""The verifier of tables counts what the definitions say."""

import dataclasses
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.table.given import publish
from tests.kinds.table.naive import promise
from tests.kinds.table.releases import ILL, ORDER, drawn, members_of, people_of

import sfumato as sf
from sfumato.checks.classes import Classes
from sfumato.checks.compiled import set_smallest
from sfumato.exceptions import VerificationError
from sfumato.kinds.table.decode import quasi_columns
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.kinds.table.knowledge import Fitting
from sfumato.kinds.table.verify.k_anonymity import verify, verify_against
from sfumato.release.decode import decode
from sfumato.release.release import ExtraTable, PublishedColumn
from sfumato.release.text import ValueFormat


def rows_of(release):
    return release.table.to_pylist(), [column.name for column in quasi_columns(release)]


@given(drawn(), st.integers(2, 5))
def test_k_is_the_smallest_class(made, k):
    _, result = made
    guarantee = dataclasses.replace(result.release.guarantee, k=k)
    verdict = verify(dataclasses.replace(result.release, guarantee=guarantee))
    assert verdict.measured["k"] == promise.k_of(*rows_of(result.release))
    assert verdict.holds == (verdict.measured["k"] >= k)
    if not verdict.holds:
        assert verdict.counterexample["records"] == verdict.measured["k"] == len(verdict.counterexample["rows"])
        rows, quasi = rows_of(result.release)
        assert len({repr([rows[at - 1][q] for q in quasi]) for at in verdict.counterexample["rows"]}) == 1


@given(drawn(), st.integers(2, 4))
def test_distinct_diversity(made, l):
    release = made[1].release
    guarantee = dataclasses.replace(release.guarantee, l=l)
    verdict = verify(dataclasses.replace(release, guarantee=guarantee))
    assert verdict.measured["l"] == promise.distinct_l(*rows_of(release), "ill")
    assert verdict.checks["sensitive values of every class are diverse"] == (verdict.measured["l"] >= l)


@given(drawn(), st.integers(2, 4))
def test_entropy_diversity(made, l):
    release = made[1].release
    guarantee = dataclasses.replace(release.guarantee, l=l, diversity="entropy")
    verdict = verify(dataclasses.replace(release, guarantee=guarantee))
    entropy = promise.entropy(*rows_of(release), "ill")
    assert verdict.measured["l"] == pytest.approx(math.exp(entropy), abs=1e-5)
    holds = verdict.checks["sensitive values of every class are diverse"]
    assert holds == (entropy >= math.log(l) - 1e-12) or abs(entropy - math.log(l)) < 1e-8


@given(drawn(), st.integers(2, 4), st.sampled_from([0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 0.7]))
def test_recursive_diversity(made, l, c):
    release = made[1].release
    guarantee = dataclasses.replace(release.guarantee, l=l, diversity="recursive", c=c)
    verdict = verify(dataclasses.replace(release, guarantee=guarantee))
    holds = verdict.checks["sensitive values of every class are diverse"]
    assert holds == promise.is_recursive(*rows_of(release), "ill", c, l)


def test_what_is_equal_on_paper_is_not_less():
    rows = [(1, "a")] * 7 + [(1, "b")] * 10
    data = sf.Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    for c, counts in ((0.7, (7, 10)), (0.1, (1, 10)), (0.3, (3, 10))):
        del counts
        release = publish(data, [0] * 17, l=2, diversity="recursive", c=c).release
        assert verify(release).holds == promise.is_recursive(*rows_of(release), "ill", c, 2)
    seven = sf.Dataset.of("table", [(1, "a")] * 7 + [(1, "b")] * 7, ("age", "ill"), sensitive=("ill",))
    assert not verify(publish(seven, [0] * 14, l=2, diversity="recursive", c=1.0).release).holds


COSTS = {
    "equal": lambda release: promise.equal_cost,
    "ordered": lambda release: promise.ordered_cost([x for x in ORDER if x in release.table["ill"].to_pylist()]),
    "hierarchical": lambda release: promise.tree_cost(ILL),
}


@pytest.mark.parametrize("distance", COSTS)
@given(data=st.data())
def test_closeness_is_the_earth_movers_distance(distance, data):
    _, result = data.draw(drawn(10, t=0.3, distance=distance))
    release = result.release
    verdict = verify(release)
    found = promise.closeness(*rows_of(release), "ill", COSTS[distance](release))
    assert verdict.measured["t"] == pytest.approx(float(found), abs=1e-5)
    assert verdict.checks["sensitive values of every class are distributed as in the whole"] == (
        float(found) <= 0.3 + 1e-9
    )


@given(drawn())
def test_whoever_is_known_fits_the_records_that_hold_their_values(made):
    data, result = made
    release = result.release
    table = Classes.of(decode(release))
    known = Fitting.of(table, data)
    found = known.weigh(table.sizes)[known.case]
    with set_smallest(0):
        compiled = Fitting.among(table, data, data.table)
    assert (compiled.fits != known.fits).nnz == 0
    rows, quasi = rows_of(release)
    assert found.tolist() == [len(promise.candidates(rows, quasi, p, members_of(release))) for p in people_of(data)]
    verdict = verify_against(release, data, result.owner_record.rows)
    some = [size for size in found.tolist() if size]
    assert verdict.measured["fitting"] == min(some)
    assert verdict.holds == (min(some) >= 2)


@given(drawn(), st.integers(1, 3), st.randoms())
def test_union_of_classes_is_as_safe_as_each(made, l, random):
    """What the verifier concludes from classes holds for all records that anybody fits."""
    data, result = made
    release = result.release
    rows, quasi = rows_of(release)
    smallest = promise.distinct_l(rows, quasi, "ill")
    for person in people_of(data):
        fitting = promise.candidates(rows, quasi, person, members_of(release))
        assert not fitting or len({row["ill"] for row in fitting}) >= smallest


def with_population(release, counts, names=("age",)):
    """Publish the number of people of every class, in the order of their cells."""
    table = Classes.of(decode(release))
    quasi = quasi_columns(release)
    cells = release.table.select([c.name for c in quasi]).take(pa.array(table.example))
    cells = cells.append_column("people", pa.array(counts, pa.int64()))
    extra_table = ExtraTable((*quasi, PublishedColumn("people", "count", ValueFormat("exact", "int64"))), cells)
    guarantee = dataclasses.replace(release.guarantee, presence=0.5)
    return dataclasses.replace(
        release, guarantee=guarantee, extra_tables={**release.extra_tables, "population": extra_table}
    )


@given(drawn(), st.data())
def test_presence_is_counted_in_the_population(made, source):
    data, result = made
    known = [column.name for column in data.schema.columns if column.role == "quasi-identifier"]
    people = people_of(data)
    extra = source.draw(st.lists(st.sampled_from(people), max_size=20))
    population = [*people, *extra]
    texts = {name: pa.array(["" if p[name] is None else str(p[name]) for p in population]) for name in known}
    data = dataclasses.replace(data, population=pa.table(texts))
    rows, quasi = rows_of(result.release)
    table = Classes.of(decode(result.release))
    members = members_of(result.release)
    groups = [rows[at] for at in table.example]
    counts = [
        sum(all(promise.fits(cells[q], p[q], members.get(q, {}), None) for q in quasi) for p in population)
        for cells in groups
    ]
    release = with_population(result.release, counts)
    worst = promise.presence(rows, quasi, population, members)
    alone, counted = verify(release), verify_against(release, data)
    for verdict in (alone, counted):
        assert verdict.measured["presence"] == pytest.approx(float(worst), abs=1e-5)
        assert verdict.checks["not too much of the population is in the data"] == (worst <= 0.5)
    assert counted.checks["the population is counted as it is"]
    wrong = with_population(result.release, [count + 1 for count in counts])
    assert not verify_against(wrong, data).checks["the population is counted as it is"]


def test_presence_without_a_population_stays_open():
    data = sf.Dataset.of("table", [(1,), (1,)], ("age",))
    release = with_population(publish(data, [0, 0]).release, [4])
    assert verify(release).holds
    assert verify_against(release, data).outcome == "unsettled"
    assert "population=" in verify_against(release, data).unsettled[0]


def test_several_sensitive_columns_are_judged_one_by_one():
    rows = [(1, "a", "x"), (1, "b", "x"), (9, "a", "y"), (9, "b", "z")]
    data = sf.Dataset.of("table", rows, ("age", "ill", "job"), sensitive=("ill", "job"))
    verdict = verify(publish(data, [0, 0, 1, 1], l=2).release)
    assert not verdict.holds and verdict.measured["l"] == 1
    assert verdict.counterexample["column"] == "job" and verdict.counterexample["cells"] == {"age": "[1..1]"}


def test_another_claim_and_another_original_are_refused():
    data = sf.Dataset.of("table", [(1, "a"), (1, "b")], ("age", "ill"), sensitive=("ill",))
    result = publish(data, [0, 0])
    with pytest.raises(VerificationError, match="no column 'age'"):
        verify_against(result.release, sf.Dataset.of("table", [("a",), ("b",)], ("town",)))
    assert not verify_against(result.release, data, np.array([0, 0])).holds
    strange = dataclasses.replace(result.release, guarantee=KAnonymity(k=2, quasi=("age", "ill")))
    assert verify(strange).counterexample["check"] == "the claim is about the columns that play the part"
