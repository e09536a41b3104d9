"""Sentences that name options, parameters, methods and calls, which every way in writes as its callers do."""

from __future__ import annotations

import dataclasses
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
    "find_parts",
    "option",
    "pack",
    "parameter",
    "unpack",
    "write",
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
    """An option, or a parameter of a method, as somebody gives it; numbers of NumPy become those of Python.

    Examples
    --------
    >>> Setting("places", "grid:500m").write(PYTHON)
    "places='grid:500m'"
    """

    name: str
    value: object = None
    of_method: bool = False

    def __post_init__(self) -> None:
        """Take a number of NumPy for what it is."""
        if hasattr(self.value, "item"):
            object.__setattr__(self, "value", self.value.item())

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


def find_parts(text: str) -> tuple[Part, ...]:
    """Return the parts of a text.

    Examples
    --------
    >>> find_parts("no more")
    ('no more',)
    """
    return text.parts if isinstance(text, Message) else (text,)


def option(name: str, value: object = None) -> Setting:
    """Name an option of reading or publishing in a message, with the value to give it if there is one."""
    return Setting(name, value)


def parameter(name: str, value: object = None) -> Setting:
    """Name a parameter of a method in a message, with the value to give it if there is one."""
    return Setting(name, value, of_method=True)


def call(python: str, command: str) -> Call:
    """Name what to call in a message."""
    return Call(python, command)


_CLASSES = {cls.__name__: cls for cls in (Setting, Settings, MethodName, Call)}


def pack(text: str) -> Any:
    """Return a text as plain values that JSON can hold, with the parts that it has.

    Examples
    --------
    >>> pack(Message("Replace it: ", Setting("force", True)))
    ['Replace it: ', {'name': 'force', 'value': True, 'of_method': False, 'class': 'Setting'}]
    """
    if not isinstance(text, Message):
        return text
    return [
        part if isinstance(part, str) else {**dataclasses.asdict(part), "class": type(part).__name__}
        for part in text.parts
    ]


def unpack(plain: Any) -> str:
    """Return the text that plain values are of.

    Examples
    --------
    >>> hint = Message("Add: ", Settings((Setting("quasi", ["age"]), Setting("k", 5, of_method=True))))
    >>> unpack(pack(hint)).parts == hint.parts
    True
    """
    return plain if isinstance(plain, str) else Message(*map(_unpack_part, plain))


def _unpack_part(plain: Any) -> Part:
    if isinstance(plain, str):
        return plain
    fields = dict(plain)
    cls = _CLASSES[fields.pop("class")]
    if cls is Settings:
        return Settings(tuple(Setting(**setting) for setting in fields["given"]))
    part: Part = cls(**fields)
    return part
