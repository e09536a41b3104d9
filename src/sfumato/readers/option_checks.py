"""Checks of the texts of reading options."""

from __future__ import annotations

import difflib
import zoneinfo

from sfumato.data.record_unit import parse_unit
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option

__all__ = ["check_missing", "check_separator", "check_unit", "check_zone"]

_ACTIONS = ("keep", "error", "drop")
_NAMED_SEPARATORS = {"space": " ", "tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}


def check_separator(text: str) -> str:
    """Return the character a separator stands for: itself, or its name in words.

    Examples
    --------
    >>> check_separator("space"), check_separator("|")
    (' ', '|')
    >>> check_separator("and")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: separator= must be one character such as ; or |, or one of space, tab,
    comma, semicolon, pipe, got 'and'.
    """
    mark = _NAMED_SEPARATORS.get(text, text)
    if len(mark) != 1 or mark.isalnum() or mark in '"\r\n\0':
        names = ", ".join(word for word in _NAMED_SEPARATORS if word.isalpha())
        rule = f" must be one character such as ; or |, or one of {names}, got {text!r}."
        raise ParameterError(Message(option("separator"), rule))
    return mark


def check_missing(text: str) -> str:
    """Return how empty cells are handled, or refuse a text that is nearly one of the actions.

    Examples
    --------
    >>> check_missing("drop"), check_missing("unknown")
    ('drop', 'unknown')
    >>> check_missing("dorp")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: missing= must be error, drop, keep (in tables), or a value for empty cells,
    got 'dorp'. Did you mean missing='drop'?
    """
    near = difflib.get_close_matches(text.lower(), _ACTIONS, n=1, cutoff=0.7)
    if near and text not in _ACTIONS:
        rule = f" must be error, drop, keep (in tables), or a value for empty cells, got {text!r}."
        hint = Message("Did you mean ", option("missing", near[0]), "?")
        raise ParameterError(Message(option("missing"), rule), hint=hint)
    return text


def check_zone(zone: str) -> str:
    """Return the name of a time zone, or refuse one that is not known.

    Examples
    --------
    >>> check_zone("Europe/Athens")
    'Europe/Athens'
    """
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        rule = f" must be the name of a time zone such as Europe/Athens, got {zone!r}."
        raise ParameterError(Message(option("zone"), rule)) from None
    return zone


def check_unit(text: str) -> str:
    """Return the text of a record unit unchanged, or refuse one that cannot be read.

    Examples
    --------
    >>> check_unit("stay of patient")
    'stay of patient'
    """
    parse_unit(text)
    return text
