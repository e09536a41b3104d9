"""Every name of ``sfumato`` that programs use, with its parameters."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Iterator
from typing import Any

import sfumato as sf

_OWNERS = (object, BaseException, Exception, Warning, UserWarning, tuple, list, dict)
"""Classes whose members everything of their kind has."""


def list_python_names() -> list[str]:
    """Return a line for every public name: functions, classes with their members, and modules with what they hold."""
    lines = [line for name in sf.__all__ for line in _describe(f"sfumato.{name}", getattr(sf, name))]
    for name in dir(sf.methods):
        method = getattr(sf.methods, name)
        if isinstance(method, type):
            lines.append(f"class sfumato.methods.{name}: {format_signature(method)}")
        else:
            lines += _describe(f"sfumato.methods.{name}", method)
    return sorted(set(lines))


def _describe(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, types.ModuleType):
        yield f"module {name}"
        if name != "sfumato.methods":
            for below in getattr(value, "__all__", ()):
                yield from _describe(f"{name}.{below}", getattr(value, below))
    elif isinstance(value, type):
        yield f"class {name}: {format_signature(value)}"
        yield from _describe_members(name, value)
    elif callable(value):
        yield f"function {name}: {format_signature(value)}"
    else:
        yield f"value {name}: {type(value).__name__}"


def _describe_members(name: str, owner: type) -> Iterator[str]:
    inherited = {below for base in _OWNERS if issubclass(owner, base) for below in dir(base)}
    # A field without a default is no attribute of its class.
    fields = {field.name for field in dataclasses.fields(owner)} if dataclasses.is_dataclass(owner) else set()
    for below in {*dir(owner), *fields}:
        if below.startswith("_") or below in inherited:
            continue
        member = inspect.getattr_static(owner, below, None)
        if isinstance(member, staticmethod | classmethod):
            kind = type(member).__name__
            yield f"member {name}.{below}: {kind} {format_signature(member.__func__)}"
        elif inspect.isfunction(member):
            yield f"member {name}.{below}: method {format_signature(member)}"
        else:
            yield f"member {name}.{below}: {'attribute' if _is_value(member) else 'property'}"


def _is_value(member: Any) -> bool:
    """Tell a value or a field from what is computed when it is read; only the latter is a property of some sort."""
    return not isinstance(member, property | functools.cached_property)


def format_signature(function: Any) -> str:
    """Return the parameters of a function or class with their kinds and defaults, without types.

    Examples
    --------
    >>> def draw(data, *, seed: int = 0): ...
    >>> format_signature(draw)
    '(data, *, seed=0)'
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return "(...)"
    parameters = [
        parameter.replace(
            annotation=inspect.Parameter.empty,
            default=parameter.default if parameter.default is inspect.Parameter.empty else _Default(parameter.default),
        )
        for parameter in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


class _Default:
    """A default that is spelled the same in every process."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        plain = self.value is None or isinstance(self.value, str | int | float | tuple | list | dict)
        return repr(self.value) if plain else type(self.value).__name__
