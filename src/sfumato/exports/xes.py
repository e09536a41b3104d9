"""Releases as XES: a trace per record, an event per event; an interval has a further time at which it ends."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import pyarrow as pa

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.exports.jsonl import build_column, show_time
from sfumato.release.layouts import LayoutTable
from sfumato.release.release import Release

__all__ = ["encode_file", "parse"]

_NAME, _TIME, _UNTIL, _PART = "concept:name", "time:timestamp", "sfumato:until", "sfumato:part"
_STEP = "sfumato:time"
"""When something happened where times are plain numbers, which are no dates."""
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_EXTENSIONS = (("Concept", "concept"), ("Time", "time"))


def encode_file(release: Release, layout_table: LayoutTable) -> Iterator[bytes]:  # noqa: ARG001
    """Yield the text of a file."""
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1.0" xmlns="http://www.xes-standard.org/">\n'
    for name, prefix in _EXTENSIONS:
        uri = f"http://www.xes-standard.org/{prefix}.xesext"
        yield f"  <extension name={quoteattr(name)} prefix={quoteattr(prefix)} uri={quoteattr(uri)}/>\n".encode()
    person, event, time, part = _name_columns(layout_table)
    now: str | None = None
    for batch in layout_table.table.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            if row[person] != now:
                yield (b"" if now is None else b"  </trace>\n") + b"  <trace>\n" + _encode_value(_NAME, row[person], 4)
                now = row[person]
            if row[event] is not None:
                body = (
                    _encode_value(_NAME, row[event], 6) + _encode_time(row[time]) + _encode_value(_PART, row[part], 6)
                )
                yield b"    <event>\n" + body + b"    </event>\n"
    yield (b"" if now is None else b"  </trace>\n") + b"</log>\n"


def _name_columns(layout_table: LayoutTable) -> tuple[str, str, str, str]:
    roles = {column.role: column.name for column in layout_table.columns}
    return roles["identifier"], roles["history"], roles["time"], roles["part"]


def _encode_time(moment: Mapping[str, Any]) -> bytes:
    first = _TIME if isinstance(moment["lo"], datetime.datetime) else _STEP
    element = _encode_value(first, moment["lo"], 6)
    return element if moment["hi"] == moment["lo"] else element + _encode_value(_UNTIL, moment["hi"], 6)


def _encode_value(key: str, value: Any, indent: int) -> bytes:
    tag = "date" if isinstance(value, datetime.datetime) else "int" if isinstance(value, int) else "string"
    text = show_time(value) if tag == "date" else str(value)
    if _NO_XML.search(text):
        raise ParameterError("export: a label holds a character that XML does not have. Choose csv, parquet or jsonl.")
    return f"{' ' * indent}<{tag} key={quoteattr(key)} value={quoteattr(text)}/>\n".encode()


def parse(path: Path, release: Release, layout_table: LayoutTable) -> pa.Table:  # noqa: ARG001
    """Read a file back as a table of the long layout."""
    person, event, time, part = _name_columns(layout_table)
    rows: dict[str, list[Any]] = {name: [] for name in (person, event, time, part)}
    for who, attributes in _read_events(path):
        moment = attributes.get(_TIME, attributes.get(_STEP))
        rows[person].append(who)
        rows[event].append(attributes.get(_NAME))
        rows[time].append(None if moment is None else {"lo": moment, "hi": attributes.get(_UNTIL, moment)})
        rows[part].append(attributes.get(_PART))
    forms = {column.name: column.form for column in layout_table.columns}
    return pa.table({name: build_column(values, forms[name]) for name, values in rows.items()})


def _read_events(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of a file with the name of their trace; a trace without events is one that says nothing."""
    events: list[tuple[str, dict[str, Any]]] = []
    trace: dict[str, Any] = {}
    inside: list[str] = []
    start = 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal start
        if tag == "trace":
            trace.clear()
            start = len(events)
        elif tag == "event":
            events.append(("", {}))
        elif tag in {"string", "date", "int"} and inside[-1] in {"trace", "event"}:
            value = int(attributes["value"]) if tag == "int" else attributes["value"]
            (events[-1][1] if inside[-1] == "event" else trace)[attributes["key"]] = value
        inside.append(tag)

    def end(tag: str) -> None:
        inside.pop()
        if tag == "trace":
            events[start:] = [(trace[_NAME], attributes) for _, attributes in events[start:]] or [(trace[_NAME], {})]

    def refuse(*_: Any) -> NoReturn:
        raise SchemaError(f"{path.name}: an export declares no entities.")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = begin, end, refuse
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError:
        raise SchemaError(f"{path.name}: this is not XML.") from None
    return events
