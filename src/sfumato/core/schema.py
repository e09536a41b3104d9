"""What the columns of a dataset are."""

from __future__ import annotations

import dataclasses

from sfumato.core.errors import SchemaError

__all__ = ["ROLES", "Column", "Schema"]

ROLES = ("identifier", "quasi-identifier", "sensitive", "plain", "history", "time", "count")


@dataclasses.dataclass(frozen=True)
class Column:
    """A column and the part it plays.

    Examples
    --------
    >>> Column("person", "identifier")
    Column(name='person', role='identifier')
    """

    name: str
    role: str

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise SchemaError(f"column {self.name!r}: role must be one of {', '.join(ROLES)}, got {self.role!r}.")


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
