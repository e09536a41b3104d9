"""XES event logs: traces of events with attributes."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from sfumato.exceptions import SchemaError
from sfumato.formats.xml_text import walk_xml

__all__ = ["parse_xes"]

CASE = "case:concept:name"
_TYPES = frozenset({"string", "date", "int", "float", "boolean", "id"})
_ROWS = 1 << 16
"""Events that are collected before they become columns."""
_MOST_COLUMNS = 4_096


def parse_xes(name: str, blocks: Iterable[bytes]) -> pa.Table:
    """Make a table of an event log, one row per event.

    Attributes of a trace are columns with names that begin with ``case:``. Cells are text, and null where an event
    lacks the attribute. A trace without a name is named by its number. Attributes of attributes, of the
    log and of its global section are not read.

    Examples
    --------
    >>> log = b'''<log><trace><string key="concept:name" value="7"/><event><string key="concept:name" value="admit"/>
    ... <date key="time:timestamp" value="2024-01-01T10:00:00Z"/></event></trace></log>'''
    >>> parse_xes("log.xes", [log]).to_pylist()
    [{'case:concept:name': '7', 'concept:name': 'admit', 'time:timestamp': '2024-01-01T10:00:00Z'}]
    """
    log = _Log(name)
    walk_xml(name, blocks, log)
    return log.table()


class _Log:
    def __init__(self, name: str) -> None:
        self.name = name
        self.traces = 0
        self.case: dict[str, str] = {}
        self.event: dict[str, str] = {}
        self.events: list[dict[str, str]] = []
        self.rows: list[dict[str, str]] = []
        self.columns: dict[str, None] = {CASE: None}
        self.parts: list[pa.Table] = []
        self.interned: dict[str, str] = {}

    def begin(self, path: tuple[str, ...], tag: str, attributes: dict[str, str]) -> None:
        if not path and tag != "log":
            raise SchemaError(f"{self.name}: this is not an XES file: its first element is not log.")
        if tag in _TYPES and path and path[-1] in {"trace", "event"}:
            self._take(path[-1], attributes)
        elif path == ("log",) and tag == "trace":
            self.traces += 1
            self.case, self.events = {}, []
        elif path == ("log", "trace") and tag == "event":
            self.event = {}

    def end(self, path: tuple[str, ...], tag: str, text: str) -> None:  # noqa: ARG002
        if path == ("log", "trace") and tag == "event":
            self.events.append(self.event)
        elif path == ("log",) and tag == "trace":
            self.case.setdefault(CASE, str(self.traces))
            self.rows += [self.case | event for event in self.events]
            if len(self.rows) >= _ROWS:
                self._flush_rows()

    def _take(self, holder: str, attributes: dict[str, str]) -> None:
        key, value = attributes.get("key"), attributes.get("value")
        if not key or value is None:
            return
        column = f"case:{key}" if holder == "trace" else key
        self.columns.setdefault(self.interned.setdefault(column, column))
        if len(self.columns) > _MOST_COLUMNS:
            raise SchemaError(f"{self.name}: events have more than {_MOST_COLUMNS:,} different attributes, the limit.")
        target = self.case if holder == "trace" else self.event
        target[self.interned[column]] = self.interned.setdefault(value, value)

    def _flush_rows(self) -> None:
        """Move the collected rows to columns."""
        cells = {column: [row.get(column) for row in self.rows] for column in self.columns}
        self.parts.append(pa.table({column: pa.array(values, pa.string()) for column, values in cells.items()}))
        self.rows, self.interned = [], {}

    def table(self) -> pa.Table:
        if self.rows or not self.parts:
            self._flush_rows()
        return pa.concat_tables(self.parts, promote_options="default").select(list(self.columns))
