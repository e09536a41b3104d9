"""What every method must do, whatever it is: new methods pass through here by being registered."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from tests.contracts.kinds.contract_data import KINDS, required_parameters

import sfumato as sf
from sfumato import plugins
from sfumato.engines.local import Local
from sfumato.exceptions import InfeasibleError, ParameterError, SfumatoError
from sfumato.params import declared
from sfumato.release.run import Run
from sfumato.release.storage import read_release

METHODS = list(plugins.all_methods().values())


def ordinary_rows(seed: int = 5, people: int = 60) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    places = [f"p{i:02}" for i in range(12)]
    rows = [[places[i] for i in rng.integers(0, 12, rng.integers(2, 6))] for _ in range(people)]
    for row in rows[::10]:
        row.append("s0")
    return rows


DATA = {
    "one person": [["a", "b"]],
    "all equal": [["a", "b", "a"]] * 6,
    "tie-heavy": [["a", "b"], ["b", "a"], ["c", "d"], ["d", "c"], ["a", "c"], ["b", "d"]] * 3,
    "ordinary": ordinary_rows(),
}


def everything(release):
    """Return all published cells."""
    tables = {"data": release.table, **{name: extra_table.table for name, extra_table in release.extra_tables.items()}}
    return {name: table.to_pylist() for name, table in tables.items()}


def make(method, rows):
    return method(**required_parameters(method)), KINDS[method.kinds[0]].build(rows, method)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
@pytest.mark.parametrize("rows", DATA.values(), ids=DATA.keys())
def test_a_release_is_verified_or_the_answer_is_an_error_people_understand(method, rows, tmp_path):
    chosen, data = make(method, rows)
    try:
        result = sf.anonymize(data, chosen, secret=bytes([1] * 32), max_suppressed_records=1)
    except (InfeasibleError, ParameterError) as error:
        assert type(chosen).__name__ in str(error)
        assert len(rows) < 6
        return
    if method.kinds == ("sequences",):
        assert result.release.guarantee.monitored == data.schema.monitored
    verdict = sf.write(result, tmp_path / "out", reports=False)
    assert verdict.holds
    assert sf.verify(tmp_path / "out", original=data).holds


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_no_people_is_an_error(method):
    chosen, data = make(method, [])
    with pytest.raises(SfumatoError, match=r"hold no |nothing"):
        sf.anonymize(data, chosen)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_the_input_is_unchanged(method):
    chosen, data = make(method, DATA["ordinary"])
    before = data.table.to_pylist(), None if data.places is None else data.places.to_pylist()
    sf.anonymize(data, chosen, secret=bytes([1] * 32), max_suppressed_records=1)
    assert (data.table.to_pylist(), None if data.places is None else data.places.to_pylist()) == before


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_the_same_secret_gives_the_same_release_on_any_number_of_cores(method):
    chosen, data = make(method, DATA["ordinary"])
    made = [
        sf.anonymize(data, chosen, run=Run(bytes([7] * 32), engine=Local(cores)), max_suppressed_records=1).release
        for cores in (1, 2, 3)
    ]
    tables = [everything(release) for release in made]
    assert tables[0] == tables[1] == tables[2]
    # A few records can come out in the same order by chance: what counts is that no two secrets have to agree.
    others = (
        sf.anonymize(data, chosen, secret=bytes([n] * 32), max_suppressed_records=1).release for n in range(8, 20)
    )
    assert any(everything(other) != tables[0] for other in others) == KINDS[method.kinds[0]].shuffled


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_parquet_and_csv_give_the_release_back(method, tmp_path):
    chosen, data = make(method, DATA["ordinary"])
    result = sf.anonymize(data, chosen, secret=bytes([1] * 32), max_suppressed_records=1)
    sf.write(result, tmp_path / "out", reports=False)
    for file in ("data.parquet", "data.csv"):
        back = read_release(tmp_path / "out", file)
        assert everything(back) == everything(result.release)
        assert len(back) == len(result.release)
        assert back.columns == result.release.columns
        assert back.values.to_pylist() == result.release.values.to_pylist()
        assert back.guarantee == result.release.guarantee
        assert isinstance(back.table, pa.Table)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_parameters_out_of_range_and_of_the_wrong_type_are_refused(method):
    good = required_parameters(method)
    for parameter in declared(method):
        bad = ["nonsense", object()] if parameter.type is not str else [3]
        if parameter.param.ge is not None:
            bad.append(parameter.type(parameter.param.ge - 1))
        if parameter.param.le is not None:
            bad.append(parameter.type(parameter.param.le + 1))
        for value in bad:
            with pytest.raises(ParameterError, match=f"{method.__name__}: {parameter.name} must be"):
                method(**{**good, parameter.name: value})


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_a_method_says_what_it_is(method):
    assert method.kinds and method.guarantees and method.paper and method.summary and method.optimises
    assert dataclasses.is_dataclass(method)
    assert all(p.param.help.endswith(".") for p in declared(method))
