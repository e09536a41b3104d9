"""Advice to owners: what to ask of a method, so that what a receiver of the release wins is lost again."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Advice"]


class Advice(NamedTuple):
    """A sentence that asks for a value of a parameter, with both as data: a larger value helps as much, or more.

    Examples
    --------
    >>> Advice("What helps: blur=35, with k.", "blur", 35).parameter
    'blur'
    """

    text: str
    parameter: str
    value: int
