"""Schemas: the columns of datasets with their roles and scales."""

from __future__ import annotations

import dataclasses

from sfumato.exceptions import SchemaError

__all__ = ["ROLES", "SCALES", "Column", "Schema"]

ROLES = ("identifier", "quasi-identifier", "sensitive", "plain", "history", "time", "count")
SCALES = ("categorical", "ordered", "integer", "decimal", "date")
"""Types of attributes, which decide how their values are generalised."""


@dataclasses.dataclass(frozen=True)
class Column:
    """A column and its role.

    Parameters
    ----------
    name, role
        Its name and role.
    scale
        For attributes: the type of their values.
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
            raise self._refuse(f"role must be one of {', '.join(ROLES)}, got {self.role!r}.")
        if self.scale not in SCALES:
            raise self._refuse(f"scale must be one of {', '.join(SCALES)}, got {self.scale!r}.")
        if (self.scale == "ordered") != bool(self.order) or len(set(self.order)) < len(self.order):
            raise self._refuse("ordered attributes, and no others, must list each value once.")

    def _refuse(self, fault: str) -> SchemaError:
        return SchemaError(f"Column {self.name!r}: {fault}", column=self.name)


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
            raise SchemaError(f"{self.kind}: column {repeated[0]!r} occurs more than once.", column=repeated[0])

    @property
    def identifier(self) -> str:
        """Name of the column that identifies records."""
        return self._only("identifier")

    @property
    def history(self) -> str:
        """Name of the list column with the histories."""
        return self._only("history")

    @property
    def time(self) -> str:
        """Name of the list column with the times."""
        return self._only("time")

    def _only(self, role: str) -> str:
        names = [column.name for column in self.columns if column.role == role]
        if len(names) != 1:
            raise SchemaError(f"{self.kind}: there must be one {role} column, found {len(names)}.")
        return names[0]
