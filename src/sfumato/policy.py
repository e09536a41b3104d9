"""A policy file: data, method and release in one text that can be versioned."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sfumato.exceptions import ParameterError
from sfumato.formats.json_text import read_toml
from sfumato.readers.files import is_uri
from sfumato.release.suppression import WITHHOLD_AT_MOST, read_limit

__all__ = ["Policy", "locate_files", "read_policy"]


_FILES = ("hierarchies", "constraints", "places_file", "population", "item_file")
"""Reading options that name files, or something else such as a rule."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class DataSection(_Section):
    """Where the data are and how to read them; other keys are reading options."""

    path: str
    kind: str


class MethodSection(_Section):
    """Which method; other keys are its parameters."""

    name: str


class ReleaseSection(BaseModel):
    """Where the release goes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    out: str
    secret: str | None = None
    count: str = "records"
    force: bool = False
    report: bool = True
    include: tuple[str, ...] = ()
    withhold_at_most: float = WITHHOLD_AT_MOST
    engine: str = ""
    part_size: int | None = None
    cores: int | None = None
    master: str = ""


class Policy(BaseModel):
    """A whole policy file.

    Examples
    --------
    >>> policy = Policy(data={"path": "a.csv", "kind": "trajectories"}, method={"name": "seqanon", "k": 5, "m": 2},
    ...                 release={"out": "out"})
    >>> policy.parameters
    {'k': 5, 'm': 2}
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: DataSection
    method: MethodSection
    release: ReleaseSection

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the method."""
        return dict(self.method.model_extra or {})

    @property
    def read_options(self) -> dict[str, Any]:
        """Options for reading the data."""
        return dict(self.data.model_extra or {})


def read_policy(path: Path) -> Policy:
    """Read a policy file; paths in it are relative to the file."""
    content = read_toml(path)
    try:
        policy = Policy.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ParameterError(f"{path}: [{where}] {first['msg'].lower()}.") from None
    read_limit(policy.release.withhold_at_most)
    folder = path.parent
    located = locate_files(folder, policy.read_options)
    data = policy.data.model_copy(update={"path": _locate(folder, policy.data.path), **located})
    secret = None if policy.release.secret is None else str(folder / policy.release.secret)
    include = tuple(str(folder / file) for file in policy.release.include)
    paths = {"out": _locate(folder, policy.release.out), "secret": secret, "include": include}
    release = policy.release.model_copy(update=paths)
    return policy.model_copy(update={"data": data, "release": release})


def _locate(folder: Path, place: str) -> str:
    return place if is_uri(place) else str(folder / place)


def locate_files(folder: Path, read_options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options for reading whose files lie beside the text that names them.

    Examples
    --------
    >>> locate_files(Path("nowhere"), {"hierarchies": {"age": "width:8"}, "split": "day"})
    {'hierarchies': {'age': 'width:8'}, 'split': 'day'}
    """
    return {name: _beside(folder, value) if name in _FILES else value for name, value in read_options.items()}


def _beside(folder: Path, value: Any) -> Any:
    """Return the path of a file that lies beside the policy; what names no such file stays as it is."""
    if isinstance(value, dict):
        return {name: _beside(folder, entry) for name, entry in value.items()}
    return str(folder / value) if isinstance(value, str) and value and (folder / value).is_file() else value
