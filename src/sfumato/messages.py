"""Sentences that name options, parameters, methods and calls, which every way in writes as its callers do."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Protocol

__all__ = [
    "PYTHON",
    "Call",
    "Message",
    "MethodName",
    "Part",
    "PythonStyle",
    "Setting",
    "Settings",
    "Style",
    "call",
    "from_plain",
    "option",
    "parameter",
    "to_plain",
]


class Style(Protocol):
    """How one way in writes what its callers give: Python, the command line, policy files, the workbench."""

    between: str
    """What stands between settings that are given together."""

    def write_option(self, name: str, value: object) -> str:
        """Write an option of reading or publishing; without a value if that is None."""

    def write_parameter(self, name: str, value: object) -> str:
        """Write a parameter of a method; without a value if that is None."""

    def write_method(self, class_name: str, name: str) -> str:
        """Write the name of a method or a guarantee."""

    def write_call(self, python: str, command: str) -> str:
        """Write what to call."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """An option, or a parameter of a method, as somebody gives it.

    Examples
    --------
    >>> Setting("places", "grid:500m").write(PYTHON)
    "places='grid:500m'"
    """

    name: str
    value: object = None
    of_method: bool = False

    def write(self, style: Style) -> str:
        """Write it for the callers of one way in."""
        return (style.write_parameter if self.of_method else style.write_option)(self.name, self.value)


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings that are given together, as text to paste.

    Examples
    --------
    >>> Settings((Setting("quasi", ["age"]), Setting("format", "csv"))).write(PYTHON)
    "quasi=['age'], format='csv'"
    """

    given: tuple[Setting, ...]

    def write(self, style: Style) -> str:
        """Write them for the callers of one way in."""
        return style.between.join(setting.write(style) for setting in self.given)


@dataclasses.dataclass(frozen=True)
class MethodName:
    """The name of a method or a guarantee: that of its class, and that of its ``name``.

    Examples
    --------
    >>> MethodName("LmAnon", "lm-anon").write(PYTHON)
    'LmAnon'
    """

    class_name: str
    name: str

    def write(self, style: Style) -> str:
        """Write it for the callers of one way in."""
        return style.write_method(self.class_name, self.name)


@dataclasses.dataclass(frozen=True)
class Call:
    """What to call, in Python and on the command line.

    Examples
    --------
    >>> Call("sf.inspect(data)", "sfumato inspect DATA").write(PYTHON)
    'sf.inspect(data)'
    """

    python: str
    command: str

    def write(self, style: Style) -> str:
        """Write it for the callers of one way in."""
        return style.write_call(self.python, self.command)


Part = str | Setting | Settings | MethodName | Call


class PythonStyle:
    """As callers of the library write it.

    Examples
    --------
    >>> PYTHON.write_option("drop", ["a"]), PYTHON.write_parameter("k", 5), PYTHON.write_option("drop", None)
    ("drop=['a']", 'k=5', 'drop=')
    """

    between = ", "

    def write_option(self, name: str, value: object) -> str:
        """Write a keyword."""
        return f"{name}=" if value is None else f"{name}={value!r}"

    def write_parameter(self, name: str, value: object) -> str:
        """Write a keyword of a method; its name alone where it has no value."""
        return name if value is None else f"{name}={value!r}"

    def write_method(self, class_name: str, name: str) -> str:  # noqa: ARG002
        """Write the name of the class."""
        return class_name

    def write_call(self, python: str, command: str) -> str:  # noqa: ARG002
        """Write the call."""
        return python


PYTHON = PythonStyle()


class Message(str):
    """A text of several parts, some of which each way in writes its own way; as a text, what Python says.

    Examples
    --------
    >>> message = Message("Derive places from the coordinates: ", option("places", "grid:500m"), ".")
    >>> message
    "Derive places from the coordinates: places='grid:500m'."
    >>> message.parts[1].name
    'places'
    """

    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Message:
        """Join parts; those of messages among them are kept."""
        flat = tuple(inner for part in parts for inner in (part.parts if isinstance(part, Message) else (part,)))
        text = super().__new__(cls, _join(flat, PYTHON))
        text.parts = flat
        return text

    def write(self, style: Style) -> str:
        """Write it for the callers of one way in."""
        return _join(self.parts, style)

    def __reduce__(self) -> tuple[type[Message], tuple[Part, ...]]:
        """Keep the parts where a message is sent to another process."""
        return Message, self.parts


def _join(parts: tuple[Part, ...], style: Style) -> str:
    return "".join(part if isinstance(part, str) else part.write(style) for part in parts)


def write(text: str, style: Style) -> str:
    """Write a message in a style; other texts stay.

    Examples
    --------
    >>> write("no more", PYTHON)
    'no more'
    """
    return text.write(style) if isinstance(text, Message) else text


def to_plain(text: str) -> Any:
    """Return a text as plain values for JSON, from which :func:`from_plain` makes the same text again.

    Examples
    --------
    >>> plain = to_plain(Message("Name it: ", option("columns", {"owner": "NAME"}), "."))
    >>> plain
    ['Name it: ', {'Setting': ['columns', {'owner': 'NAME'}, False]}, '.']
    >>> from_plain(plain).parts[1].name, from_plain(to_plain("no more"))
    ('columns', 'no more')
    """
    if not isinstance(text, Message):
        return text
    return [part if isinstance(part, str) else _part_to_plain(part) for part in text.parts]


def _part_to_plain(part: Setting | Settings | MethodName | Call) -> dict[str, list[Any]]:
    if isinstance(part, Settings):
        return {"Settings": [_part_to_plain(setting) for setting in part.given]}
    return {type(part).__name__: [getattr(part, field.name) for field in dataclasses.fields(part)]}


def from_plain(plain: Any) -> str:
    """Return the text that :func:`to_plain` made plain values of."""
    if isinstance(plain, str):
        return plain
    return Message(*(part if isinstance(part, str) else _part_from_plain(part) for part in plain))


def _part_from_plain(plain: Mapping[str, list[Any]]) -> Any:
    ((name, values),) = plain.items()
    if name == "Settings":
        return Settings(tuple(map(_part_from_plain, values)))
    return {"Setting": Setting, "MethodName": MethodName, "Call": Call}[name](*values)


def option(name: str, value: object = None) -> Setting:
    """Name an option of reading or publishing in a message, with the value to give it if there is one."""
    return Setting(name, value)


def parameter(name: str, value: object = None) -> Setting:
    """Name a parameter of a method in a message, with the value to give it if there is one."""
    return Setting(name, value, of_method=True)


def call(python: str, command: str) -> Call:
    """Name what to call in a message."""
    return Call(python, command)
