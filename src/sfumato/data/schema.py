"""What the columns of a dataset are."""

from __future__ import annotations

import dataclasses

from sfumato.exceptions import SchemaError

__all__ = ["ROLES", "SCALES", "Column", "Schema"]

ROLES = ("identifier", "quasi-identifier", "sensitive", "plain", "history", "time", "count")
SCALES = ("categorical", "ordered", "integer", "decimal", "date")
"""What the values of an attribute are, and so how they can be generalised."""


@dataclasses.dataclass(frozen=True)
class Column:
    """A column and the part it plays.

    Parameters
    ----------
    name, role
        What it is called, and the part it plays.
    scale
        For attributes: what their values are.
    order
        For ordered attributes: their values from the lowest to the highest.

    Examples
    --------
    >>> Column("person", "identifier")
    Column(name='person', role='identifier')
    >>> Column("pain", "quasi-identifier", "ordered", ("none", "some", "much")).order
    ('none', 'some', 'much')
    """

    name: str
    role: str
    scale: str = dataclasses.field(default="categorical", repr=False)
    order: tuple[str, ...] = dataclasses.field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise SchemaError(f"column {self.name!r}: role must be one of {', '.join(ROLES)}, got {self.role!r}.")
        if self.scale not in SCALES:
            raise SchemaError(f"column {self.name!r}: scale must be one of {', '.join(SCALES)}, got {self.scale!r}.")
        if (self.scale == "ordered") != bool(self.order) or len(set(self.order)) < len(self.order):
            raise SchemaError(f"column {self.name!r}: an ordered attribute, and no other, lists its values once each.")


@dataclasses.dataclass(frozen=True)
class Schema:
    """The kind of a dataset, its columns with their roles, and which history values are sensitive or monitored.

    Examples
    --------
    >>> schema = Schema("trajectories", (Column("person", "identifier"), Column("places", "history")))
    >>> schema.history
    'places'
    """

    kind: str
    columns: tuple[Column, ...]
    sensitive: tuple[str, ...] = ()
    monitored: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise SchemaError(f"{self.kind}: column {repeated[0]!r} is there more than once.")

    @property
    def identifier(self) -> str:
        """Name of the column that tells people apart."""
        return self._only("identifier")

    @property
    def history(self) -> str:
        """Name of the list column that holds what people did."""
        return self._only("history")

    @property
    def time(self) -> str:
        """Name of the list column that says when."""
        return self._only("time")

    def _only(self, role: str) -> str:
        names = [column.name for column in self.columns if column.role == role]
        if len(names) != 1:
            raise SchemaError(f"{self.kind}: exactly one {role} column is needed, found {len(names)}.")
        return names[0]
