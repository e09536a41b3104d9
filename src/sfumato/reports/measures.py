"""What a release is still good for: one row per measure, with what it means."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.escape import escape_html as escape
from sfumato.metrics.metric import Score
from sfumato.reports.html import make_table, raise_powers, shorten
from sfumato.reports.numbers import show_number, show_share
from sfumato.reports.text import fill_in

__all__ = ["write_utility"]

_ABBREVIATION = re.compile(r"(.+) \(([^()]+)\)")


def write_utility(scores: Sequence[Score], unit: RecordUnit = PERSON) -> str:
    """Write the scores with what they mean."""
    if not scores:
        return ""
    rows = "".join(_score_rows(score, unit) for score in scores)
    return (
        "<section><h2>Utility</h2>\n<table class='measures'><thead><tr>"
        "<th scope='col'>Measure</th><th scope='col' class='number'>Value</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></section>"
    )


def _score_rows(score: Score, unit: RecordUnit) -> str:
    # A unit such as "of the patterns" says that the value is a share.
    is_share = score.unit.startswith("of ")
    value = f"{(show_share if is_share else show_number)(score.value)} {score.unit}".strip()
    title, paper_name = score.title or score.name, ""
    if match := _ABBREVIATION.fullmatch(title):
        title, paper_name = match[1], f" Papers call it {match[2]}."
    explanation = f"<small>{raise_powers(fill_in(score.explanation, unit) + paper_name)}</small>"
    details = ""
    if score.details:
        listed = [(_format_label(name), _show_detail(name, value)) for name, value in score.details.items()]
        table = make_table([], listed, narrow=True)
        details = f"<details><summary>Details</summary>{table}</details>"
    return (
        f"<tr><th scope='row'>{raise_powers(title)}{explanation}{details}</th>"
        f"<td class='number'>{escape(value)}<small>{escape(score.better)} is better</small></td></tr>"
    )


def _format_label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _show_detail(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return shorten(", ".join(f"{key} {show_number(number)}" for key, number in value.items()), 200)
    if name.endswith("share") and isinstance(value, float):
        return show_share(value)
    return shorten(show_number(value), 200)
