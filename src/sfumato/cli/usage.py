"""Commands that were typed in a way that they do not take: all that is missing at once, and what was meant."""

from __future__ import annotations

import functools
import shlex
import sys
from collections.abc import Sequence
from typing import Any

from sfumato.params import find_option
from sfumato.readers.options import ReadOptions

__all__ = ["example_of_parameters", "explain_usage"]

_DETECTED_OPTIONS = {"kind", "method"}
"""Options that `sfumato start` guesses."""


def explain_usage(error: Exception) -> str:
    """Return what is wrong with a command; nothing where the parser says it well enough."""
    what = type(error).__name__
    if what == "MissingParameter":
        return _list_missing(error)
    if what == "NoSuchOption":
        return _name_meant(str(getattr(error, "option_name", "")))
    return ""


def example_of_parameters(parameters: dict[str, Any]) -> str:
    """Return the command that was typed, with parameters of its method that were missing."""
    more = [word for name, value in parameters.items() for word in ("-p", f"{name}={value}")]
    return f"For example: {shlex.join(['sfumato', *sys.argv[1:], *more])}"


def _list_missing(error: Any) -> str:
    """Name all that is missing, where the parser stops at the first."""
    context, command = error.ctx, error.ctx.command
    names, words = _list_names(context), sys.argv[1:]
    for name in names:
        words = words[words.index(name) + 1 :]
    given = command.make_parser(context).parse_args(_without_general(words))[0]
    missing = [parameter for parameter in command.params if parameter.required and given.get(parameter.name) is None]
    lacking = [
        parameter.opts[0] if parameter.param_type_name == "option" else parameter.name.upper() for parameter in missing
    ]
    several = ", ".join(lacking[:-1]) + " and " + lacking[-1] if len(lacking) > 1 else lacking[0]
    example = f"See: sfumato {' '.join(names)} -h"
    if _DETECTED_OPTIONS & {parameter.name for parameter in missing} and given.get("data") is not None:
        example = f"To have them guessed: {shlex.join(['sfumato', 'start', str(given['data'])])}"
    return f"{' '.join(names)}: {several} must be given. {example}"


def _list_names(context: Any) -> list[str]:
    """Return the names of a command, and of those that it belongs to, without that of the program."""
    return [] if context.parent is None else [*_list_names(context.parent), context.info_name]


def _without_general(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in {"--quiet", "--verbose"}]


def _name_meant(option: str) -> str:
    """Say which option means what was typed, or how parameters of methods are given."""
    name = option.lstrip("-").replace("-", "_")
    meant = find_option(ReadOptions, name)
    if meant is not None:
        return f"{option}: there is no such option. Did you mean {meant.flag}?"
    if name.lower() in _list_parameters():
        return f"{option}: there is no such option. Parameters of methods are given with -p: -p {name.lower()}=VALUE"
    return ""


@functools.cache
def _list_parameters() -> frozenset[str]:
    from sfumato.params import declared
    from sfumato.plugins import all_methods

    return frozenset(parameter.name for method in all_methods().values() for parameter in declared(method))
