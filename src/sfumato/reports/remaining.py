"""What remains possible, as a part of a page: beside the promise, never below the fold."""

from __future__ import annotations

from sfumato.base.remaining import TITLE, Remaining
from sfumato.escape import escape_html as escape

__all__ = ["write_remaining"]


def write_remaining(remaining: Remaining) -> str:
    """Write what remains possible as HTML: warnings in a frame, and the rest as a list.

    Examples
    --------
    >>> from sfumato.base.remaining import Possibility
    >>> write_remaining(Remaining((Possibility("utility", "ncp", "note", "Cells are exact."),)))
    "<section class='remaining'><h2>What remains possible</h2>\\n<ul><li>Cells are exact.</li></ul></section>"
    """
    if not len(remaining):
        return ""
    warned = "".join(
        f"<p><b>{escape(possibility.sentence)}</b> {escape(possibility.hint)}</p>"
        for possibility in remaining
        if possibility.is_warning
    )
    noted = "".join(f"<li>{escape(str(possibility))}</li>" for possibility in remaining if not possibility.is_warning)
    framed = f"<blockquote class='warning'>{warned}</blockquote>" if warned else ""
    listed = f"<ul>{noted}</ul>" if noted else ""
    return f"<section class='remaining'><h2>{TITLE}</h2>\n{framed}{listed}</section>"
