"""Names and values as people read them: words instead of keys, and no brackets of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["write_name", "write_value"]

_NAMES = {
    "classes": "groups",
    "fitting": "smallest group of matching records",
    "in_none": "no match",
    "largest_class": "largest group",
    "max_sensitive_share": "largest sensitive share",
    "max_success": "largest success",
    "out": "written to",
    "suppressed_share": "share of suppressed values",
    "unique_share": "share singled out",
    "withheld": "suppressed records",
    "withheld_by_reason": "suppressed records by reason",
    "withheld_share": "share of suppressed records",
}
"""Keys of JSON output whose words are not what people call it."""
_SHARES = {"mean_success", "max_success", "marketer", "highest", "average", "at_risk", "unique", "share"}
"""Keys of shares, which are written in percent, as are those that end in ``_share``."""
_BY_DATA = {
    *("alone", "by_attribute", "by_item", "columns", "constraints", "events", "hierarchies", "languages"),
    *("mentions", "scales", "unique_by", "values", "withheld_by_reason"),
}
"""Keys below which there are names of the data, which stay."""


def write_name(name: str) -> str:
    """Write a key as words.

    Examples
    --------
    >>> write_name("smallest_anonymity_set"), write_name("withheld"), write_name("ordered-places")
    ('smallest anonymity set', 'suppressed records', 'ordered-places')
    """
    return _NAMES.get(name) or name.replace("_", " ")


def write_value(value: Any, name: str = "") -> str:
    """Write a value; the keys of a mapping are written as words where they are not names of the data.

    Examples
    --------
    >>> write_value({"median": 0.25, "by_attribute": {"zip_code": 1.0, "sex": 0}}), write_value((True, None, "a"))
    ('median 0.25, by attribute (zip_code 1, sex 0)', 'yes, -, a')
    >>> write_value({"zip_code": 4}, "values"), write_value(12345), write_value({}), write_value(0.25, "unique_share")
    ('zip_code 4', '12,345', '-', '25.0 %')
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None or isinstance(value, bool):
        return {None: "-", True: "yes", False: "no"}[value]
    if isinstance(value, float):
        return _write_float(value, is_share=name in _SHARES or name.endswith("_share"))
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        write = str if name in _BY_DATA else write_name
        return ", ".join(_write_entry(write(str(key)), str(key), entry) for key, entry in value.items()) or "-"
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(map(write_value, value)) or "-"
    return str(value)


def _write_float(value: float, *, is_share: bool) -> str:
    if is_share:
        return f"{100 * value:.1f} %"
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def _write_entry(name: str, key: str, value: Any) -> str:
    text = write_value(value, key)
    return f"{name} ({text})" if isinstance(value, Mapping) and value else f"{name} {text}"
