"""Public names of version 0.2: each still works, and warns with the name of today. They go after version 0.3."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["OLD_NAMES", "with_old_keywords", "with_old_names"]

OLD_NAMES = {
    "sfumato": {"Unit": "RecordUnit"},
    "Dataset": {"clock": "time_unit", "fixes": "observations", "reading": "read_options"},
    "Release": {"withheld": "suppressed_records"},
    "Result": {"trace": "owner_record"},
    "RecordUnit": {"whose": "record_of_person"},
    "Verdict": {"witness": "counterexample"},
}
"""Old and new names, by the module or class that they belong to."""

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])


def find_new_name(owner: str, name: str) -> str | None:
    """Return what a name is called today, with a warning; None where it is no old name.

    Examples
    --------
    >>> find_new_name("sfumato", "Dataset")
    """
    renamed = OLD_NAMES[owner].get(name)
    if renamed is not None:
        message = f"{owner}.{name} is now {owner}.{renamed}; the old name goes after version 0.3."
        warnings.warn(message, DeprecationWarning, stacklevel=3)
    return renamed


def with_old_names(cls: C) -> C:
    """Let attributes of a class be read by their old names, and given to its constructor."""
    table = OLD_NAMES[cls.__name__]

    def read_by_old_name(self: Any, name: str) -> Any:
        renamed = find_new_name(cls.__name__, name) if name in table else None
        if renamed is None:
            raise AttributeError(f"{cls.__name__!r} object has no attribute {name!r}")
        return getattr(self, renamed)

    setattr(cls, "__getattr__", read_by_old_name)  # noqa: B010
    construct: Callable[..., None] = getattr(cls, "__init__")  # noqa: B009
    setattr(cls, "__init__", with_old_keywords(cls.__name__)(construct))  # noqa: B010
    return cls


def with_old_keywords(owner: str) -> Callable[[F], F]:
    """Let a function be called with the old names of keywords, those of a class.

    Examples
    --------
    >>> @with_old_keywords("Dataset")
    ... def make(*, time_unit=None):
    ...     return time_unit
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     make(clock="day")
    'day'
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            for name in OLD_NAMES[owner].keys() & keywords.keys():
                renamed = find_new_name(owner, name)
                assert renamed is not None
                keywords[renamed] = keywords.pop(name)
            return function(*arguments, **keywords)

        return call  # type: ignore[return-value]

    return decorate
