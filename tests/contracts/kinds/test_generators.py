"""What every generator of every kind must keep, model by model."""

from __future__ import annotations

import inspect

import pyarrow.csv as pa_csv
import pytest

import sfumato as sf
from sfumato import plugins
from sfumato.exceptions import ParameterError

READING = {
    "snapshots": {"columns": {"qi": "age,sex"}, "sensitive": ("condition",), "drop": ("area",)},
    "rt": {"identifier": ("person",), "quasi": ("birth_month,birth_year,race,education,income",)},
    "rt videos": {"identifier": ("person",), "quasi": ("age,category,length,rate,ratings,comments",)},
    "table": {
        "identifier": ("person",),
        "quasi": ("age", "sex", "zip", "education", "marital_status", "occupation"),
        "sensitive": ("income", "diagnosis"),
    },
}
KINDS = [kind for kind in plugins.all_kinds() if plugins.find_kind(kind).generator is not None]
MODELS = [(kind, model) for kind in KINDS for model in plugins.find_kind(kind).generator.load().MODELS]


@pytest.mark.parametrize(("kind", "model"), MODELS)
def test_same_seed_same_table_and_other_seed_other_table(kind, model):
    generate = plugins.find_kind(kind).generator.load().generate
    table = generate(40, seed=7, model=model)
    assert table.equals(generate(40, seed=7, model=model))
    assert not table.equals(generate(40, seed=8, model=model))
    assert all(column.null_count == 0 for column in table.columns)


@pytest.mark.parametrize(("kind", "model"), MODELS)
def test_a_generated_file_can_be_read(tmp_path, kind, model):
    pa_csv.write_csv(plugins.find_kind(kind).generator.load().generate(12, seed=1, model=model), tmp_path / "data.csv")
    data = sf.read(tmp_path / "data.csv", kind, **READING.get(f"{kind} {model}", READING.get(kind, {})))
    assert data.kind == kind
    assert len(data) > 0
    assert [column.name for column in plugins.find_kind(kind).columns] == [
        column.name for column in data.schema.columns if plugins.find_kind(kind).columns
    ]


@pytest.mark.parametrize(("kind", "model"), MODELS)
def test_every_option_is_described_and_its_default_is_allowed(kind, model):
    room = plugins.find_kind(kind).generator.load()
    assert room.MODELS[model].endswith(".")
    for option in room.OPTIONS[model]:
        assert option.help.endswith(".")
        if option.default is not None:
            assert option.check(option.default, "generate") == option.default
            assert option.check(str(option.default), "generate") == option.default


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("size", "seed", "told"),
    [
        (0, 1, "size must be at least 1, got 0"),
        ("many", 1, "size must be a whole number, got 'many'"),
        (2.5, 1, "size must be a whole number, got 2.5"),
        (10, -1, "seed must be at least 0, got -1"),
    ],
)
def test_wrong_sizes_and_seeds_are_refused(kind, size, seed, told):
    with pytest.raises(ParameterError, match=f"generate {kind}: {told}"):
        plugins.find_kind(kind).generator.load().generate(size, seed)


@pytest.mark.parametrize("kind", KINDS)
def test_unknown_models_and_options_are_refused_with_the_nearest_known_name(kind):
    room = plugins.find_kind(kind).generator.load()
    model = inspect.signature(room.generate).parameters["model"].default
    with pytest.raises(ParameterError, match=f"there is no model '{model}x'. Did you mean '{model}'"):
        room.generate(10, 1, model=f"{model}x")
    known = room.OPTIONS[model][0].name
    with pytest.raises(ParameterError, match=f"model {model} has no option '{known}x'"):
        room.generate(10, 1, **{f"{known}x": 1})
