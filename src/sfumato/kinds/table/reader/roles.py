"""Roles of the columns of a table: given by options; a guess has to be confirmed."""

from __future__ import annotations

import csv
import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message, option
from sfumato.readers.options import ReadOptions, suggest_options
from sfumato.readers.ownership import OWNER
from sfumato.readers.weights import refuse_second_role

__all__ = ["OPTIONS", "Roles", "detect_role", "has_role_word", "name_columns", "resolve_roles", "roles_of_words"]

OPTIONS = {"identifier": "identifier", "quasi": "quasi-identifier", "sensitive": "sensitive", "plain": "plain"}
"""Reading options that list columns, and the role they give."""

_WORDS = {
    "identifier": (
        *(
            "id",
            "uid",
            "pid",
            "nr",
            "nbr",
            "no",
            "number",
            "key",
            "name",
            "surname",
            "firstname",
            "lastname",
            "forename",
        ),
        *(
            "ssn",
            "mrn",
            "nhs",
            "insurance",
            "passport",
            "iban",
            "account",
            "email",
            "mail",
            "phone",
            "telephone",
            "mobile",
        ),
        *("address", "street", "url", "ip", "person", "patient", "user", "customer", "client", "member", "login"),
    ),
    "sensitive": (
        *("diagnosis", "diagnoses", "diag", "disease", "illness", "condition", "icd", "symptom", "treatment", "drug"),
        *("medication", "therapy", "outcome", "hiv", "cancer", "salary", "income", "wage", "earnings", "pay", "debt"),
        *("religion", "party", "vote", "crime", "offence", "orientation", "result", "test", "score", "grade"),
    ),
    "quasi": (
        *(
            "age",
            "born",
            "birth",
            "birthdate",
            "birthday",
            "dob",
            "yob",
            "year",
            "date",
            "sex",
            "gender",
            "zip",
            "zipcode",
        ),
        *("postcode", "postal", "plz", "city", "town", "county", "region", "state", "country", "nationality", "origin"),
        *("race", "ethnicity", "ethnic", "marital", "education", "degree", "school", "occupation", "job", "profession"),
        *("work", "workclass", "employer", "height", "weight", "household", "children", "relationship", "language"),
    ),
}
_ROLE_OF_WORD = {word: option for option, words in _WORDS.items() for word in words}
_DATA_LIKE = re.compile(r"[+-]?[\d.,]+([eE][+-]?\d+)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*", re.ASCII)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+")
_MIN_ROWS = 3  # rows from which on it says something that all values differ
_MANY = 100  # the same for numbers, which may differ by chance
_MOSTLY = 0.5  # share of different values from which on a name such as patient_id names people


class Roles(NamedTuple):
    """What becomes of every column."""

    retained: dict[str, str]
    """Role of every column that stays, in the order of the file."""
    identifiers: tuple[str, ...]
    owner: str
    """The column with the person of each record, or nothing."""
    dropped: tuple[str, ...]


def resolve_roles(name: str, table: pa.Table, read_options: ReadOptions, taken: Collection[str] = ()) -> Roles:
    """Return the role of each column, or refuse columns without one, with a guess to confirm.

    Parameters
    ----------
    name
        Of the file, for messages.
    table
        The file as it was read.
    read_options
        The options, with the roles.
    taken
        Columns that are used otherwise, such as the items of a person.

    Examples
    --------
    >>> people = pa.table({"name": ["Ann", "Bob", "Cid"], "age": [30, 40, 40], "illness": ["flu", "flu", "cold"]})
    >>> read_options = ReadOptions("table", identifier=("name",), quasi=("age",), drop=("illness",))
    >>> resolve_roles("people.csv", people, read_options).retained
    {'age': 'quasi-identifier'}
    >>> resolve_roles("people.csv", people, ReadOptions("table", identifier=("name",)))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: people.csv: columns 'age', 'illness' have no role. Give each a role: identifier=
    (names people), quasi= (known to others), sensitive= or plain= (published unchanged); or leave it out: drop=. If
    this guess is right, add: quasi=['age'], sensitive=['illness']
    """
    present = table.column_names
    given = {option: name_columns(getattr(read_options, option), present) for option in OPTIONS}
    owner = _find_owner(read_options, taken)
    weight = read_options.weight or ""
    claimed = [column for columns in given.values() for column in columns]
    claimed += [column for column in (owner, weight) if column]
    dropped = [column for column in name_columns(read_options.drop, present) if column != "*"]
    _refuse_data_as_names(name, table, read_options, {*claimed, *dropped, *taken})
    _refuse_strangers(name, present, read_options, [*claimed, *dropped])
    roles = _refuse_two_roles(given, owner, [*dropped, *taken])
    elsewhere = {**dict.fromkeys(dropped, "dropped"), **dict.fromkeys(taken, "an item")}
    refuse_second_role(weight, {**roles, **elsewhere, owner: OWNER} if owner else {**roles, **elsewhere})
    without = [column for column in present if column not in {*claimed, *dropped, *taken}]
    if without and "*" not in read_options.drop:
        _refuse_without_roles(name, table, without, bool(claimed or taken) or bool(read_options.header))
    if not given["quasi"]:
        raise ParameterError(
            f"{name}: a table needs a quasi-identifier: a column that others may know of people.",
            option="quasi",
            hint=Message("Name it: ", option("quasi", ["COLUMN"]), "."),
        )
    published = {column: roles[column] for column in present if roles.get(column, "identifier") != "identifier"}
    left = tuple(column for column in present if column in {*dropped, *without})
    return Roles(published, tuple(column for column in present if roles.get(column) == "identifier"), owner, left)


