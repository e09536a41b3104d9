"""A policy file: data, method and release in one text that can be versioned, and how messages name its keys."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.formats.json_text import format_toml, read_toml
from sfumato.old_names import rename_options
from sfumato.params import list_options
from sfumato.readers.files import is_uri
from sfumato.readers.options import ReadOptions
from sfumato.release.options import ReleaseOptions
from sfumato.release.suppression import read_limit

__all__ = [
    "POLICY",
    "DataSection",
    "Policy",
    "PolicyStyle",
    "ReadingSection",
    "locate_files",
    "name_keys",
    "read_policy",
]


class PolicyStyle:
    """How messages name what stands in a policy or a study file.

    Examples
    --------
    >>> POLICY.write_option("places", "grid:500m"), POLICY.write_option("columns", {"person": "taxi no"})
    ('places = "grid:500m"', 'columns = { person = "taxi no" }')
    >>> POLICY.write_parameter("k", 5), POLICY.write_option("drop", None), POLICY.write_method("LmAnon", "lm-anon")
    ('k = 5', 'drop', 'lm-anon')
    """

    between = ", "

    def write_option(self, name: str, value: object) -> str:
        """Write a key with its value, or the key alone; whether to replace a release is said where a file is run."""
        if name == "force":
            return f"--{name}"
        return name if value is None else f"{name} = {format_toml(value)}"

    def write_parameter(self, name: str, value: object) -> str:
        """Write a key of the method, as other keys."""
        return self.write_option(name, value)

    def write_method(self, class_name: str, name: str) -> str:  # noqa: ARG002
        """Write the name that files take."""
        return name

    def write_call(self, python: str, command: str) -> str:  # noqa: ARG002
        """Write the command: who runs a file is at a command line."""
        return command


POLICY = PolicyStyle()


@contextlib.contextmanager
def name_keys() -> Iterator[None]:
    """Let errors name the keys of a file, where what they are about stands in one.

    Examples
    --------
    >>> from sfumato.messages import Message, option
    >>> with name_keys():
    ...     raise ParameterError(Message(option("split"), " must be day or week. Try ", option("split", "day"), "."))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: split must be day or week. Try split = "day".
    """
    try:
        yield
    except SfumatoError as error:
        raise error.written(POLICY) from None


class _Section(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class ReadingSection(_Section):
    """How data are read, in policies and studies: keys that it does not declare are reading options."""

    OPTIONS: ClassVar[type[ReadOptions]] = ReadOptions

    kind: str

    def check(self) -> None:
        """Refuse options that are unknown, or not as they should be."""
        self.OPTIONS.of(self.kind, self.read_options)

    @property
    def read_options(self) -> dict[str, Any]:
        """Options for reading the data."""
        return dict(self.model_extra or {})


class DataSection(ReadingSection):
    """Where the data are and how to read them."""

    path: str


class MethodSection(_Section):
    """Which method; other keys are its parameters."""

    name: str


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
    release: ReleaseOptions

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the method."""
        return dict(self.method.model_extra or {})

    @property
    def read_options(self) -> dict[str, Any]:
        """Options for reading the data."""
        return self.data.read_options


def read_policy(path: Path, shape: type[Policy] = Policy) -> Policy:
    """Read a policy file; paths in it are relative to the file."""
    content = read_toml(path)
    if isinstance(content.get("release"), dict):
        content["release"] = rename_options(content["release"], f"{path}: [release]")
    try:
        policy = shape.model_validate(content)
    except ValidationError as error:
        raise ParameterError(f"{path}: {_explain(error.errors()[0])}") from None
    try:
        policy.data.check()
    except SfumatoError as error:
        raise error.written(POLICY).at(f"{path}: [data]") from None
    try:
        read_limit(policy.release.max_suppressed_records)
    except SfumatoError as error:
        raise error.written(POLICY).at(f"{path}: [release]") from None
    folder = path.parent
    located = locate_files(folder, policy.read_options)
    data = policy.data.model_copy(update={"path": _locate(folder, policy.data.path), **located})
    release = policy.release
    named = {option.name: getattr(release, option.name) for option in list_options(type(release)) if option.files}
    files = {name: _join(folder, value) for name, value in named.items()}
    release = dataclasses.replace(release, out=_locate(folder, release.out), **files)
    return policy.model_copy(update={"data": data, "release": release})


def _explain(fault: Any) -> str:
    """Return what is wrong with a policy file, and where."""
    *sections, last = (str(part) for part in fault["loc"])
    if fault["type"] in {"extra_forbidden", "unexpected_keyword_argument"} and sections == ["release"]:
        names = [option.name for option in list_options(ReleaseOptions)]
        near = difflib.get_close_matches(last, names, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(names)}."
        return f"[release] there is no option {last!r}. {hint}"
    return f"[{'.'.join([*sections, last])}] {fault['msg'].lower()}."


def _join(folder: Path, files: Any) -> Any:
    if isinstance(files, tuple):
        return tuple(folder / file for file in files)
    return None if files is None else folder / files


def _locate(folder: Path, place: str) -> str:
    return place if is_uri(place) else str(folder / place)


def locate_files(folder: Path, read_options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options for reading whose files lie beside the text that names them.

    Examples
    --------
    >>> locate_files(Path("nowhere"), {"hierarchies": {"age": "width:8"}, "split": "day"})
    {'hierarchies': {'age': 'width:8'}, 'split': 'day'}
    """
    files = [option.name for option in list_options(ReadOptions) if option.files]
    return {name: _beside(folder, value) if name in files else value for name, value in read_options.items()}


def _beside(folder: Path, value: Any) -> Any:
    """Return the path of a file that lies beside the policy; what names no such file stays as it is."""
    if isinstance(value, dict):
        return {name: _beside(folder, entry) for name, entry in value.items()}
    return str(folder / value) if isinstance(value, str) and value and (folder / value).is_file() else value
