"""What checkers make of a release again and again is made once, and forgotten with the release."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, TypeVarTuple, cast
from weakref import WeakKeyDictionary

__all__ = ["cached"]

Given = TypeVarTuple("Given")
Made = TypeVar("Made")


def cached(make: Callable[[*Given], Made]) -> Callable[[*Given], Made]:
    """Let a function make its result once for the objects it is given, for as long as all of them are in use.

    Neither the objects nor the result may change. The result must not refer to the objects: nothing would ever be
    forgotten. Equal objects are the same one. A release, an original or a table equals only itself, a column all that
    have its name, role and form. An error is raised anew every time. Below ``@classmethod``, the class is an object,
    too.

    Examples
    --------
    >>> class Basket:
    ...     items = ("tea", "rye")
    >>> @cached
    ... def count(basket):
    ...     print("counting")
    ...     return len(basket.items)
    >>> basket = Basket()
    >>> count(basket), count(basket)
    counting
    (2, 2)
    """
    made: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    @wraps(make)
    def compute_cached(*given: *Given) -> Made:
        *earlier, last = cast(tuple[Any, ...], given)
        results = made
        for thing in earlier:
            results = results.setdefault(thing, WeakKeyDictionary())
        if last not in results:
            results[last] = make(*given)
        return cast(Made, results[last])

    return compute_cached
