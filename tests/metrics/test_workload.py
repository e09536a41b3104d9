import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.naive.metrics import PLACES, chance_to_contain, comparisons, contains, published_sets

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.metrics.workload import Workload

LABEL = st.text(max_size=6) | st.text(alphabet=" >\\ne\r\n\t=+-@\u00a0\u2028\x1c\ufeff", max_size=4)
QUERIES = st.lists(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3).map(tuple), min_size=1, max_size=6)


@given(st.lists(st.lists(LABEL, min_size=1, max_size=4).map(tuple), min_size=1, max_size=5).map(tuple))
def test_text_reads_back(queries):
    text = Workload(queries).to_csv()
    assert Workload.from_csv(text).queries == queries
    assert Workload.from_csv(text.replace("\n", "\r\n")).queries == queries


@given(st.lists(st.text(alphabet="=+-@\tab", min_size=1, max_size=4), min_size=1, max_size=3).map(tuple))
def test_text_is_no_spreadsheet_formula(query):
    assert Workload((query,)).to_csv()[0] not in "=+-@\t\r"


def test_people_may_type_it():
    typed = "\ufeffhome > work\r\n\n  shop\t\n a b>\\e >c\\\\d"
    assert Workload.from_csv(typed).queries == (("home", "work"), ("shop",), ("a b", "", "c\\d"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n\nb>", "line 3 has nothing"),
        (">a", "line 1 has nothing"),
        ("a\nb\\", "line 2 ends with a backslash"),
        ("", "no queries"),
        (" \n\n", "no queries"),
    ],
)
def test_errors_name_the_line(text, message):
    with pytest.raises(SchemaError, match=message):
        Workload.from_csv(text)


def test_bad_parameters():
    data = Dataset.of("trajectories", [["a"]])
    with pytest.raises(ParameterError, match="query 2 is empty"):
        Workload((("a",), ()))
    with pytest.raises(ParameterError, match="count"):
        Workload.generate(data, count=0)
    with pytest.raises(ParameterError, match="sizes"):
        Workload.generate(data, sizes=(0, 1))
    with pytest.raises(ParameterError, match="sizes"):
        Workload.generate(data, sizes=())


@given(comparisons(), st.integers(0, 5))
def test_drawn_queries_are_distinct_and_occur(comparison, seed):
    workload = Workload.generate(comparison.original, 10, (1, 2, 3), seed)
    assert workload == Workload.generate(comparison.original, 10, (1, 2, 3), seed)
    assert 1 <= len(workload) <= 10
    assert len(set(workload.queries)) == len(workload)
    rows = comparison.original.history().lists()
    assert all(any(contains(row, query) for row in rows) for query in workload.queries)


def test_sizes_that_nobody_has_are_not_drawn():
    data = Dataset.of("trajectories", [["a", "b"]])
    assert set(Workload.generate(data, 100, (1, 2, 9)).queries) == {("a",), ("b",), ("a", "b")}
    assert Workload.generate(data, 100, (3,)).queries == ()
    assert Workload.generate(Dataset.of("trajectories", []), 100).queries == ()


@given(comparisons(), QUERIES)
def test_true_counts(comparison, queries):
    rows = comparison.original.history().lists()
    expected = [sum(contains(row, query) for row in rows) for query in queries]
    assert Workload(tuple(queries)).count(comparison.history).tolist() == expected


@given(comparisons(), QUERIES)
def test_expected_counts_enumerate_all_readings(comparison, queries):
    rows = published_sets(comparison)
    expected = [sum(chance_to_contain(row, query) for row in rows) for query in queries]
    found = Workload(tuple(queries)).count(comparison.published, comparison.members)
    assert found == pytest.approx(expected, abs=1e-12)


@given(comparisons(), QUERIES)
def test_possible_counts(comparison, queries):
    rows = published_sets(comparison)
    expected = [sum(chance_to_contain(row, query) > 0 for row in rows) for query in queries]
    ones = np.ones(len(comparison.members))
    assert Workload(tuple(queries)).count(comparison.published, comparison.members, ones).tolist() == expected


def test_portions_do_not_change_the_answer(monkeypatch):
    generator = np.random.default_rng(3)
    rows = [[PLACES[i] for i in generator.integers(6, size=generator.integers(1, 9))] for _ in range(60)]
    histories = ListColumn.from_lists(rows)
    workload = Workload(tuple((a, b) for a in PLACES for b in PLACES) + tuple((a,) for a in PLACES))
    whole = workload.count(histories)
    monkeypatch.setattr("sfumato.metrics.workload._BUDGET", 100)
    assert np.array_equal(workload.count(histories), whole)


def test_counting_nothing():
    assert Workload(()).count(ListColumn.from_lists([["a"]])).tolist() == []
    assert Workload((("a", "b"),)).count(ListColumn.from_lists([])).tolist() == [0.0]
    assert Workload((("z",), ("a",))).count(ListColumn.from_lists([["a"], []])).tolist() == [0.0, 1.0]
