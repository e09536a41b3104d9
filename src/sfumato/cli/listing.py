"""Methods as plain descriptions."""

from __future__ import annotations

from typing import Any

from sfumato.core.params import declared
from sfumato.registry import all_methods, find_kind

__all__ = ["describe_methods"]


def describe_methods(kind: str = "") -> list[dict[str, Any]]:
    """Describe every method, or those for a kind of data.

    Examples
    --------
    >>> [method["name"] for method in describe_methods("trajectories")]
    ['lm-anon', 'local-km', 'sd-seqanon', 'seqanon', 'sga', 'u-seqanon', 'zga']
    """
    if kind:
        find_kind(kind)
    return [
        {
            "name": method.name,
            "class": method.__name__,
            "summary": method.summary,
            "kinds": list(method.kinds),
            "guarantees": [guarantee.title for guarantee in method.promises],
            "optimises": method.optimises,
            "needs": list(method.needs),
            "paper": method.paper,
            "parameters": [
                {
                    "name": p.name,
                    "type": p.type.__name__,
                    "required": p.required,
                    "default": None if p.required else p.default,
                    "range": p.param.range_text(),
                    "help": p.param.help,
                }
                for p in declared(method)
            ],
        }
        for method in sorted(all_methods().values(), key=lambda method: (method.name, method.kinds))
        if not kind or kind in method.kinds
    ]
