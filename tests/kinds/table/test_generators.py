"""Generated patients: attributes go together as those of people do, and diagnoses with age and sex."""

from __future__ import annotations

import numpy as np
import pyarrow.csv as pa_csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.cli import run
from sfumato.generators.people import EDUCATION, draw_people, pick_rows
from sfumato.kinds.table.generators import generate


@pytest.fixture(scope="module")
def patients():
    return {name: np.array(column) for name, column in generate(20_000, seed=1).to_pydict().items()}


def test_attributes_go_together(patients):
    age, income, woman = patients["age"], patients["income"], patients["sex"] == "female"
    assert (age.min(), age.max()) >= (18, 60)
    widowed, single = (patients["marital_status"] == name for name in ("widowed", "never married"))
    assert age[widowed].mean() > age.mean() + 20 > age[single].mean() + 30
    assert woman[widowed].mean() > 0.6
    assert np.all(np.diff([income[patients["education"] == level].mean() for level in EDUCATION]) > 0)
    assert (
        woman[patients["occupation"] == "care"].mean()
        > 0.7
        > 0.4
        > woman[patients["occupation"] == "engineering"].mean()
    )
    large = np.char.startswith(patients["zip"], "01")
    assert large[age < 30].mean() > 1.2 * large[age > 60].mean()


def test_diagnoses_depend_on_age_and_sex(patients):
    age, woman, found = patients["age"], patients["sex"] == "female", patients["diagnosis"]
    assert woman[found == "pregnancy"].all()
    assert age[found == "pregnancy"].max() < 60
    assert not woman[found == "prostate cancer"].any()
    assert age[found == "dementia"].mean() > age[found == "migraine"].mean() + 30
    assert len(np.unique(found)) == 40


def test_a_share_is_not_known():
    table = generate(5_000, seed=2, missing=0.1)
    for name in ("education", "occupation"):
        assert 0.07 < np.mean([cell == "" for cell in table[name].to_pylist()]) < 0.13
    assert "" not in generate(500, seed=2)["education"].to_pylist()


def test_the_first_people_do_not_depend_on_the_options_of_missing_values():
    few, some = generate(50, seed=3), generate(50, seed=3, missing=1.0)
    assert few["diagnosis"].equals(some["diagnosis"])


def test_regions_are_as_many_as_wanted():
    people = draw_people(np.random.Generator(np.random.PCG64(1)), 5_000, regions=5)
    assert set(people.region) == set(range(5))
    assert len({text[:2] for text in people.columns()["zip"].to_pylist()}) == 5


@given(st.integers(1, 6), st.integers(1, 5), st.data())
def test_rows_are_picked_by_their_own_weights(rows, kinds, data):
    weights = np.array(
        data.draw(st.lists(st.lists(st.integers(0, 9), min_size=kinds, max_size=kinds), min_size=rows, max_size=rows)),
        float,
    )
    weights[:, -1] += 1
    row = np.array(data.draw(st.lists(st.integers(0, rows - 1), min_size=1, max_size=20)))
    uniform = np.array(data.draw(st.lists(st.floats(0, 0.999), min_size=len(row), max_size=len(row))))
    picked = pick_rows(np.cumsum(weights, axis=1), row, uniform)
    for one, place, found in zip(row, uniform, picked, strict=True):
        shares = np.cumsum(weights[one]) / weights[one].sum()
        lower = shares[found - 1] if found else 0.0
        assert lower - 1e-9 <= place <= shares[found] + 1e-9


def test_the_command_writes_what_can_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["generate", "table", "--size", "50", "--seed", "1", "--out", "people.csv"]) == 0
    options = {"quasi": "age,sex,zip,education,marital_status,occupation", "sensitive": "income,diagnosis"}
    data = sf.read(tmp_path / "people.csv", "table", identifier="person", **options)
    scales = {column.name: column.scale for column in data.schema.columns}
    assert (len(data), scales["age"], scales["income"], scales["zip"]) == (50, "integer", "integer", "categorical")
    assert pa_csv.read_csv(tmp_path / "people.csv").num_rows == 50
