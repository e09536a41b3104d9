"""Forms drawn from what methods and readers declare: no form is written for any method or kind of data."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from nicegui import ui

from sfumato import plugins
from sfumato.base.method import Method
from sfumato.data.record_unit import RecordUnit
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option
from sfumato.params import Option, Parameter, build, declared, list_options
from sfumato.readers.options import ReadOptions
from sfumato.release.options import ReleaseOptions
from sfumato.release.partition_plan import check_partitions
from sfumato.web.pages.parts import Field, add_text, more

__all__ = [
    "RELEASE",
    "ParameterForm",
    "PartitionsForm",
    "ReadOptionsForm",
    "ask_options",
    "find_reading_options",
    "read_option",
]

RELEASE = {option.name: option for option in list_options(ReleaseOptions)}
"""Options of publishing, by name."""


class ParameterForm:
    """Asks for the parameters of a method: what it needs and what is usually set first, the rest behind "more"."""

    def __init__(self, method: type[Method], kind: str, given: Mapping[str, Any]) -> None:
        self._method = method
        default_grid = plugins.find_kind(kind).default_grid
        parameters = declared(method)
        first = [p for p in parameters if p.required or p.name in default_grid or p.name in given]
        rest = [p for p in parameters if p not in first]
        self._fields: dict[str, Field] = {}
        with ui.element("div").classes("fields"):
            for parameter in first:
                self._add_field(parameter, _begin_with(parameter, default_grid.get(parameter.name, ()), given))
        if rest:
            with more(f"More ({len(rest)})"), ui.element("div").classes("fields"):
                for parameter in rest:
                    self._add_field(parameter, _begin_with(parameter, (), given))

    def _add_field(self, parameter: Parameter, value: Any) -> None:
        param = parameter.param
        allowed = param.range_text()
        help_text = f"{param.help} {f'({allowed})' if allowed and not param.choices else ''}".strip()
        text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        options = None
        kind, bounds, step = "text", (param.ge, param.le), "any"
        if param.choices:
            options = ({"": "(none)"} if parameter.optional else {}) | {choice: choice for choice in param.choices}
        elif parameter.type is bool:
            kind = "check"
        elif parameter.type in {int, float}:
            kind, bounds, step = _choose_slider(parameter, value)
        self._fields[parameter.name] = Field(
            parameter.name, text, help=help_text, options=options, kind=kind, bounds=bounds, step=step
        )

    def collect(self) -> dict[str, Any]:
        """Return the parameters as plain values, or say which one is not as it should be."""
        given: dict[str, Any] = {}
        for parameter in declared(self._method):
            text = self._fields[parameter.name].value.strip()
            if text or parameter.type is bool:
                given[parameter.name] = text
        return build(self._method, given).parameters()


class PartitionsForm:
    """Asks whether data of people are published in partitions, where their kind and the guarantee allow it."""

    def __init__(self, method: type[Method], kind: str, unit: RecordUnit) -> None:
        self._method, self._kind, self._unit = method, kind, unit
        self._size = 0
        sort_key = plugins.find_kind(kind).sort_key
        if sort_key is not None and all(guarantee.composes for guarantee in method.guarantees):
            self._size = sort_key.load().PARTITION_SIZE
            self._chosen = Field(
                RELEASE["engine"].label,
                "false",
                kind="check",
                help="Publishes similar records together, partition by partition, on all cores and in bounded memory. "
                "Small partitions cost some detail.",
            )
            self._people = Field(
                RELEASE["partition_size"].label,
                "",
                kind="number",
                bounds=(RELEASE["partition_size"].least, None),
                step="1",
                help=f"Number of {unit.many}, at least twice k; {self._size:,} if empty. For releases in partitions.",
            )

    def suggest(self, records: int) -> str:
        """Return a hint to publish in partitions if there are more records than one partition holds."""
        if not self._size or records <= self._size:
            return ""
        return (
            f"The data have {self._unit.count(records)}. Partitions of at most {self._size:,} need less memory and "
            "use all cores: choose In partitions under More release options."
        )

    def collect(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the engine and the size of the partitions if there are to be any, or say what is wrong with that."""
        if not self._size:
            return {}
        text = self._people.value.strip()
        if self._chosen.value != "true":
            if text:
                raise ParameterError(
                    Message(option("partition_size"), " applies only with ", option("engine"), "."),
                    hint=Message("Choose ", option("engine"), ", or empty the field."),
                )
            return {}
        size = self._people.read_whole() if text else None
        check_partitions(self._kind, self._unit, self._method(**parameters), size)
        return {"engine": "local"} | ({"part_size": size} if size else {})


