"""Logs of web servers in common (NCSA) and combined format: requests of pages with their times.

A line is ``host - user [10/Oct/2000:13:55:36 -0700] "GET /index.html HTTP/1.0" 200 2326``, to which the combined
format adds referrer and agent in quotes; what follows those is ignored. A request counts as an event if its status is
2xx or 304 (the page was shown, from the server or from the browser's own copy). Redirects and errors show no page and
are left out; their requests may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.notes import Note
from sfumato.exceptions import SchemaError
from sfumato.hierarchies.build import name_rows
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells, list_marked, marks
from sfumato.readers.notes import ROLE
from sfumato.readers.partitioned.agreement import note_count

__all__ = ["WebLog", "is_weblog", "parse_weblog"]

Marks = npt.NDArray[np.bool_]

# Requests of old logs hold bare quotes, so the end of a request is told by the status after it.
_LINE = (
    r"^(?P<host>\S+) \S+ (?P<user>\S.*?) \[(?P<time>\d\d/[A-Za-z]{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "
    r'"(?P<request>.*?)" (?P<status>\d{3}) (?:\d+|-)(?P<combined> ".*?" "(?P<agent>.*?)")?(?: .*)?\s*$'
)
_REQUEST = r"^[A-Za-z]+ +(?P<target>\S.*?)(?: +HTTP/[0-9.]+)?\s*$"
_SHOWN = r"^(2\d\d|304)$"
_PYTHON_LINE = re.compile(_LINE, re.ASCII)


class WebLog(NamedTuple):
    """The lines of a log, those left out included, so that a row is a line.

    Examples
    --------
    >>> line = b'h - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 404 9'
    >>> log = parse_weblog("access.log", line + b"\\n" + line.replace(b"404", b"200"), "host")
    >>> log.is_event.tolist(), str(log.notes[1])
    ([False, True], 'Left out 1 request with another status.')
    """

    table: pa.Table
    """``time``, ``event``, and the columns that make up a person."""
    person: tuple[str, ...]
    is_event: Marks
    """Which lines are events."""
    notes: list[Note]


def is_weblog(lines: Sequence[str]) -> bool:
    """Return whether any of the lines is one of a web log.

    Examples
    --------
    >>> is_weblog(['host - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326'])
    True
    >>> is_weblog(["person,time,event"])
    False
    """
    return any(_PYTHON_LINE.match(line) for line in lines)


def parse_weblog(name: str, text: bytes, user_key: str, *, keep_query: bool = False) -> WebLog:
    """Make events of requests; the name is for error messages.

    Parameters
    ----------
    name
        Of the file.
    text
        Its content, in UTF-8.
    user_key
        Who a person is: ``host``, ``user`` (lines without one are left out) or ``host+agent``.
    keep_query
        Whether what follows a question mark is part of the event.

    Examples
    --------
    >>> log = parse_weblog("access.log", b'h - - [10/Oct/2000:13:55:36 -0700] "GET /a?b=1 HTTP/1.0" 200 9', "host")
    >>> log.table.to_pylist()
    [{'host': 'h', 'time': '10-Oct-2000 13:55:36 -0700', 'event': '/a'}]
    >>> parse_weblog("access.log", b"GET /a", "host")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: access.log: every line must be a request in common or combined log format; look at
    line 1 (1 in all). Correct or remove such lines.
    """
    if not text.strip():
        raise SchemaError(f"{name}: the file is empty.", hint="Give a file with requests.")
    fields: Cells = pc.extract_regex(_cut_lines(text), _LINE)
    _refuse_marked(name, marks(fields.is_null()), "be a request in common or combined log format")
    column = dict(zip([field.name for field in fields.type], fields.flatten(), strict=True))
    retained = marks(pc.match_substring_regex(column["status"], _SHOWN))
    notes = [Note("web-log", "Recognised a web log: a request with status 2xx or 304 is an event.")]
    template = "Left out {requests} {requests:request|requests} with another status."
    note_count(notes, Note("other-status-left-out", template, {"requests": len(retained) - int(retained.sum())}))
    person = tuple(user_key.split("+"))
    if "user" in person:
        anonymous = retained & marks(pc.equal(column["user"], pa.scalar("-", pa.large_string())))
        template = "Left out {requests} {requests:request|requests} without a user."
        note_count(notes, Note("anonymous-left-out", template, {"requests": int(anonymous.sum())}))
        retained = retained & ~anonymous
    if not retained.any():
        raise SchemaError(
            f"{name}: no request has status 2xx or 304{' and a user' * ('user' in person)}.",
            option="user_key" if "user" in person else "",
            hint=Message("Choose people by ", option("user_key", "host"), ".")
            if "user" in person
            else "Give a log with pages that were shown.",
        )
    if "agent" in person:
        common = marks(pc.equal(column["combined"], pa.scalar("", pa.large_string())))
        _refuse_marked(name, retained & common, Message("name an agent for ", option("user_key", "host+agent")))
    notes.append(Note(ROLE, "Reading {columns} as person.", columns=person, details={"role": "person"}))
    events = _name_events(name, column["request"], retained, keep_query=keep_query)
    cells = {part: _blank(column[part], retained, "-") for part in person}
    return WebLog(
        pa.table({**cells, "time": _normalise_times(column["time"]), "event": events}), person, retained, notes
    )


def _cut_lines(text: bytes) -> Cells:
    """Return the lines as Arrow text that shares the bytes, line ends included."""
    text = text.rstrip().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n")) + 1
    offsets = np.concatenate([[0], ends, [len(text)]]).astype(np.int64)
    return pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(text)])


def _name_events(name: str, request: Cells, retained: Marks, *, keep_query: bool) -> Cells:
    """Return the path of every request that is kept."""
    parsed: Cells = pc.extract_regex(_blank(request, retained, "GET /"), _REQUEST)
    _refuse_marked(name, marks(parsed.is_null()), "request a path with a method such as GET")
    target: Cells = parsed.flatten()[0]
    if not keep_query:
        target = pc.replace_substring_regex(target, r"\?.*$", "")
    path: Cells = pc.replace_substring_regex(target, r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?]*", "")
    return _blank(path, marks(pc.not_equal(path, pa.scalar("", pa.large_string()))), "/")


def _normalise_times(times: Cells) -> Cells:
    """Write 10/Oct/2000:13:55 as 10-Oct-2000 13:55, which is a common way to write dates."""
    return pc.replace_substring_regex(times, r"^(\d\d)/([A-Za-z]+)/(\d+):", r"\1-\2-\3 ")


def _blank(cells: Cells, retained: Marks, instead: str) -> Cells:
    """Fill cells that are empty or whose line is left out."""
    good = retained & marks(pc.not_equal(cells, pa.scalar("", pa.large_string())))
    return pc.if_else(pa.array(good), cells, pa.scalar(instead, pa.large_string()))


def _refuse_marked(name: str, bad: Marks, rule: str) -> None:
    if bad.any():
        where = name_rows((np.flatnonzero(bad) + 1).tolist(), "line")
        raise SchemaError(
            Message(f"{name}: every line must ", rule, f"; look at {where} ({int(bad.sum()):,} in all)."),
            rows=list_marked(bad),
            hint="Correct or remove such lines.",
        )
