"""The keys of JSON objects as lines of text: where a value stands, and of which type it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tests.contracts.samples import SAMPLES

OPEN = {
    *("alone", "by_attribute", "by_rule", "checks", "columns", "constraints", "events", "hierarchies", "inferred"),
    *("languages", "lost", "matched", "mentions", "not_split", "parents", "scales", "sources"),
    *("sources_per_thing", "unique_by", "values", "withheld_by_reason"),
}
"""Tables by name whose keys come from the data, or are sentences."""
_ROLES = {"count", "event", "item", "items", "name", "person", "place", "time"}
"""Columns of the samples whose names mean something to readers."""
_COLUMNS = {"born", "city", "smokes"}
"""Further columns of releases, whose names were chosen."""
_LABELS = _COLUMNS | {cell for sample in SAMPLES.values() for row in sample.rows() for cell in re.split(r"[,;]", row)}
_LABEL = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    + "|".join(sorted(label for label in _LABELS - _ROLES if label[1:] and label.isidentifier()))
    + r")(?![A-Za-z0-9])"
)


class Document(NamedTuple):
    """One JSON object of a command or a file, and the kind of data that it is about."""

    source: str
    kind: str
    content: Any


class Entry(NamedTuple):
    """Something that a command or a file has under a name, and for which kind of data."""

    source: str
    name: str
    type: str
    kind: str


def list_keys(noun: str, documents: Iterable[Document]) -> list[str]:
    """Return a line for every key of documents from the same source, with its types."""
    entries = [
        Entry(document.source, path, name, document.kind)
        for document in documents
        for path, name in _walk(document.content, "")
    ]
    filled = {(entry.source, entry.name.partition("[")[0]) for entry in entries if "[" in entry.name}
    filled |= {(entry.source, entry.name.rpartition("[]")[0]) for entry in entries if "[]" in entry.name}
    # An empty list says nothing where another one of that name has something in it.
    return format_entries(noun, (e for e in entries if e.type != "list" or (e.source, e.name) not in filled))


def format_entries(noun: str, entries: Iterable[Entry]) -> list[str]:
    """Return a line for every name of a source, with its types; names that only some kinds have tell which ones.

    Examples
    --------
    >>> format_entries("key", [Entry("verify", "k", "int", "table"), Entry("verify", "m", "int", "rt")])
    ['key verify k: int (table)', 'key verify m: int (rt)']
    """
    types: dict[tuple[str, str], set[str]] = {}
    kinds: dict[tuple[str, str], set[str]] = {}
    every: dict[str, set[str]] = {}
    for entry in entries:
        types.setdefault((entry.source, entry.name), set()).add(entry.type)
        kinds.setdefault((entry.source, entry.name), set()).add(entry.kind)
        every.setdefault(entry.source, set()).add(entry.kind)
    details = {
        (source, name): " ".join(
            filter(None, [_format_types(names), _format_kinds(kinds[source, name], every[source])])
        )
        for (source, name), names in types.items()
    }
    return sorted(
        " ".join(filter(None, [noun, source, name])) + (f": {detail}" if detail else "")
        for (source, name), detail in details.items()
    )


def _format_types(names: set[str]) -> str:
    return " or ".join([*sorted(names - {"null"}), *(["null"] if "null" in names else [])])


def _format_kinds(kinds: set[str], every: set[str]) -> str:
    lacking = every - kinds
    if 2 * len(lacking) < len(every):
        return f"(all but {', '.join(sorted(lacking))})" if lacking else ""
    return f"({', '.join(sorted(kinds))})"


def _walk(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield where every value stands and its type; tables and lists yield what is inside of them."""
    if isinstance(value, Mapping):
        if not value and path:
            yield path, "table"
        for name, inside in value.items():
            yield from _walk(inside, f"{path}{'.' if path else ''}{name_key(path, str(name))}")
    elif isinstance(value, list):
        if not value:
            yield path, "list"
        for inside in value:
            yield from _walk(inside, f"{path}[{inside.get('metric', '') if isinstance(inside, Mapping) else ''}]")
    else:
        yield path, {"NoneType": "null", "str": "text"}.get(type(value).__name__, type(value).__name__)


def name_key(path: str, name: str) -> str:
    """Return a key with ``{}`` for what comes from the data.

    Examples
    --------
    >>> name_key("checks", "columns are the declared ones"), name_key("measures[ncp]", "home and work, before")
    ('{}', '{} and {}, before')
    """
    return "{}" if path.rpartition(".")[2] in OPEN else hide_labels(name)


def hide_labels(text: str) -> str:
    """Return a text with ``{}`` for every label of the samples.

    Examples
    --------
    >>> hide_labels("certain_illness")
    'certain_{}'
    """
    return _LABEL.sub("{}", text)
