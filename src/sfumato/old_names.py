"""Public names of version 0.2: each still works, and warns with the name of today. They go after version 0.3."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

__all__ = ["OLD_NAMES", "find_new_name", "rename_keys", "with_old_keywords", "with_old_names"]

OLD_NAMES = {
    "sfumato": {"Unit": "RecordUnit", "publish_in_parts": "publish_in_partitions"},
    "Dataset": {"clock": "time_unit", "fixes": "observations", "reading": "read_options"},
    "DividedRelease": {"parts": "partitions"},
    "Release": {"withheld": "suppressed_records", "parts": "extra_tables"},
    "ReleaseOptions": {"part_size": "partition_size"},
    "Result": {"trace": "owner_record"},
    "RecordUnit": {"whose": "record_of_person"},
    "Verdict": {"witness": "counterexample"},
    "publish_in_partitions": {"part_size": "partition_size"},
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


def rename_keys(owner: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the names of today.

    Examples
    --------
    >>> rename_keys("ReleaseOptions", {"partition_size": 60})
    {'partition_size': 60}
    """
    return {find_new_name(owner, name) or name: value for name, value in values.items()}


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
