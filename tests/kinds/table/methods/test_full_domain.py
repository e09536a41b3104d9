"""Methods that recode all records alike: what is published keeps the promise, and can be applied to a later batch."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.table.drawn_tables import dataset_of, tables
from tests.kinds.table.naive import full_domain as plain
from tests.kinds.table.naive.published_tables import classes_of_release, find_unfaithful
from tests.notes import list_sentences

import sfumato as sf
from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.table.methods._base.level_losses import LOSSES
from sfumato.release.recoding import read_saved
from sfumato.release.run import Run

METHODS = (sf.methods.Incognito, sf.methods.Optimal, sf.methods.TopDown, sf.methods.BottomUp)
SECRET = bytes([1] * 32)
CITIES = Hierarchy.from_paths(
    [("Bern", "Europe", "*"), ("Rome", "Europe", "*"), ("Oslo", "Europe", "*"), ("Lima", "America", "*")]
)


def run_of(limit=0.05):
    return Run(SECRET, max_suppressed_records=limit)


def cells_of(release):
    return sorted(map(str, release.table.to_pylist()))


@settings(max_examples=200)
@given(
    st.sampled_from(METHODS),
    tables(),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    st.sampled_from(
        [
            {},
            {"l": 2},
            {"l": 2, "diversity": "entropy"},
            {"l": 2, "diversity": "recursive", "c": 2.0},
            {"t": 0.2},
            {"t": 0.3, "distance": "ordered", "l": 2},
        ]
    ),
    st.data(),
)
def test_what_is_published_keeps_the_promise(method, columns, k, limit, asked, data):
    rows = len(columns[0].cells)
    assume(rows >= k)
    ill = data.draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    original = dataset_of(columns, ill=ill)
    try:
        result = method(k=k, **asked).anonymize(original, run_of(limit))
    except (InfeasibleError, ParameterError) as error:
        event(type(error).__name__)
        assert "l" in asked or "t" in asked
        return
    release, at = result.release, result.owner_record.rows
    assert not find_unfaithful(release, original, at)
    assert len(release) + sum(release.suppressed_records.values()) == rows
    assert sum(release.suppressed_records.values()) <= limit * rows
    everybody = [ill[row] for row in at]
    wanted = plain.Asked(k, **{"c": 0.0, **asked})
    for members in classes_of_release(release):
        values = [ill[at[member]] for member in members]
        assert len(members) >= k
        assert wanted.l == 1 or plain.is_diverse(values, wanted)
        assert wanted.t is None or plain.how_far(values, everybody, wanted, None) <= wanted.t + 1e-9


@settings(max_examples=60)
@given(st.sampled_from(METHODS), tables(), st.integers(2, 4))
def test_a_recoding_applied_to_the_same_records_gives_the_same_release(method, columns, k):
    assume(len(columns[0].cells) >= k)
    original, chosen = dataset_of(columns), method(k=k)
    result = chosen.anonymize(original, run_of(0.3))
    saved = read_saved(result.owner_record.recoding.to_dict())
    again = chosen.apply(original, saved, result.release, "error", run_of(0.3))
    assert cells_of(again.release) == cells_of(result.release)
    assert again.release.values.to_pylist() == result.release.values.to_pylist()


@settings(max_examples=60)
@given(st.sampled_from(METHODS), tables(), st.integers(2, 4))
def test_classes_are_those_that_are_published(method, columns, k):
    assume(len(columns[0].cells) >= k)
    original, chosen = dataset_of(columns), method(k=k)
    group = chosen.partition(chosen.attributes(original), chosen.require(original), run_of(0.3))
    result = chosen.anonymize(original, run_of(0.3))
    published = {
        frozenset(result.owner_record.rows[members].tolist()) for members in classes_of_release(result.release)
    }
    kept = {g: frozenset(np.flatnonzero(group == g).tolist()) for g in set(group.tolist()) - {-1}}
    assert set(kept.values()) == published


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("limit", [0.0, 1.0])
@pytest.mark.parametrize(
    ("rows", "k"),
    [
        ([("a", 5)] * 4, 2),  # all records equal
        ([("a", 5)] * 4, 4),  # k is everybody
        ([("a", 1), ("b", 2), ("c", 3)], 3),  # k is everybody, nothing alike
        ([(None, 1), (None, 1), (None, 2)], 2),  # a column without any value
        ([("a", 7), ("b", 7), ("c", 7)], 2),  # an attribute of a single value
    ],
)
def test_odd_tables(method, limit, rows, k):
    original = Dataset.of("table", rows, ("city", "age"))
    result = method(k=k).anonymize(original, run_of(limit))
    sizes = [len(members) for members in classes_of_release(result.release)]
    assert min(sizes) >= k
    assert not find_unfaithful(result.release, original, result.owner_record.rows)
    if len(set(rows)) == 1:
        assert result.release.table.to_pylist()[0] == {"city": ["a"], "age": {"lo": 5, "hi": 5}}


@pytest.mark.parametrize("method", METHODS)
def test_one_attribute_alone(method):
    original = Dataset.of(
        "table", [("Bern",), ("Rome",), ("Lima",), ("Lima",)], ("city",), hierarchies={"city": CITIES}
    )
    release = method(k=2).anonymize(original, run_of()).release
    shown = Counter(release.table.column("city").to_pylist())
    assert shown == {"Europe": 2, "Lima": 2}  # Lima is alone in America
    listed = {(row["value"], row["member"]) for row in release.values.to_pylist()}
    assert {("Europe", "Bern"), ("Europe", "Rome"), ("Europe", "Oslo")} <= listed


def test_dates_numbers_and_a_tree_of_ranges_are_published_as_closed_ranges():
    from datetime import date

    ages = Hierarchy.from_parents({"0,20": "0,40", "20,40": "0,40"}, kind="ranges", type="int")
    rows = [(date(2020, 1, 5), 3), (date(2020, 1, 9), 19), (date(2021, 6, 1), 20), (date(2021, 6, 30), 40)]
    original = Dataset.of("table", rows, ("seen", "age"), hierarchies={"age": ages})
    release = sf.methods.Optimal(k=2).anonymize(original, run_of()).release
    shown = {
        (row["seen"]["lo"], row["seen"]["hi"], row["age"]["lo"], row["age"]["hi"]) for row in release.table.to_pylist()
    }
    assert shown == {
        (date(2020, 1, 1), date(2020, 1, 31), 0, 19),
        (date(2021, 6, 1), date(2021, 6, 30), 20, 40),
    }


@pytest.mark.parametrize("method", METHODS)
def test_weights_spare_what_matters(method):
    rows = list(itertools.product("ab", "fm")) * 1
    original = Dataset.of("table", rows, ("city", "sex"))
    for weights, kept in (("city=5", "city"), ("sex=5", "sex")):
        release = method(k=2, weights=weights).anonymize(original, run_of()).release
        assert None not in release.table.column(kept).to_pylist()


@pytest.mark.parametrize("method", METHODS)
def test_at_most_keeps_levels_low_or_refuses(method):
    rows = list(itertools.product("ab", "fm"))
    original = Dataset.of("table", rows, ("city", "sex"))
    release = method(k=2, at_most="city=0").anonymize(original, run_of()).release
    assert None not in release.table.column("city").to_pylist()
    with pytest.raises(InfeasibleError, match=r"suppress (at least )?4 of"):
        method(k=2, at_most="city=0,sex=0").anonymize(original, run_of())
    with pytest.raises(ParameterError, match="at_most must name"):
        method(k=2, at_most="town=0").anonymize(original, run_of())
    with pytest.raises(ParameterError, match="at_most must name"):
        method(k=2, at_most="city=x").anonymize(original, run_of())


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_finds_a_release(loss):
    rows = [("Bern", 20), ("Rome", 21), ("Oslo", 39), ("Lima", 60), ("Lima", 61), ("Bern", 22)]
    original = Dataset.of("table", rows, ("city", "age"), hierarchies={"city": CITIES})
    for method in METHODS[:2]:
        release = method(k=2, loss=loss).anonymize(original, run_of(0.2)).release
        assert min(len(members) for members in classes_of_release(release)) >= 2


def test_incognito_counts_and_notes_minimal_levels():
    original = Dataset.of("table", list(itertools.product("ab", "fm")), ("city", "sex"))
    run = run_of()
    sf.methods.Incognito(k=2).anonymize(original, run)
    assert run.counters["minimal choices"] == 2 and run.counters["choices of levels"] == 4
    assert list_sentences(run.notes) == ["Minimal levels of `city` and `sex`: 0 1; 1 0."]


@pytest.mark.parametrize("method", METHODS)
def test_presence_counts_the_people_who_fit(method):
    rows = [("Bern",), ("Bern",), ("Lima",), ("Lima",)]
    people = [("Bern",)] * 2 + [("Rome",)] * 2 + [("Lima",)] * 4
    original = Dataset.of("table", rows, ("city",), hierarchies={"city": CITIES}, population=people)
    result = method(k=2, presence=0.5).anonymize(original, run_of(0.0))
    extra_table = result.release.extra_tables["population"]
    assert sorted(row["people"] for row in extra_table.table.to_pylist()) == [4, 4]
    assert [row["city"] for row in extra_table.table.to_pylist()] == sorted(
        set(result.release.table.column("city").to_pylist())
    )
    assert result.release.guarantee.presence == 0.5
    with pytest.raises(InfeasibleError):
        method(k=2, presence=0.4).anonymize(original, run_of(0.0))
    alone = Dataset.of("table", rows, ("city",), hierarchies={"city": CITIES})
    with pytest.raises(ParameterError, match="population"):
        method(k=2, presence=0.5).anonymize(alone, run_of(0.0))


@pytest.mark.parametrize("method", METHODS)
def test_a_later_batch_with_values_that_nobody_had(method):
    first = Dataset.of(
        "table", [("Bern", 20), ("Rome", 29), ("Lima", 60), ("Lima", 60)], ("city", "age"), hierarchies={"city": CITIES}
    )
    chosen = method(k=2)
    result = chosen.anonymize(first, run_of())
    # Oslo is in the hierarchy, though in no record; Cairo is not.
    known = Dataset.of("table", [("Oslo", 25), ("Bern", 21)] * 2, ("city", "age"))
    release = chosen.apply(known, result.owner_record.recoding, result.release, "error", run_of(1)).release
    assert set(release.table.column("city").to_pylist()) <= {"Europe", None}
    strange = Dataset.of("table", [("Cairo", 25), ("Bern", 25), ("Cairo", 25)], ("city", "age"))
    hidden = any(cells.column == "city" and cells.hides_all for cells in result.owner_record.recoding.columns)
    if not hidden:
        with pytest.raises(SchemaError, match=r"Column 'city': 1 values .* 2 records have them, first rows 1, 3"):
            chosen.apply(strange, result.owner_record.recoding, result.release, "error", run_of(1))
    release = chosen.apply(strange, result.owner_record.recoding, result.release, "suppress", run_of(1)).release
    assert set(release.table.column("city").to_pylist()) == {None}
    assert len(release) == (3 if hidden else 2)


def test_other_columns_or_another_recoding_are_not_applied():
    original = Dataset.of("table", [("a", "f")] * 3, ("city", "sex"))
    method = sf.methods.Optimal(k=2)
    result = method.anonymize(original, run_of())
    other = Dataset.of("table", [("a", "f")] * 3, ("town", "sex"))
    with pytest.raises(SchemaError, match="same roles and scales"):
        method.apply(other, result.owner_record.recoding, result.release, "error", run_of())
    numbers = method.anonymize(Dataset.of("table", [(1, "f")] * 3, ("city", "sex")), run_of())
    with pytest.raises(SchemaError, match="same roles and scales"):
        method.apply(original, numbers.owner_record.recoding, numbers.release, "error", run_of())
    items = read_saved({"column": "items", "groups": [["a"]], "suppressed": []})
    with pytest.raises(SchemaError, match="one of values"):
        method.apply(original, items, result.release, "error", run_of())
    with pytest.raises(ParameterError, match="must be error or suppress"):
        method.apply(original, result.owner_record.recoding, result.release, "drop", run_of())


@pytest.mark.parametrize("method", METHODS)
def test_a_release_is_written_verified_and_its_recoding_applied_from_disk(method, tmp_path):
    rows = [("Bern", 20, "flu"), ("Rome", 29, "flu"), ("Oslo", 25, "cold"), ("Lima", 60, "flu"), ("Lima", 65, "cold")]
    made = [(city, age + shift, ill) for city, age, ill in rows for shift in (0, 1)]
    original = Dataset.of("table", made, ("city", "age", "ill"), sensitive=("ill",), hierarchies={"city": CITIES})
    result = sf.anonymize(original, method(k=2, l=2), secret=SECRET, max_suppressed_records=0.2)
    assert sf.write(result, tmp_path / "one", reports=False).holds
    assert sf.verify(tmp_path / "one", original).holds
    later = [(city, age + 1, ill) for city, age, ill in made * 2]
    batch = Dataset.of("table", later, ("city", "age", "ill"), sensitive=("ill",), hierarchies={"city": CITIES})
    again = sf.apply(tmp_path / "one", batch, unknown="suppress", max_suppressed_records=1.0)
    assert sf.write(again, tmp_path / "two", reports=False).holds
    assert sf.verify(tmp_path / "two", batch).holds


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_presence_and_closeness_are_verified_from_the_files(method, distance, tmp_path):
    random = np.random.default_rng(3)
    tree = Hierarchy.from_parents({"1": "low", "2": "low", "3": "high", "4": "high", "low": "*", "high": "*"})
    rows = [(int(a), "fm"[int(s)], int(p)) for a, s, p in random.integers([20, 0, 1], [80, 2, 5], (120, 3))]
    people = [(age, sex) for age, sex, _ in rows] + [(20 + at % 60, "fm"[at % 2]) for at in range(240)]
    trees = {"pain": tree} if distance == "hierarchical" else {}
    original = Dataset.of(
        "table", rows, ("age", "sex", "pain"), sensitive=("pain",), population=people, hierarchies=trees
    )
    chosen = method(k=3, t=0.35, distance=distance, presence=0.5)
    result = sf.anonymize(original, chosen, secret=SECRET, max_suppressed_records=0.5)
    assert sf.write(result, tmp_path / "out", reports=False).holds
    assert sf.verify(tmp_path / "out", original).holds
