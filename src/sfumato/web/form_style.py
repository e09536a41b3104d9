"""How messages are written on the pages of the workbench: options by the labels of their forms."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from sfumato.messages import write
from sfumato.params import Option, list_options

__all__ = ["FORMS", "FormStyle", "write_text"]


class FormStyle:
    """As forms show it: an option by its label, a role beside the column that has it.

    Examples
    --------
    >>> FORMS.write_option("places", "grid:500m"), FORMS.write_option("max_suppressed_records", None)
    ('"places": grid:500m', '"May be left out"')
    >>> FORMS.write_option("drop", ["a", "b"]), FORMS.write_option("columns", {"place": "venue"})
    ('"a": drop, "b": drop', '"place": venue')
    >>> FORMS.write_parameter("k", 5), FORMS.write_method("LmAnon", "lm-anon")
    ('"k": 5', 'lm-anon')
    """

    between = ", "

    def write_option(self, name: str, value: object) -> str:
        """Write the label of a field, with the value to give it if there is one."""
        option = _list_options().get(name)
        if name == "columns":
            pairs = value.items() if isinstance(value, Mapping) else ()
            return ", ".join(f'"{role}": {column}' for role, column in pairs) or "the roles of columns"
        if option is not None and option.role and isinstance(value, list | tuple):
            return ", ".join(f'"{column}": {name}' for column in value)
        label = name.replace("_", " ") if option is None else option.label
        return f'"{label}"' if value is None or value is True else f'"{label}": {_write_value(value)}'

    def write_parameter(self, name: str, value: object) -> str:
        """Write the name of a parameter, with the value to give it if there is one."""
        return f'"{name}"' if value is None else f'"{name}": {value}'

    def write_method(self, class_name: str, name: str) -> str:  # noqa: ARG002
        """Write the name of a method."""
        return name

    def write_call(self, python: str, command: str) -> str:  # noqa: ARG002
        """Write the command."""
        return command


FORMS = FormStyle()


def write_text(text: str) -> str:
    """Write a text in the words of the pages.

    Examples
    --------
    >>> from sfumato.messages import Message, option
    >>> write_text(Message("Derive places: ", option("places", "grid:500m"), "."))
    'Derive places: "places": grid:500m.'
    """
    return write(text, FORMS)


def _write_value(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={entry}" for name, entry in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


@functools.cache
def _list_options() -> dict[str, Option]:
    from sfumato.readers.options import ReadOptions
    from sfumato.release.options import ReleaseOptions

    return {option.name: option for cls in (ReadOptions, ReleaseOptions) for option in list_options(cls)}
