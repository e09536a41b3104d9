"""Lines of a study file by section and key, for messages."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from sfumato.exceptions import SfumatoError
from sfumato.policy import POLICY

__all__ = ["Places"]

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w-]+)([\w\s.\"'-]*)\]\]?\s*(#.*)?$")
_SHARED = "vary"
"""The section whose values all methods share."""


class Places:
    """The lines of a TOML file by section and key.

    Examples
    --------
    >>> places = Places(Path("a.toml"), "[data]\\nkind = 'sets'\\n[[method]]\\nname = 'coat'\\n[[method]]\\nkk = 5")
    >>> places.name("data", "kind"), places.name("method", "kk", number=1)
    ('a.toml, line 2 ([data], kind)', 'a.toml, line 6 ([[method]] 2, kk)')
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self._lines: list[tuple[int, str, int, str]] = []
        section, number = "", -1
        for at, line in enumerate(text.splitlines(), start=1):
            header = _HEADER.match(line)
            if header is not None:
                begins_anew = header[2] != section or header[1] == "[["
                number = (number + 1 if header[2] == section else 0) if begins_anew else number
                section = header[2]
            self._lines.append((at, section, number, line))

    def name(self, section: str, key: str | None = None, *, number: int | None = None, method: str = "") -> str:
        """Return the file, the line and the section; the line of the key, if it is in the file."""
        line = self._find_key(section, key, number) or self._find_section(section, number)
        where = f", line {line}" if line else ""
        named = f"[[method]] {number + 1}" if number is not None else f"[{section}]"
        shown = ", ".join(filter(None, [f"{named} {method}".strip(), key]))
        return f"{self.path}{where} ({shown})"

    def _find_key(self, section: str, key: str | None, number: int | None) -> int | None:
        pattern = re.compile(rf"(?<![\w-]){re.escape(key or '')}[\"']?\s*=")
        own = (
            (at, line)
            for at, line_section, count, line in self._lines
            if line_section == section and number in (None, count)
        )
        return next((at for at, line in own if key is not None and pattern.search(line)), None)

    def _find_section(self, section: str, number: int | None) -> int | None:
        """Find where a section begins; one without a header is a key of the file."""
        own = [at for at, line_section, count, _ in self._lines if line_section == section and number in (None, count)]
        return own[0] if own else self._find_key("", section, None)

    @contextlib.contextmanager
    def at(
        self, section: str, key: str | None = None, *, number: int | None = None, method: str = ""
    ) -> Iterator[None]:
        """Put the place in the file before the message of errors raised meanwhile."""
        try:
            yield
        except SfumatoError as error:
            about = key or error.option or None
            line_number = self._find_key(section, about, number)
            if line_number is None and section == "method" and self._find_key(_SHARED, about, None) is not None:
                place = self.name(_SHARED, about)
            else:
                place = self.name(section, key if line_number is None else about, number=number, method=method)
            raise error.written(POLICY).at(place) from None
