"""Whether a file looks like a table of people, and what its columns are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from sfumato.data.dataset import Dataset
from sfumato.kinds.table.reader.roles import OPTIONS, detect_role, name_columns, roles_of_words
from sfumato.messages import Message, option
from sfumato.readers.detect import ColumnProfile, Detection, FileProfile, find_no_value
from sfumato.readers.ownership import OWNER
from sfumato.readers.protection import choose_l, list_sensitive
from sfumato.readers.weights import is_weight

__all__ = ["detect", "detect_roles", "protect"]

_MANY_COLUMNS = 20
_PERSON_WORDS = frozenset(
    {"patient", "person", "user", "uid", "pid", "customer", "client", "member", "household", "account"}
)
"""Words in the names of columns that say whose records are."""
_MOST_VALUES = 200
"""Different values from which on a column that nobody knows is left out."""
_PLACE = re.compile(r"column\d+")
"""A column that has no name but its place."""
_IDENTIFIER, _QUASI, _SENSITIVE = "identifier", "quasi", "sensitive"


def detect(preview: FileProfile) -> Detection | None:
    """Take a table for people with attributes where nothing speaks for another kind.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cells = {"name": [f"p{i}" for i in range(9)], "age": ["30"] * 9, "sex": ["f"] * 9, "diagnosis": ["flu"] * 9}
    >>> found = detect(FileProfile.of_table("a.csv", pa.table(cells)))
    >>> {role: found.options[role] for role in ("identifier", "quasi", "sensitive")}
    {'identifier': ['name'], 'quasi': ['age', 'sex'], 'sensitive': ['diagnosis']}
    >>> detect(FileProfile.of_table("a.csv", pa.table(cells), {"sensitive": ["age"]})).options["sensitive"]
    ['age', 'diagnosis']
    """
    if preview.rows is None or preview.rows.num_columns < 2:
        return None
    options, reasons = detect_roles(preview)
    if not options.get(_QUASI):
        return None
    weight = options.get("weight")
    if weight is not None:
        reasons.append(
            f"`{weight}` is a survey weight by its name and size: it counts in measures and is not published."
        )
    empty = find_no_value(preview)
    if empty:
        options["empty"] = empty
        reasons.append(f"Some cells hold {' or '.join(map(repr, empty))}, which is read as no value.")
    left = (
        Message(
            "Check every column: quasi-identifiers are what others may know of people, sensitive columns what they "
            "must not learn. Columns that are left out can be given a role: ",
            option("drop"),
            ".",
        ),
    )
    return Detection("table", 50, options, reasons, "mondrian", {"k": 5}, left)


def protect(detection: Detection, dataset: Dataset) -> Detection:
    """Ask for different sensitive values in every group, as many as are usual and can be; or warn why not.

    Examples
    --------
    >>> import pyarrow as pa
    >>> cells = {"age": ["30", "40"] * 9, "sex": ["f"] * 18, "diagnosis": ["flu", "cold"] * 9}
    >>> found = detect(FileProfile.of_table("a.csv", pa.table(cells)))
    >>> rows = list(zip(*cells.values()))
    >>> protect(found, Dataset.of("table", rows, tuple(cells), sensitive=("diagnosis",))).parameters
    {'k': 5, 'l': 2}
    """
    columns = list_sensitive(dataset)
    constant = [column.name for column in columns if column.values < 2]
    if constant:
        names = ", ".join(f"`{name}`" for name in constant)
        return detection.warn(
            Message(
                f"No guarantee can protect {names}: all records have the same value. Leave it out, then start again: ",
                option("drop", constant),
                ".",
            )
        )
    if not columns:
        return detection
    most = max(columns, key=lambda column: column.share)
    names = ", ".join(f"`{column.name}`" for column in columns)
    l = min(choose_l(most.share) or 2, *(column.values for column in columns))
    detection = detection.add(f"Sensitive values differ in every group: at least {l} of {names} (l).", l=l)
    if most.share * l <= 1:
        return detection
    return detection._replace(
        open=(
            *detection.open,
            f"{100 * most.share:.0f} % of the records share one value of `{most.name}`, and l only counts different "
            "values. To bound how frequent it is in a group, add t=0.2.",
        )
    )


def detect_roles(preview: FileProfile) -> tuple[dict[str, Any], list[str]]:
    """Give columns their parts: by words in their names, by their shape, and by how many values they have."""
    assert preview.rows is not None
    given = {role: name_columns(preview.given.get(role, ()), preview.columns) for role in OPTIONS}
    dropped = [name for name in name_columns(preview.given.get("drop", ()), preview.columns) if name in preview.columns]
    reasons = []
    assigned = {
        *dropped,
        *preview.given.get("columns", {}).values(),
        *(name for names in given.values() for name in names),
    }
    unfit = [
        name for name, column in preview.columns.items() if column.shape in {"list", "other"} and name not in assigned
    ]
    flat = {name: column for name, column in preview.columns.items() if name not in {*unfit, *assigned}}
    weight = next((name for name in flat if is_weight(name, preview.rows.column(name))), None)
    others = {name: column for name, column in flat.items() if name != weight}
    named_roles = _find_named_roles(preview, flat)
    for name, column in others.items():
        if column.suspect is not None:
            given[_IDENTIFIER].append(name)
            reasons.append(f"`{name}` looks like {column.suspect.identifier_type}: it is left out as an identifier.")
        elif name in named_roles:
            given[named_roles[name]].append(name)
        elif _is_unknown_identifier(column):
            given[_IDENTIFIER].append(name)
        elif (len(named_roles) < 3 or len(preview.columns) <= _MANY_COLUMNS) and _is_attribute(column):
            given[_QUASI].append(name)
    options: dict[str, Any] = {role: names for role, names in given.items() if names}
    owner = next((name for name in given[_IDENTIFIER] if _is_owner_column(preview.columns[name])), None)
    for role, heading in (
        (_IDENTIFIER, "Naming people or records, by their names or because every row has another value"),
        (_QUASI, "Known to others, perhaps"),
        (_SENSITIVE, "Sensitive by their names"),
    ):
        if role in options:
            reasons.append(f"{heading} ({role}): {', '.join(f'`{name}`' for name in options[role])}.")
    if owner is not None:
        options["columns"] = {OWNER: owner}
        options[_IDENTIFIER] = [name for name in options[_IDENTIFIER] if name != owner]
        reasons.append(f"`{owner}` is the same in several rows: it links records to people (owner).")
    if weight is not None:
        options["weight"] = weight
    placed = {name for names in given.values() for name in names} | assigned | {weight}
    rest = [name for name in preview.columns if name not in placed]
    if rest or dropped:
        options["drop"] = [*dropped, *rest]
    if unfit:
        reasons.append(f"Left out, as they hold no numbers, dates or text: {', '.join(f'`{name}`' for name in unfit)}.")
    if len(rest) > len(unfit):
        unknown = len(rest) - len(unfit)
        reasons.append(f"Left out, as their role is unknown: {unknown} other columns.")
    return {name: value for name, value in {**options, "weight": weight}.items() if value}, reasons


def _find_named_roles(preview: FileProfile, names: Iterable[str]) -> dict[str, str]:
    """Return the parts of the columns whose names speak for them."""
    assert preview.rows is not None
    roles = {name: detect_role(name, preview.rows.column(name)) for name in names if not _PLACE.fullmatch(name)}
    return {name: role for name, role in roles.items() if role in roles_of_words(name)}


def _is_attribute(column: ColumnProfile) -> bool:
    """Tell whether a column that nobody knows has few labels, or numbers, which can be put together by size."""
    return column.distinct <= _MOST_VALUES or (column.shape in {"whole", "decimal"} and column.suspect is None)


def _is_owner_column(column: ColumnProfile) -> bool:
    return (
        column.repeats
        and not column.empty
        and any(word in _PERSON_WORDS for word in re.findall("[a-z]+", column.name.lower()))
    )


def _is_unknown_identifier(column: ColumnProfile) -> bool:
    return column.distinct == column.filled and column.filled >= 100 and column.shape in {"whole", "text"}
