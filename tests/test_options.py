"""Options are declared once: commands, files, the form of the workbench and the reference have all of them."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Annotated, Any, ClassVar

import pytest
import typer

from sfumato.cli.options import with_read_options
from sfumato.data.kind import all_kinds, find_kind
from sfumato.data.time_units import UNITS
from sfumato.formats.json_text import format_toml
from sfumato.params import Option, list_options
from sfumato.policy import DataSection, Policy, read_policy
from sfumato.readers.options import ReadOptions
from sfumato.release.options import BatchOptions, ReleaseOptions
from sfumato.studies import study_file
from sfumato.web.pages import forms
from sfumato.web.pages.forms import ReadOptionsForm, find_reading_options
from tests.docs.test_site import REFERENCE

VALUES: dict[str, Any] = {
    "delimiter": ";",
    "format": "csv",
    "encoding": "latin-1",
    "separator": "pipe",
    "zone": "Europe/Athens",
    "unit": "basket",
    "places": "grid:500m",
    "max_suppressed_records": 0.5,
}
"""Values of options that do not take any text."""
NOT_LISTED = {"steps": "is edited below the table", "columns": "is asked for by role"}
"""Reading options that the form does not ask for in a field of its own, and why."""


@dataclasses.dataclass(frozen=True)
class MoreReading(ReadOptions):
    """Reading options with one that no release of this program has."""

    shade: Annotated[
        tuple[str, ...],
        Option("Shade of the paper.", "grey", details="Scans only.", panel="Scans", any_kind=True, words=("tint",)),
    ] = ()


@dataclasses.dataclass(frozen=True)
class MoreRelease(ReleaseOptions):
    """Options of publishing with one that no release of this program has."""

    stamp: Annotated[str, Option("Text on every page.", label="Stamp")] = "none"


class MoreData(DataSection):
    OPTIONS: ClassVar[type[ReadOptions]] = MoreReading


class MorePolicy(Policy):
    data: MoreData
    release: MoreRelease


class MoreStudyData(study_file.DataSection):
    OPTIONS: ClassVar[type[ReadOptions]] = MoreReading


class MoreStudy(study_file.Study):
    data: MoreStudyData


def publish(read_options: dict[str, Any], release: ReleaseOptions) -> tuple[dict[str, Any], ReleaseOptions]:
    return read_options, release


def publish_more(read_options: dict[str, Any], release: MoreRelease) -> tuple[dict[str, Any], MoreRelease]:
    return read_options, release


def make_command(command, read_options):
    app = typer.Typer()
    app.command()(with_read_options(command, read_options))
    return typer.main.get_command(app)


SHAPES = [
    pytest.param(ReadOptions, ReleaseOptions, Policy, study_file.Study, publish, id="declared"),
    pytest.param(MoreReading, MoreRelease, MorePolicy, MoreStudy, publish_more, id="with one more"),
]


def value_of(option: Option) -> Any:
    if option.shape != "value":
        return ["a.csv"] if option.shape == "list" else {"utility": "b.csv"}
    if option.type in (bool, "bool"):
        return not option.default
    return VALUES.get(option.name, option.choices[-1] if option.choices else 7 if option.least else "some")


def kind_of(option: Option) -> str:
    return next(kind for kind in all_kinds() if option.any_kind or option.name in find_kind(kind).options)


def write_toml(path, sections) -> None:
    lines = []
    for name, values in sections.items():
        lines += [f"[{name}]", *(f"{key} = {format_toml(value)}" for key, value in values.items())]
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(("read", "release", "policy", "study", "command"), SHAPES)
def test_every_option_is_a_flag_with_its_help(read, release, policy, study, command):
    parameters = {parameter.opts[0]: parameter for parameter in make_command(command, read).params}
    for option in [*list_options(read)[1:], *list_options(release)]:
        assert parameters[option.flag].help.startswith(option.summary)
    panels = {option.panel for option in list_options(read)[1:]}
    assert panels == {p.rich_help_panel for p in parameters.values() if getattr(p, "rich_help_panel", None)}


@pytest.mark.parametrize(("read", "release", "policy", "study", "command"), SHAPES)
def test_every_option_is_a_key_of_policies_and_studies(read, release, policy, study, command, tmp_path):
    file = tmp_path / "file.toml"
    for option in list_options(read)[1:]:
        value, kind = value_of(option), kind_of(option)
        data = {"path": "a.csv", "kind": kind, option.name: value}
        write_toml(file, {"data": data, "method": {"name": "x"}, "release": {"out": "out"}})
        assert read_policy(file, policy).read_options == {option.name: value}
        method = next(iter(find_kind(kind).methods))
        checked = study.model_validate({"data": data, "method": [{"name": method}]}).data
        checked.check()
        assert checked.read_options == {option.name: value}
        with pytest.raises(study_file.ParameterError, match="There is no option"):
            type(checked)(kind=kind, path="a.csv", **{f"{option.name}_x": value}).check()
    given = {option.name: value_of(option) for option in list_options(release)}
    write_toml(file, {"data": {"path": "a.csv", "kind": "sets"}, "method": {"name": "x"}, "release": given})
    chosen = read_policy(file, policy).release
    assert isinstance(chosen, release)
    for option in list_options(release):
        default = option.default
        assert getattr(chosen, option.name) != default, option.name


@pytest.mark.parametrize("read", [ReadOptions, MoreReading])
def test_every_reading_option_is_in_the_form_with_label_help_and_example(read, monkeypatch):
    shown: dict[str, dict[str, str]] = {}

    class Field:
        def __init__(self, label, value="", **more):
            shown[label], self.value = more, "x=y" if "NAME=VALUE" in more["help"] else "x"

    form = ReadOptionsForm.__new__(ReadOptionsForm)
    monkeypatch.setattr(forms, "Field", Field)
    monkeypatch.setattr(forms.ui, "element", lambda tag: FakeElement())
    asked = {}
    for kind in all_kinds():
        options = find_reading_options(kind, read)
        asked |= options
        form._before, form._roles, form._parts, form._columns, form._requested = {}, {}, {}, {}, options
        form._options = forms.ask_options(options.values(), {})
        collected = form.collect()
        for option in options.values():
            assert collected[option.name] == {"list": ["x"], "mapping": {"x": "y"}}.get(option.shape, "x")
    roles = {option.name for option in list_options(read) if option.role}
    assert {option.name for option in list_options(read)[1:]} - roles - asked.keys() == NOT_LISTED.keys()
    for option in asked.values():
        assert shown[option.label]["help"].startswith(option.describe())
        assert shown[option.label]["placeholder"] == option.example


class FakeElement:
    def classes(self, *_):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def test_options_of_publishing_that_the_workbench_asks_for_have_a_label_and_their_help():
    source = inspect.getsource(forms) + inspect.getsource(__import__("sfumato.web.pages.anonymise", fromlist=["x"]))
    labelled = [option.name for option in list_options(ReleaseOptions) if option.form != "never"]
    assert labelled == ["max_suppressed_records", "protect", "engine", "partition_size"]
    assert all(f'RELEASE["{name}"]' in source for name in labelled)


@pytest.mark.parametrize(("read", "release", "policy", "study", "command"), SHAPES)
def test_every_option_is_in_the_reference(read, release, policy, study, command):
    page = REFERENCE.options_page(read, release)
    for option in [*list_options(read)[1:], *list_options(release)]:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{option.name}` "))
        assert f"`{option.flag}`" in row and option.describe().replace("|", "\\|") in row
        assert all(f"`{word}`" in row for word in option.words)


def test_a_word_of_others_means_one_option():
    words = [word for option in list_options(ReadOptions) for word in option.words]
    assert len(words) == len(set(words))
    assert not set(words) & {option.name for option in list_options(ReadOptions)}
    with pytest.raises(study_file.ParameterError, match="Did you mean shade="):
        MoreReading.of("sets", {"tint": "x"})


def test_resolutions_are_the_units_of_time():
    (resolution,) = (option for option in list_options(ReadOptions) if option.name == "resolution")
    assert resolution.choices == tuple(UNITS)


def test_kinds_name_options_that_there_are():
    names = {option.name for option in list_options(ReadOptions) if not option.any_kind}
    assert {name for kind in all_kinds() for name in find_kind(kind).options} == names


def test_flags_are_collected_as_python_takes_them(capsys):
    words = (
        "--out o --column place=venue --owner-column who --header a,b --monitored x,y --monitored @f,g --constraints c"
    )
    read_options, release = make_command(publish, ReadOptions).main(
        [*words.split(), "--coordinates", "auto", "--include", "L", "--no-report"], standalone_mode=False
    )
    assert read_options == {
        "columns": {"place": "venue", "owner": "who"},
        "header": ("a", "b"),
        "monitored": ("x", "y", "@f,g"),
        "constraints": {"utility": "c"},
        "coordinates": "auto",
    }
    assert (release.out, [file.name for file in release.include], release.report) == ("o", ["L"], False)
    assert issubclass(ReleaseOptions, BatchOptions)
