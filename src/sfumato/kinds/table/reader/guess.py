"""Whether a file looks like a table of people, and what its columns are."""

from __future__ import annotations

import re
from typing import Any

from sfumato.io.looks import ColumnLook, Guess, Look, find_no_value
from sfumato.io.ownership import OWNER
from sfumato.io.weights import looks_like_weight
from sfumato.kinds.table.reader.roles import guess_role, roles_of_words

__all__ = ["guess", "guess_roles"]

_MANY_COLUMNS = 20
_WHOSE = frozenset({"patient", "person", "user", "uid", "pid", "customer", "client", "member", "household", "account"})
"""Words in the names of columns that say whose records are."""
_MOST_VALUES = 200
"""Different values from which on a column that nobody knows is left out."""
_PLACE = re.compile(r"column\d+")
"""A column that has no name but its place."""
_IDENTIFIER, _QUASI, _SENSITIVE = "identifier", "quasi", "sensitive"


def guess(look: Look) -> Guess | None:
    """Take a table for people with attributes where nothing speaks for another kind.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cells = {"name": [f"p{i}" for i in range(9)], "age": ["30"] * 9, "sex": ["f"] * 9, "diagnosis": ["flu"] * 9}
    >>> found = guess(Look.of_table("a.csv", pa.table(cells)))
    >>> {role: found.options[role] for role in ("identifier", "quasi", "sensitive")}
    {'identifier': ['name'], 'quasi': ['age', 'sex'], 'sensitive': ['diagnosis']}
    """
    if look.rows is None or look.rows.num_columns < 2:
        return None
    options, told = guess_roles(look)
    if not options.get(_QUASI):
        return None
    weight = options.get("weight")
    if weight is not None:
        told.append(f"`{weight}` is a survey weight by its name and size: it counts in measures and is not published.")
    empty = find_no_value(look)
    if empty:
        options["empty"] = empty
        told.append(f"Some cells hold {' or '.join(map(repr, empty))}, which is taken for no value.")
    left = (
        "Look at every column: what others may know of people is quasi, what must not be learnt is sensitive. Columns "
        "that were left out (drop) can be given a part.",
    )
    return Guess("table", 50, options, told, "mondrian", {"k": 5}, left)


def guess_roles(look: Look) -> tuple[dict[str, Any], list[str]]:
    """Give columns their parts: by words in their names, by their shape, and by how many values they have."""
    assert look.rows is not None
    given: dict[str, list[str]] = {_IDENTIFIER: [], _QUASI: [], _SENSITIVE: []}
    told = []
    known = {}
    for name in (name for name in look.columns if not _PLACE.fullmatch(name)):
        role = guess_role(name, look.rows.column(name))
        if role in roles_of_words(name):
            known[name] = role
    weight = next((name for name in look.columns if looks_like_weight(name, look.rows.column(name))), None)
    others = {name: column for name, column in look.columns.items() if name != weight}
    for name, column in others.items():
        if column.suspect is not None:
            given[_IDENTIFIER].append(name)
            told.append(f"`{name}` looks like {column.suspect.looks_like}: it is left out as an identifier.")
        elif name in known:
            given[known[name]].append(name)
        elif _is_unknown_identifier(column):
            given[_IDENTIFIER].append(name)
        elif (len(known) < 3 or len(look.columns) <= _MANY_COLUMNS) and _is_attribute(column):
            given[_QUASI].append(name)
    options: dict[str, Any] = {role: names for role, names in given.items() if names}
    owner = next((name for name in given[_IDENTIFIER] if _says_whose(look.columns[name])), None)
    for role, spoken in (
        (_IDENTIFIER, "Naming people or records, by their names or because every row has another value"),
        (_QUASI, "Known to others, perhaps"),
        (_SENSITIVE, "Sensitive by their names"),
    ):
        if role in options:
            told.append(f"{spoken} ({role}): {', '.join(f'`{name}`' for name in options[role])}.")
    if owner is not None:
        options["columns"] = {OWNER: owner}
        options[_IDENTIFIER] = [name for name in options[_IDENTIFIER] if name != owner]
        told.append(f"`{owner}` is the same in several rows: it says whose they are (owner).")
    if weight is not None:
        options["weight"] = weight
    rest = [name for name in look.columns if name != weight and not any(name in names for names in given.values())]
    if rest:
        options["drop"] = rest
        told.append(f"Nothing tells what the other columns are ({len(rest)}); they are left out (drop).")
    return {name: value for name, value in {**options, "weight": weight}.items() if value}, told


def _is_attribute(column: ColumnLook) -> bool:
    """Tell whether a column that nobody knows has few labels, or numbers, which can be put together by size."""
    return column.distinct <= _MOST_VALUES or (column.shape in {"whole", "decimal"} and column.suspect is None)


def _says_whose(column: ColumnLook) -> bool:
    return (
        column.repeats
        and not column.empty
        and any(word in _WHOSE for word in re.findall("[a-z]+", column.name.lower()))
    )


def _is_unknown_identifier(column: ColumnLook) -> bool:
    return column.distinct == column.filled and column.filled >= 100 and column.shape in {"whole", "text"}
