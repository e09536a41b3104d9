"""Public names of version 0.2: each still works, and warns with the name of today. They go after version 0.3.

Names in code warn programmers (:class:`DeprecationWarning`), keys of files everybody (:class:`OldNameWarning`).
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sfumato.exceptions import ParameterError

__all__ = [
    "OLD_NAMES",
    "OLD_OPTIONS",
    "OldNameWarning",
    "find_new_name",
    "rename_options",
    "with_old_keywords",
    "with_old_names",
]

OLD_OPTIONS = {"withhold_at_most": "max_suppressed_records", "count": "protect", "part_size": "partition_size"}
"""Old and new names of options: in Python, in policies and studies, and on the command line with dashes."""
OLD_NAMES = {
    "sfumato": {"Unit": "RecordUnit", "publish_in_parts": "publish_in_partitions"},
    "Dataset": {"clock": "time_unit", "fixes": "observations", "reading": "read_options"},
    "DividedRelease": {"parts": "partitions"},
    "Release": {"withheld": "suppressed_records", "parts": "extra_tables"},
    "ReleaseOptions": OLD_OPTIONS,
    "Result": {"trace": "owner_record"},
    "Run": {"withhold_at_most": "max_suppressed_records"},
    "RecordUnit": {"whose": "record_of_person"},
    "Verdict": {"witness": "counterexample"},
    "anonymize": {"withhold_at_most": "max_suppressed_records", "count": "protect"},
    "apply": {"withhold_at_most": "max_suppressed_records"},
    "publish_in_partitions": OLD_OPTIONS,
    "study": {"withhold_at_most": "max_suppressed_records", "count": "protect"},
}
"""Old and new names, by the module, class or function that they belong to."""

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])


class OldNameWarning(FutureWarning):
    """A key of a file is written by its old name.

    Examples
    --------
    >>> issubclass(OldNameWarning, FutureWarning)
    True
    """


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
                if renamed in keywords:
                    raise ParameterError(f"{owner}: {renamed} is given by its old and its new name. Leave out {name}.")
                keywords[renamed] = keywords.pop(name)
            return function(*arguments, **keywords)

        return call  # type: ignore[return-value]

    return decorate


def rename_options(options: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return options of a file by their names of today, with a warning for each that has an old one.

    Parameters
    ----------
    options
        A section of the file.
    place
        Where it is, for the warning.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     rename_options({"out": "o", "withhold_at_most": 0.1}, "policy.toml: [release]")
    {'out': 'o', 'max_suppressed_records': 0.1}
    >>> print(caught[0].message)
    policy.toml: [release] withhold_at_most is now max_suppressed_records; the old name goes after version 0.3.
    """
    for name in (name for name in options if name in OLD_OPTIONS):
        if OLD_OPTIONS[name] in options:
            raise ParameterError(f"{place} {name} is now {OLD_OPTIONS[name]}; give one of the two.")
        message = f"{place} {name} is now {OLD_OPTIONS[name]}; the old name goes after version 0.3."
        warnings.warn(message, OldNameWarning, stacklevel=2)
    return {OLD_OPTIONS.get(name, name): value for name, value in options.items()}
