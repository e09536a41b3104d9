"""A global recoding: what each value is published as, the same for everybody."""

from __future__ import annotations

import abc
import bisect
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sfumato.exceptions import SchemaError
from sfumato.release.text import escape

__all__ = ["ColumnCells", "Recoding", "SavedRecoding", "TableRecoding", "name_values", "read_saved"]

_NOT_SAVED = "recoding: the file is not a saved recoding."


class SavedRecoding(abc.ABC):
    """A recoding learnt on one batch, which can be saved and applied to the next: of items, or of a table."""

    @property
    @abc.abstractmethod
    def values(self) -> tuple[str, ...]:
        """All labels it knows."""

    @abc.abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""


@dataclasses.dataclass(frozen=True)
class Recoding(SavedRecoding):
    """Groups of values that are published as one, and values that are removed.

    A recoding learnt on one batch can be saved and applied to the next.

    Examples
    --------
    >>> recoding = Recoding("places", (("a", "b"), ("c",)), ("z",))
    >>> recoding.published["a"], recoding.published["c"], recoding.published["z"]
    ('{a|b}', 'c', None)
    """

    column: str
    groups: tuple[tuple[str, ...], ...]
    suppressed: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """All values it knows."""
        return (*self.suppressed, *(value for group in self.groups for value in group))

    @property
    def published(self) -> dict[str, str | None]:
        """Published value of every original value; None where it is removed."""
        names = name_values(self.groups)
        mapping: dict[str, str | None] = {
            member: name for name, group in zip(names, self.groups, strict=True) for member in group
        }
        mapping.update(dict.fromkeys(self.suppressed))
        return mapping

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Recoding:
        """Read what :meth:`to_dict` wrote."""
        try:
            groups = tuple(tuple(str(member) for member in group) for group in data["groups"])
            return cls(str(data["column"]), groups, tuple(str(v) for v in data["suppressed"]))
        except (KeyError, TypeError):
            raise SchemaError(_NOT_SAVED) from None

    @classmethod
    def expect(cls, saved: SavedRecoding) -> Recoding:
        """Return a saved recoding that must be one of values, and refuse any other."""
        if not isinstance(saved, cls):
            raise SchemaError("apply: the saved recoding is one of a table; this method recodes values of one column.")
        return saved


@dataclasses.dataclass(frozen=True)
class ColumnCells:
    """What the values of one column of a table are published as.

    Parameters
    ----------
    column
        Name of the column.
    form
        Form of its published cells: ``interval``, ``category`` or ``set``.
    labels
        (label, members) of a column of labels: the members are published as the label.
    ranges
        (lower, upper, is_exact) on an axis, ascending: values from lower to upper are published as this range, or each
        as it is. Where two ranges touch, their common bound belongs to the upper one. Dates are days since 1970.
    hides_all
        Whether nothing is published of any value.

    Examples
    --------
    >>> city = ColumnCells("city", "category", labels=(("Europe", ("Bern", "Rome")), ("Lima", ("Lima",))))
    >>> city.find_labels(["Rome", "Lima", "Oslo"])
    [0, 1, -1]
    >>> ColumnCells("age", "interval", ranges=((0, 17, True), (18, 40, False))).find_values([3, 18, 41])
    [0, 1, -1]
    """

    column: str
    form: str
    labels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ranges: tuple[tuple[float, float, bool], ...] = ()
    hides_all: bool = False

    def find_labels(self, labels: Iterable[str]) -> list[int]:
        """Return which entry of ``labels`` each label is published as; -1 for one that is not known."""
        entry_of = {member: at for at, (_, members) in enumerate(self.labels) for member in members}
        return [entry_of.get(label, -1) for label in labels]

    def find_values(self, values: Iterable[float]) -> list[int]:
        """Return which entry of ``ranges`` each value lies in; -1 for one outside."""
        lower = [low for low, _, _ in self.ranges]
        entries = []
        for value in values:
            at = bisect.bisect_right(lower, value) - 1
            entries.append(at if at >= 0 and value <= self.ranges[at][1] else -1)
        return entries

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ColumnCells:
        """Read what was saved."""
        labels = tuple((str(label), tuple(str(member) for member in members)) for label, members in data["labels"])
        ranges = tuple((_number(low), _number(high), bool(exact)) for low, high, exact in data["ranges"])
        return cls(str(data["column"]), str(data["form"]), labels, ranges, bool(data["hides_all"]))


@dataclasses.dataclass(frozen=True)
class TableRecoding(SavedRecoding):
    """What the values of several columns of a table are published as.

    Examples
    --------
    >>> recoding = TableRecoding((ColumnCells("sex", "set", hides_all=True),))
    >>> read_saved(recoding.to_dict()) == recoding
    True
    """

    columns: tuple[ColumnCells, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """All labels it knows."""
        return tuple(member for column in self.columns for _, members in column.labels for member in members)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def expect(cls, saved: SavedRecoding) -> TableRecoding:
        """Return a saved recoding that must be one of a table, and refuse any other."""
        if not isinstance(saved, cls):
            raise SchemaError("apply: the saved recoding is one of values; this method recodes a table.")
        return saved


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("a bound is a number")
    return value


def read_saved(data: Mapping[str, Any]) -> SavedRecoding:
    """Read a recoding of either kind from plain values.

    Examples
    --------
    >>> read_saved({"column": "items", "groups": [["a", "b"]], "suppressed": []}).values
    ('a', 'b')
    """
    if not isinstance(data, Mapping) or "columns" not in data:
        return Recoding.from_dict(data)
    try:
        return TableRecoding(tuple(ColumnCells.from_dict(column) for column in data["columns"]))
    except (KeyError, TypeError, ValueError):
        raise SchemaError(_NOT_SAVED) from None


def name_values(groups: Iterable[Sequence[str]]) -> list[str]:
    """Name published values so that a reader recognises them: members, shortened when there are many.

    A group of one keeps its label. Names are distinct, whatever the labels are.

    Examples
    --------
    >>> name_values([["a"], ["b", "c"], list("defghij")])
    ['a', '{b|c}', '{d|e|f|+4}']
    """
    names: list[str] = []
    ordered = [tuple(sorted(group)) for group in groups]
    taken: dict[str, int] = {group[0]: 1 for group in ordered if len(group) == 1}
    same: dict[tuple[str, ...], str] = {}
    for group in ordered:
        if len(group) == 1:
            names.append(group[0])
            continue
        if group not in same:
            shown = list(group[:4]) if len(group) <= 4 else [*group[:3]]
            more = [] if len(group) <= 4 else [f"+{len(group) - 3}"]
            base = "{" + "|".join([*map(escape, shown), *more]) + "}"
            name, count = base, taken.get(base, 0)
            while name in taken:
                count += 1
                name = f"{base}~{count}"
            taken[base] = count
            taken[name] = 1
            same[group] = name
        names.append(same[group])
    return names
