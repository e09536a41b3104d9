"""What the kinds of data offer by name, and the keys of the files that people write."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from tests.contracts.internals import (
    FILE_MODELS,
    find_guarantees,
    list_kinds,
    list_methods,
    list_metrics,
    list_models,
    list_parameters,
    list_read_options,
)


def list_kind_names() -> list[str]:
    """Return a line for every method, metric, guarantee and generated model of every kind of data."""
    return sorted(line for kind in list_kinds() for line in _describe_kind(kind))


def _describe_kind(kind: str) -> Iterator[str]:
    yield f"kind {kind}"
    for name, method in list_methods(kind).items():
        guarantees = ", ".join(sorted(guarantee.name for guarantee in method.guarantees))
        yield f"method {kind} {name}: class {method.__name__}, promises {guarantees}"
        yield from (f"parameter {kind} {name} {line}" for line in list_parameters(method))
    for name, metric in list_metrics(kind).items():
        yield f"metric {kind} {name}"
        yield from (f"parameter {kind} {name} {line}" for line in list_parameters(metric))
    for name, guarantee in find_guarantees(kind).items():
        yield f"guarantee {kind} {name}: about {guarantee.knowledge}"
        for field in dataclasses.fields(guarantee):
            yield f"guarantee-field {kind} {name} {field.name}: {_format_field(guarantee, field)}"
    for name, options in list_models(kind).items():
        yield f"model {kind} {name}"
        for option in options:
            yield f"model-option {kind} {name} {option.name}: {option.type.__name__}, default {option.default!r}"


def _format_field(owner: type, field: dataclasses.Field[Any]) -> str:
    hint = typing.get_type_hints(owner)[field.name]
    required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    return format_type(hint) + (", required" if required else f", default {_default_of(field)!r}")


def _default_of(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def list_file_keys() -> list[str]:
    """Return a line for every key of policy, study and warehouse files, and for every option for reading in them."""
    lines = [line for name, model in FILE_MODELS.items() for line in _describe_model(name, model, "")]
    for option, kinds in list_read_options().items():
        lines.append(f"reading-option {option}: {', '.join(kinds) if kinds else 'all kinds'}")
    return sorted(lines)


def _describe_model(file: str, model: Any, above: str) -> Iterator[str]:
    """Yield the keys of a section, whose options are those of a model or of a dataclass."""
    if dataclasses.is_dataclass(model):
        hints = typing.get_type_hints(model)
        for option in dataclasses.fields(model):
            yield f"{file}-key {above}{option.name}: {_format_field(model, option)}"
            assert not list(_find_models(hints[option.name]))
        return
    for name, field in model.model_fields.items():
        key = f"{above}{field.alias or name}"
        default = "required" if field.is_required() else f"default {_format_value(field.get_default())}"
        yield f"{file}-key {key}: {format_type(field.annotation)}, {default}"
        for below, mark in _find_models(field.annotation):
            yield from _describe_model(file, below, f"{key}{mark}.")


def _format_value(value: Any) -> str:
    return "as its keys" if isinstance(value, BaseModel) else repr(value)


def _is_section(hint: Any) -> bool:
    return isinstance(hint, type) and (issubclass(hint, BaseModel) or dataclasses.is_dataclass(hint))


def _find_models(hint: Any, mark: str = "") -> Iterator[tuple[Any, str]]:
    """Yield the models that a type holds, with ``[]`` for lists and ``{}`` for tables by name."""
    if _is_section(hint):
        yield hint, mark
        return
    origin = typing.get_origin(hint)
    inside = "[]" if origin in {list, tuple} else "{}" if origin is dict else ""
    for argument in typing.get_args(hint):
        yield from _find_models(argument, mark + inside)


def format_type(hint: Any) -> str:
    """Return a type as plain words.

    Examples
    --------
    >>> format_type(tuple[str, ...]), format_type(int | None)
    ('list of str', 'int or none')
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return format_type(arguments[0])
    if hint is type(None):
        return "none"
    if origin is dict:
        return f"table of {format_type(arguments[1])}"
    if origin in {list, tuple}:
        return f"list of {format_type(arguments[0])}"
    if arguments:
        return " or ".join(dict.fromkeys(format_type(argument) for argument in arguments))
    return "section" if _is_section(hint) else getattr(hint, "__name__", str(hint))
