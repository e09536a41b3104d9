"""Finds the kinds of data by their folders, and their rooms by name.

This is the one place that imports by name: whoever needs something of the kind at hand asks for its room, and no list
anywhere repeats what the folders say. Only the room that was asked for is imported.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import pkgutil
from types import ModuleType
from typing import Any, TypeVar

from sfumato.core.errors import ParameterError
from sfumato.core.kind import Kind

__all__ = ["all_kinds", "find_declared", "find_kind", "find_room", "has_room", "list_modules", "look_up"]

_KINDS = "sfumato.kinds"

Declared = TypeVar("Declared")


@functools.cache
def all_kinds() -> tuple[str, ...]:
    """Return the names of all kinds of data.

    Examples
    --------
    >>> "trajectories" in all_kinds()
    True
    """
    package = importlib.import_module(_KINDS)
    return tuple(sorted(folder.name for folder in pkgutil.iter_modules(package.__path__) if folder.ispkg))


def find_kind(kind: str) -> Kind:
    """Return what the folder of a kind says about it.

    Examples
    --------
    >>> find_kind("sets").row
    'the items of a person'
    """
    if kind not in all_kinds():
        near = difflib.get_close_matches(str(kind), all_kinds(), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(f"kind must be one of {', '.join(all_kinds())}, got {kind!r}.{hint}")
    found: Kind = importlib.import_module(f"{_KINDS}.{kind}").KIND
    return found


def has_room(kind: str, room: str) -> bool:
    """Tell whether a kind has a room, without entering it."""
    return kind in all_kinds() and importlib.util.find_spec(f"{_KINDS}.{kind}.{room}") is not None


def find_room(kind: str, room: str) -> ModuleType:
    """Return a room of a kind.

    Examples
    --------
    >>> find_room("sets", "reader").__name__
    'sfumato.kinds.sets.reader'
    """
    find_kind(kind)
    if not has_room(kind, room):
        raise ParameterError(f"{kind}: there is no {room} for this kind of data.")
    return importlib.import_module(f"{_KINDS}.{kind}.{room}")


@functools.cache
def list_modules(kind: str, room: str) -> tuple[ModuleType, ...]:
    """Return the files of a room: itself, or what lies in its folder; nothing if the kind has no such room.

    Examples
    --------
    >>> [module.__name__.rpartition(".")[2] for module in list_modules("timeline", "guarantees")]
    ['guarantees', 'prefix_frequency']
    """
    if not has_room(kind, room):
        return ()
    module = find_room(kind, room)
    if not hasattr(module, "__path__"):
        return (module,)
    inside = [
        importlib.import_module(f"{module.__name__}.{file.name}") for file in pkgutil.iter_modules(module.__path__)
    ]
    return (module, *inside)


def find_declared(kind: str, room: str, what: type[Declared]) -> Declared:
    """Return the one object of a type that a room declares, whatever it is called there.

    Examples
    --------
    >>> from sfumato.checking.shapes import ReleaseChecks
    >>> find_declared("sets", "verifiers", ReleaseChecks).parts
    ('clusters',)
    """
    found = {
        id(value): value
        for module in list_modules(kind, room)
        for value in vars(module).values()
        if isinstance(value, what)
    }
    if len(found) != 1:
        raise LookupError(f"{kind}: {room} must declare one {what.__name__}, not {len(found)}.")
    return next(iter(found.values()))


def look_up(kind: str, room: str, name: str, default: Any = None) -> Any:
    """Return what a room says under a public name, wherever in the room it is said.

    Examples
    --------
    >>> look_up("activity", "report", "SHARE")[0]
    'Largest share of a class that does a sensitive activity throughout'
    """
    for module in list_modules(kind, room):
        if name in getattr(module, "__all__", ()):
            return getattr(module, name)
    return default
