"""The one tree of errors: what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from sfumato.messages import Message, Setting, Style, find_parts, write

__all__ = [
    "InfeasibleError",
    "ParameterError",
    "ReleaseWarning",
    "SchemaError",
    "SfumatoError",
    "StoppedError",
    "VerificationError",
]


class SfumatoError(Exception):
    """Base of everything this package raises on purpose.

    Messages name columns, row numbers and parameters. They never carry a value read from
    personal data, because messages end in logs. The text of an error is what Python says;
    other ways in write its parts their own way (:meth:`write`).

    Parameters
    ----------
    message
        What is wrong, and where.
    option
        The option or parameter that is wrong; by default the first one that the message names.
    column
        The column that is wrong.
    rows
        The rows that are wrong, counted from 1.
    hint
        What to add so that it works, in a sentence at the end of the message.

    Examples
    --------
    >>> raise SfumatoError("The output directory exists.", hint=Message("Replace it: ", Setting("force", True), "."))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SfumatoError: The output directory exists. Replace it: force=True.
    """

    def __init__(
        self, message: str = "", *, option: str = "", column: str = "", rows: Sequence[int] = (), hint: str = ""
    ) -> None:
        self.text = Message(message, " ", hint) if hint else message
        super().__init__(str(self.text))
        named = (part.name for part in find_parts(message) if isinstance(part, Setting))
        self.option = option or next(named, "")
        self.column, self.rows, self.hint = column, tuple(rows), hint

    def at(self, place: str, *, instead_of: str = "") -> Self:
        """Return the same error with a place before its text: a file, a section, a partition.

        Parameters
        ----------
        place
            What to put there.
        instead_of
            A place that the text begins with, which is left out.

        Examples
        --------
        >>> error = SchemaError("Column 'age' is empty.", column="age").at("people.csv")
        >>> str(error), error.column
        ("people.csv: Column 'age' is empty.", 'age')
        """
        first, *rest = find_parts(self.text)
        if instead_of and isinstance(first, str):
            first = first.removeprefix(f"{instead_of}: ")
        return self._copy(Message(place, ": ", first, *rest))

    def with_hint(self, hint: str) -> Self:
        """Return the same error with a hint, after those that it has.

        Examples
        --------
        >>> str(SchemaError("a.csv: there is no header.").with_hint(Message("Add: ", Setting("header", False), ".")))
        'a.csv: there is no header. Add: header=False.'
        """
        if not hint:
            return self
        error = self._copy(Message(self.text, " ", hint))
        error.hint = Message(self.hint, " ", hint) if self.hint else hint
        return error

    def written(self, style: Style) -> Self:
        """Return the same error for the callers of one way in: what it names is written for them, and for all others.

        Examples
        --------
        >>> from sfumato.messages import PYTHON
        >>> str(SfumatoError(Message(Setting("split"), " must be one of day, week.")).written(PYTHON))
        'split= must be one of day, week.'
        """
        error = self._copy(write(self.text, style))
        error.hint = write(self.hint, style)
        return error

    def _copy(self, text: str) -> Self:
        error = type(self).__new__(type(self), str(text))
        error.__dict__.update(self.__dict__)
        error.text = text
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the fields where an error is sent to another process, whatever its class is made of."""
        return _restore, (type(self), self.args, dict(self.__dict__))

    def write(self, style: Style) -> str:
        """Write the error for the callers of one way in."""
        return write(self.text, style)

    def to_dict(self, style: Style) -> dict[str, object]:
        """Return the error as plain values, those that it has."""
        fields = {
            "error": self.write(style),
            "option": self.option,
            "column": self.column,
            "rows": list(self.rows),
            "hint": write(self.hint, style),
        }
        return {name: value for name, value in fields.items() if value}


def _restore(cls: type[SfumatoError], args: tuple[Any, ...], fields: dict[str, Any]) -> SfumatoError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


class ParameterError(SfumatoError):
    """A parameter is unknown, of the wrong type, or out of range.

    Examples
    --------
    >>> str(ParameterError("SeqAnon: k must be at least 2, got 1."))
    'SeqAnon: k must be at least 2, got 1.'
    """


class SchemaError(SfumatoError):
    """The input does not have the columns, types or values its kind needs.

    Examples
    --------
    >>> str(SchemaError("trajectories: column 'time' is missing."))
    "trajectories: column 'time' is missing."
    """


class InfeasibleError(SfumatoError):
    """No release can meet the request: the rule, the numbers found and what would help.

    Examples
    --------
    >>> str(InfeasibleError("k^m-anonymity: only 3 of 5 people visit 2 places or more."))
    'k^m-anonymity: only 3 of 5 people visit 2 places or more.'
    """


class VerificationError(SfumatoError):
    """A release does not keep what it claims, so it was not left on disk.

    Examples
    --------
    >>> str(VerificationError("k^m-anonymity: measured k=1, claimed k=5."))
    'k^m-anonymity: measured k=1, claimed k=5.'
    """


class StoppedError(SfumatoError):
    """Something outside stopped the work, such as a want of memory: what is ready is kept, and can be gone on with.

    Examples
    --------
    >>> str(StoppedError("engine local: a process ended in the middle of a partition."))
    'engine local: a process ended in the middle of a partition.'
    """


class ReleaseWarning(Warning):
    """A release keeps its promise, and people are found in it by means the promise does not cover.

    Examples
    --------
    >>> issubclass(ReleaseWarning, SfumatoError)
    False
    """
