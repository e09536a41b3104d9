"""The file that says what a warehouse is made of: sources, mappings, rules, links, checks and competence queries."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.formats.json_text import read_toml
from sfumato.messages import Message
from sfumato.ontologies.expressions import Step, parse_step
from sfumato.ontologies.terms import Pattern, Prefixes, shorten_text

__all__ = [
    "ColumnSection",
    "CompetenceSection",
    "Definition",
    "MatchSection",
    "RuleSection",
    "SideSection",
    "SourceSection",
    "TableSection",
    "read_definition",
]

FORMATS = ("turtle", "n-triples", "rdf-xml", "json-ld", "table", "dwca")
_PREFIX = re.compile(r"[A-Za-z](?:[\w.-]*[\w-])?", re.ASCII)
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"
Name = Annotated[str, Field(pattern=_NAME, max_length=80)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class ColumnSection(_Section):
    """What becomes of a column: the property, and what its cells are."""

    property: str
    language: str | None = None
    language_from: str | None = None
    datatype: str | None = None
    iri: str | None = None
    separator: str | None = None


class TableSection(_Section):
    """How rows become statements: what a row is about, and what its columns say about it."""

    subject: str | None = None
    class_: str | None = Field(default=None, alias="class")
    property: str | None = None
    columns: dict[str, str | ColumnSection | list[ColumnSection]] = {}

    def list_columns(self) -> list[tuple[str, ColumnSection]]:
        """Return the columns, those given as a property only in full; one may say several things."""
        columns: list[tuple[str, ColumnSection]] = []
        for name, given in self.columns.items():
            several = given if isinstance(given, list) else [given]
            columns += [
                (name, ColumnSection(property=column) if isinstance(column, str) else column) for column in several
            ]
        return columns


class SourceSection(_Section):
    """A source: its file, and how its rows become statements if it is a table."""

    name: Name
    file: str
    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    table: TableSection | None = None
    extensions: dict[str, TableSection] = {}


class OntologySection(_Section):
    """The top-level ontology."""

    file: str


class RestrictionSection(_Section):
    """A class by restriction: what is of a class and has a property with a value of another class."""

    class_: str = Field(alias="class")
    of: str
    property: str
    some: str


class MappingSection(_Section):
    """What terms of sources are in terms of the top-level ontology."""

    subclass: list[tuple[str, str]] = []
    subproperty: list[tuple[str, str]] = []
    equivalent: list[tuple[str, str]] = []
    restriction: list[RestrictionSection] = []


class RuleSection(_Section):
    """A transformation: where a pattern is found, these statements are added."""

    name: Name
    source: str | None = None
    where: list[str] = Field(min_length=1)
    different: list[str] = []
    of: str | None = None
    pattern: str | None = None
    add: list[str] = Field(min_length=1)


class SideSection(_Section):
    """One side of a comparison: a value of the things of a source, and what is done to it before comparing."""

    source: str
    value: str
    apply: list[str] = []
    language: str | None = None
    class_: str | None = Field(default=None, alias="class")

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is done to the value, in order."""
        return tuple(map(parse_step, self.apply))


class MatchSection(_Section):
    """Things of two sources are the same where both sides are equal."""

    name: Name
    a: SideSection
    b: SideSection


class ChecksSection(_Section):
    """What must not happen when sources meet."""

    single: list[str] = []
    key: list[str] = []


class CompetenceSection(_Section):
    """A question that the warehouse must answer, with the answer."""

    name: Name
    query: str
    expected: str


class Definition(_Section):
    """A whole file, checked: what it names exists, and what it says can be read.

    Examples
    --------
    >>> Definition(source=[{"name": "flod", "file": "flod.ttl"}]).source[0].name
    'flod'
    """

    title: str = ""
    prefixes: dict[str, str] = {}
    ontology: OntologySection | None = None
    source: list[SourceSection] = Field(min_length=1)
    mapping: MappingSection = MappingSection()
    rule: list[RuleSection] = []
    match: list[MatchSection] = []
    checks: ChecksSection = ChecksSection()
    competence: list[CompetenceSection] = []

    @property
    def names(self) -> list[str]:
        """Names of the sources, in their order."""
        return [source.name for source in self.source]

    def find_prefixes(self) -> Prefixes:
        """Return the prefixes of the file, and those that everybody knows."""
        return Prefixes(self.prefixes)


