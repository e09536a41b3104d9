"""The methods, one folder each, named after the papers."""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil

from sfumato.core.errors import ParameterError
from sfumato.core.method import Method

__all__ = ["all_methods", "find"]


@functools.cache
def all_methods() -> dict[str, type[Method]]:
    """Return every method by name, found by scanning this folder.

    Examples
    --------
    >>> "seqanon" in all_methods()
    True
    """
    found: dict[str, type[Method]] = {}
    for folder in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{folder.name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Method) and value.__module__ == module.__name__:
                found[value.name] = value
    return dict(sorted(found.items()))


def find(name: str) -> type[Method]:
    """Return a method by its name, or say which one is nearest.

    Examples
    --------
    >>> find("seqanom")
    Traceback (most recent call last):
        ...
    sfumato.core.errors.ParameterError: there is no method 'seqanom'. Did you mean 'seqanon'? ...
    """
    known = all_methods()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(f"there is no method {name!r}.{hint} Known: {', '.join(known)}.")
    return known[name]


def __getattr__(name: str) -> type[Method]:
    for method in all_methods().values():
        if method.__name__ == name:
            return method
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *(method.__name__ for method in all_methods().values())])
