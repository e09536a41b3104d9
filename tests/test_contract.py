"""What every method must do, whatever it is: new methods pass through here by being registered."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato import registry
from sfumato.core.derive import balanced
from sfumato.core.errors import InfeasibleError, ParameterError, SfumatoError
from sfumato.core.params import declared
from sfumato.core.run import Run
from sfumato.engines.local import Local
from sfumato.io.releases import read_release

METHODS = list(registry.all_methods().values())


def required_parameters(method) -> dict:
    """Small valid values for what has no default, or for k where it is one of several demands."""
    chosen = {p.name: max(2, int(p.param.ge or 2)) for p in declared(method) if p.required}
    return {"k": 2, **chosen}


def trajectories(rows: list[list[str]], method) -> sf.Dataset:
    labels = sorted({place for row in rows for place in row})
    xy = {label: (float(i % 4), float(i // 4)) for i, label in enumerate(labels)}
    options = {}
    if "constraints" in method.needs:
        options["constraints"] = tuple(tuple(labels[i : i + 6]) for i in range(0, len(labels), 6))
    if "hierarchy place" in method.needs and labels:
        options["hierarchy"] = balanced(labels, 3)
    if "sensitive places" in method.needs and "s0" in labels:
        options["sensitive"] = ("s0",)
    return sf.Dataset.from_trajectories(rows, xy, **options)


def sequences(rows: list[list[str]], method) -> sf.Dataset:
    """The same rows as clicks a minute apart; the first place is what the receiver monitors."""
    labels = sorted({event for row in rows for event in row})
    timed = [[(event, 60 * i + 7 * number % 50) for i, event in enumerate(row)] for number, row in enumerate(rows)]
    options = {"hierarchy": balanced(labels, 3)} if "hierarchy event" in method.needs and labels else {}
    return sf.Dataset.from_sequences(timed, monitored=tuple(labels[:1]) or ("a",), **options)


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


def make(method, rows):
    parameters = required_parameters(method)
    if "delta" in {p.name for p in declared(method)}:
        parameters["delta"] = 100.0
    build = {"trajectories": trajectories, "sequences": sequences}[method.kinds[0]]
    return method(**parameters), build(rows, method)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
@pytest.mark.parametrize("rows", DATA.values(), ids=DATA.keys())
def test_a_release_is_verified_or_the_answer_is_an_error_people_understand(method, rows, tmp_path):
    chosen, data = make(method, rows)
    try:
        result = sf.anonymize(data, chosen, seed=1)
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
    with pytest.raises(SfumatoError, match="nobody"):
        sf.anonymize(data, chosen)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_the_input_is_unchanged(method):
    chosen, data = make(method, DATA["ordinary"])
    before = data.table.to_pylist(), None if data.places is None else data.places.to_pylist()
    sf.anonymize(data, chosen, seed=1)
    assert (data.table.to_pylist(), None if data.places is None else data.places.to_pylist()) == before


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_the_same_seed_gives_the_same_release_on_any_number_of_cores(method):
    chosen, data = make(method, DATA["ordinary"])
    tables = [
        sf.anonymize(data, chosen, run=Run(7, engine=Local(cores))).release.table.to_pylist() for cores in (1, 2, 3)
    ]
    assert tables[0] == tables[1] == tables[2]
    assert sf.anonymize(data, chosen).release.table.to_pylist() != tables[0]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_parquet_and_csv_give_the_release_back(method, tmp_path):
    chosen, data = make(method, DATA["ordinary"])
    result = sf.anonymize(data, chosen, seed=1)
    sf.write(result, tmp_path / "out", reports=False)
    for file in ("data.parquet", "data.csv"):
        back = read_release(tmp_path / "out", file)
        assert back.table.to_pylist() == result.release.table.to_pylist()
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
    assert method.kinds and method.promises and method.paper and method.summary and method.optimises
    assert dataclasses.is_dataclass(method)
    assert all(p.param.help.endswith(".") for p in declared(method))