def _begin_with(parameter: Parameter, default_grid: tuple[Any, ...], given: Mapping[str, Any]) -> Any:
    if parameter.name in given:
        return given[parameter.name]
    if default_grid:
        return default_grid[len(default_grid) // 2]
    return None if parameter.required else parameter.default


def _choose_slider(parameter: Parameter, value: Any) -> tuple[str, tuple[float | None, float | None], str]:
    """Return a slider where the numbers to choose from are known, or small ones are meant."""
    param, whole = parameter.param, parameter.type is int
    low, high = param.ge, param.le
    if low is None or parameter.optional or isinstance(value, str):
        return "number", (low, high), "1" if whole else "any"
    if high is None and whole:
        high = max(50.0, 4.0 * float(value or 0)) if low < 50 else None
    if high is None:
        return "number", (low, high), "1" if whole else "any"
    return "slider", (low, high), "1" if whole else f"{(high - low) / 100:g}"


def ask_options(options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Field]:
    """Put a field for each option on the page; return them by the names of the options."""
    with ui.element("div").classes("fields"):
        return {
            option.name: Field(
                option.label,
                format_option(given.get(option.name)),
                help=explain_option(option),
                placeholder=option.example,
            )
            for option in options
        }


def explain_option(option: Option) -> str:
    """Return what an option means, and how it is written where it is more than a text.

    Examples
    --------
    >>> explain_option(find_reading_options("trajectories")["split"])
    'One record per person and period: day or week.'
    """
    files = "A file is one of the project." if option.files or option.value_files else ""
    written = {"mapping": "Write NAME=VALUE, several with commas.", "list": "Separate several by commas."}.get(
        option.shape, ""
    )
    return " ".join(filter(None, (option.describe(), files, written)))


def find_reading_options(kind: str, cls: type[ReadOptions] = ReadOptions) -> dict[str, Option]:
    """Return the reading options that are asked for in fields of their own, those of any file last.

    Where there are quasi-identifiers, the role of each column is asked for instead of lists of columns.

    Examples
    --------
    >>> list(find_reading_options("timeline"))[:4]
    ['sensitive', 'resolution', 'delimiter', 'format']
    """
    options = {option.name: option for option in list_options(cls)}
    names = plugins.find_kind(kind).options
    own = [options[name] for name in names if "quasi" not in names or not options[name].role]
    common = [option for option in options.values() if option.any_kind and not option.role]
    return {option.name: option for option in (*own, *common) if option.form != "never"}


class ReadOptionsForm:
    """Asks how a file is read: its kind, the part of every column, and options."""

    def __init__(
        self,
        kind: str,
        options: Mapping[str, Any],
        columns: list[str],
        roles: list[str],
        cls: type[ReadOptions] = ReadOptions,
    ) -> None:
        self._before = dict(options)
        self._roles = {option.name: option.role for option in list_options(cls) if option.role}
        self._requested = find_reading_options(kind, cls)
        self._parts: dict[str, Field] = {}
        self._columns: dict[str, Field] = {}
        if "quasi" in plugins.find_kind(kind).options:
            self._add_roles(options, columns)
        else:
            self._add_columns(options, columns, roles)
        first = [option for option in self._requested.values() if option.form == "first"]
        rest = [option for option in self._requested.values() if option.form != "first"]
        self._options = ask_options(first, options)
        with more("More reading options"):
            self._options |= ask_options(rest, options)

    def _add_roles(self, options: Mapping[str, Any], columns: list[str]) -> None:
        add_text("Roles of columns", "h3")
        add_text(
            "Others may know a quasi-identifier, so it is made coarser; what is sensitive must not be learnt about "
            "anybody; identifiers name people and are left out.",
            classes="muted",
        )
        with ui.element("div").classes("fields"):
            for column in columns:
                part = next((role for role in self._roles if column in options.get(role, ())), "")
                chosen = {"": "(no role)"} | {role: f"{role}: {meaning}" for role, meaning in self._roles.items()}
                self._parts[column] = Field(column, part, options=chosen)

    def _add_columns(self, options: Mapping[str, Any], columns: list[str], roles: list[str]) -> None:
        given = options.get("columns", {})
        all_roles = list(dict.fromkeys([*given, *roles]))
        if not all_roles:
            return
        add_text("Roles of columns", "h3")
        with ui.element("div").classes("fields"):
            for role in all_roles:
                value = str(given.get(role, ""))
                if value and value not in columns:
                    self._columns[role] = Field(role, value, help="Separate several by commas.")
                else:
                    self._columns[role] = Field(role, value, options={"": "(none)"} | {c: c for c in columns})

    def collect(self) -> dict[str, Any]:
        """Return the reading options that were given."""
        options: dict[str, Any] = {name: value for name, value in self._before.items() if name == "steps"}
        for role in self._roles if self._parts else ():
            listed = [column for column, field in self._parts.items() if field.value == role]
            if listed:
                options[role] = listed
        columns = {role: field.value.strip() for role, field in self._columns.items() if field.value.strip()}
        if columns:
            options["columns"] = columns
        if not self._parts and self._before.get("drop"):
            options["drop"] = list(self._before["drop"])
        for name, field in self._options.items():
            value = read_option(self._requested[name], field.value.strip())
            if value:
                options[name] = value
        return options


def format_option(value: Any) -> str:
    """Write a reading option as it can be typed.

    Examples
    --------
    >>> format_option(["flu", "heart, other"]), format_option({"place": "/projects/mine/hierarchies/towns.csv"})
    ('flu,"heart, other"', 'place=towns.csv')
    """
    if isinstance(value, Mapping):
        return _join([f"{key}={_name_file(str(entry))}" for key, entry in value.items()])
    if isinstance(value, list | tuple):
        return _join([_name_file(str(entry)) for entry in value])
    return "" if value is None else _name_file(str(value))


def _join(values: list[str]) -> str:
    """Write values into a line, those with a comma in quotes."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(values)
    return line.getvalue().replace(",", ", ") if '"' not in line.getvalue() else line.getvalue()


def _name_file(value: str) -> str:
    """Return a file of the project by its name: where the project lies is nobody's business in a browser."""
    head, slash, name = value.rpartition("/")
    return f"@{name}" if slash and head.startswith("@") else name if slash and head.startswith("/") else value


def read_option(option: Option, text: str) -> Any:
    """Read what was typed: lists by commas, names and values by an equals sign.

    Examples
    --------
    >>> options = find_reading_options("trajectories")
    >>> read_option(options["sensitive"], 'flu, "heart, other"'), read_option(options["hierarchies"], "place=grid:4")
    (['flu', 'heart, other'], {'place': 'grid:4'})
    """
    listed = [part.strip() for part in next(csv.reader([text], skipinitialspace=True), []) if part.strip()]
    if option.shape == "list":
        return listed
    if option.shape == "mapping":
        return {key.strip(): value.strip() for key, _, value in (part.partition("=") for part in listed)}
    return text or None
