"""How messages are written on the command line: options with their dashes, methods by the names that commands take."""

from __future__ import annotations

import csv
import functools
import io
import shlex
from collections.abc import Iterator, Mapping

from sfumato.messages import write
from sfumato.params import Option, list_options

__all__ = ["COMMAND_LINE", "CommandStyle", "write_text"]


class CommandStyle:
    """As people type it.

    Examples
    --------
    >>> COMMAND_LINE.write_option("places", "grid:500m"), COMMAND_LINE.write_option("drop", ["a", "b c"])
    ('--places grid:500m', "--drop a --drop 'b c'")
    >>> COMMAND_LINE.write_option("columns", {"person": "taxi no"}), COMMAND_LINE.write_option("force", True)
    ("--column 'person=taxi no'", '--force')
    >>> COMMAND_LINE.write_option("quasi", ["age", "sex"]), COMMAND_LINE.write_option("hierarchies", None)
    ('--quasi age --quasi sex', '--hierarchy')
    >>> COMMAND_LINE.write_parameter("k", 5), COMMAND_LINE.write_method("LmAnon", "lm-anon")
    ('-p k=5', 'lm-anon')
    """

    between = " "

    def write_option(self, name: str, value: object) -> str:
        """Write an option as often as it is given, or its name alone."""
        option = _list_options().get(name)
        flag = f"--{name.replace('_', '-')}" if option is None else option.flag
        if value is None or value is True:
            return flag
        return " ".join(f"{flag} {shlex.quote(text)}" for text in _list_texts(value, option))

    def write_parameter(self, name: str, value: object) -> str:
        """Write a parameter of a method as it is given; its name alone where it has no value."""
        return name if value is None else f"-p {name}={value}"

    def write_method(self, class_name: str, name: str) -> str:  # noqa: ARG002
        """Write the name that commands take."""
        return name

    def write_call(self, python: str, command: str) -> str:  # noqa: ARG002
        """Write the command."""
        return command


COMMAND_LINE = CommandStyle()


def write_text(text: str) -> str:
    """Write a text in the words of the command line.

    Examples
    --------
    >>> from sfumato.messages import Message, option
    >>> write_text(Message("Replace it: ", option("force", True), "."))
    'Replace it: --force.'
    """
    return write(text, COMMAND_LINE)


def _list_texts(value: object, option: Option | None) -> Iterator[str]:
    """Yield what stands behind the flag, each time that it is given."""
    if isinstance(value, Mapping):
        yield from (f"{name}={entry}" for name, entry in value.items())
    elif not isinstance(value, list | tuple):
        yield str(value)
    elif option is not None and option.commas:
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow(value)
        yield text.getvalue()
    else:
        yield from map(str, value)


@functools.cache
def _list_options() -> dict[str, Option]:
    from sfumato.readers.options import ReadOptions
    from sfumato.release.options import ReleaseOptions

    return {option.name: option for cls in (ReadOptions, ReleaseOptions) for option in list_options(cls)}
