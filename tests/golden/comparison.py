"""Goldens as they are stored beside those that are found now, and the sentences that tell how they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

RELATIVE = ABSOLUTE = 1e-12
"""How far numbers may be apart that count as the same."""
_SHOWN = 8
"""Differences that are told one by one."""
_NOTHING = object()


def compare_release(name: str, stored: Mapping[str, Any] | None, found: Mapping[str, Any]) -> list[str]:
    """Return a sentence for every file of a release that is not as stored."""
    if stored is None:
        return [f"{name}: no golden release is stored. {_write(name)}"]
    changed = [_describe_file(name, path, was, now) for path, was, now in _list_differences(stored, found)]
    advice = f"If {_find_method(name)} is meant to publish otherwise: {_accept(name)}"
    return [*_limit(changed), advice] if changed else []


def compare_answers(name: str, stored: Mapping[str, Any] | None, found: Mapping[str, Any]) -> list[str]:
    """Return a sentence for every verdict, risk, score or answer that is not as stored."""
    if stored is None:
        return [f"{name}: no golden answers are stored. {_write(name)}"]
    changed = [_describe_value(name, path, was, now) for path, was, now in _list_differences(stored, found)]
    return [] if not changed else [*_limit(changed), f"If checkers are meant to answer otherwise: {_write(name)}"]


def _list_differences(
    stored: Any, found: Any, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield where two JSON values differ, with what is there in each."""
    if isinstance(stored, Mapping) and isinstance(found, Mapping):
        for key in dict.fromkeys([*stored, *found]):
            yield from _list_differences(stored.get(key, _NOTHING), found.get(key, _NOTHING), (*path, key))
    elif isinstance(stored, list) and isinstance(found, list) and len(stored) == len(found):
        for at, (was, now) in enumerate(zip(stored, found, strict=True)):
            yield from _list_differences(was, now, (*path, str(at)))
    elif not is_same(stored, found):
        yield path, stored, found


def is_same(stored: Any, found: Any) -> bool:
    """Tell whether two plain values are the same; fractions may differ in digits that rounding decides."""
    if isinstance(stored, float) and isinstance(found, int | float) and not isinstance(found, bool):
        return math.isclose(stored, found, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    if isinstance(found, float) and isinstance(stored, int) and not isinstance(stored, bool):
        return math.isclose(stored, found, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(stored) is type(found) and stored == found


def _describe_file(name: str, path: tuple[str, ...], was: Any, now: Any) -> str:
    file, part = path[0], f" ({' '.join(path[1:])})" if path[1:] else ""
    if was is _NOTHING:
        return f"{name}: {file}{part} is new."
    if now is _NOTHING:
        return f"{name}: {file}{part} is gone."
    return f"{name}: {file}{part} changed from {was} to {now}."


def _describe_value(name: str, path: tuple[str, ...], was: Any, now: Any) -> str:
    what = ", ".join(path)
    if was is _NOTHING:
        return f"{name}: {what} is new, with {now!r}."
    if now is _NOTHING:
        return f"{name}: {what} is gone, which was {was!r}."
    return f"{name}: {what} was {was!r} and is {now!r}."


def _limit(sentences: list[str]) -> list[str]:
    left = len(sentences) - _SHOWN
    return sentences if left <= 0 else [*sentences[:_SHOWN], f"There are {left} more differences."]


def _find_method(name: str) -> str:
    return name.split(" ", 1)[0]


def _write(name: str) -> str:
    return f"Write it with: python -m tests.golden --only '{_find_method(name)} *'."


def _accept(name: str) -> str:
    line = f"- {_find_method(name)}: reason in words"
    return f"{_write(name)} Then add the line `{line}` to CHANGELOG.md below `Releases that change`."