def name_columns(entries: Sequence[str], present: Collection[str]) -> list[str]:
    """Return the columns that a list names; an entry may hold several with commas, quoted as in CSV.

    Examples
    --------
    >>> name_columns(["age,sex", "income, net"], ["age", "sex", "income, net"])
    ['age', 'sex', 'income, net']
    """
    columns: list[str] = []
    for entry in entries:
        columns += [entry] if entry in present else _split_list(entry)
    return list(dict.fromkeys(columns))


def _split_list(entry: str) -> list[str]:
    try:
        parts = next(csv.reader([entry], skipinitialspace=True), [])
    except csv.Error:
        return [entry]
    return [part.strip() for part in parts if part.strip()]


def _find_owner(read_options: ReadOptions, taken: Collection[str]) -> str:
    for role, column in read_options.columns.items():
        if role != OWNER and column not in taken:
            roles = [part for name in OPTIONS for part in (", ", option(name))][1:]
            raise ParameterError(
                Message(option("columns"), f" of tables has the role {OWNER} only, got {role!r}."),
                column=column,
                hint=Message("Other roles are given by ", *roles, "."),
            )
    return read_options.columns.get(OWNER, "")


def _refuse_data_as_names(name: str, table: pa.Table, read_options: ReadOptions, claimed: Collection[str]) -> None:
    """Refuse a file whose first line is a record; errors must not show its cells."""
    if read_options.header:
        return
    unclaimed = [(at, column) for at, column in enumerate(table.column_names, start=1) if column not in claimed]
    data_like = [at for at, column in unclaimed if _DATA_LIKE.fullmatch(column)]
    suspects = data_like or [at for at, column in unclaimed if _occurs(column, table.column(column))]
    if suspects:
        fault = "a number or date in the place of a name" if data_like else "a name that is also one of its values"
        raise SchemaError(
            f"{name}: column {suspects[0]} has {fault}.",
            option="header",
            hint=Message(
                *("If the file has no header, name the columns with ", option("header"), ". If that is its name, "),
                "give the column a role.",
            ),
        )


def _occurs(text: str, cells: pa.ChunkedArray) -> bool:
    if not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)):
        return False
    trimmed = pc.utf8_trim_whitespace(cells.unique())
    return bool(pc.any(pc.equal(trimmed, pa.scalar(text, trimmed.type))).as_py())


def _refuse_strangers(name: str, present: Sequence[str], read_options: ReadOptions, claimed: Iterable[str]) -> None:
    # Without a single known name the first line may be a row of data, which a message must not show.
    shown = (
        bool(read_options.header) or any(column in present for column in claimed) or any(map(has_role_word, present))
    )
    for column in claimed:
        if column not in present:
            near = difflib.get_close_matches(column, present if shown else (), n=1)
            named = ", ".join(map(repr, present[:10])) + (", ..." if len(present) > 10 else "")
            nearest = f"The nearest one is {near[0]!r}." if near else f"Columns: {named}." if shown else ""
            hint = _check_delimiter(len(present)) or nearest
            raise SchemaError(f"{name}: there is no column {column!r}.", column=column, hint=hint)


