"""Thrift in what every page costs: what the framework works out anew for every element, and memory given back."""

from __future__ import annotations

import ctypes
import functools
import gc
import re
import types
import weakref
from collections.abc import Callable
from typing import Any

from nicegui import client, helpers, json

__all__ = ["cache_signatures", "free_page", "give_back", "limit_memory", "remember_methods", "speed_up_escaping"]

_ARENAS, _LARGE = -8, -3
"""What the C library calls how many heaps threads share, and from what size on blocks are given back at once."""
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_YOUNG, _OLDER, _OLDEST = 50_000, 5, 1_000
"""New objects before Python looks for garbage among them, among older ones and among all: the last is done apart."""


def cache_signatures() -> None:
    """Have the framework work out once, not three times for every element, whether a method wants arguments.

    Looking at a signature takes longer than the rest of what it is looked at for. A method of a class wants the same
    whatever object it is of; other functions are looked at as before.
    """
    predicate: Callable[[Callable[..., Any]], bool] | None = getattr(helpers, "expects_arguments", None)
    if predicate is not None and not hasattr(predicate, "__wrapped__"):
        helpers.expects_arguments = remember_methods(predicate)  # type: ignore[assignment]


def remember_methods(predicate: Callable[[Callable[..., Any]], bool]) -> Callable[[Callable[..., Any]], bool]:
    """Return a function that answers like another one about functions, but asks it once about each method.

    Examples
    --------
    >>> class Lamp:
    ...     def light(self): ...
    >>> wants = remember_methods(lambda method: bool(print("looking")))
    >>> wants(Lamp().light), wants(Lamp().light)
    looking
    (False, False)
    """
    results: weakref.WeakKeyDictionary[types.FunctionType, bool] = weakref.WeakKeyDictionary()

    @functools.wraps(predicate)
    def answer(function: Callable[..., Any]) -> bool:
        inner = getattr(function, "__func__", None)
        if not isinstance(inner, types.FunctionType):
            return predicate(function)
        result = results.get(inner)
        if result is None:
            result = results[inner] = predicate(function)
        return result

    return answer


class _Json:
    """Writes pages as the framework does, with every character escaped that means something to a browser."""

    loads = staticmethod(json.loads)

    @staticmethod
    def dumps(content: Any, *options: Any, **more: Any) -> str:
        """Write what a page holds; outside of texts there is nothing to escape."""
        text = json.dumps(content, *options, **more)
        for character in "&<>`$":
            text = text.replace(character, f"\\u{ord(character):04x}")
        return text if text.isascii() else _NON_ASCII.sub(_escape, text)


def speed_up_escaping() -> None:
    """Have pages escaped in a few strokes instead of character by character.

    The framework still goes over them, and finds nothing left to do, which is quick where all is ASCII.
    """
    if getattr(client, "json", None) is json:
        client.json = _Json  # type: ignore[assignment, attr-defined]


def _escape(match: re.Match[str]) -> str:
    code = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{code[at]:02x}{code[at + 1]:02x}" for at in range(0, len(code), 2))


def free_page(page: client.Client) -> None:
    """Part what a page is made of, which holds on to itself otherwise until somebody looks for garbage."""
    for element in page.elements.values():
        element._event_listeners.clear()
        for observable in (element._props, element._classes, element._style):
            observable._change_handlers.clear()


def limit_memory() -> None:
    """Have memory given back as soon as it is free, and look for garbage when nobody waits (:func:`give_back`)."""
    # What the program is made of is there to stay: looking for garbage in it would keep pages waiting.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, _OLDER, _OLDEST)
    set_option = _find("mallopt")
    if set_option is not None:
        set_option(_ARENAS, 1)
        set_option(_LARGE, 1 << 17)


def give_back() -> None:
    """Give back the memory of pages that were forgotten, if pages were made since it was given back last."""
    if gc.get_count()[2]:
        gc.collect()
        trim = _find("malloc_trim")
        if trim is not None:
            trim(0)


def _find(name: str) -> Callable[..., int] | None:
    """Return a function of the C library, which not every one has."""
    try:
        return getattr(ctypes.CDLL(None), name, None)
    except (OSError, TypeError):
        return None
