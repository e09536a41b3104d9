"""What checks, attacks and measures return: a short table as text, a data frame, and plain values for JSON."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from sfumato.base.remaining import TITLE, Remaining, show_number
from sfumato.escape import make_visible

__all__ = ["Tabular", "align", "list_remaining", "list_values", "name_in_words", "show_value", "wrap"]

_WIDTH = 100
_NOT_ROWS = {"knowledge", "warnings", "remaining"}
"""What the lines around a table say already."""


class Tabular:
    """A result that shows itself as a short table and becomes a data frame.

    A class that derives from it writes ``to_dict``. It overrides ``_rows`` where its frame has several rows, and
    ``_lines`` where its text is more than the names and values of ``to_dict``. A dataclass is declared with
    ``repr=False``, for it would write its own text.

    Examples
    --------
    >>> class Count(Tabular):
    ...     knowledge = "all-items"
    ...     def to_dict(self):
    ...         return {"knowledge": self.knowledge, "people": 1200, "unique_share": 0.25}
    ...     _shares = ("unique_share",)
    >>> Count()
    An attacker who knows all items
      people        1,200
      unique share  25 %
    >>> Count().to_frame().shape
    (1, 3)
    """

    _shares: ClassVar[tuple[str, ...]] = ()
    """Names of values that are shares, and shown in percent."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """Return a data frame of pandas, or of Polars where pandas is not installed."""
        # Loads Arrow, which help and short commands do without.
        from sfumato.formats.frames import make_frame

        return make_frame(self._rows())

    def __repr__(self) -> str:
        return "\n".join(map(make_visible, self._lines()))

    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows of the data frame: all plain values in one of them."""
        return [list_values(self.to_dict())]

    def _lines(self) -> Iterator[str]:
        """Yield the lines of the text."""
        values = self.to_dict()
        if "knowledge" in values:
            yield f"An attacker who knows {name_in_words(str(values['knowledge']))}"
        yield from self._tabulate(values)
        yield from list_remaining(getattr(self, "remaining", ()))

    def _tabulate(self, values: Mapping[str, Any], leave_out: Iterable[str] = ()) -> Iterator[str]:
        """Yield a line for each value that is known."""
        unshown = {*_NOT_ROWS, *leave_out}
        shown = {name: value for name, value in values.items() if name not in unshown and value is not None}
        rows = [(name_in_words(name), show_value(value, name in self._shares)) for name, value in shown.items()]
        yield from align(rows)
        for value in shown.values():
            if isinstance(value, Mapping) and "note" in value:
                yield from wrap(str(value["note"]), "  ")


def list_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as a row of a frame, what an attacker knows first.

    Examples
    --------
    >>> list_values({"people": 3, "knowledge": "items"})
    {'knowledge': 'items', 'people': 3}
    """
    flat = flatten_names(values)
    return {name: flat[name] for name in sorted(flat, key=lambda name: name != "knowledge")}


def flatten_names(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return values inside of others under the names of both, and lists as text.

    Examples
    --------
    >>> flatten_names({"people": 3, "certain": {"ill": {"both": 2}}, "warnings": ["One.", "Two."]})
    {'people': 3, 'certain_ill_both': 2, 'warnings': 'One. Two.'}
    """
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= flatten_names(value, f"{before}{name}_")
        elif isinstance(value, list | tuple):
            texts = all(isinstance(item, str) for item in value)
            flat[before + name] = (" " if texts else ", ").join(item if texts else show_value(item) for item in value)
        else:
            flat[before + name] = value
    return flat


def name_in_words(name: str) -> str:
    """Return a name as people read it.

    Examples
    --------
    >>> name_in_words("smallest_anonymity_set"), name_in_words("known-slots")
    ('smallest anonymity set', 'known slots')
    """
    return re.sub(r"_|(?<=[a-z])-(?=[a-z])", " ", name)


def show_value(value: Any, is_share: bool = False) -> str:
    """Return a value as people read it: few digits, shares in percent, and no brackets.

    Examples
    --------
    >>> show_value(1234567), show_value(0.123456), show_value(0.5, True), show_value({"1": 0.25, "2-4": 0.75}, True)
    ('1,234,567', '0.1235', '50 %', '1: 25 %, 2-4: 75 %')
    >>> show_value([True, None, "a"])
    'yes, none, a'
    """
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, Mapping):
        items = {name_in_words(name): item for name, item in value.items() if name != "note"}
        return ", ".join(f"{name}: {show_value(item, is_share)}" for name, item in items.items())
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(show_value(item, is_share) for item in value)
    if isinstance(value, float) and not is_share:
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return show_number(value) if isinstance(value, int | float) else str(value)


def align(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> Iterator[str]:
    """Yield lines in which cells of a column stand below each other.

    Examples
    --------
    >>> print("\\n".join(align([("k", "5", "7"), ("classes", "", "1")], ("name", "claimed", "measured"))))
      name     claimed  measured
      k        5        7
      classes           1
    """
    table = [[make_visible(cell) for cell in row] for row in ([head] if head else []) + list(rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def list_remaining(remaining: Remaining | tuple[()]) -> Iterator[str]:
    """Yield what remains possible, a line each.

    Examples
    --------
    >>> list(list_remaining(Remaining()))
    []
    """
    if len(remaining):
        yield f"{TITLE}:"
    for possibility in remaining:
        yield from wrap(f"{'Warning: ' * possibility.is_warning}{possibility}", "  ")


def wrap(text: str, indent: str = "") -> list[str]:
    """Return a sentence as lines, those after the first one indented further.

    Examples
    --------
    >>> wrap("One.", "  "), len(wrap("word " * 30)), wrap("")
    (['  One.'], 2, [])
    """
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_long_words=False)
