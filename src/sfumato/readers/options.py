"""The options with which a file is read; the owner keeps them, to read the original again."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import os
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Self

from sfumato.data.kind import Lazy, find_kind
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, Setting, Settings
from sfumato.params import Option, find_option, list_options

__all__ = ["ReadOptions", "suggest_options"]

_file = functools.partial(Option, panel="How the file is read", any_kind=True)
_records = functools.partial(Option, panel="Records and their times")
_places = functools.partial(Option, panel="Places and hierarchies")
_columns = functools.partial(Option, panel="What columns and values are")


@dataclasses.dataclass(frozen=True)
class ReadOptions:
    """The options a file is read with; paths stay as they were given.

    Examples
    --------
    >>> options = ReadOptions.of("trajectories", {"columns": {"place": "venue"}, "places": "grid:500m"})
    >>> ReadOptions.from_dict(options.to_dict()) == options
    True
    >>> ReadOptions.of("trajectories", {"colums": {}})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: There is no option 'colums'. Did you mean columns=?
    >>> ReadOptions.of("table", {"quasi_identifiers": ["age"]})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: There is no option 'quasi_identifiers'. Did you mean quasi=?
    """

    kind: Annotated[str, _file("Kind of data.", form="never")]
    columns: Annotated[
        Mapping[str, str],
        _file(
            "Role of a column.",
            "place=venue",
            flag="column",
            form="never",
            words=("roles", "role", "usecols", "mapping", "rename", "cols"),
        ),
    ] = dataclasses.field(default_factory=dict)
    drop: Annotated[
        tuple[str, ...],
        _file(
            "Column to leave out; '*' for all without a role.",
            role="left out",
            words=("exclude", "ignore", "remove", "skip", "omit", "drop_columns"),
        ),
    ] = ()
    delimiter: Annotated[
        str | None,
        _file(
            "Delimiter of a CSV file; detected if not given.",
            details="A character, or tab, comma or semicolon.",
            check=Lazy("sfumato.readers.tables:check_delimiter"),
            words=("sep", "delim", "field_separator", "dialect"),
        ),
    ] = None
    format: Annotated[
        str | None,
        _file(
            "File format; detected by the extension if not given.",
            words=("filetype", "file_format", "type", "file_type"),
        ),
    ] = None
    encoding: Annotated[
        str | None,
        _file(
            "Encoding of a text file, if it is not UTF-8.",
            check=Lazy("sfumato.readers.files:check_encoding"),
            words=("charset",),
        ),
    ] = None
    header: Annotated[
        tuple[str, ...],
        _file(
            "Column names of a CSV file without a header, comma-separated.",
            commas=True,
            once=True,
            words=("column_names", "colnames", "fieldnames"),
        ),
    ] = ()
    separator: Annotated[
        str | None,
        _file(
            "Separator of items in a cell or line: a character, space, tab, comma, semicolon or pipe.",
            any_kind=False,
            check=Lazy("sfumato.readers.option_checks:check_separator"),
            words=("item_separator", "items_separator", "item_sep"),
        ),
    ] = None
    missing: Annotated[
        str,
        _file(
            "Empty cells: error, drop (leave their rows out), a value to put in, or, in tables, keep.",
            details="If not given, they are refused, and in tables they are a value of their own.",
            check=Lazy("sfumato.readers.option_checks:check_missing"),
            words=("dropna", "fillna", "on_missing", "nulls"),
        ),
    ] = "keep"
    empty: Annotated[
        tuple[str, ...],
        _file(
            "Text that means no value, such as ? or NA.",
            details="An empty cell always does.",
            words=("na_values", "null_values", "na", "nan", "na_strings"),
        ),
    ] = ()
    sheet: Annotated[
        str | None, _file("Sheet of a workbook; the first if not given.", words=("sheet_name", "worksheet"))
    ] = None
    steps: Annotated[
        tuple[str, ...],
        _file("Change to the table first: 'rename a=b', 'drop c', 'filter age=20..29'.", flag="step", form="never"),
    ] = ()
    unit: Annotated[
        str | None,
        _records(
            "What one record is, if it is not a person: basket, or 'stay of patient'.",
            check=Lazy("sfumato.readers.option_checks:check_unit"),
        ),
    ] = None
    split: Annotated[
        str | None, _records("One record per person and period.", choices=("day", "week"), form="first")
    ] = None
    zone: Annotated[
        str,
        _records(
            "Time zone in which days begin, where they split records.",
            details="For times that have a zone, such as Europe/Athens; UTC if not given.",
            check=Lazy("sfumato.readers.option_checks:check_zone"),
            words=("tz", "timezone", "time_zone"),
        ),
    ] = "UTC"
    resolution: Annotated[
        str | None,
        _records(
            "What times are cut to.",
            details="If not given, dates are cut to the second.",
            choices=("second", "minute", "hour", "day", "month", "quarter"),
            words=("time_unit", "granularity", "freq", "precision"),
        ),
    ] = None
    start: Annotated[
        str | None,
        _records(
            "When the first slot begins: a date, a time of day such as 04:00, or both.",
            details="A number where times are plain numbers. If not given, the midnight before everything.",
        ),
    ] = None
    gap: Annotated[str | None, _records("Label of time without records; (gap) if not given.")] = None
    slots: Annotated[str | None, _records("First and last of the columns that are slots.", "t1:t144")] = None
    faults: Annotated[
        str,
        _records(
            "Overlapping or reversed episodes.",
            details="With mend, an episode ends where the next one begins, and those that end before they begin are "
            "left out.",
            choices=("error", "mend"),
        ),
    ] = "error"
    user_key: Annotated[
        str | None, _records("Who a person is in a web log.", choices=("host", "user", "host+agent"))
    ] = None
    query: Annotated[str, _records("Query strings of a web log.", choices=("drop", "keep"))] = "drop"
    places: Annotated[
        str | None,
        _places(
            "Derive places from coordinates.",
            "grid:500m, quadtree:500, h3:8 or regions:FILE",
            details="The number after quadtree is the most places; after regions:FILE, ',outside=drop' may follow.",
            form="first",
        ),
    ] = None
    places_file: Annotated[
        str | None,
        _places(
            "File with coordinates of the places.", details="Its columns are place,x,y or place,lon,lat.", files=True
        ),
    ] = None
    coordinates: Annotated[
        str,
        _places(
            "What x and y are.",
            details="The names of the columns decide if not given (auto).",
            choices=("auto", "lonlat", "plane"),
        ),
    ] = "auto"
    hierarchies: Annotated[
        Mapping[str, str],
        _places(
            "Hierarchy: place=FILE, or derived: place=quadtree:8 or grid:4, item or event=fanout:10, "
            "item=popular:2, age=width:8 or frequency:8, born=calendar, zip=mask, sex=flat, place=h3.",
            flag="hierarchy",
            files=True,
            form="first",
            words=("taxonomy", "taxonomies", "generalization", "generalisation", "dgh", "vgh"),
        ),
    ] = dataclasses.field(default_factory=dict)
    hierarchy_root: Annotated[
        str | None, _places("Label to put above hierarchies that have several roots, such as '*'.")
    ] = None
    quasi: Annotated[
        tuple[str, ...],
        _columns(
            "Quasi-identifier: a column that others may know.",
            "age,sex",
            role="made coarser",
            words=(
                *("qi", "qis", "qid", "qids", "quasi_identifier", "quasi_identifiers", "quasiidentifiers"),
                *("quasi_identifying", "key_vars", "keyvars", "key_variables", "known"),
            ),
        ),
    ] = ()
    sensitive: Annotated[
        tuple[str, ...],
        _columns(
            "Sensitive value, or @FILE with one per line; in tables, a sensitive column.",
            role="not to be learnt",
            value_files=True,
            form="first",
            words=(
                *(
                    "sensitive_attribute",
                    "sensitive_attributes",
                    "sensitive_column",
                    "sensitive_columns",
                    "sensitive_values",
                ),
                *("sensitive_value", "secret_columns", "confidential"),
            ),
        ),
    ] = ()
    identifier: Annotated[
        tuple[str, ...],
        _columns(
            "Column that names people, left out.",
            "name,ssn",
            role="left out",
            words=("id", "ids", "identifiers", "direct_identifiers", "identifying", "names"),
        ),
    ] = ()
    plain: Annotated[
        tuple[str, ...],
        _columns(
            "Column of a table to publish unchanged.",
            role="unchanged",
            words=("insensitive", "non_sensitive", "nonsensitive", "insensitive_attributes", "keep"),
        ),
    ] = ()
    plain_anyway: Annotated[
        tuple[str, ...], _columns("Column to publish unchanged although it looks like names or numbers of people.")
    ] = ()
    scales: Annotated[
        Mapping[str, str],
        _columns(
            "What a column holds.",
            "age=numeric, born=date, zip=categorical, pain=low<mid<high",
            details="Numbers are numeric, integer or decimal; an order is written with <.",
            flag="scale",
            words=("dtype", "dtypes", "types", "column_types"),
        ),
    ] = dataclasses.field(default_factory=dict)
    weight: Annotated[
        str | None,
        _columns(
            "Column with survey weights: counted in measures; not published unless it is a quasi-identifier too.",
            words=("weights", "sample_weight", "survey_weight"),
        ),
    ] = None
    population: Annotated[str | None, _columns("File with the people that a table was drawn from.", files=True)] = None
    items: Annotated[
        str | None,
        _columns(
            "Column of a table that holds the items of a person.",
            details="With an item_file, the column of that file.",
            form="first",
            words=("item_column", "items_column", "set_column"),
        ),
    ] = None
    item_file: Annotated[
        str | None, _columns("File with the items of the people of a table, by an identifier column.", files=True)
    ] = None
    sensitive_items: Annotated[
        tuple[str, ...],
        _columns(
            "Sensitive item of a table with sets, several with commas, or @FILE.",
            value_files=True,
            commas=True,
            words=("sensitive_item",),
        ),
    ] = ()
    monitored: Annotated[
        tuple[str, ...],
        _columns(
            "Event a receiver monitors, several with commas, @FILE, or '*' for all.",
            value_files=True,
            commas=True,
            form="first",
        ),
    ] = ()
    constraints: Annotated[
        Mapping[str, str],
        _columns(
            "utility=FILE (or FILE), one group per line; privacy=FILE, one itemset per line.",
            details="Groups of utility may be put together; itemsets of privacy must be hidden.",
            key="utility",
            files=True,
        ),
    ] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        options = list_options(type(self))
        for shape, read in (("mapping", _read_mapping), ("list", _read_list), ("value", self._read_value)):
            for option in options:
                if option.shape == shape:
                    object.__setattr__(self, option.name, read(option, getattr(self, option.name)))
        meaningful = find_kind(self.kind).options
        for option in options:
            given = getattr(self, option.name) != option.default
            if given and not option.any_kind and option.name not in meaningful:
                raise ParameterError(Message(_mention(option), f" does not apply to {self.kind}."))

    def _read_value(self, option: Option, value: Any) -> str | None:
        # One record per person is what data are without a split, and policies may say so.
        if option.default is None and (value is None or (option.name == "split" and value == "none")):
            return None
        text = _read_text(option, value)
        choices = self.formats if option.name == "format" else option.choices
        if choices and text not in choices:
            near = difflib.get_close_matches(text, choices, n=1)
            hint = Message("Did you mean ", _mention(option, near[0]), "?") if near else ""
            raise ParameterError(
                Message(_mention(option), f" must be one of {', '.join(choices)}, got {text!r}."), hint=hint
            )
        check_of_kind = find_kind(self.kind).option_checks.get(option.name)
        if check_of_kind is not None:
            check_of_kind.load()(text)
        if text == option.default or option.check is None:
            return text
        return option.check.load()(text)

    @property
    def formats(self) -> tuple[str, ...]:
        """Formats in which the kind of data can be read."""
        return find_kind(self.kind).formats

    @classmethod
    def of(cls, kind: str, options: Mapping[str, Any]) -> Self:
        """Make options from named values, as a command line or policy file gives them."""
        names = [option.name for option in list_options(cls) if option.name != "kind"]
        for name in options:
            if name not in names:
                meant = find_option(cls, name)
                near = [meant.name] if meant else difflib.get_close_matches(name, names, n=1)
                hint = Message("Did you mean ", Setting(near[0]), "?") if near else f"Known: {', '.join(names)}."
                raise ParameterError(f"There is no option {name!r}.", option=name, hint=hint)
        return cls(kind, **options)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain values that JSON can hold."""
        plain: dict[str, Callable[[Any], Any]] = {"mapping": dict, "list": list, "value": lambda value: value}
        return {option.name: plain[option.shape](getattr(self, option.name)) for option in list_options(type(self))}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Make options from what :meth:`to_dict` returned."""
        options = dict(plain)
        return cls.of(options.pop("kind", None), options)


def suggest_options(options: Mapping[str, Any]) -> Message:
    """Return the hint to add detected options, which the owner has to confirm.

    Examples
    --------
    >>> suggest_options({"quasi": ["age"], "sensitive": ["illness"]})
    "If this guess is right, add: quasi=['age'], sensitive=['illness']"
    """
    settings = tuple(Setting(name, value) for name, value in options.items())
    return Message("If this guess is right, add: ", Settings(settings))


def _mention(option: Option, value: object = None) -> Setting:
    """Return an option as a part of a message."""
    return Setting(option.name, value)


def _read_text(option: Option, value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise ParameterError(Message(_mention(option), f" must be text, got {type(value).__name__}."))
    if not value:
        raise ParameterError(Message(_mention(option), " must not be empty text."))
    return value


def _read_mapping(option: Option, value: Any) -> Mapping[str, str]:
    if not isinstance(value, Mapping):
        raise ParameterError(Message(_mention(option), f" must map names to names, got {type(value).__name__}."))
    return MappingProxyType({_read_text(option, key): _read_text(option, entry) for key, entry in value.items()})


def _read_list(option: Option, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (_read_text(option, value),)
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise ParameterError(Message(_mention(option), f" must be a list of texts, got {type(value).__name__}."))
    return tuple(_read_text(option, entry) for entry in value)
