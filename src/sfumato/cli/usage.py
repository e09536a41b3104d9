"""Commands that were typed wrong: all that is missing at once, what was meant, and a command that works."""

from __future__ import annotations

import difflib
import functools
import inspect
import shlex
import sys
from typing import Any, get_args

from sfumato.exceptions import ParameterError
from sfumato.messages import Message, parameter
from sfumato.params import find_option
from sfumato.readers.options import ReadOptions
from sfumato.release.options import ReleaseOptions

__all__ = ["example_of_parameters", "explain_usage"]

_DETECTED_OPTIONS = {"kind", "method"}
"""Options that `sfumato start` guesses."""
_EXAMPLES = {
    "column": "name",
    "copies": "3",
    "data": "data.csv",
    "directory": "published",
    "file": "file.csv",
    "kind": "table",
    "of": "age",
    "original": "data.csv",
    "out": "out",
    "person": "Ann",
    "policy": "policy.toml",
    "query": "SELECT ?thing WHERE { ?thing a ?class }",
    "rule": "width:8",
    "seed": "1",
    "size": "1000",
    "source": "published",
    "study": "study.toml",
}
"""Values of parameters in commands that are shown as examples."""
_EXAMPLES_OF_COMMANDS = {
    ("export", "out"): "records.csv",
    ("edit", "out"): "edited.csv",
    ("generate", "out"): "data.csv",
    ("reconstruct", "out"): "possible.csv",
    ("workload generate", "out"): "queries.csv",
    ("workload show", "file"): "queries.csv",
    ("workload edit", "file"): "queries.csv",
    ("workload edit", "out"): "fewer.csv",
    ("hierarchy derive", "out"): "hierarchy.csv",
    ("hierarchy convert", "out"): "hierarchy.csv",
    ("hierarchy edit", "out"): "edited.csv",
    ("warehouse build", "file"): "warehouse.toml",
    ("warehouse build", "out"): "warehouse",
    ("warehouse hierarchy", "out"): "hierarchy.csv",
    ("plot", "out"): "plots",
}
_TYPES: dict[Any, str] = {int: "a whole number", float: "a number", bool: "yes or no"}


def explain_usage(error: Any) -> ParameterError | None:
    """Return what is wrong with a command, as an error with fields; nothing where help is to be shown."""
    context = error.ctx
    if type(error).__name__ == "NoArgsIsHelpError":
        return None
    if context is None:
        return _explain_option_value(error) if hasattr(error, "option_name") else ParameterError(_end(error.message))
    explain = {
        "MissingParameter": _list_missing,
        "NoSuchOption": _explain_unknown_option,
        "BadOptionUsage": _explain_option_value,
        "BadParameter": _explain_value,
        "UsageError": _explain_words,
    }.get(type(error).__name__)
    return ParameterError(_end(error.format_message()), hint=_help_of(context)) if explain is None else explain(error)


def example_of_parameters(parameters: dict[str, Any]) -> str:
    """Return the command that was typed, with parameters of its method that were missing."""
    more = [word for name, value in parameters.items() for word in ("-p", f"{name}={value}")]
    return f"For example: {shlex.join(['sfumato', *sys.argv[1:], *more])}"


def _list_missing(error: Any) -> ParameterError:
    """Name all that is missing, where the parser stops at the first."""
    context, command = error.ctx, error.ctx.command
    name, words = _name(context), _list_words(context)
    given = command.make_parser(context).parse_args(list(words))[0]
    missing = [parameter for parameter in command.params if parameter.required and given.get(parameter.name) is None]
    listed = [_write_parameter(parameter) for parameter in missing]
    several = ", ".join(listed[:-1]) + " and " + listed[-1] if len(listed) > 1 else listed[0]
    return ParameterError(
        f"{name} needs {several}.",
        option=missing[0].name,
        hint=_complete(name, words, missing, given.get("data")),
    )


def _complete(name: str, words: list[str], missing: list[Any], data: Any) -> str:
    """Return what to type: the same command with examples, or the command that guesses what is missing."""
    names = {parameter.name for parameter in missing}
    if _DETECTED_OPTIONS & names and (data is not None or "data" in names) and not name.count(" "):
        return f"Detect them: {shlex.join(['sfumato', 'start', str(data or _EXAMPLES['data'])])}"
    # Arguments come first, since the parser distinguishes them by order.
    arguments = [_example(name, p.name) for p in missing if p.param_type_name == "argument"]
    options = [word for p in missing if p.param_type_name == "option" for word in (p.opts[0], _example(name, p.name))]
    positions = [at for at, word in enumerate(words) if word.startswith("-")]
    at = positions[0] if positions else len(words)
    return f"For example: {shlex.join(['sfumato', *name.split(), *words[:at], *arguments, *words[at:], *options])}"


def _example(command: str, name: str) -> str:
    return _EXAMPLES_OF_COMMANDS.get((command, name)) or _EXAMPLES.get(name) or name.upper()


