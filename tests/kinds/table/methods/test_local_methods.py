"""What all methods keep that publish the hulls of classes: cluster, mondrian and mdav."""

import collections
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.table.drawn_tables import classes_of, dataset_of, tables
from tests.kinds.table.naive.local_classes import Column, hull_of

import sfumato as sf
from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.kinds.table.methods.cluster import Cluster
from sfumato.kinds.table.methods.mdav import Mdav
from sfumato.kinds.table.methods.mondrian import Mondrian
from sfumato.release.run import Run

SECRET = bytes([1] * 32)
MIXED = {
    "cluster": Cluster,
    "cluster around its seed": lambda **asked: Cluster(**asked, nearest_to="seed"),
    "mondrian": Mondrian,
    "mondrian, relaxed": lambda **asked: Mondrian(**asked, cut="relaxed"),
}
ALL = {**MIXED, "mdav": Mdav}

every_method = pytest.mark.parametrize("make", ALL.values(), ids=ALL)
every_mixed_method = pytest.mark.parametrize("make", MIXED.values(), ids=MIXED)


def group_of(data, method):
    return method.partition(method.attributes(data), method.require(data), Run(SECRET))


def cells_of(release, columns):
    """Return the published rows as the plain twin spells them."""
    rows = []
    for row in release.table.to_pylist():
        cells = []
        for at, column in enumerate(columns):
            cell = row[f"q{at}"]
            if isinstance(cell, dict):
                cell = "missing" if cell["lo"] is None else (cell["lo"], cell["hi"])
            elif isinstance(cell, list):
                cell = "missing" if cell == [""] else frozenset(cell)
            elif column.parents is not None and cell == "":
                cell = "missing"
            cells.append(cell)
        rows.append(tuple(cells))
    return rows


@every_mixed_method
@settings(max_examples=60)
@given(columns=tables(), k=st.integers(2, 6))
def test_every_class_has_k_records_and_publishes_their_hull(make, columns, k):
    assume(k <= len(columns[0].cells))
    data = dataset_of(columns)
    group = group_of(data, make(k=k))
    assert (group >= 0).all() and min(np.bincount(group)) >= k
    bounds = {row: hull_of(columns, rows) for rows in classes_of(group) for row in rows}
    result = sf.anonymize(data, make(k=k), secret=SECRET)
    published = cells_of(result.release, columns)
    assert [bounds[row] for row in result.owner_record.rows.tolist()] == published
    assert min(collections.Counter(published).values()) >= k
    assert len(set(published)) == int(group.max()) + 1


@every_mixed_method
@settings(max_examples=40)
@given(columns=tables(largest=30), asked=st.sampled_from([{"l": 2}, {"t": 0.3}, {"l": 2, "diversity": "entropy"}]))
def test_every_class_is_diverse(make, columns, asked):
    rows = len(columns[0].cells)
    assume(rows >= 2)
    data = dataset_of(columns, ill=["flu" if row % 3 else "cold" for row in range(rows)])
    method = make(k=2, **asked)
    try:
        needs = method.require(data)
    except (InfeasibleError, ParameterError):
        return
    assert needs.judge(group_of(data, method)).all()


GUARANTEES = (
    {},
    {"l": 2},
    {"l": 2, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 3.0},
    {"t": 0.3},
    {"t": 0.3, "distance": "ordered"},
    {"l": 3, "t": 0.4},
)


@every_method
@pytest.mark.parametrize("asked", GUARANTEES, ids=str)
def test_releases_are_verified_from_their_files(make, asked, tmp_path):
    rng = np.random.default_rng(3)
    rows = [
        (int(a), round(float(h), 1), int(p)) for a, h, p in zip(*rng.normal([[40], [1], [5]], 2, (3, 90)), strict=True)
    ]
    data = sf.Dataset.of("table", rows, ("age", "height", "pain"), sensitive=("pain",))
    result = sf.anonymize(data, make(k=3, **asked), secret=SECRET)
    assert sf.write(result, tmp_path / "out", reports=False).holds
    assert sf.verify(tmp_path / "out", original=data).holds


@every_mixed_method
@settings(max_examples=25)
@given(columns=tables(), k=st.integers(2, 4))
def test_releases_of_drawn_tables_are_verified(make, columns, k):
    rows = len(columns[0].cells)
    assume(k <= rows)
    data = dataset_of(columns, ill=[["flu", "cold", "gout"][row % 3] for row in range(rows)])
    result = sf.anonymize(data, make(k=k, t=0.5), secret=SECRET)
    with tempfile.TemporaryDirectory() as folder:
        assert sf.write(result, Path(folder) / "out", reports=False).holds
        assert sf.verify(Path(folder) / "out", original=data).holds


@every_method
def test_all_rows_equal_are_one_class(make):
    data = sf.Dataset.of("table", [(30, 1.5)] * 7, ("age", "height"))
    assert set(group_of(data, make(k=2)).tolist()) == {0}


@every_method
def test_one_attribute_and_all_rows_different(make):
    data = sf.Dataset.of("table", [(age,) for age in range(20)], ("age",))
    sizes = np.bincount(group_of(data, make(k=4)))
    assert len(sizes) > 1 and 4 <= min(sizes) <= max(sizes) < 8


@every_method
def test_k_of_all_rows_is_one_class(make):
    data = sf.Dataset.of("table", [(age, age % 3) for age in range(9)], ("age", "children"))
    assert np.bincount(group_of(data, make(k=9))).tolist() == [9]
    with pytest.raises(ParameterError, match="k must be at most"):
        sf.anonymize(data, make(k=10))


@every_mixed_method
def test_missing_values_stay_among_themselves_where_there_are_enough(make):
    columns = [Column([None, 30, None, 31, None, 32]), Column(list("aababb"))]
    result = sf.anonymize(dataset_of(columns), make(k=3, weights="q0=9"), secret=SECRET)
    assert {cells[0] for cells in cells_of(result.release, columns)} == {"missing", (30, 32)}


@every_mixed_method
def test_everything_missing(make):
    data = dataset_of([Column([None] * 5), Column([1, 2, 3, 4, 5])])
    release = sf.anonymize(data, make(k=5), secret=SECRET).release
    assert release.table["q0"].to_pylist() == [[""]] * 5


@every_mixed_method
def test_an_attribute_that_does_not_matter_is_given_up(make):
    """With weight 0 on one attribute, the other is published as well as it can be."""
    columns = [Column([1, 9, 1, 9]), Column([5, 5, 8, 8])]
    release = sf.anonymize(dataset_of(columns), make(k=2, weights="q0=0"), secret=SECRET).release
    assert {cells[1] for cells in cells_of(release, columns)} == {(5, 5), (8, 8)}


@every_method
def test_the_same_secret_gives_the_same_release_and_another_one_the_same_promise(make):
    data = sf.Dataset.of("table", [(age % 17, age % 5) for age in range(60)], ("age", "children"))
    one, again, other = (sf.anonymize(data, make(k=3), secret=secret).release for secret in (SECRET, SECRET, bytes(32)))
    assert one.table.equals(again.table)
    assert other.guarantee == one.guarantee


def test_strict_cuts_do_not_depend_on_the_order_of_the_file():
    rows = [(age % 17, "abc"[age % 3], None if age % 11 == 0 else age % 5) for age in range(60)]
    releases = [
        sf.anonymize(sf.Dataset.of("table", order, ("age", "city", "children")), Mondrian(k=3), secret=SECRET).release
        for order in (rows, rows[::-1])
    ]
    one, other = (collections.Counter(map(repr, release.table.to_pylist())) for release in releases)
    assert one == other
