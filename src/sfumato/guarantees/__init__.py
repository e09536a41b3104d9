"""What a release can promise, one file each."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any

from sfumato.core.errors import SchemaError
from sfumato.core.guarantee import Guarantee

__all__ = ["all_guarantees", "load"]


@functools.cache
def all_guarantees() -> dict[str, type[Guarantee]]:
    """Return every guarantee by name, found by scanning this folder.

    Examples
    --------
    >>> "km-anonymity" in all_guarantees()
    True
    """
    found = {}
    for module in pkgutil.iter_modules(__path__):
        for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, Guarantee) and value is not Guarantee:
                found[value.name] = value
    return found


def load(data: Mapping[str, Any]) -> Guarantee:
    """Read a guarantee from the manifest of a release.

    Examples
    --------
    >>> load({"name": "km-anonymity", "parameters": {"k": 5, "m": 2}})
    KmAnonymity(k=5, m=2)
    """
    known = all_guarantees()
    if data.get("name") not in known:
        raise SchemaError(f"release.json: the guarantee is unknown; known are {', '.join(sorted(known))}.")
    parameters = {
        name: tuple(value) if isinstance(value, list) else value for name, value in data["parameters"].items()
    }
    try:
        return known[data["name"]](**parameters, count=data.get("count", "records"))
    except TypeError:
        raise SchemaError("release.json: the parameters do not fit the guarantee.") from None
