"""The methods by their class names: ``sf.methods.SeqAnon(k=5, m=2)``."""

from __future__ import annotations

from sfumato.base.method import Method
from sfumato.data.kind import all_kinds, find_kind
from sfumato.plugins import all_methods
from sfumato.plugins import find_method as find

__all__ = ["all_methods", "find"]


def __getattr__(name: str) -> type[Method]:
    for kind in all_kinds():
        for method in find_kind(kind).methods.values():
            if method.name == name:
                return method.load()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *(method.name for kind in all_kinds() for method in find_kind(kind).methods.values())])
