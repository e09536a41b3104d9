"""Text for people: characters that would act instead of being seen are made visible.

A label may hold anything: an escape sequence that recolours a terminal or rewrites a line above, a mark that turns the
direction of reading, a character that no picture can hold. Published files keep every label as it is. Wherever a label
becomes text for people (terminal, report, plots, messages), it passes through here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

__all__ = ["escape_html", "escape_json", "make_different", "make_visible", "make_visible_within", "tabulate"]

_HIDDEN = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters, line ends among them
    "\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # hidden marks, directions
    "\ud800-\udfff"  # halves of characters
    "\U000e0000-\U000e0fff"  # tags
    "\ufdd0-\ufdef"  # no characters, like the last two of every plane
    + "".join(chr(plane + 0xFFFE) + chr(plane + 0xFFFF) for plane in range(0, 0x110000, 0x10000))
    + "]"
)


def make_visible(text: str) -> str:
    r"""Write characters that are not seen, or that act, as their numbers.

    Joiners that are part of letters and emoji stay.

    Examples
    --------
    >>> print(make_visible("caf\u00e9 \x1b[2J \u202e"))
    café \u{1b}[2J \u{202e}
    """
    return _HIDDEN.sub(lambda match: _number(match[0]), text)


def make_different(texts: Sequence[str]) -> list[str]:
    r"""Make texts visible that look the same, so that it is seen how they differ.

    Characters beyond ASCII that not all of them have are written as their numbers; where that shows no difference, all.

    Examples
    --------
    >>> print(*make_different(["caf\u00e9", "cafe\u0301", "caf\u00e9\u200b"]), sep=", ")
    caf\u{e9}, cafe\u{301}, caf\u{e9}\u{200b}
    """
    shared = set.intersection(*map(set, texts)) if texts else set()
    for exempt in (shared, set()):
        shown = ["".join(_number(c) if not c.isascii() and c not in exempt else c for c in text) for text in texts]
        if len(set(shown)) == len(set(texts)):
            break
    return [make_visible(text) for text in shown]


def _number(character: str) -> str:
    return f"\\u{{{ord(character):x}}}"


def make_visible_within(value: Any) -> Any:
    r"""Make every text in lists and mappings visible, names included.

    Examples
    --------
    >>> make_visible_within({"title": ["a\x07", 1]})
    {'title': ['a\\u{7}', 1]}
    """
    if isinstance(value, str):
        return make_visible(value)
    if isinstance(value, dict):
        return {make_visible_within(name): make_visible_within(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [make_visible_within(item) for item in value]
    return value


def escape_html(text: str) -> str:
    r"""Write a text for a page: visible, and without anything that the page would take for its own.

    Examples
    --------
    >>> print(escape_html("<b>\x1b"))
    &lt;b&gt;\u{1b}
    """
    return escape(make_visible(text))


def tabulate(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Write a table for a notebook; every cell is shown as the text it is, and numbers with few digits.

    Examples
    --------
    >>> tabulate("Risk", ["what"], [("<k>",)])
    '<table><caption>Risk</caption><thead><tr><th>what</th></tr></thead><tbody><tr><td>&lt;k&gt;</td></tr></tbody></table>'
    """

    def show(cell: object) -> str:
        if isinstance(cell, float):
            return f"{cell:.4g}"
        if isinstance(cell, dict):
            return ", ".join(f"{name}: {show(value)}" for name, value in cell.items())
        return ", ".join(map(show, cell)) if isinstance(cell, list | tuple) else str(cell)

    def line(tag: str, cells: Iterable[object]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape_html(show(cell))}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line("td", row) for row in rows)
    return (
        f"<table><caption>{escape_html(title)}</caption><thead>{line('th', head)}</thead><tbody>{body}</tbody></table>"
    )


def escape_json(text: str) -> str:
    r"""Write the same characters of a JSON text as JSON does, so that the text means the same and shows nothing hidden.

    Line ends between values stay; JSON has none inside of texts.

    Examples
    --------
    >>> print(escape_json('"\u202e"'))
    "\u202e"
    """
    return _HIDDEN.sub(lambda match: match[0] if match[0] in "\n\t" else _escape_code_point(ord(match[0])), text)


def _escape_code_point(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
