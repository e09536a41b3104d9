"""Which column plays which role: told by the owner, or by a name that is known."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sfumato.exceptions import ParameterError, SchemaError
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
"""Attributes that the standard of XES has beside who, what and when."""
UNUSED_IN_EVENT_LOGS = UNUSED_IN_XES | {
    *("venuecategoryid", "venuecategory", "timezoneoffset", "latitude", "longitude"),
}


_DATA_LIKE = re.compile(r"[+-]?[\d.]+([eE][+-]?\d+)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*", re.ASCII)


class Vocabulary(NamedTuple):
    """The roles a kind of data has, and the column names that give them away, in lower case."""

    roles: Mapping[str, str]
    """Every role that may be given, and the role it stands for: ``lat`` is ``y``."""
    names: Mapping[str, str]
    unused: frozenset[str] = frozenset()
    """Names that are known and have no part to play."""


class Roles(NamedTuple):
    """The column of each role, and what is to be told about it."""

    columns: dict[str, str]
    notes: list[str]


def assign_roles(owner: str, present: Sequence[str], read_options: ReadOptions, words: Vocabulary) -> Roles:
    """Give every column a role or leave it out; a column that has neither is an error.

    Examples
    --------
    >>> words = Vocabulary({"person": "person", "place": "place"}, {"uid": "person", "venue": "place"})
    >>> assign_roles("visits.csv", ["uid", "venue"], ReadOptions("trajectories"), words)
    Roles(columns={'person': 'uid', 'place': 'venue'}, notes=['Reading `uid` as person.', 'Reading `venue` as place.'])
    >>> assign_roles("visits.csv", ["uid", "vneue"], ReadOptions("trajectories"), words)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.csv: column 'vneue' has no role. Give it one (columns), or leave it
    out (drop; * for all such columns). The nearest known name is 'venue'. Roles: person, place.
    """
    _refuse_strangers(owner, present, read_options, words)
    columns = {words.roles[role]: column for role, column in read_options.columns.items()}
    notes = [f"Reading `{column}` as {role}." for role, column in columns.items() if column != role]
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
            notes.extend([f"Reading `{name}` as {role}."] if name != role else [])
        elif role in map(words.roles.get, read_options.columns):
            unknown.append(name)  # the owner has chosen another column
        else:
            raise SchemaError(
                f"{owner}: columns {columns[role]!r} and {name!r} could both be {role}. "
                "Say which one is (columns), and leave the other out (drop)."
            )
    if "*" not in read_options.drop:
        _refuse_unknown(owner, unknown, columns, roles, words)
    left_out += [name for name in unknown if name not in left_out]
    if left_out:
        notes.append(f"Left out the columns {', '.join(f'`{name}`' for name in left_out)}.")
    return Roles(columns, notes)


def _refuse_strangers(owner: str, present: Sequence[str], read_options: ReadOptions, words: Vocabulary) -> None:
    for role in read_options.columns:
        if role not in words.roles:
            near = difflib.get_close_matches(role, words.roles, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ParameterError(f"reading: columns: there is no role {role!r}.{hint} Known: {', '.join(words.roles)}.")
    meant = [words.roles[role] for role in read_options.columns]
    for claimed, what in ((meant, "role"), (list(read_options.columns.values()), "column")):
        twice = next((name for i, name in enumerate(claimed) if name in claimed[:i]), None)
        if twice is not None:
            raise ParameterError(f"reading: columns: the {what} {twice!r} is given twice.")
    sure = {*words.roles.values(), *words.names, *words.unused, *map(str.lower, read_options.columns.values())}
    claimed = [*read_options.columns.values(), *(name for name in read_options.drop if name != "*")]
    data_like = [i for i, name in enumerate(present) if name not in claimed and _DATA_LIKE.fullmatch(name)]
    if data_like and not read_options.header:
        raise SchemaError(
            f"{owner}: column {data_like[0] + 1} has a number or date where its name should be. If the file "
            "has no header, give the names of the columns (header)."
        )
    for name in claimed:
        if name not in present:
            # Without a single known name the first line may be a row of data, which a message must not show.
            names = present if read_options.header or any(column.lower() in sure for column in present) else ()
            near = difflib.get_close_matches(name, names, n=1)
            hint = f" The nearest one is {near[0]!r}." if near else ""
            single = " The file has one column only: check the delimiter." if len(present) == 1 else ""
            raise SchemaError(f"{owner}: there is no column {name!r}.{hint}{single}")
    both = [name for name in read_options.columns.values() if name in read_options.drop]
    if both:
        raise ParameterError(f"reading: column {both[0]!r} has a role and is dropped. Choose one.")


def _refuse_unknown(
    owner: str, unknown: list[str], columns: dict[str, str], roles: Mapping[str, str], words: Vocabulary
) -> None:
    if not unknown:
        return
    if not columns:
        # Without a single known name this may be a row of data, which a message must not show.
        single = " The file has one column only: check the delimiter." if len(unknown) == 1 else ""
        raise SchemaError(
            f"{owner}: no column has a known name.{single} Name them (columns), or give the names of the "
            f"columns if the file has no header (header). Roles: {', '.join(words.roles)}."
        )
    near = difflib.get_close_matches(unknown[0].lower(), roles, n=1)
    hint = f" The nearest known name is {near[0]!r}." if near else ""
    several = len(unknown) > 1
    names = ", ".join(repr(name) for name in unknown[:10]) + (", ..." if len(unknown) > 10 else "")
    raise SchemaError(
        f"{owner}: column{'s' * several} {names} {'have' if several else 'has'} no role. Give "
        f"{'them' if several else 'it'} one (columns), or leave {'them' if several else 'it'} out (drop; * for "
        f"all such columns).{hint} Roles: {', '.join(words.roles)}."
    )