def read_definition(path: Path) -> Definition:
    """Read a file and check all of it before anything is built; files it names are relative to it."""
    content = read_toml(path)
    try:
        definition = Definition.model_validate(content)
    except ValidationError as error:
        raise ParameterError(f"{path}: {_describe_error(error)}") from None
    try:
        _check(definition)
    except SfumatoError as error:
        raise _prefix_error(f"{path}: ", error) from None
    folder = path.absolute().parent
    sources = [source.model_copy(update={"file": str(folder / source.file)}) for source in definition.source]
    competence = [
        entry.model_copy(update={"query": str(folder / entry.query), "expected": str(folder / entry.expected)})
        for entry in definition.competence
    ]
    ontology = definition.ontology and OntologySection(file=str(folder / definition.ontology.file))
    return definition.model_copy(update={"source": sources, "competence": competence, "ontology": ontology})


def _check(definition: Definition) -> None:
    for section, entries in (
        ("source", definition.source),
        ("rule", definition.rule),
        ("match", definition.match),
        ("competence", definition.competence),
    ):
        names = [entry.name for entry in entries]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise ParameterError(
                    f"[[{section}]] {number + 1}: the name {name!r} is used twice.", option="name", hint="Rename one."
                )
    prefixes = definition.find_prefixes()
    for name, iri in definition.prefixes.items():
        if not _PREFIX.fullmatch(name):
            raise ParameterError(
                f"[prefixes]: {shorten_text(name)!r} is not a prefix.", hint="Use letters and digits, a letter first."
            )
        prefixes.expand(f"<{iri}>")
    for number, source in enumerate(definition.source):
        with _at("source", number, source.name):
            _check_source(source, prefixes)
    with _at("mapping"):
        _check_mapping(definition.mapping, prefixes)
    for number, rule in enumerate(definition.rule):
        with _at("rule", number, rule.name):
            _check_rule(rule, definition.names, prefixes)
    for number, match in enumerate(definition.match):
        with _at("match", number, match.name):
            for side in (match.a, match.b):
                _check_side(side, definition.names, prefixes)
    with _at("checks"):
        for name in (*definition.checks.single, *definition.checks.key):
            prefixes.expand(name)


class _at:  # noqa: N801 - reads as a word
    """Put the section before what an error says that is raised meanwhile."""

    def __init__(self, section: str, number: int | None = None, name: str = "") -> None:
        self.place = f"[{section}]" if number is None else f"[[{section}]] {number + 1} ({name})"

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if isinstance(error, SfumatoError):
            raise _prefix_error(f"{self.place}: ", error) from None


def _check_source(source: SourceSection, prefixes: Prefixes) -> None:
    if source.format is not None and source.format not in FORMATS:
        raise ParameterError(
            f"format must be one of {', '.join(FORMATS)}, got {source.format!r}.{_hint(source.format, FORMATS)}",
            option="format",
        )
    for table in (*([source.table] if source.table else []), *source.extensions.values()):
        for name in filter(None, (table.class_, table.property)):
            prefixes.expand(name)
        for _, column in table.list_columns():
            prefixes.expand(column.property)
            if column.datatype is not None:
                prefixes.expand(column.datatype)
            kinds = [column.language, column.language_from, column.datatype, column.iri]
            if sum(kind is not None for kind in kinds) > 1:
                raise ParameterError(
                    f"Column {column.property!r} has several of language, language_from, datatype and iri.",
                    column=column.property,
                    hint="Keep one of them.",
                )


def _check_mapping(mapping: MappingSection, prefixes: Prefixes) -> None:
    for pair in (*mapping.subclass, *mapping.subproperty, *mapping.equivalent):
        for name in pair:
            prefixes.expand(name)
    for restriction in mapping.restriction:
        for name in (restriction.class_, restriction.of, restriction.property, restriction.some):
            prefixes.expand(name)


