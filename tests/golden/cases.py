"""What is published and asked: cases of every kind of data, the data they share, and the questions about them."""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.golden import interface

KINDS = ("activity", "rt", "sequences", "sets", "snapshots", "table", "timeline", "trajectories")
WHOLE, IN_PARTITIONS, FILE_IN_PARTITIONS, LATER_BATCH, FEED = (
    "",
    "in parts",
    "of a file in parts",
    "later batch",
    "as a feed",
)


@dataclasses.dataclass(frozen=True)
class File:
    """A file to be read: its text, the options it is read with, and further files that options name as `{name}`."""

    text: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    beside: Mapping[str, str] = dataclasses.field(default_factory=dict)
    name: str = "data.csv"

    def write(self, folder: Path) -> tuple[Path, dict[str, Any]]:
        """Write the files and return the path of the first one with the options to read it with."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in {self.name: self.text, **self.beside}.items():
            (folder / name).write_text(text, encoding="utf-8", newline="")
        return folder / self.name, _fill_in({name: str(folder / name) for name in self.beside}, self.options)


def _fill_in(paths: Mapping[str, str], value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _fill_in(paths, one) for name, one in value.items()}
    if isinstance(value, str):
        return functools.reduce(lambda text, name: text.replace(f"{{{name}}}", paths[name]), paths, value)
    return value


@dataclasses.dataclass(frozen=True)
class Case:
    """One release: a method with its parameters on named data, and how it is published."""

    kind: str
    method: str
    parameters: Mapping[str, Any]
    data: str
    way: str = WHOLE
    partition_size: int = 30
    count: str = interface.COUNT_OF_RECORDS
    withhold: float = interface.WITHHELD_AT_MOST
    later: str = ""
    beside: tuple[str, Mapping[str, Any]] | None = None
    thorough: bool = False
    exported: bool = False
    reconstructed: bool = False

    @property
    def name(self) -> str:
        """Return the name under which it is stored: it must not change when the code does."""
        told = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        counted = "" if self.count == interface.COUNT_OF_RECORDS else f"count={self.count}"
        suppressed_records = "" if self.withhold == interface.WITHHELD_AT_MOST else f"withhold={self.withhold}"
        words = (f"{self.kind}/{self.method}", told, counted, suppressed_records, f"on {self.data}", self.way)
        return " ".join(word for word in words if word)


@dataclasses.dataclass(frozen=True)
class Original:
    """Data as they are read or made, of which risks and answers are kept as well."""

    kind: str
    data: str

    @property
    def name(self) -> str:
        return f"{self.kind}/original {self.data}"


@dataclasses.dataclass(frozen=True)
class Catalogue:
    """The cases of a kind, the data by name, and the questions about each of them."""

    kind: str
    data: Mapping[str, Callable[[], Any]]
    questions: Mapping[str, Sequence[str]]
    cases: Sequence[Case]

    def originals(self) -> list[Original]:
        return [Original(self.kind, name) for name in self.data]


def change(case: Case, **fields: Any) -> Case:
    return dataclasses.replace(case, **fields)


@functools.cache
def find_catalogue(kind: str) -> Catalogue:
    """Return what there is of a kind; its module is imported on first use."""
    catalogue: Catalogue = importlib.import_module(f"tests.golden.kinds.{kind}").CATALOGUE
    return catalogue


@functools.cache
def list_cases() -> tuple[Case, ...]:
    return tuple(case for kind in KINDS for case in find_catalogue(kind).cases)


def is_exported(case: Case) -> bool:
    """Tell whether a case is exported in all layouts and formats: the first of its method that is published so."""
    alike = (each for each in find_catalogue(case.kind).cases if (each.method, each.way) == (case.method, case.way))
    return case.exported or next(alike, case) == case


@functools.cache
def list_originals() -> tuple[Original, ...]:
    return tuple(original for kind in KINDS for original in find_catalogue(kind).originals())


class Workplace:
    """A folder for files and releases, and the data that cases share, read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._data: dict[tuple[str, str], Any] = {}

    def find_data(self, kind: str, name: str) -> Any:
        if (kind, name) not in self._data:
            made = find_catalogue(kind).data[name]()
            if isinstance(made, File):
                path, options = self.find_file(kind, name)
                made = interface.read_file(path, kind, options)
            self._data[kind, name] = made
        return self._data[kind, name]

    def find_file(self, kind: str, name: str) -> tuple[Path, dict[str, Any]]:
        file: File = find_catalogue(kind).data[name]()
        return file.write(self.folder / "files" / f"{kind}-{name}".replace(" ", "-"))

    def publish(self, case: Case, out: Path) -> Any:
        """Publish a case and return its original."""
        data = self.find_data(case.kind, case.data)
        about = (case.kind, case.method, case.parameters)
        limits = {"count": case.count, "withhold": case.withhold}
        if case.way == WHOLE:
            interface.publish(data, *about, out, **limits)
        elif case.way == IN_PARTITIONS:
            interface.publish_partitions(data, *about, out, size=case.partition_size, **limits)
        elif case.way == FILE_IN_PARTITIONS:
            path, options = self.find_file(case.kind, case.data)
            interface.publish_partitions(path, *about, out, size=case.partition_size, options=options, **limits)
        elif case.way == FEED:
            path, options = self.find_file(case.kind, case.data)
            interface.publish_feed(path, *about, out, options)
        else:
            interface.publish(data, *about, out.with_name("earlier"), **limits)
            data = self.find_data(case.kind, case.later)
            interface.publish_later(out.with_name("earlier"), data, out)
        return data
