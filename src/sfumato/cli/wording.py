"""Messages in the words of the command line: options instead of names of Python, methods as they are called here."""

from __future__ import annotations

import dataclasses
import re

from sfumato.io.reading import Reading

__all__ = ["speak"]

_OPTIONS = {field.name: field.name.replace("_", "-") for field in dataclasses.fields(Reading)} | {
    "columns": "column",
    "hierarchies": "hierarchy",
    "scales": "scale",
}
_NAMED = "|".join(sorted({*_OPTIONS, *(name.replace("_", "-") for name in _OPTIONS)}, key=len, reverse=True))
_RULE = re.compile(rf"^reading: (?P<name>{_NAMED})\b:?(?= )")
_IN_BRACKETS = re.compile(rf"\((?P<name>{_NAMED})(?:: (?P<value>\S+=\S+))?(?=[;)])")
_GIVEN = re.compile(
    r"(?<![-\w=])(?P<name>places|split|resolution|missing|faults|format|user_key|coordinates)=(?P<value>[\w:.+*@-]+\w)"
)
_METHOD = re.compile(r"^(?P<name>[A-Z]\w*): ")


def speak(text: str) -> str:
    """Return a message with options spelled as the command line takes them.

    Examples
    --------
    >>> speak("visits.csv: there is no column for the place. Derive places from the coordinates: places=grid:500m.")
    'visits.csv: there is no column for the place. Derive places from the coordinates: --places grid:500m.'
    >>> speak("visits.csv: column 'a' has no role. Give it one (columns), or leave it out (drop; * for all).")
    "visits.csv: column 'a' has no role. Give it one (--column), or leave it out (--drop; * for all)."
    >>> speak("reading: split must be one of day, week, got 'hour'.")
    "--split must be one of day, week, got 'hour'."
    >>> speak("LmAnon: k must be at most 3.")
    'lm-anon: k must be at most 3.'
    """
    text = _RULE.sub(lambda found: f"--{_spell(found['name'])}", text)
    text = _IN_BRACKETS.sub(
        lambda found: f"(--{_spell(found['name'])}" + (f" {found['value']}" if found["value"] else ""), text
    )
    text = _GIVEN.sub(lambda found: f"--{_spell(found['name'])} {found['value']}", text)
    return _METHOD.sub(_name_method, text)


def _spell(name: str) -> str:
    return _OPTIONS.get(name, name)


def _name_method(found: re.Match[str]) -> str:
    """Return the name of a method whose class begins a message; other words stay."""
    from sfumato.registry import all_methods

    names = [method.name for method in all_methods().values() if method.__name__ == found["name"]]
    return f"{names[0]}: " if names else found[0]
