"""The public names of Sfumato, as lines of one file in parts that are found each in its own way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.contracts.command_names import list_command_names
from tests.contracts.comparison import ADVICE, describe_changes
from tests.contracts.json_documents import LONG, run_on_every_kind, run_on_some_kinds, run_what_takes_long
from tests.contracts.json_keys import Document, Entry, format_entries, list_keys
from tests.contracts.kind_names import list_file_keys, list_kind_names
from tests.contracts.python_names import list_python_names

SNAPSHOT = Path(__file__).parent / "public.txt"
_FILES = ("release-file", "release-column", "file-key")
_RUNS = ("json-key", "attacker")


def list_declared_names() -> list[str]:
    """Return what Python, the command line and the kinds of data declare."""
    return sorted([*list_python_names(), *list_command_names(), *list_kind_names(), *list_file_keys()])


def list_printed_names(folder: Path) -> list[str]:
    """Return the keys that commands print with ``--json``, and the attackers that they play."""
    documents = [*run_on_every_kind(folder), *run_on_some_kinds(folder)]
    return sorted([*list_keys("json-key", documents), *_list_attackers(documents)])


def list_slowly_printed_names(folder: Path) -> list[str]:
    """Return the keys that commands print with ``--json`` which run for seconds."""
    return list_keys("json-key", run_what_takes_long(folder))


def _list_attackers(documents: Iterable[Document]) -> list[str]:
    """Return what attackers know, by the kinds of data they attack."""
    entries = []
    for document in documents:
        if document.source == "sfumato attack":
            entries.append(Entry(document.kind, document.content["knowledge"], "", ""))
            entries += [Entry(document.kind, more["knowledge"], "does more", "") for more in document.content["beyond"]]
    return format_entries("attacker", entries)


def read_names(path: Path = SNAPSHOT) -> list[str]:
    """Return the lines of the snapshot."""
    return path.read_text(encoding="utf-8").splitlines()


def choose_declared(lines: Iterable[str]) -> list[str]:
    """Return the lines about what is declared."""
    return [line for line in lines if line.split(" ")[0] not in (*_FILES, *_RUNS)]


def choose_printed(lines: Iterable[str]) -> list[str]:
    """Return the lines about what commands print in a moment."""
    return [line for line in lines if line.split(" ")[0] in _RUNS and not _takes_long(line)]


def choose_slowly_printed(lines: Iterable[str]) -> list[str]:
    """Return the lines about what commands print that run for seconds."""
    return [line for line in lines if _takes_long(line)]


def choose_written(lines: Iterable[str]) -> list[str]:
    """Return the lines about files of releases."""
    return [line for line in lines if line.split(" ")[0] in _FILES]


def _takes_long(line: str) -> bool:
    return any(line.startswith(f"json-key sfumato {command} ") for command in LONG)


def describe_names(before: Sequence[str], after: Sequence[str]) -> str:
    """Return what changed and what to do about it; nothing where all names are the same."""
    sentences = describe_changes(before, after)
    return "\n".join([*sentences, ADVICE]) if sentences else ""
