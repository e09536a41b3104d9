"""What is done to a value before it is compared: small named steps, the same for sources and for data.

==================  ======================================================================================
``lower``           lower case
``trim``            no blanks around, one blank between words
``local-name``      an IRI without its namespace: what follows the last ``#`` or ``/``, or ``:`` if it has none
``underscores``     underscores become blanks
``integer``         the first whole number in it, without leading zeros
``unquote``         without quotes around
``drop:TEXT``       without a text that it begins with
``before:TEXT``     what stands before a text, all of it where there is none
==================  ======================================================================================
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from typing import TypeAlias
from urllib.parse import unquote

from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option

__all__ = ["STEPS", "Step", "apply_steps", "parse_step"]

Step: TypeAlias = Callable[[str], str]

_INTEGER = re.compile(r"\d+", re.ASCII)


def _take_local_name(text: str) -> str:
    bare = text.rstrip("/#")
    # Names such as urn:isbn:0451450523 have their parts after colons.
    return unquote(re.split(r"[#/]" if re.search(r"[#/]", bare) else ":", bare)[-1])


def _take_integer(text: str) -> str:
    match = _INTEGER.search(text)
    return (match[0].lstrip("0") or "0") if match else ""


def _drop_quotes(text: str) -> str:
    return text.strip().strip("\"'“”„«»")


_PLAIN: dict[str, Step] = {
    "lower": str.casefold,
    "trim": lambda text: " ".join(text.split()),
    "local-name": _take_local_name,
    "underscores": lambda text: text.replace("_", " "),
    "integer": _take_integer,
    "unquote": _drop_quotes,
}
STEPS = (*_PLAIN, "drop:TEXT", "before:TEXT")
"""Names of the steps."""


def parse_step(text: str) -> Step:
    """Return the step that a text names.

    Examples
    --------
    >>> parse_step("integer")("WoRMS:127027"), parse_step("drop:WoRMS:")("WoRMS:127027")
    ('127027', '127027')
    >>> parse_step("lwer")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: apply=: there is no step 'lwer'. Did you mean 'lower'? Steps: lower, trim,
    local-name, underscores, integer, unquote, drop:TEXT, before:TEXT.
    """
    if text in _PLAIN:
        return _PLAIN[text]
    name, colon, rest = text.partition(":")
    if colon and rest and name == "drop":
        return lambda value: value.removeprefix(rest)
    if colon and rest and name == "before":
        return lambda value: value.partition(rest)[0]
    near = difflib.get_close_matches(text, _PLAIN, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ParameterError(Message(option("apply"), f": there is no step {text!r}.{hint} Steps: {', '.join(STEPS)}."))


def apply_steps(text: str, steps: Iterable[Step]) -> str:
    """Return a text after all steps, in order.

    Examples
    --------
    >>> iri = "http://www.marinespecies.org/entities/WoRMS:127027/Thunnus_Albacares"
    >>> apply_steps(iri, map(parse_step, ["local-name", "underscores", "lower"]))
    'thunnus albacares'
    """
    for step in steps:
        text = step(text)
    return text
