"""Data about people, as read: immutable and without nulls."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.clock import Clock
from sfumato.core.errors import SchemaError
from sfumato.core.hierarchy import Hierarchy
from sfumato.core.published_places import UNQUESTIONED, Fixes, PlaceOrigin
from sfumato.core.ragged import Ragged
from sfumato.core.schema import Column, Schema
from sfumato.core.unit import PERSON, RECORD, TIME_POINT, Unit, plural
from sfumato.kinds.trajectories.model.locations import Locations

__all__ = ["Dataset"]


def _frozen(mapping: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(mapping))


@dataclasses.dataclass(frozen=True, eq=False)
class Dataset:
    """One row per person, with what is known about the values: coordinates, hierarchies, constraints.

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
        What reading did, in sentences for the owner.
    reading
        The options the data were read with, so that they can be read again.
    clock
        For timed data: what a time number means.
    unit
        What one record is.
    people
        Whose each record is, where people have several; None where a record is a person or nobody knows. It is never
        published.
    place_origin
        Where the coordinates of the places come from, and so what may be published of them.
    fixes
        Where people were, visit by visit, if the coordinates of the places come from there.

    Examples
    --------
    >>> data = Dataset.from_trajectories([["d", "a"], ["b"]])
    >>> len(data), data.history().labels
    (2, ('d', 'a', 'b'))
    """

    schema: Schema
    table: pa.Table
    places: pa.Table | None = None
    hierarchies: Mapping[str, Hierarchy] = dataclasses.field(default_factory=dict)
    constraints: Mapping[str, tuple[tuple[str, ...], ...]] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()
    reading: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    clock: Clock = dataclasses.field(default_factory=Clock)
    unit: Unit = PERSON
    people: pa.Array | None = None
    place_origin: PlaceOrigin = UNQUESTIONED
    fixes: Fixes | None = None

    def __post_init__(self) -> None:
        for name in ("hierarchies", "constraints", "reading"):
            object.__setattr__(self, name, _frozen(getattr(self, name)))
        missing = [c.name for c in self.schema.columns if c.name not in self.table.column_names]
        if missing:
            raise SchemaError(f"{self.schema.kind}: column {missing[0]!r} is missing.")
        for column in self.schema.columns:
            if self.table.column(column.name).null_count:
                raise SchemaError(f"{self.schema.kind}: column {column.name!r} has empty cells.")
        if self.people is not None and (len(self.people) != len(self) or self.people.null_count):
            raise SchemaError(f"{self.schema.kind}: every record must be somebody's, one name each.")
        if self.people is not None and not self.unit.owner:
            object.__setattr__(self, "unit", dataclasses.replace(RECORD, owner=self.unit.one))

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def kind(self) -> str:
        """Kind of data, such as ``trajectories``."""
        return self.schema.kind

    def person_codes(self) -> npt.NDArray[np.int64] | None:
        """Return the number of the person each record is of, from 0; None where that is not known.

        Examples
        --------
        >>> data = Dataset.from_sets([["wine"], ["bread"], ["wine"]])
        >>> data.person_codes().tolist(), data.of_people(["ann", "bob", "ann"]).person_codes().tolist()
        ([0, 1, 2], [0, 1, 0])
        """
        if self.people is None:
            return None if self.unit.owner else np.arange(len(self))
        codes = self.people.dictionary_encode().indices
        return np.asarray(codes.to_numpy(zero_copy_only=False), dtype=np.int64)

    def of_people(self, people: Sequence[str], unit: Unit = RECORD) -> Dataset:
        """Return the same records as those of people who may have several.

        Examples
        --------
        >>> days = Dataset.from_sets([["wine"], ["bread"]]).of_people(["ann", "ann"], Unit("day", "days", "person"))
        >>> days
        Dataset(sets: 2 days of 1 person, 2 entries, 2 distinct values)
        """
        return dataclasses.replace(self, people=pa.array(people, pa.string()), unit=unit)

    def history(self) -> Ragged:
        """Return what people did as offsets and codes."""
        return Ragged.from_arrow(self.table.column(self.schema.history))

    def times(self) -> npt.NDArray[np.int64]:
        """Return when the entries of the histories happened, entry by entry, in units of the clock."""
        column = self.table.column(self.schema.time).combine_chunks()
        return np.asarray(column.flatten().to_numpy(zero_copy_only=False), dtype=np.int64)

    def coordinates(self) -> npt.NDArray[np.float64]:
        """Return x and y of every place in plane units (metres for longitude/latitude), as an (n, 2) array.

        They are for drawing and ordering: on a large map only :meth:`locations` know how far places are apart. Places
        without coordinates are all at the origin.
        """
        if self.places is None or "x" not in self.places.column_names:
            return np.zeros((len(self.history().labels), 2))
        return np.column_stack([self.places.column(c).to_numpy() for c in ("x", "y")])

    def locations(self) -> Locations:
        """Return where the places are, on a plane or on the globe; all at one point if that is not known."""
        if self.places is None or not {"x", "lon"} & set(self.places.column_names):
            return Locations.unknown(len(self.history().labels))
        return Locations.of(self.places)

    @classmethod
    def from_trajectories(
        cls,
        rows: list[list[str]],
        coordinates: Mapping[str, tuple[float, float]] | None = None,
        *,
        sensitive: tuple[str, ...] = (),
        hierarchy: Hierarchy | None = None,
        constraints: tuple[tuple[str, ...], ...] = (),
    ) -> Dataset:
        """Make a dataset of trajectories from plain lists of places, one list per person."""
        ragged = Ragged.from_lists(rows)
        table = pa.table(
            {
                "person": pa.array([f"p{i}" for i in range(len(rows))], pa.string()),
                "places": ragged.to_arrow(),
            }
        )
        places = None
        if coordinates is not None:
            xy = np.array([coordinates[label] for label in ragged.labels], dtype=float).reshape(-1, 2)
            places = pa.table({"place": list(ragged.labels), "x": xy[:, 0], "y": xy[:, 1]})
        return cls(
            Schema("trajectories", (Column("person", "identifier"), Column("places", "history")), sensitive),
            table,
            places,
            {"place": hierarchy} if hierarchy else {},
            {"utility": constraints} if constraints else {},
        )

    @classmethod
    def from_sequences(
        cls,
        rows: list[list[tuple[str, int]]],
        *,
        monitored: tuple[str, ...] = (),
        hierarchy: Hierarchy | None = None,
        clock: Clock | None = None,
    ) -> Dataset:
        """Make a dataset of timed event sequences from lists of (event, time), one list per person.

        Entries are put in time order.

        Examples
        --------
        >>> data = Dataset.from_sequences([[("news", 7), ("mail", 3)]], monitored=("mail",))
        >>> data.history().lists(), data.times().tolist()
        ([['mail', 'news']], [3, 7])
        """
        ordered = [sorted(row, key=lambda entry: entry[1]) for row in rows]
        ragged = Ragged.from_lists([[event for event, _ in row] for row in ordered])
        table = pa.table(
            {
                "person": pa.array([f"p{i}" for i in range(len(rows))], pa.string()),
                "events": ragged.to_arrow(),
                "times": pa.array([[time for _, time in row] for row in ordered], pa.list_(pa.int64())),
            }
        )
        columns = (Column("person", "identifier"), Column("events", "history"), Column("times", "time"))
        return cls(
            Schema("sequences", columns, monitored=monitored),
            table,
            hierarchies={"event": hierarchy} if hierarchy else {},
            clock=clock or Clock(),
        )

    @classmethod
    def from_sets(
        cls,
        rows: list[list[str]],
        *,
        sensitive: tuple[str, ...] = (),
        hierarchy: Hierarchy | None = None,
        privacy: tuple[tuple[str, ...], ...] = (),
        utility: tuple[tuple[str, ...], ...] = (),
    ) -> Dataset:
        """Make a dataset of sets of items from plain lists, one list per person; repeated items count once.

        Examples
        --------
        >>> Dataset.from_sets([["wine", "bread", "wine"], ["bread"]]).history().lists()
        [['wine', 'bread'], ['bread']]
        """
        ragged = Ragged.from_lists(rows)
        table = pa.table(
            {
                "person": pa.array([f"p{i}" for i in range(len(rows))], pa.string()),
                "items": ragged.distinct().to_arrow(),
            }
        )
        constraints = {name: given for name, given in (("privacy", privacy), ("utility", utility)) if given}
        return cls(
            Schema("sets", (Column("person", "identifier"), Column("items", "history")), sensitive),
            table,
            hierarchies={"item": hierarchy} if hierarchy else {},
            constraints=constraints,
        )

    @classmethod
    def from_timeline(
        cls,
        rows: list[Mapping[str, int]],
        *,
        times: list[int] | None = None,
        sensitive: tuple[str, ...] = (),
        events: tuple[str, ...] = (),
        clock: Clock | None = None,
    ) -> Dataset:
        """Make a dataset of one long sequence of events from counts by event, one mapping per time point.

        Time points are numbered from 0 where no times are given. ``events`` names events of the alphabet that may
        not occur at all; so does a count of 0.

        Examples
        --------
        >>> data = Dataset.from_timeline([{"bread": 2, "wine": 1}, {"bread": 1}], sensitive=("wine",))
        >>> data, data.table.column("counts").to_pylist()
        (Dataset(timeline: 2 time points, 3 entries, 2 distinct values), [[2, 1], [1]])
        """
        when = list(range(len(rows))) if times is None else times
        if len(when) != len(rows) or any(a >= b for a, b in itertools.pairwise(when)):
            raise SchemaError("timeline: times must be as many as the time points, ascending and different.")
        if any(count < 0 for row in rows for count in row.values()):
            raise SchemaError("timeline: column 'counts' must hold 0 or more, got a negative count.")
        code = {label: i for i, label in enumerate(dict.fromkeys([*(e for row in rows for e in row), *events]))}
        kept = [sorted((code[event], count) for event, count in row.items() if count) for row in rows]
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in kept])]).astype(np.int64)
        codes = np.array([event for row in kept for event, _ in row], dtype=np.int32)
        table = pa.table(
            {
                "time": pa.array(when, pa.int64()),
                "events": Ragged(offsets, codes, tuple(code)).to_arrow(),
                "counts": pa.array([[count for _, count in row] for row in kept], pa.list_(pa.int64())),
            }
        )
        columns = (Column("time", "time"), Column("events", "history"), Column("counts", "count"))
        return cls(Schema("timeline", columns, sensitive), table, clock=clock or Clock(), unit=TIME_POINT)

    @classmethod
    def from_snapshots(
        cls,
        rows: Sequence[tuple[Any, ...]],
        attributes: tuple[str, ...],
        sensitive: str,
        *,
        plain: tuple[str, ...] = (),
        clock: Clock | None = None,
    ) -> Dataset:
        """Make a dataset of snapshots from tuples: time, the attributes in order, the sensitive value.

        Attributes are quasi-identifiers but for those listed as plain. Rows are put in time order.

        Examples
        --------
        >>> data = Dataset.from_snapshots([(2, "40", "cold"), (1, "30", "flu")], ("age",), "illness")
        >>> data.table.to_pydict()
        {'time': [1, 2], 'age': ['30', '40'], 'illness': ['flu', 'cold']}
        """
        ordered = sorted(rows, key=lambda row: row[0])
        names = (*attributes, sensitive)
        cells = {name: [str(row[i]) for row in ordered] for i, name in enumerate(names, start=1)}
        table = pa.table(
            {
                "time": pa.array([row[0] for row in ordered], pa.int64()),
                **{name: pa.array(column, pa.string()) for name, column in cells.items()},
            }
        )
        columns = [Column(name, "plain" if name in plain else "quasi-identifier") for name in attributes]
        schema = Schema("snapshots", (Column("time", "time"), *columns, Column(sensitive, "sensitive")))
        return cls(schema, table, clock=clock or Clock(), unit=RECORD)

    @classmethod
    def from_activity(
        cls,
        rows: Sequence[Sequence[str]],
        *,
        sensitive: tuple[str, ...] = (),
        clock: Clock | None = None,
        start: int = 0,
    ) -> Dataset:
        """Make a dataset of daily activities from lists of what each person did in every slot, equally long lists.

        A slot is a minute unless the clock says otherwise; ``start`` is the time at which the first slot begins, in
        slots since 1970.

        Examples
        --------
        >>> data = Dataset.from_activity([["sleep", "eat"], ["sleep", "sleep"]], sensitive=("eat",))
        >>> data, data.clock
        (Dataset(activity: 2 people, 4 entries, 2 distinct values), Clock(unit='minute', origin=0))
        """
        if len({len(row) for row in rows}) > 1:
            raise SchemaError("activity: everybody must have the same number of slots.")
        table = pa.table(
            {
                "person": pa.array([f"p{i}" for i in range(len(rows))], pa.string()),
                "activities": Ragged.from_lists([list(row) for row in rows]).to_arrow(),
            }
        )
        columns = (Column("person", "identifier"), Column("activities", "history"))
        clock = dataclasses.replace(clock, origin=clock.origin + start) if clock else Clock("minute", start)
        return cls(Schema("activity", columns, sensitive), table, clock=clock)

    def describe(self) -> dict[str, Any]:
        """Say in numbers what the data are."""
        facts: dict[str, Any] = {"kind": self.kind, self.unit.many.replace(" ", "_"): len(self)}
        codes = None if self.people is None else self.person_codes()
        if codes is not None:
            counts = np.bincount(codes)
            facts |= {plural(self.unit.owner).replace(" ", "_"): len(counts), "most_of_one": int(counts.max(initial=0))}
        if not any(column.role == "history" for column in self.schema.columns):
            return facts
        history = self.history()
        lengths = history.lengths
        return facts | {
            "entries": int(lengths.sum()),
            "distinct_values": len(np.unique(history.codes)),
            "length": {
                "mean": float(lengths.mean()) if len(lengths) else 0.0,
                "median": float(np.median(lengths)) if len(lengths) else 0.0,
                "max": int(lengths.max()) if len(lengths) else 0,
            },
        }

    def __repr__(self) -> str:
        return f"Dataset({self.kind}: {self._summary()})"

    def _summary(self) -> str:
        facts, whose = self.describe(), ""
        if self.people is not None:
            whose = f" of {self.unit.owners(facts[plural(self.unit.owner).replace(' ', '_')])}"
        named = [
            f"{facts[name]:,} {name.replace('_', ' ')}" for name in ("entries", "distinct_values") if name in facts
        ]
        return ", ".join([self.unit.count(len(self)) + whose, *named])

    def _repr_html_(self) -> str:
        return f"<p><b>{self.kind}</b>: {self._summary()}</p>"
