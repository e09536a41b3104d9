"""What the changelog must say of releases that are not those of the last version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
HEADING = "Releases that change"
EVERY_METHOD = "every method"
_SECTION = re.compile(r"^## .*\(unreleased\)\s*$")
_LINE = re.compile(r"^- (?P<method>every method|[a-z-]+/[a-z-]+): (?P<reason>\S.*)$")
_MIN_WORDS = 2


def read_reasons(text: str) -> dict[str, str]:
    """Return the reasons below the heading in the section of the unreleased version, by method."""
    reasons: dict[str, str] = {}
    inside = below = False
    for line in text.splitlines():
        if line.startswith("## "):
            inside, below = _SECTION.match(line) is not None, False
        elif inside and line.strip("# ") == HEADING:
            below = True
        elif below and line.strip():
            found = _LINE.match(line)
            below = line.startswith(("- ", "  "))
            if found and len(found["reason"].split()) >= _MIN_WORDS:
                reasons[found["method"]] = found["reason"]
    return reasons


def find_missing(baseline: Mapping[str, str], current: Mapping[str, str], text: str) -> list[str]:
    """Return a sentence for every method whose releases changed or are gone without a line that says why.

    Parameters
    ----------
    baseline, current
        One digest for every case, of the last version and as they are stored now.
    text
        The changelog.
    """
    changed: dict[str, list[str]] = {}
    for name, was in baseline.items():
        if current.get(name) != was:
            changed.setdefault(name.split(" ", 1)[0], []).append(name)
    reasons = read_reasons(text)
    return [
        _describe_change(method, names, current)
        for method, names in changed.items()
        if not {method, EVERY_METHOD} & reasons.keys()
    ]


def _describe_change(method: str, names: list[str], current: Mapping[str, str]) -> str:
    gone = all(name not in current for name in names)
    what = "is gone" if gone else "changed"
    others = f" (and {len(names) - 1} more of {method})" if len(names) > 1 else ""
    return (
        f"The release {names[0]!r}{others} {what} since the last version. Add the line `- {method}: reason in words` "
        f"to CHANGELOG.md, in the unreleased section, below a line `{HEADING}`."
    )
