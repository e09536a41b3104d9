"""Rules to derive hierarchies from data.

======================  =====================================================================  ==============
rule                    what it does                                                           for
======================  =====================================================================  ==============
``grid:4``              halves the map four times each way                                     places
``quadtree:8``          quarters the map until no square has more than eight places            places
``fanout:5``            groups labels in their order, at most five children a node;            labels
                        ``balanced:5`` is the same
``popular:2``           groups items from the most frequent to the rarest, two children a      items of sets
                        node (:func:`derive_by_popularity`)
``mask``                masks codes from the right: 80331, 8033*, 803**; ``mask:left``         labels
                        and ``mask:right`` fill short codes up on this side
``h3``                  puts cells of H3 below the larger cells around them                    places
``flat``                puts all labels right below the root                                   labels
``width:8``             cuts the span of values into eight equally wide ranges                 numbers, dates
``frequency:8``         cuts values into eight ranges with equally many people                 numbers, dates
``calendar``            days, months, years, decades                                           dates
======================  =====================================================================  ==============
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy.typing as npt
import pyarrow as pa

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies import derive
from sfumato.hierarchies.derive.labels import order_by_popularity
from sfumato.hierarchies.h3 import derive_hexagons
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.messages import Message, option

__all__ = ["RULES", "derive_by_popularity", "derive_hierarchy", "derive_ranges"]

RULES = ("grid", "quadtree", "fanout", "balanced", "popular", "mask", "flat", "h3", "width", "frequency", "calendar")
"""Names of rules, before the colon if they have one."""

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)
_PLACES = re.compile(r"(grid|quadtree):(\d{1,6})")
_LABELS = re.compile(r"(?P<grouped>balanced|fanout):(?P<number>\d{1,6})|mask(?::(?P<pad>left|right))?|flat")
_RANGES = re.compile(r"(?P<name>width|frequency):(?P<number>\d{1,6})|calendar")


def derive_hierarchy(
    rule: str,
    labels: Sequence[str],
    places: pa.Table | None = None,
    *,
    ordered: bool = False,
    rows: Sequence[int] | None = None,
) -> Hierarchy | None:
    """Derive a hierarchy of labels by a rule; None where the text is no rule for labels but a file.

    Parameters
    ----------
    rule
        One of the rules for places and labels.
    labels
        The labels. They are grouped in their natural order: numbers by size, then text by its letters.
    places
        Coordinates of the labels, for the rules that need them.
    ordered
        Whether to keep the labels in the given order.
    rows
        The first row of each label, for error messages.

    Examples
    --------
    >>> derive_hierarchy("balanced:2", ["b", "a", "c"], None).height
    2
    >>> derive_hierarchy("fanout:2", ["10", "b", "9", "a"], None).leaf_labels
    ('9', '10', 'a', 'b')
    >>> derive_hierarchy("mask", ["80331", "80333"]).ancestors("80331")[:2]
    ('8033*', '803**')
    >>> derive_hierarchy("places.csv", ["a"], None) is None
    True
    """
    if rule == "h3":
        return derive_hexagons("h3", labels, rows)
    match = _LABELS.fullmatch(rule)
    if match is None:
        return _derive_places(rule, labels, places)
    if rule.startswith("mask"):
        return derive.mask_codes(labels, match["pad"], rows)
    arranged = list(labels) if ordered else sorted(labels, key=_natural_key)
    if rule == "flat":
        return derive.flat(arranged)
    return derive.balanced(arranged, _at_least_two(match["grouped"], match["number"]))


def derive_ranges(rule: str, values: npt.ArrayLike, type: str) -> Hierarchy | None:
    """Derive a hierarchy of ranges over numbers or dates; None where the text is no such rule.

    Parameters
    ----------
    rule
        One of the rules for numbers and dates.
    values
        Numbers or dates, as often as they occur.
    type
        ``int``, ``decimal`` or ``date``.

    Examples
    --------
    >>> derive_ranges("width:2", [20, 30, 59], "int").leaf_labels
    ('20,40', '40,59')
    >>> derive_ranges("calendar", [20, 30], "int")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: calendar needs dates, these are numbers. Use width:8.
    """
    match = _RANGES.fullmatch(rule)
    if match is None:
        return None
    if rule == "calendar":
        if type != "date":
            fault = "calendar needs dates, these are numbers."
            raise ParameterError(fault, option="hierarchies", hint="Use width:8.")
        return derive.calendar(values)
    number = _at_least_two(match["name"], match["number"])
    build = derive.equal_width if match["name"] == "width" else derive.equal_frequency
    return build(values, number, type)


def _derive_places(rule: str, labels: Sequence[str], places: pa.Table | None) -> Hierarchy | None:
    match = _PLACES.fullmatch(rule)
    if match is None:
        return None
    kind, number = match[1], int(match[2])
    if number < 1:
        raise _refuse_number(kind, number, 1)
    if places is None or "x" not in places.column_names:
        raise SchemaError(
            f"{kind}:{number} needs coordinates of the places.",
            option="hierarchies",
            hint=Message("Give coordinates of places with ", option("places_file"), "."),
        )
    x, y = (places.column(axis).to_numpy() for axis in ("x", "y"))
    build = derive.grid if kind == "grid" else derive.quadtree
    return build(labels, x, y, number)


def _at_least_two(name: str, digits: str) -> int:
    if int(digits) < 2:
        raise _refuse_number(name, int(digits), 2)
    return int(digits)


def _refuse_number(rule: str, number: int, least: int) -> ParameterError:
    return ParameterError(
        f"{rule} needs a number of at least {least}, got {number}.",
        option="hierarchies",
        hint=f"For example: {rule}:4",
    )


def _natural_key(label: str) -> tuple[bool, float, str]:
    """Order numbers by size before text; equal numbers such as ``5`` and ``05`` as text."""
    if not _NUMBER.fullmatch(label):
        return True, 0, label
    return False, int(label) if "." not in label else float(label), label


def derive_by_popularity(rule: str, labels: Sequence[str], counts: Sequence[int]) -> Hierarchy | None:
    """Derive a hierarchy by the frequency of labels; None where the text is no such rule.

    ``popular:2`` groups the labels from the most frequent to the rarest, with at most two children a node.

    Examples
    --------
    >>> derive_by_popularity("popular:2", ["a", "b", "c"], [1, 5, 3]).leaf_labels
    ('b', 'c', 'a')
    >>> derive_by_popularity("balanced:2", ["a"], [1]) is None
    True
    """
    match = re.fullmatch(r"popular:(\d{1,6})", rule)
    if match is None:
        return None
    if int(match[1]) < 2:
        raise _refuse_number("popular", int(match[1]), 2)
    return order_by_popularity(labels, counts, int(match[1]))
