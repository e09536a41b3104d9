"""Datasets: records of people, immutable and without nulls."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.kind import find_kind
from sfumato.data.lists import ListColumn
from sfumato.data.notes import Note
from sfumato.data.places import UNQUESTIONED, Observations, PlaceOrigin
from sfumato.data.record_unit import PERSON, RECORD, RecordUnit, plural
from sfumato.data.schema import Schema
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.old_names import with_old_keywords, with_old_names

__all__ = ["Dataset"]


def _frozen(mapping: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(mapping))


_PORTION = 1 << 24
"""Entries of histories that are counted together."""


@with_old_names
@dataclasses.dataclass(frozen=True, eq=False)
class Dataset:
    """Records of people, one per row, with coordinates, hierarchies and constraints of their values.

    Parameters
    ----------
    schema
        Kind, columns with roles, sensitive values.
    table
        Arrow table with the columns of the schema.
    places
        For trajectories: one row per place (``place, x, y``, ``lon, lat`` if it lies on the globe and, if derived,
        ``outline``), in the order of the codes of the history column. Not all of it may be published.
    hierarchies
        Hierarchies by column name.
    constraints
        Groups of values that may be generalised together, by name (``utility``, ``privacy``).
    notes
        What reading did, for the owner; as texts, sentences.
    read_options
        The options the data were read with, so that they can be read again.
    time_unit
        For timed data: the meaning of a time number.
    unit
        The unit of records.
    people
        The person of each record, where people may have several; None where a record is a person, or where records are
        not linked to people. Never published.
    place_origin
        The origin of the coordinates of places, which decides what may be published of them.
    observations
        The position of every visit, if the coordinates of places come from visits.
    population
        For tables: the people the records were drawn from, with the same quasi-identifiers; it is public.
    weights
        How many of a population each record stands for, where the data are a survey. They count in measures, not in
        guarantees, which count people.
    source
        Name of the file that was read, for the owner; empty where there is none.
    doubts
        What reading found doubtful, for the owner: such as identifiers with few different values.

    Examples
    --------
    >>> data = Dataset.of("trajectories", [["d", "a"], ["b"]])
    >>> len(data), data.history().labels
    (2, ('d', 'a', 'b'))
    """

    schema: Schema
    table: pa.Table
    places: pa.Table | None = None
    hierarchies: Mapping[str, Hierarchy] = dataclasses.field(default_factory=dict)
    constraints: Mapping[str, tuple[tuple[str, ...], ...]] = dataclasses.field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    read_options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    time_unit: TimeUnit = dataclasses.field(default_factory=TimeUnit)
    unit: RecordUnit = PERSON
    people: pa.Array | None = None
    place_origin: PlaceOrigin = UNQUESTIONED
    observations: Observations | None = None
    population: pa.Table | None = None
    source: str = ""
    weights: npt.NDArray[np.float64] | None = None
    doubts: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        for name in ("hierarchies", "constraints", "read_options"):
            object.__setattr__(self, name, _frozen(getattr(self, name)))
        missing = [c.name for c in self.schema.columns if c.name not in self.table.column_names]
        if missing:
            raise SchemaError(f"{self.schema.kind}: column {missing[0]!r} is missing.", column=missing[0])
        for column in self.schema.columns:
            if self.table.column(column.name).null_count:
                raise SchemaError(f"{self.schema.kind}: column {column.name!r} has empty cells.", column=column.name)
        if self.people is not None and (len(self.people) != len(self) or self.people.null_count):
            raise SchemaError(f"{self.schema.kind}: every record must have one person.", option="people")
        if self.weights is not None:
            weights = np.array(self.weights, dtype=np.float64)
            if weights.shape != (len(self),) or not np.isfinite(weights).all() or (weights < 0).any():
                raise SchemaError(
                    f"{self.schema.kind}: every record must have one weight of at least 0.", option="weights"
                )
            weights.setflags(write=False)
            object.__setattr__(self, "weights", weights)
        if self.people is not None and not self.unit.owner:
            object.__setattr__(self, "unit", dataclasses.replace(RECORD, owner=self.unit.one))

    def __reduce__(self) -> tuple[Any, ...]:
        # Read-only mappings cannot be pickled; plain ones are frozen again in the other process.
        fields = [getattr(self, field.name) for field in dataclasses.fields(self)]
        return Dataset, tuple(dict(value) if isinstance(value, MappingProxyType) else value for value in fields)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def kind(self) -> str:
        """Kind of data, such as ``trajectories``."""
        return self.schema.kind

    def person_codes(self) -> npt.NDArray[np.int64] | None:
        """Return the number of the person of each record, from 0; None where that is not known.

        Examples
        --------
        >>> data = Dataset.of("sets", [["wine"], ["bread"], ["wine"]])
        >>> data.person_codes().tolist(), data.of_people(["ann", "bob", "ann"]).person_codes().tolist()
        ([0, 1, 2], [0, 1, 0])
        """
        if self.people is None:
            return None if self.unit.owner else np.arange(len(self))
        codes = self.people.dictionary_encode().indices
        return np.asarray(codes.to_numpy(zero_copy_only=False), dtype=np.int64)

    def of_people(self, people: Sequence[str], unit: RecordUnit = RECORD) -> Dataset:
        """Return the same records with the people they are of, who may have several.

        Examples
        --------
        >>> day = RecordUnit("day", "days", "person")
        >>> days = Dataset.of("sets", [["wine"], ["bread"]]).of_people(["ann", "ann"], day)
        >>> days
        Dataset(sets: 2 days of 1 person, 2 entries, 2 distinct values)
        """
        return dataclasses.replace(self, people=pa.array(people, pa.string()), unit=unit)

    def history(self) -> ListColumn:
        """Return the histories as offsets and codes."""
        return ListColumn.from_arrow(self.table.column(self.schema.history))

    def view_history(self) -> ListColumn:
        """Return the same without a copy, read-only: histories may be gigabytes.

        Examples
        --------
        >>> Dataset.of("sets", [["wine"], ["bread"]]).view_history().codes.flags.writeable
        False
        """
        return ListColumn.from_arrow(self.table.column(self.schema.history), copy=False)

    def times(self) -> npt.NDArray[np.int64]:
        """Return the times of the entries of histories, in time units."""
        column = self.table.column(self.schema.time).combine_chunks()
        return np.asarray(column.flatten().to_numpy(zero_copy_only=False), dtype=np.int64)

    @classmethod
    @with_old_keywords("Dataset")
    def of(cls, kind: str, *rows: Any, **options: Any) -> Dataset:
        """Make a dataset of a kind from plain Python values, as ``make_dataset`` of the kind takes them.

        Examples
        --------
        >>> Dataset.of("sets", [["wine", "bread"], ["bread"]])
        Dataset(sets: 2 people, 3 entries, 2 distinct values)
        """
        return find_kind(kind).make_dataset.load()(*rows, **options)

    def describe(self) -> dict[str, Any]:
        """Return the numbers of records, people, entries and values."""
        facts: dict[str, Any] = {"kind": self.kind, self.unit.many.replace(" ", "_"): len(self)}
        codes = None if self.people is None else self.person_codes()
        if codes is not None:
            counts = np.bincount(codes)
            facts |= {plural(self.unit.owner).replace(" ", "_"): len(counts), "most_of_one": int(counts.max(initial=0))}
        attributes = [c.name for c in self.schema.columns if c.role in {"quasi-identifier", "sensitive", "plain"}]
        if attributes:
            values = {name: len(self.table.column(name).unique()) for name in attributes}
            facts |= {"attributes": len(attributes), "values": values}
        if not any(column.role == "history" for column in self.schema.columns):
            return facts
        history = self.view_history()
        lengths = history.lengths
        return facts | {
            "entries": int(lengths.sum()),
            "distinct_values": _count_distinct(history),
            "length": {
                "mean": float(lengths.mean()) if len(lengths) else 0.0,
                "median": float(np.median(lengths)) if len(lengths) else 0.0,
                "max": int(lengths.max()) if len(lengths) else 0,
            },
        }

    def __repr__(self) -> str:
        return f"Dataset({self.kind}: {self._summary()})"

    def _summary(self) -> str:
        facts, owners_text = self.describe(), ""
        if self.people is not None:
            owners_text = f" of {self.unit.owners(facts[plural(self.unit.owner).replace(' ', '_')])}"
        named = [
            f"{facts[name]:,} {name.replace('_', ' ')}" for name in ("entries", "distinct_values") if name in facts
        ]
        return ", ".join([self.unit.count(len(self)) + owners_text, *named])

    def _repr_html_(self) -> str:
        return f"<p><b>{self.kind}</b>: {self._summary()}</p>"


def _count_distinct(history: ListColumn) -> int:
    """Count the values that occur, some entries at a time: sorting all of them would copy them."""
    seen = np.zeros(len(history.labels), dtype=bool)
    for begin in range(0, len(history.codes), _PORTION):
        seen[history.codes[begin : begin + _PORTION]] = True
    return int(seen.sum())
