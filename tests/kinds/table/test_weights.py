"""Survey weights: kept with the record, counted in measures, in no promise, and never published as they are."""

from __future__ import annotations

import dataclasses
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

import sfumato as sf
from sfumato.kinds.table.metrics.weighted_queries import WeightedQueries
from sfumato.kinds.table.metrics.weighted_shares import WeightedShares
from sfumato.metrics.comparison import Comparison

SECRET = bytes([1] * 32)
ROLES = {"identifier": ("id",), "quasi": ("age", "sex"), "sensitive": ("ill",)}


def people(count=60, seed=3):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "id": [f"p{n}" for n in range(count)],
            "age": rng.integers(20, 70, count),
            "sex": rng.choice(["f", "m"], count),
            "ill": rng.choice(["flu", "cold"], count),
            "w": rng.uniform(200, 9000, count),
        }
    )


def files(folder):
    return {path.name: path.read_bytes() for path in (folder / "release").iterdir()}


def test_weights_change_nothing_that_is_published(tmp_path):
    weighted = sf.read(people(), "table", weight="w", **ROLES)
    plain = sf.read(people(), "table", drop=("w",), **ROLES)
    assert weighted.weights is not None and plain.weights is None
    for name, data in (("with", weighted), ("without", plain)):
        sf.write(sf.anonymize(data, sf.methods.Mondrian(k=5), secret=SECRET), tmp_path / name, reports=False)
    assert files(tmp_path / "with") == files(tmp_path / "without")
    assert sf.verify(tmp_path / "with", weighted).outcome == "holds"


def test_weights_are_kept_with_the_record_by_the_owner(tmp_path):
    data = sf.read(people(), "table", weight="w", **ROLES)
    sf.write(sf.anonymize(data, sf.methods.Mondrian(k=5), secret=SECRET), tmp_path / "out", reports=False)
    kept = pq.read_table(tmp_path / "out" / "owner" / "rows.parquet")
    assert kept["weight"].to_pylist() == data.weights[kept["original_row"].to_numpy()].tolist()


def test_a_weight_that_is_a_quasi_identifier_is_published_in_ranges_that_keep_the_promise(tmp_path):
    roles = ROLES | {"quasi": ("age", "w")}
    data = sf.read(people(), "table", weight="w", drop=("sex",), **roles)
    result = sf.anonymize(data, sf.methods.Mondrian(k=5), secret=SECRET)
    column = next(column for column in result.release.columns if column.name == "w")
    assert column.role == "quasi-identifier" and column.form.cell == "interval"
    assert sf.write(result, tmp_path / "out", reports=False).holds
    score = sf.measure(tmp_path / "out", data)["weighted-queries"]
    assert 0 <= score.value < 5 and score.details["with_weights"] >= 0


@pytest.mark.parametrize("role", ["plain", "sensitive", "identifier", "drop"])
def test_a_precise_weight_is_not_published_as_it_is(role):
    roles = {name: (*columns, "w") if name == role else columns for name, columns in (ROLES | {"plain": ()}).items()}
    roles |= {"drop": ("w",)} if role == "drop" else {}
    with pytest.raises(sf.ParameterError, match="precise weights nearly identify people"):
        sf.read(people(), "table", weight="w", **roles)


def test_a_weight_smuggled_into_a_release_is_found(tmp_path):
    data = sf.read(people(), "table", weight="w", **ROLES)
    result = sf.anonymize(data, sf.methods.Mondrian(k=5), secret=SECRET)
    sf.write(result, tmp_path / "out", reports=False)
    shutil.copytree(tmp_path / "out", tmp_path / "bad")
    file = tmp_path / "bad" / "release" / "data.parquet"
    table = pq.read_table(file)
    pq.write_table(table.append_column("w", pa.array(data.weights[result.owner_record.rows])), file)
    assert sf.verify(tmp_path / "out").outcome == "holds"
    assert sf.verify(tmp_path / "bad").outcome != "holds"


@pytest.mark.parametrize(
    ("cells", "told"),
    [(["1", "-2", "3"], "row 2"), (["1", "", "3"], "row 2"), (["1", "2", "x"], "row 3"), (["0", "0", "0"], "are 0")],
)
def test_what_cannot_be_a_weight_is_refused_by_row(cells, told):
    table = pa.table({"age": ["30", "40", "50"], "w": cells})
    with pytest.raises(sf.SchemaError, match=told):
        sf.read(table, "table", quasi=("age",), weight="w")


def test_other_kinds_of_data_refuse_weights():
    with pytest.raises(sf.ParameterError, match="weight= does not apply to sets"):
        sf.read(pa.table({"person": ["a"], "item": ["x"]}), "sets", weight="w")


def naive_share(data, values, weights):
    return sum(w for row, w in zip(values, weights, strict=True) if data(row)) / sum(weights)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from("ab"), st.integers(1, 9)), min_size=6, max_size=25),
    st.integers(0, 5),
)
def test_weighted_answers_are_those_of_a_plain_sum(rows, age):
    data = sf.Dataset.of("table", [row[:2] for row in rows], ("age", "sex"))
    data = dataclasses.replace(data, weights=np.array([row[2] for row in rows], dtype=float))
    result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=SECRET)
    asked = Comparison(data, result.release, result.owner_record.rows, workload=sf.Workload(((f"age={age}..9",),)))
    score = WeightedQueries().measure(asked)
    truth = naive_share(lambda row: row[0] >= age, rows, data.weights)
    estimate = better = 0.0
    for at, cell in enumerate(result.release.table.column("age").to_pylist()):
        width = cell["hi"] - cell["lo"] + 1
        chance = max(0, cell["hi"] - max(cell["lo"], age) + 1) / width
        estimate += chance / len(rows)
        better += chance * data.weights[result.owner_record.rows[at]] / data.weights.sum()
    bound = max(truth, 0.001)
    assert score.value == pytest.approx(abs(estimate - truth) / bound)
    assert score.details["with_weights"] == pytest.approx(abs(better - truth) / bound)


def test_equal_weights_are_as_good_as_none():
    data = sf.read(people(), "table", drop=("w",), **ROLES)
    data = dataclasses.replace(data, weights=np.full(len(data), 7.0))
    result = sf.anonymize(data, sf.methods.Mondrian(k=5), secret=SECRET)
    both = Comparison(data, result.release, result.owner_record.rows)
    shares = WeightedShares().measure(both)
    assert shares.value == pytest.approx(shares.details["with_weights"])
