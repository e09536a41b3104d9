"""What checkers make of a release again and again is made once, and forgotten with the release."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

__all__ = ["once"]

Given = TypeVar("Given")
Made = TypeVar("Made")


def once(make: Callable[[Given], Made]) -> Callable[[Given], Made]:
    """Let a function make its result once for every object, which must not change, for as long as that is in use.

    Objects that are equal but not the same are others: nothing is compared. An error is raised anew every time.

    Examples
    --------
    >>> class Basket:
    ...     items = ("tea", "rye")
    >>> @once
    ... def count(basket):
    ...     print("counting")
    ...     return len(basket.items)
    >>> basket = Basket()
    >>> count(basket), count(basket)
    counting
    (2, 2)
    """
    made: WeakKeyDictionary[Any, Made] = WeakKeyDictionary()

    @wraps(make)
    def look_up(given: Given) -> Made:
        if given not in made:
            made[given] = make(given)
        return made[given]

    return look_up