def _check_rule(rule: RuleSection, sources: list[str], prefixes: Prefixes) -> None:
    if rule.source is not None:
        _check_name(rule.source, sources)
    where, add = ([prefixes.parse_pattern(text) for text in texts] for texts in (rule.where, rule.add))
    variables = set(_list_variables(where))
    for name in (*rule.different, *([rule.of] if rule.of else [])):
        if name.removeprefix("?") not in variables:
            raise ParameterError(f"{name} is in no pattern of where.", option="where", hint="Add a pattern with it.")
    if (rule.of is None) != (rule.pattern is None):
        raise ParameterError("of and pattern must be given together.", option="of", hint="Add the missing one.")
    if rule.different and len(rule.different) != 2:
        raise ParameterError("different must have two variables.", option="different")
    if rule.pattern is not None:
        try:
            variables |= set(re.compile(rule.pattern).groupindex)
        except re.error as error:
            raise ParameterError(f"pattern is not a regular expression: {error}.", option="pattern") from None
    unbound = [name for name in _list_variables(add) if name not in variables]
    if unbound:
        raise ParameterError(
            f"?{unbound[0]} of add is neither in where nor a group of pattern.", option="add", hint="Add it to where."
        )


def _list_variables(patterns: list[Pattern]) -> list[str]:
    from pyoxigraph import Variable

    return [term.value for pattern in patterns for term in pattern if isinstance(term, Variable)]


def _check_side(side: SideSection, sources: list[str], prefixes: Prefixes) -> None:
    _check_name(side.source, sources)
    if side.value != "iri":
        prefixes.expand(side.value)
    if side.class_ is not None:
        prefixes.expand(side.class_)
    for text in side.apply:
        parse_step(text)


def _check_name(name: str, sources: list[str]) -> None:
    if name not in sources:
        raise ParameterError(f"There is no source {name!r}.{_hint(name, sources)} Sources: {', '.join(sources)}.")


def _prefix_error(place: str, error: SfumatoError) -> ParameterError:
    """Put a place before the message of an error; its fields stay."""
    return ParameterError(Message(place, error.text), option=error.option, column=error.column, rows=error.rows)


def _hint(name: str, choices: list[str] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, choices, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


_MODELS: dict[str, type[_Section]] = {
    "source": SourceSection,
    "ontology": OntologySection,
    "mapping": MappingSection,
    "rule": RuleSection,
    "match": MatchSection,
    "checks": ChecksSection,
    "competence": CompetenceSection,
    "table": TableSection,
    "extensions": TableSection,
    "columns": ColumnSection,
    "restriction": RestrictionSection,
    "a": SideSection,
    "b": SideSection,
}


def _describe_error(error: ValidationError) -> str:
    """Describe the first thing that is wrong with where it is, and the nearest name that would be right."""
    # A name that is nearly right explains the one that is missing, and comes first.
    first = min(error.errors(), key=lambda detail: detail["type"] != "extra_forbidden")
    path = [part for part in first["loc"] if part not in ("str", "ColumnSection", "list[ColumnSection]")]
    where = _name_place(path[:-1]) if path else ""
    key = str(path[-1]) if path else ""
    if first["type"] == "extra_forbidden":
        models: list[Any] = [_MODELS[part] for part in path[:-1] if isinstance(part, str) and part in _MODELS]
        fields = (models[-1] if models else Definition).model_fields
        names = [field.alias or name for name, field in fields.items()]
        message = f"there is no {shorten_text(key)!r} here.{_hint(key, names)} Known: {', '.join(names)}."
    elif first["type"] == "string_pattern_mismatch":
        message = f"{key}: must begin with a letter or a digit and have only letters, digits and _ . - in it."
    else:
        message = f"{key}: {first['msg'][0].lower()}{first['msg'][1:].removesuffix('.')}."
    return f"{where}: {message}" if where else message


def _name_place(path: list[Any]) -> str:
    words: list[str] = []
    for part in path:
        if isinstance(part, int) and words:
            words[-1] = f"[{words[-1]}] {part + 1}"
        else:
            words.append(f"[{part}]")
    return ", ".join(words)
