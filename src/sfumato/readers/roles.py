"""Roles of columns: given by the owner, or known by the name of the column."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sfumato.data.notes import Note
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message, option
from sfumato.readers.notes import note_left_out, note_role
from sfumato.readers.options import ReadOptions

__all__ = ["EVENT_LOGS", "UNUSED_IN_EVENT_LOGS", "UNUSED_IN_XES", "Roles", "Vocabulary", "assign_roles"]

EVENT_LOGS = {
    "person": (
        *("user", "user_id", "userid", "uid", "visitor", "visitor_id", "visitorid", "client_id", "customer_id"),
        *("anonid", "patient_id", "case:concept:name", "case_id", "caseid", "case id"),
    ),
    "time": (
        *("timestamp", "datetime", "date", "date_time", "event_time", "eventtime", "querytime", "utctimestamp"),
        *("time:timestamp", "complete timestamp"),
    ),
    "event": (
        *("url", "page", "page_url", "clickurl", "click_url", "concept:name", "activity", "event_name", "action"),
        *("venueid", "location"),
    ),
    "session": ("session", "session_id", "sessionid", "visit_id", "visitid"),
}
"""Names of columns that event logs and click streams use, by role."""

UNUSED_IN_XES = frozenset(
    {"org:resource", "org:group", "org:role", "lifecycle:transition", "lifecycle:model", "identity:id"}
)
"""Further attributes of the XES standard."""
UNUSED_IN_EVENT_LOGS = UNUSED_IN_XES | {
    *("venuecategoryid", "venuecategory", "timezoneoffset", "latitude", "longitude"),
}


_DATA_LIKE = re.compile(r"[+-]?[\d.]+([eE][+-]?\d+)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*", re.ASCII)


class Vocabulary(NamedTuple):
    """The roles of a kind of data, and the names of columns with these roles, in lower case."""

    roles: Mapping[str, str]
    """Every role that options can name, and the role it is: ``lat`` is ``y``."""
    names: Mapping[str, str]
    unused: frozenset[str] = frozenset()
    """Known names of columns without a role."""


class Roles(NamedTuple):
    """The column of each role, and notes on them."""

    columns: dict[str, str]
    notes: list[Note]


def assign_roles(owner: str, present: Sequence[str], read_options: ReadOptions, words: Vocabulary) -> Roles:
    """Give every column a role or leave it out; a column that has neither is an error.

    Examples
    --------
    >>> words = Vocabulary({"person": "person", "place": "place"}, {"uid": "person", "venue": "place"})
    >>> columns, notes = assign_roles("visits.csv", ["uid", "venue"], ReadOptions("trajectories"), words)
    >>> columns, str(notes[0])
    ({'person': 'uid', 'place': 'venue'}, 'Reading `uid` as person.')
    >>> assign_roles("visits.csv", ["uid", "vneue"], ReadOptions("trajectories"), words)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.csv: column 'vneue' has no role. The nearest known name is 'venue'. Give it
    a role with columns= (person, place), or leave it out: drop=['vneue'].
    """
    _refuse_strangers(owner, present, read_options, words)
    columns = {words.roles[role]: column for role, column in read_options.columns.items()}
    notes = [note_role(column, role) for role, column in columns.items() if column != role]
    left_out = [name for name in present if name in read_options.drop]
    roles = {**{role: role for role in words.roles.values()}, **words.names}
    unknown = []
    for name in (name for name in present if name not in (*columns.values(), *left_out)):
        role = roles.get(name.lower())
        if name.lower() in words.unused:
            left_out.append(name)
        elif role is None:
            unknown.append(name)
        elif role not in columns:
            columns[role] = name
            notes.extend([note_role(name, role)] if name != role else [])
        elif role in map(words.roles.get, read_options.columns):
            unknown.append(name)  # the owner has chosen another column
        else:
            first, second = columns[role], name
            raise SchemaError(
                f"{owner}: columns {first!r} and {second!r} could both be {role}.",
                column=second,
                hint=Message(
                    *("Choose one: ", option("columns", {role: first}), "."),
                    *(" Leave out the other: ", option("drop", [second]), "."),
                ),
            )
    if "*" not in read_options.drop:
        _refuse_unknown(owner, unknown, columns, roles, words)
    left_out += [name for name in unknown if name not in left_out]
    if left_out:
        notes.append(note_left_out(left_out))
    return Roles(columns, notes)


def _refuse_strangers(owner: str, present: Sequence[str], read_options: ReadOptions, words: Vocabulary) -> None:
    for role in read_options.columns:
        if role not in words.roles:
            near = difflib.get_close_matches(role, words.roles, n=1)
            column = read_options.columns[role]
            meant_role = Message(" Did you mean ", option("columns", {near[0]: column}), "?") if near else ""
            raise ParameterError(
                Message(option("columns"), f" has no role {role!r}."),
                column=column,
                hint=Message(f"Roles: {', '.join(words.roles)}.", meant_role),
            )
    meant = [words.roles[role] for role in read_options.columns]
    for claimed, what in ((meant, "role"), (list(read_options.columns.values()), "column")):
        twice = next((name for i, name in enumerate(claimed) if name in claimed[:i]), None)
        if twice is not None:
            raise ParameterError(
                Message(option("columns"), f" gives the {what} {twice!r} twice."),
                column=twice if what == "column" else "",
                hint="Leave out one of them.",
            )
    sure = {*words.roles.values(), *words.names, *words.unused, *map(str.lower, read_options.columns.values())}
    claimed = [*read_options.columns.values(), *(name for name in read_options.drop if name != "*")]
    data_like = [i for i, name in enumerate(present) if name not in claimed and _DATA_LIKE.fullmatch(name)]
    if data_like and not read_options.header:
        raise SchemaError(
            f"{owner}: column {data_like[0] + 1} has a number or date in the place of a name.",
            option="header",
            hint=Message("If the file has no header, name the columns with ", option("header"), "."),
        )
    for name in claimed:
        if name not in present:
            # Without a single known name the first line may be a row of data, which a message must not show.
            names = present if read_options.header or any(column.lower() in sure for column in present) else ()
            near = difflib.get_close_matches(name, names, n=1)
            nearest = f"The nearest one is {near[0]!r}." if near else ""
            hint = Message(nearest, _check_delimiter(present, " " * bool(near)))
            raise SchemaError(f"{owner}: there is no column {name!r}.", column=name, hint=hint)
    both = [name for name in read_options.columns.values() if name in read_options.drop]
    if both:
        raise ParameterError(
            Message(f"Column {both[0]!r} has a role in ", option("columns"), " and is in ", option("drop"), "."),
            column=both[0],
            hint="Leave out one of them.",
        )


def _refuse_unknown(
    owner: str, unknown: list[str], columns: dict[str, str], roles: Mapping[str, str], words: Vocabulary
) -> None:
    if not unknown:
        return
    if not columns:
        # Without a single known name this may be a row of data, which a message must not show.
        raise SchemaError(
            Message(
                *(f"{owner}: no column has a known name.", _check_delimiter(unknown), " Give columns their roles "),
                *(f"({', '.join(words.roles)}) with ", option("columns"), "."),
            ),
            hint=Message("If the file has no header, name the columns with ", option("header"), "."),
        )
    near = difflib.get_close_matches(unknown[0].lower(), roles, n=1)
    nearest = f" The nearest known name is {near[0]!r}." if near else ""
    several = len(unknown) > 1
    names = ", ".join(repr(name) for name in unknown[:10]) + (", ..." if len(unknown) > 10 else "")
    one = "each" if several else "it"
    raise SchemaError(
        f"{owner}: column{'s' * several} {names} {'have' if several else 'has'} no role.{nearest}",
        option="columns",
        column=unknown[0],
        hint=Message(
            *(f"Give {one} a role with ", option("columns"), f" ({', '.join(words.roles)}), or leave "),
            *(f"{'them' if several else 'it'} out: ", option("drop", ["*"] if several else unknown), "."),
        ),
    )


def _check_delimiter(names: Sequence[str], before: str = " ") -> Message:
    """Return advice for a file with one column; nothing for others."""
    if len(names) > 1:
        return Message()
    return Message(f"{before}The file has one column: check ", option("delimiter"), ".")
