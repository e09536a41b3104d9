"""Where the data of a study come from, so that every process of it can read them and distinguish them from others."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from sfumato import plugins
from sfumato.api import calls
from sfumato.data.dataset import Dataset
from sfumato.data.secret import digest
from sfumato.exceptions import ParameterError
from sfumato.exports import write_table
from sfumato.generators.options import choose_model

__all__ = ["FileSource", "GeneratedSource", "HeldSource", "Source", "hash_plain"]

_BLOCK = 1 << 20


class Source(Protocol):
    """Something that another process can be sent, and read the data from there."""

    def read(self) -> Dataset:
        """Read the data."""

    def digest(self) -> str:
        """Return a hash of everything that decides what is read."""


def hash_plain(value: Any) -> str:
    """Return a hash of plain values, whatever order their names come in.

    Examples
    --------
    >>> hash_plain({"a": 1, "b": [2]}) == hash_plain({"b": [2], "a": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclasses.dataclass(frozen=True)
class FileSource:
    """Data in a file, or in a folder of files, and how they are read.

    Parameters
    ----------
    path, kind
        The file, and what one row is.
    read_options
        Options for reading, as in policy files.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "baskets.csv"
    >>> _ = file.write_text("person,item\\nann,wine\\nbob,bread\\n")
    >>> source = FileSource(str(file), "sets")
    >>> source.read()
    Dataset(sets: 2 people, 2 entries, 2 distinct values)
    >>> _ = file.write_text("person,item\\nann,wine\\nbob,wine\\n")
    >>> source.digest() == FileSource(str(file), "sets", {"unit": "basket"}).digest()
    False
    """

    path: str
    kind: str
    read_options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def read(self) -> Dataset:
        """Read the file."""
        return calls.read(self.path, self.kind, **self.read_options)

    def digest(self) -> str:
        """Return a hash of the content of all files that are read, and of the options; names of files do not count."""
        return hash_plain([self.kind, _hash_path(Path(self.path)), _with_content(dict(self.read_options))])


@dataclasses.dataclass(frozen=True)
class GeneratedSource:
    """Data that are made up, the same in every process.

    Parameters
    ----------
    kind
        What one row is.
    options
        ``size``, ``seed`` and, if wanted, ``model`` with its options.
    read_options
        Options for reading what was generated.

    Examples
    --------
    >>> GeneratedSource("sets", {"size": 20, "seed": 1, "mean_length": 3.0}).read()
    Dataset(sets: 20 people, ...)
    """

    kind: str
    options: Mapping[str, Any]
    read_options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def check(self) -> None:
        """Refuse options that the generator does not have."""
        generator, given = plugins.find_kind(self.kind).generator.load(), dict(self.options)
        missing = [name for name in ("size", "seed") if name not in given]
        if missing:
            raise ParameterError(
                f"generate needs {' and '.join(missing)}.",
                option="generate",
                hint="For example: generate = { size = 1000, seed = 1 }",
            )
        usual = inspect.signature(generator.generate).parameters["model"].default
        size, seed, model = given.pop("size"), given.pop("seed"), given.pop("model", usual)
        choose_model(self.kind, size, seed, str(model), generator.OPTIONS, given)

    def read(self) -> Dataset:
        """Make up the data and read them like a file."""
        table = plugins.find_kind(self.kind).generator.load().generate(**self.options)
        with tempfile.TemporaryDirectory(prefix="sfumato-") as folder:
            path = Path(folder) / "data.parquet"
            write_table(table, path)
            return calls.read(path, self.kind, **self.read_options)

    def digest(self) -> str:
        """Return a hash of all options, and of the files that they name."""
        return hash_plain([self.kind, "generated", _with_content(self.options), _with_content(self.read_options)])


@dataclasses.dataclass(frozen=True, eq=False)
class HeldSource:
    """Data that are in memory.

    Examples
    --------
    >>> source = HeldSource(Dataset.of("sets", [["wine"], ["bread"]]))
    >>> len(source.read()), source.digest() == HeldSource(Dataset.of("sets", [["wine"], ["bread"]])).digest()
    (2, True)
    """

    dataset: Dataset

    def read(self) -> Dataset:
        """Return the data."""
        return self.dataset

    def digest(self) -> str:
        """Return a hash of the data and of everything known about them."""
        return hash_plain(_to_plain(self.dataset))

    def __getstate__(self) -> dict[str, Any]:
        # Mappings of a dataset cannot be changed, and such mappings cannot be sent.
        fields = {field.name: getattr(self.dataset, field.name) for field in dataclasses.fields(self.dataset)}
        return {name: dict(value) if isinstance(value, MappingProxyType) else value for name, value in fields.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        object.__setattr__(self, "dataset", Dataset(**state))


def _to_plain(value: Any) -> Any:
    """Return plain values that distinguish data, independent of their layout in memory."""
    if isinstance(value, pa.Array | pa.ChunkedArray):
        value = pa.table({"column": value})
    if isinstance(value, pa.Table):
        return digest(value).hex()
    if isinstance(value, np.ndarray) and value.dtype == object:
        value = value.tolist()
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()]
    if dataclasses.is_dataclass(value):
        return [[field.name, _to_plain(getattr(value, field.name))] for field in dataclasses.fields(value)]
    if isinstance(value, Mapping):
        return sorted([str(name), _to_plain(entry)] for name, entry in value.items())
    return [_to_plain(entry) for entry in value] if isinstance(value, list | tuple) else repr(value)


def _with_content(value: Any) -> Any:
    """Put a hash of the content wherever an option names a file."""
    if isinstance(value, Mapping):
        return {name: _with_content(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_with_content(entry) for entry in value]
    if not isinstance(value, str):
        return value
    lead, mark, rest = ("", "@", value[1:]) if value.startswith("@") else value.partition(":")
    for name, others in ((value, ""), (rest, lead + mark), (rest.partition(",")[0], f"{lead}{mark}{rest}")):
        if name and _is_file(name):
            return [others.replace(name, ""), _hash_path(Path(name))]
    return value


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _hash_path(path: Path) -> str:
    """Return a hash of a file's content, or of the names and contents of the files in a folder."""
    state = hashlib.sha256()
    inside = sorted(child for child in path.rglob("*") if child.is_file()) if path.is_dir() else []
    for file in inside or [path]:
        state.update(str(file.relative_to(path)).encode() + b"\0")
        with file.open("rb") as opened:
            while block := opened.read(_BLOCK):
                state.update(block)
    return state.hexdigest()