def _explain_unknown_option(error: Any) -> ParameterError:
    """Report which option means what was typed, or how parameters of methods are given."""
    typed, flags = error.option_name, _list_flags(error.ctx.command)
    name = typed.lstrip("-").replace("-", "_").lower()
    options = (find_option(cls, name) for cls in (ReadOptions, ReleaseOptions))
    meant = next((option.flag for option in options if option is not None and option.flag in flags), "")
    message = f"{typed} is not an option of sfumato {_name(error.ctx)}.".replace(" .", ".")
    if not meant and name in _list_parameters() and "-p" in flags:
        return ParameterError(
            message, option=typed, hint=Message("Give parameters of methods with -p: ", parameter(name, "VALUE"), ".")
        )
    meant = meant or next(iter(difflib.get_close_matches(typed, flags, n=1)), "")
    hint = f"Did you mean {meant}?" if meant else _help_of(error.ctx)
    return ParameterError(message, option=typed, hint=hint)


def _explain_option_value(error: Any) -> ParameterError:
    """Report that an option needs a value, or takes none."""
    typed = error.option_name
    has_value = any(word.startswith(f"{typed}=") for word in sys.argv[1:])
    example = f"For example: {typed} {_EXAMPLES.get(typed.lstrip('-'), 'VALUE')}"
    return ParameterError(
        f"{typed} {'takes no value' if has_value else 'needs a value'}.",
        option=typed,
        hint=f"Write {typed}." if has_value else example,
    )


def _explain_value(error: Any) -> ParameterError:
    """Report which values an option or an argument takes."""
    declared = error.param
    allowed = "" if declared is None else _describe_type(error.ctx.command, declared.name)
    if not allowed:
        return ParameterError(_end(error.format_message()), hint=_help_of(error.ctx))
    return ParameterError(f"{_write_parameter(declared)} must be {allowed}.", option=declared.name)


def _describe_type(command: Any, name: str) -> str:
    """Return in words what a parameter of a command takes."""
    declared = inspect.signature(command.callback, eval_str=True).parameters.get(name)
    hint, *notes = get_args(declared.annotation) if declared is not None else ("",)
    types = [inside for inside in (hint, *get_args(hint)) if inside in _TYPES]
    if not types:
        return ""
    least, most = (
        next((v for note in notes if (v := getattr(note, e, None)) is not None), None) for e in ("min", "max")
    )
    if least is not None and most is not None:
        return f"{_TYPES[types[0]]} from {least:,} to {most:,}"
    return _TYPES[types[0]] + ("" if least is None else f" of at least {least:,}")


def _explain_words(error: Any) -> ParameterError:
    """Report that there is no such command, or that arguments are too many."""
    context = error.ctx
    words, commands = _list_words(context), list(getattr(context.command, "commands", {}))
    if commands:
        typed = next((word for word in words if not word.startswith("-")), "")
        near = difflib.get_close_matches(typed, commands, n=1)
        hint = f"Did you mean 'sfumato {f'{_name(context)} {near[0]}'.strip()}'?" if near else _help_of(context)
        return ParameterError(f"{typed!r} is not a command of sfumato {_name(context)}".rstrip() + ".", hint=hint)
    more = context.command.make_parser(context).parse_args(list(words))[1]
    if not more:
        return ParameterError(_end(error.format_message()), hint=_help_of(context))
    takes = [p.name.upper() for p in context.command.params if p.param_type_name == "argument"]
    listed = " ".join(more[len(takes) :] or more)
    return ParameterError(
        f"{_name(context)} takes {'only ' + ' and '.join(takes) if takes else 'no arguments'}, got also: {listed}.",
        hint=_help_of(context),
    )


def _write_parameter(declared: Any) -> str:
    """Return a parameter as it is typed."""
    return str(max(declared.opts, key=len)) if declared.param_type_name == "option" else str(declared.name).upper()


def _help_of(context: Any) -> str:
    return f"See: {' '.join(['sfumato', *_list_names(context), '-h'])}"


def _end(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _name(context: Any) -> str:
    return " ".join(_list_names(context))


def _list_names(context: Any) -> list[str]:
    """Return the names of a command, and of those that it belongs to, without that of the program."""
    return [] if context.parent is None else [*_list_names(context.parent), context.info_name]


def _list_words(context: Any) -> list[str]:
    """Return what was typed behind the name of a command."""
    words = [word for word in sys.argv[1:] if word not in {"--quiet", "--verbose"}]
    for name in _list_names(context):
        words = words[words.index(name) + 1 :]
    return words


def _list_flags(command: Any) -> list[str]:
    options = [declared for declared in command.params if declared.param_type_name == "option"]
    return [flag for declared in options for flag in (*declared.opts, *declared.secondary_opts)]


@functools.cache
def _list_parameters() -> frozenset[str]:
    from sfumato.params import declared
    from sfumato.plugins import all_methods

    return frozenset(parameter.name for method in all_methods().values() for parameter in declared(method))