def _refuse_two_roles(given: dict[str, list[str]], owner: str, elsewhere: Sequence[str]) -> dict[str, str]:
    roles: dict[str, str] = {}
    for role, columns in given.items():
        for column in columns:
            if column in roles:
                raise ParameterError(
                    f"Column {column!r} has two roles, {roles[column]} and {OPTIONS[role]}.",
                    option=role,
                    column=column,
                    hint="Choose one.",
                )
            roles[column] = OPTIONS[role]
    # The owner column is not published, as identifiers are not: a column may be both.
    if owner and roles.setdefault(owner, "identifier") != "identifier":
        raise ParameterError(
            f"Column {owner!r} has two roles, {OWNER} and {roles[owner]}.",
            option="columns",
            column=owner,
            hint="Choose one.",
        )
    both = [column for column in elsewhere if column in roles]
    if both:
        raise ParameterError(
            Message(f"Column {both[0]!r} has a role, and is left out (", option("drop"), ") or used otherwise."),
            column=both[0],
            hint="Choose one.",
        )
    if owner not in given["identifier"]:
        roles.pop(owner, None)
    return roles


def has_role_word(column: str) -> bool:
    """Return whether a word in the name of a column is one of a role.

    Examples
    --------
    >>> has_role_word("patient_nbr"), has_role_word("metformin")
    (True, False)
    """
    return bool(roles_of_words(column))


def roles_of_words(column: str) -> set[str]:
    """Return the roles that words in the name of a column are of.

    Examples
    --------
    >>> sorted(roles_of_words("patient_age"))
    ['identifier', 'quasi']
    """
    return {_ROLE_OF_WORD[word] for word in _words(column) if word in _ROLE_OF_WORD}


def _words(column: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(column)]


def _refuse_without_roles(name: str, table: pa.Table, without: list[str], has_header: bool) -> NoReturn:
    if not has_header and not any(map(has_role_word, without)) and not any(map(_holds_numbers, table.columns)):
        raise SchemaError(
            Message(f"{name}: no column has a role, and the first line may be data. ", _explain_roles()),
            option="quasi",
            hint=_check_delimiter(table.num_columns)
            or Message("If the file has no header, name the columns with ", option("header"), "."),
        )
    suggested: dict[str, list[str]] = {option: [] for option in OPTIONS}
    for column in without:
        suggested[detect_role(column, table.column(column))].append(column)
    several = len(without) > 1
    names = ", ".join(map(repr, without[:10])) + (", ..." if len(without) > 10 else "")
    raise SchemaError(
        Message(
            *(f"{name}: column{'s' * several} {names} {'have' if several else 'has'} no role. ", _explain_roles()),
        ),
        column=without[0],
        hint=suggest_options({name: columns for name, columns in suggested.items() if columns}),
    )


def _explain_roles() -> Message:
    return Message(
        *("Give each a role: ", option("identifier"), " (names people), ", option("quasi"), " (known to others), "),
        *(
            option("sensitive"),
            " or ",
            option("plain"),
            " (published unchanged); or leave it out: ",
            option("drop"),
            ".",
        ),
    )


def _check_delimiter(columns: int) -> Message:
    """Return advice for a file with one column; nothing for others."""
    return Message("The file has one column: check ", option("delimiter"), ".") if columns == 1 else Message()


def detect_role(column: str, cells: pa.ChunkedArray) -> str:
    """Guess the role of a column from its name, last word first, and from how many values it has."""
    try:
        distinct = int(pc.count_distinct(cells, mode="only_valid").as_py())
    except pa.ArrowException:
        return "quasi"
    telling = len(cells) >= _MIN_ROWS
    for word in reversed(_words(column)):
        option = _ROLE_OF_WORD.get(word)
        if option is not None and (option != "identifier" or distinct > _MOSTLY * len(cells) or not telling):
            return option
    if pa.types.is_floating(cells.type) or _holds_numbers(cells, "."):
        return "quasi"
    enough = _MANY if _holds_numbers(cells) else _MIN_ROWS
    return "identifier" if len(cells) >= enough and distinct == len(cells) else "quasi"


def _holds_numbers(cells: pa.ChunkedArray, mark: str = "") -> bool:
    """Tell whether the first cells look like numbers or dates, or like those with a mark such as a point."""
    if not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)):
        return not mark
    first = [cell.strip() for cell in cells.slice(0, 100).to_pylist() if cell and cell.strip()]
    return all(map(_DATA_LIKE.fullmatch, first)) and any(mark in cell for cell in first)
