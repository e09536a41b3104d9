"""The methods by their class names: ``sf.methods.SeqAnon(k=5, m=2)``."""

from __future__ import annotations

from sfumato.core.method import Method
from sfumato.registry import all_methods, find

__all__ = ["all_methods", "find"]


def __getattr__(name: str) -> type[Method]:
    for method in all_methods().values():
        if method.__name__ == name:
            return method
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *(method.__name__ for method in all_methods().values())])
