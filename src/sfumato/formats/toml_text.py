"""Values as TOML, for policies and studies that programs write and people read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["format_toml"]

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def format_toml(value: Any) -> str:
    """Write a value as TOML.

    Examples
    --------
    >>> format_toml({"k": 5, "a b": ["x", 0.5, True]})
    '{ k = 5, "a b" = ["x", 0.5, true] }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = (
            f"{name if _BARE.fullmatch(name) else format_toml(name)} = {format_toml(entry)}"
            for name, entry in value.items()
        )
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(format_toml, value)) + "]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
