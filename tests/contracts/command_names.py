"""Every command of the command line, with its options and arguments."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from tests.contracts.internals import build_commands

_WORDS = {str: "text", int: "integer", float: "number", bool: "flag"}


def list_command_names(tree: Any = None) -> list[str]:
    """Return a line for every command, option and argument, without help texts."""
    return sorted(line for words, command in walk_commands(tree or build_commands()) for line in _walk(words, command))


def walk_commands(command: Any, words: str = "sfumato") -> Iterator[tuple[str, Any]]:
    """Yield a command and all below it, each with the words that call it."""
    yield words, command
    for word, below in sorted(getattr(command, "commands", {}).items()):
        yield from walk_commands(below, f"{words} {word}")


def _walk(words: str, command: Any) -> Iterator[str]:
    yield f"command {words}"
    declared = inspect.signature(command.callback, eval_str=True).parameters if command.callback else {}
    for parameter in command.params:
        if parameter.name in declared:
            yield _describe(words, parameter, declared[parameter.name])


def _describe(words: str, parameter: Any, declared: inspect.Parameter) -> str:
    details = [_format_type(declared)]
    if parameter.required:
        details.append("required")
    elif declared.default is not inspect.Parameter.empty:
        details.append(f"default {_format_default(declared.default)}")
    if parameter.param_type_name == "argument":
        return f"argument {words} {parameter.name}: {', '.join(details)}"
    # The longest name is the one that people read; a name that switches off comes last.
    names = [*sorted(parameter.opts, key=lambda name: (-len(name), name)), *parameter.secondary_opts]
    if names[1:]:
        details.append(f"also {' '.join(names[1:])}")
    return f"option {words} {names[0]}: {', '.join(details)}"


def _format_type(declared: inspect.Parameter) -> str:
    hint, *notes = typing.get_args(declared.annotation) or (declared.annotation,)
    inside = [argument for argument in typing.get_args(hint) if argument is not type(None)]
    repeatable = typing.get_origin(hint) is list or any(typing.get_origin(argument) is list for argument in inside)
    kind = next((argument for argument in inside), hint)
    kind = next(iter(typing.get_args(kind)), kind)
    text = _WORDS.get(kind, "path" if issubclass(kind, PurePath) else kind.__name__)
    for note in notes:
        for word, name in (("from", "min"), ("to", "max")):
            if getattr(note, name, None) is not None:
                text += f" {word} {getattr(note, name)}"
    return f"{text}, repeatable" if repeatable else text


def _format_default(value: Any) -> str:
    if isinstance(value, PurePath):
        return repr(value.as_posix())
    return repr(list(value)) if isinstance(value, Sequence) and not isinstance(value, str) else repr(value)
