"""Reads back what a release claims."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any, get_args, get_origin, get_type_hints

from sfumato.core.errors import SchemaError
from sfumato.core.guarantee import Guarantee
from sfumato.core.rooms import all_kinds, list_modules

__all__ = ["list_guarantees", "load"]


_LARGEST = 1 << 48
"""More than any release has records or time has seconds; sums and products of such numbers still fit."""


@functools.cache
def list_guarantees(kind: str) -> dict[str, type[Guarantee]]:
    """Return what releases of a kind of data can promise, by name.

    Examples
    --------
    >>> sorted(list_guarantees("trajectories"))
    ['klm-anonymity', 'km-anonymity']
    """
    return {
        value.name: value
        for module in list_modules(kind, "guarantees")
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Guarantee) and value is not Guarantee
    }


def load(kind: str, data: Mapping[str, Any]) -> Guarantee:
    """Read a guarantee from the manifest of a release of a kind of data.

    One that is about another kind is read too, so that a verifier can say what is wrong with the release.

    Examples
    --------
    >>> load("trajectories", {"name": "km-anonymity", "parameters": {"k": 5, "m": 2}})
    KmAnonymity(k=5, m=2)
    """
    known = list_guarantees(kind)
    if data.get("name") not in known:
        known = {name: found for other in all_kinds() for name, found in list_guarantees(other).items()}
    if data.get("name") not in known:
        raise SchemaError(f"release.json: the guarantee is unknown; known are {', '.join(sorted(known))}.")
    parameters = {
        name: tuple(value) if isinstance(value, list | tuple) else value for name, value in data["parameters"].items()
    }
    claim = known[data["name"]]
    hints = get_type_hints(claim)
    fields = {field.name for field in dataclasses.fields(claim)} - {"count"}
    if set(parameters) != fields or not all(_fits(value, hints[name]) for name, value in parameters.items()):
        raise SchemaError("release.json: the parameters do not fit the guarantee.")
    return claim(**parameters, count=data.get("count", "records"))


def _fits(value: Any, hint: Any) -> bool:
    """Tell whether a value read from a file has the declared type; lists of names were made tuples."""
    if get_origin(hint) is tuple:
        inside = get_args(hint)[0]
        return isinstance(value, tuple | list) and all(_fits(entry, inside) for entry in value)
    if type(value) is int and abs(value) > _LARGEST:
        return False
    allowed = get_args(hint) or (hint,)
    return any(type(value) is kind for kind in allowed)
