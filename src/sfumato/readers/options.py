"""How a file is read: every option, kept by the owner so that the original can be read again."""

from __future__ import annotations

import dataclasses
import difflib
import os
import zoneinfo
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sfumato.data.kind import find_kind
from sfumato.data.record_unit import parse_unit
from sfumato.data.time_units import UNITS
from sfumato.exceptions import ParameterError
from sfumato.readers.files import check_encoding
from sfumato.readers.tables import check_delimiter

__all__ = ["ReadOptions", "check_missing", "check_separator"]

_CHOICES: dict[str, tuple[str, ...]] = {
    "split": ("day", "week"),
    "coordinates": ("auto", "lonlat", "plane"),
    "resolution": tuple(UNITS),
    "user_key": ("host", "user", "host+agent"),
    "query": ("drop", "keep"),
    "faults": ("error", "mend"),
}
_ACTIONS = ("keep", "error", "drop")
_SEPARATORS = {"space": " ", "tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_MAPPINGS = ("columns", "hierarchies", "constraints", "scales")
_LISTS = (
    *("header", "drop", "sensitive", "monitored", "identifier", "quasi", "plain", "empty", "sensitive_items"),
    *("plain_anyway", "steps"),
)
_ANY_FILE = (
    "kind",
    "columns",
    "delimiter",
    "format",
    "encoding",
    "header",
    "drop",
    "sheet",
    "missing",
    "empty",
    "steps",
)
"""Options that mean something for a file of any kind of data."""


@dataclasses.dataclass(frozen=True)
class ReadOptions:
    """The options a file is read with; paths stay as they were given.

    Parameters
    ----------
    kind
        What one row of the dataset is, such as ``trajectories``.
    columns
        Which column plays which role: ``{"place": "venue"}``.
    delimiter, format, encoding
        Of the file, where content and extension are not to decide.
    header
        Names of the columns of a CSV file that has no header.
    drop
        Columns to leave out; ``*`` for all that have no role.
    sensitive
        Sensitive values of the history; an entry ``@FILE`` stands for a file with one value per line. Of tables,
        the columns whose values are sensitive.
    identifier, quasi, plain
        Of tables: columns that are left out because they name people, columns that others may know, and columns that
        are published as they are.
    scales
        Of tables: what the values of a column are, where that is not to be told by their look: ``numeric`` (or
        ``integer`` or ``decimal``), ``date``, ``categorical``, or an order such as ``low<mid<high``.
    plain_anyway
        Of tables and snapshots: columns to publish as they are although they look like names, addresses or numbers of
        people.
    missing
        What becomes of empty cells: ``error`` to refuse them, ``drop`` to leave their rows out, or a value to put in
        where that says what happened. Without it they are refused, and in tables a value of their own (``keep``).
    empty
        Texts that mean that there is no value, such as ``?`` or ``NA``; an empty cell always does.
    sheet
        Of a workbook; the first if not given.
    population
        Of tables: file with the people the records were drawn from.
    items
        Of tables with sets: the column that holds the items of a person, or that of ``item_file``.
    item_file
        Of tables with sets: file with the items of the people, who are told by an identifier of the table.
    sensitive_items
        Of tables with sets: items that are sensitive; an entry ``@FILE`` stands for a file with one item per line.
    hierarchies, constraints
        Files by column, and by name (``utility``, ``privacy``). Hierarchies may be derived: ``width:8``.
    hierarchy_root
        Label to put above hierarchies that have several roots.
    places
        Derive places from coordinates: ``grid:500m``, ``quadtree:500`` (at most 500 places) or
        ``regions:FILE``, to which ``,outside=drop`` may be added.
    places_file
        File with coordinates of the places: ``place,x,y`` or ``place,lon,lat``.
    split
        ``day`` or ``week`` for one record per person and day or week.
    zone
        Time zone in which days begin, for times that have one.
    coordinates
        What x and y are: ``lonlat``, ``plane``, or ``auto`` to tell by the names of the columns.
    monitored
        Events that the receiver of a release monitors; ``*`` for all of them, ``@FILE`` for a file with one
        per line.
    resolution
        ``second``, ``minute``, ``hour``, ``day``, ``month`` or ``quarter``: dates are cut to it. Without it, to the
        second.
    user_key
        Who a person is in a web log: ``host``, ``user`` or ``host+agent``.
    query
        ``keep`` if the query string of a web log's requests is part of the event.
    separator
        Between items that stand in one cell or line, if it is not to be told by their look: a character, or
        ``space``, ``tab``, ``comma``, ``semicolon`` or ``pipe``.
    start
        Of activity data: when the first slot begins, as a date, a time of day such as ``04:00`` or both; where times
        are plain numbers, a number. Without it, at the midnight before everything.
    gap
        What time that nothing is known about is called; ``(gap)`` if not given.
    slots
        First and last of the columns that are slots: ``t1:t144``, where they are not told by their names.
    faults
        ``mend`` to let an episode end where the next one begins, and to leave out those that end before they begin,
        which are errors otherwise.
    unit
        What one record is, where the file does not tell: ``basket``, or ``stay of patient``.
    weight
        Of tables and activity data: the column that says how many of a population a record stands for. It counts in
        measures, and is not published unless it is a quasi-identifier too.
    steps
        Changes to the table before anything else, such as ``rename venue=place`` (:mod:`sfumato.readers.transform`).

    Examples
    --------
    >>> read_options = ReadOptions.of("trajectories", {"columns": {"place": "venue"}, "places": "grid:500m"})
    >>> ReadOptions.from_dict(read_options.to_dict()) == read_options
    True
    >>> ReadOptions.of("trajectories", {"colums": {}})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: reading: there is no option 'colums'. Did you mean 'columns'?
    >>> ReadOptions.of("table", {"quasi_identifiers": ["age"]})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: reading: there is no option 'quasi_identifiers'. Did you mean 'quasi'?
    """

    kind: str
    columns: Mapping[str, str] = dataclasses.field(default_factory=dict)
    delimiter: str | None = None
    format: str | None = None
    encoding: str | None = None
    header: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    hierarchies: Mapping[str, str] = dataclasses.field(default_factory=dict)
    constraints: Mapping[str, str] = dataclasses.field(default_factory=dict)
    places: str | None = None
    places_file: str | None = None
    split: str | None = None
    zone: str = "UTC"
    coordinates: str = "auto"
    monitored: tuple[str, ...] = ()
    resolution: str | None = None
    user_key: str | None = None
    query: str = "drop"
    separator: str | None = None
    start: str | None = None
    gap: str | None = None
    slots: str | None = None
    faults: str = "error"
    unit: str | None = None
    identifier: tuple[str, ...] = ()
    quasi: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    scales: Mapping[str, str] = dataclasses.field(default_factory=dict)
    missing: str = "keep"
    empty: tuple[str, ...] = ()
    population: str | None = None
    items: str | None = None
    item_file: str | None = None
    sensitive_items: tuple[str, ...] = ()
    sheet: str | None = None
    hierarchy_root: str | None = None
    plain_anyway: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    weight: str | None = None

    def __post_init__(self) -> None:
        for name in _MAPPINGS:
            object.__setattr__(self, name, MappingProxyType(_texts_by_name(name, getattr(self, name))))
        for name in _LISTS:
            object.__setattr__(self, name, _list_of_texts(name, getattr(self, name)))
        if self.split == "none":
            object.__setattr__(self, "split", None)
        for name in (field.name for field in dataclasses.fields(self)):
            if name not in (*_MAPPINGS, *_LISTS):
                object.__setattr__(self, name, self._checked(name, getattr(self, name)))
        self._refuse_foreign()

    def _refuse_foreign(self) -> None:
        option_names = (*_ANY_FILE, *find_kind(self.kind).options)
        for field in dataclasses.fields(self):
            default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
            if field.name not in option_names and getattr(self, field.name) != default:
                raise ParameterError(f"reading: {field.name} means nothing for {self.kind}. Leave it out.")

    def _checked(self, name: str, value: Any) -> str | None:
        if value is None and name not in {"kind", "zone", "coordinates", "query", "faults", "missing"}:
            return None
        text = _text(name, value)
        choices = self.formats if name == "format" else _CHOICES.get(name)
        if choices and text not in choices:
            near = difflib.get_close_matches(text, choices, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ParameterError(f"reading: {name} must be one of {', '.join(choices)}, got {text!r}.{hint}")
        if name == "delimiter":
            return check_delimiter(text)
        if name == "separator":
            return check_separator(text)
        if name == "missing":
            return check_missing(text)
        if name == "encoding":
            return check_encoding(text)
        if name == "zone":
            _check_zone(text)
        checks = find_kind(self.kind).option_checks
        if name in checks:
            checks[name].load()(text)
        if name == "unit":
            parse_unit(text)
        return text

    @property
    def formats(self) -> tuple[str, ...]:
        """Formats in which the kind of data can be read."""
        return find_kind(self.kind).formats

    @classmethod
    def of(cls, kind: str, options: Mapping[str, Any]) -> ReadOptions:
        """Make a reading from named options, as a command line or policy file gives them."""
        option_names = [field.name for field in dataclasses.fields(cls) if field.name != "kind"]
        for name in options:
            if name not in option_names:
                from sfumato.readers.option_scope import find_option

                meant = find_option(name)
                near = [meant] if meant else difflib.get_close_matches(name, option_names, n=1)
                hint = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(option_names)}."
                raise ParameterError(f"reading: there is no option {name!r}.{hint}")
        return cls(kind, **options)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain values that JSON can hold."""
        plain = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        plain.update({name: dict(plain[name]) for name in _MAPPINGS})
        plain.update({name: list(plain[name]) for name in _LISTS})
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ReadOptions:
        """Make a reading from what :meth:`to_dict` returned."""
        options = dict(plain)
        return cls.of(options.pop("kind", None), options)


def check_separator(text: str) -> str:
    """Return the character a separator stands for: itself, or its name in words.

    Examples
    --------
    >>> check_separator("space"), check_separator("|")
    (' ', '|')
    >>> check_separator("and")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: reading: separator must be one character such as ; or |, or one of space,
    tab, comma, semicolon, pipe, got 'and'.
    """
    mark = _SEPARATORS.get(text, text)
    if len(mark) != 1 or mark.isalnum() or mark in '"\r\n\0':
        names = ", ".join(word for word in _SEPARATORS if word.isalpha())
        raise ParameterError(
            f"reading: separator must be one character such as ; or |, or one of {names}, got {text!r}."
        )
    return mark


def check_missing(text: str) -> str:
    """Return what is to become of empty cells, or refuse what is nearly one of the words for it.

    Examples
    --------
    >>> check_missing("drop"), check_missing("unknown")
    ('drop', 'unknown')
    >>> check_missing("dorp")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: reading: missing must be error, drop, keep (in tables), or a value to put into
    empty cells; 'dorp' is too near to 'drop' to be one.
    """
    near = difflib.get_close_matches(text.lower(), _ACTIONS, n=1, cutoff=0.7)
    if near and text not in _ACTIONS:
        raise ParameterError(
            "reading: missing must be error, drop, keep (in tables), or a value to put into empty cells; "
            f"{text!r} is too near to {near[0]!r} to be one."
        )
    return text


def _text(name: str, value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str) or not value:
        raise ParameterError(f"reading: {name} must be text, got {value!r}.")
    return value


def _texts_by_name(name: str, given: Any) -> dict[str, str]:
    if not isinstance(given, Mapping):
        raise ParameterError(f"reading: {name} must map names to names, got {type(given).__name__}.")
    return {_text(name, key): _text(name, value) for key, value in given.items()}


def _list_of_texts(name: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, str):
        return (_text(name, given),)
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise ParameterError(f"reading: {name} must be a list of texts, got {type(given).__name__}.")
    return tuple(_text(name, entry) for entry in given)


def _check_zone(zone: str) -> None:
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ParameterError(
            f"reading: zone must be the name of a time zone such as Europe/Athens, got {zone!r}."
        ) from None
