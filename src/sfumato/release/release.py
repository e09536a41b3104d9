"""What is published, and what stays with the owner."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.data.lists import ListColumn
from sfumato.data.places import PlaceOrigin
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.data.secret import Secret
from sfumato.escape import escape_html
from sfumato.formats.frames import import_library
from sfumato.release.suppression import Counted
from sfumato.release.text import ValueFormat

if TYPE_CHECKING:
    from sfumato.data.dataset import Dataset
    from sfumato.release.recoding import SavedRecoding
from sfumato.old_names import with_old_names

__all__ = [
    "ExtraTable",
    "HasGuarantee",
    "Included",
    "OwnerRecord",
    "PublishedColumn",
    "Release",
    "Result",
    "describe_guarantee",
]


@dataclasses.dataclass(frozen=True)
class PublishedColumn:
    """Name, role and form of a published column.

    Examples
    --------
    >>> PublishedColumn("places", "history", ValueFormat("category", history=True)).name
    'places'
    """

    name: str
    role: str
    form: ValueFormat


@dataclasses.dataclass(frozen=True, eq=False)
class ExtraTable:
    """A further published table, such as the clusters that the records of a release come in.

    Examples
    --------
    >>> column = PublishedColumn("size", "size", ValueFormat("exact", "int64"))
    >>> ExtraTable((column,), pa.table({"size": [3]})).table.num_rows
    1
    """

    columns: tuple[PublishedColumn, ...]
    table: pa.Table


@dataclasses.dataclass(frozen=True)
class Included:
    """A file that the owner publishes beside the release, such as a licence: declared, but not judged.

    Examples
    --------
    >>> Included("LICENSE", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855").name
    'LICENSE'
    """

    name: str
    size: int
    sha256: str


@with_old_names
@dataclasses.dataclass(frozen=True, eq=False)
class Release:
    """Everything that goes into ``release/``, and nothing else.

    Parameters
    ----------
    kind, method
        Kind of data and name of the method.
    guarantee
        The claim.
    columns
        Published columns and their forms.
    table
        The records, in random order, numbered from 1.
    values
        Members of every generalised value: ``column, value, member``. A suppressed member has value null.
    places
        For trajectories: what is published of where the members are.
    place_origin
        Where that comes from; None where there are no coordinates.
    method_note
        What is true of the method and cannot be verified from the files; empty if there is nothing to say.
    extra_tables
        Further published tables by name.
    published
        Number of records published, where a row of the table is not a record.
    records_in
        Records the owner had.
    suppressed_records
        Records left out, by reason.
    unit
        What one record is.
    included
        Files of the owner's own that are published beside it.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 1)})
    >>> sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32)).release
    Release(trajectories by seqanon: 2 of 2 records, 2^2-anonymity of places)
    """

    kind: str
    method: str
    guarantee: Guarantee
    columns: tuple[PublishedColumn, ...]
    table: pa.Table
    values: pa.Table
    records_in: int
    suppressed_records: Mapping[str, int] = dataclasses.field(default_factory=dict)
    places: pa.Table | None = None
    extra_tables: Mapping[str, ExtraTable] = dataclasses.field(default_factory=dict)
    published: int | None = None
    unit: RecordUnit = PERSON
    included: tuple[Included, ...] = ()
    place_origin: PlaceOrigin | None = None
    method_note: str = ""

    def __len__(self) -> int:
        return int(self.table.num_rows) if self.published is None else self.published

    @property
    def history_column(self) -> str:
        """Name of the published history column."""
        return next(column.name for column in self.columns if column.role == "history")

    def history(self) -> ListColumn:
        """Return the published histories as offsets and codes of published values."""
        return ListColumn.from_arrow(self.table.column(self.history_column))

    def members(self) -> dict[str, tuple[str, ...]]:
        """Return the members of every generalised value of the history column, by value."""
        by_value: dict[str, list[str]] = {}
        for row in self.values.to_pylist():
            if row["column"] == self.history_column and row["value"] is not None:
                by_value.setdefault(row["value"], []).append(row["member"])
        return {value: tuple(members) for value, members in by_value.items()}

    def meanings(self) -> dict[str, tuple[str, ...]]:
        """Return what every history value that occurs stands for: its members, or itself."""
        members, history = self.members(), self.history()
        labels = [history.labels[code] for code in np.unique(history.codes)]
        return {label: members.get(label, (label,)) for label in labels}

    def suppressed(self) -> tuple[str, ...]:
        """Return the history values that were removed everywhere."""
        return tuple(
            row["member"]
            for row in self.values.to_pylist()
            if row["column"] == self.history_column and row["value"] is None
        )

    def to_arrow(self, layout: str = "wide", *, nested: bool = False) -> pa.Table:
        """Return the records as a flat table of Arrow, one plain value per cell.

        - A column of ranges becomes ``NAME_lo`` and ``NAME_hi`` for all rows. Both ends are included: an age of
          ``[20..29]`` has ``age_lo`` 20 and ``age_hi`` 29, and an exact one has the same value twice.
        - A category or a set becomes its label as text, such as ``Europe`` or ``{A|B}``.
        - A suppressed cell is null, in both columns of a range. A missing value is an empty text (``{\\e}`` as a set).
          Where ranges have missing values, ``NAME_missing`` is true for these: their bounds are null, too.
        - A list is a list of such values in the ``wide`` layout; ranges in lists become two lists.

        Parameters
        ----------
        layout
            ``wide``: a row per record. ``long``: a row per visit, event or item, with the columns of an original.
        nested
            Whether cells keep the types that they are published with: a range is a struct of ``lo`` and ``hi``, a set
            is a list, and a category has a dictionary.

        Examples
        --------
        >>> import sfumato as sf
        >>> data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 1)})
        >>> release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32)).release
        >>> release.to_arrow().column_names, release.to_arrow("long").column_names
        (['person', 'places'], ['person', 'visit', 'place', 'x', 'y'])
        >>> people = sf.Dataset.of("table", [(20,), (21,)], ("age",))
        >>> release = sf.anonymize(people, sf.methods.Mondrian(k=2)).release
        >>> release.to_arrow().to_pylist()[0], release.to_arrow(nested=True).to_pylist()[0]
        ({'age_lo': 20, 'age_hi': 21}, {'age': {'lo': 20, 'hi': 21}})
        """
        from sfumato.release.flat import flatten
        from sfumato.release.layouts import arrange_records

        layout_table = arrange_records(self, layout)
        return layout_table.table if nested else flatten(layout_table).table

    def to_pandas(self, layout: str = "wide", *, nested: bool = False) -> Any:
        """Return the records as a data frame of pandas, one plain value per cell as :meth:`to_arrow` has them.

        Whole numbers stay whole numbers where a cell is suppressed, and dates are ``datetime64``.

        Parameters
        ----------
        layout
            ``wide`` or ``long``, as for :meth:`to_arrow`.
        nested
            Whether cells keep the types that they are published with: a range is a dictionary of ``lo`` and ``hi``.

        Examples
        --------
        >>> import sfumato as sf
        >>> people = sf.Dataset.of("table", [(20, "tea"), (21, "tea"), (60, "rye"), (62, "rye")], ("age", "drink"))
        >>> frame = sf.anonymize(people, sf.methods.Mondrian(k=2)).release.to_pandas()
        >>> frame.groupby("drink").size().to_dict(), int(frame["age_hi"].max())
        ({'{rye}': 2, '{tea}': 2}, 62)
        """
        pandas = import_library("pandas")
        pandas_types = {pa.int64(): pandas.Int64Dtype(), pa.bool_(): pandas.BooleanDtype()}
        table = self.to_arrow(layout, nested=nested)
        return table.to_pandas(types_mapper=pandas_types.get, date_as_object=nested)

    def to_polars(self, layout: str = "wide", *, nested: bool = False) -> Any:
        """Return the records as a data frame of Polars, one plain value per cell as :meth:`to_arrow` has them.

        Parameters
        ----------
        layout
            ``wide`` or ``long``, as for :meth:`to_arrow`.
        nested
            Whether cells keep the types that they are published with: a range is a struct of ``lo`` and ``hi``.

        Examples
        --------
        >>> import sfumato as sf
        >>> people = sf.Dataset.of("table", [(20,), (21,)], ("age",))
        >>> sf.anonymize(people, sf.methods.Mondrian(k=2)).release.to_polars().columns
        ['age_lo', 'age_hi']
        """
        return import_library("polars").from_arrow(self.to_arrow(layout, nested=nested))

    def __repr__(self) -> str:
        return f"Release({self.kind} by {self.method}: {len(self):,} of {self.records_in:,} records, {self.guarantee})"

    def _repr_html_(self) -> str:
        names = [column.name for column in self.columns if column.role != "identifier"]
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape_html(_show(row[name]))}</td>" for name in names) + "</tr>"
            for row in self.table.slice(0, 5).to_pylist()
        )
        head = "".join(f"<th>{escape_html(name)}</th>" for name in names)
        return f"<p>{escape_html(repr(self))}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


class HasGuarantee(Counted, Protocol):
    """What makes a claim: a release, or what is said of one in partitions."""

    @property
    def guarantee(self) -> Guarantee:
        """What is promised."""

    @property
    def unit(self) -> RecordUnit:
        """What a record is."""

    def __len__(self) -> int:
        """Return how many records are published."""


def describe_guarantee(release: HasGuarantee) -> dict[str, Any]:
    """Return what a release claims, parameter by parameter, and its numbers of records: what its owner keeps of it.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 1)})
    >>> kept = describe_guarantee(sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2)).release)
    >>> kept["k"], kept["m"], kept["records_in"], kept["published"]
    (2, 2, 2, 2)
    """
    guarantee = release.guarantee.to_dict(release.unit)
    return {
        "method": release.method,
        "name": guarantee["name"],
        **guarantee["parameters"],
        "count": guarantee["count"],
        "unit": release.unit.to_dict(),
        "records_in": release.records_in,
        "published": len(release),
        "withheld_by_reason": dict(sorted(release.suppressed_records.items())),
    }


def _show(cell: object) -> str:
    if isinstance(cell, list):
        return ", ".join(map(_show, cell))
    if isinstance(cell, dict):
        return f"[{_show(cell['lo'])}..{_show(cell['hi'])}]"
    return str(cell)


@dataclasses.dataclass(frozen=True, eq=False)
class OwnerRecord:
    """What the owner keeps: who became whom, the secret, times and counters.

    Examples
    --------
    >>> owner_record = OwnerRecord(rows=np.array([1, 0]), secret=Secret(bytes(32)))
    >>> owner_record, owner_record.secret
    (OwnerRecord(2 rows, with secret; 0.00 seconds), Secret(...))
    """

    rows: npt.NDArray[np.int64]
    secret: Secret | None = None
    seconds: dict[str, float] = dataclasses.field(default_factory=dict)
    counters: dict[str, int] = dataclasses.field(default_factory=dict)
    parameters: dict[str, Any] = dataclasses.field(default_factory=dict)
    recoding: SavedRecoding | None = None
    original: Dataset | None = None
    earlier: Path | None = None
    """Where the release lies whose recoding was applied."""

    def __repr__(self) -> str:
        # Rows, parameters and the original hold what nobody else may see, and notebooks are passed on.
        contents = ["secret"] * (self.secret is not None) + ["recoding"] * (self.recoding is not None)
        contents += ["original"] * (self.original is not None)
        suffix = f", with {', '.join(contents)}" if contents else ""
        return f"OwnerRecord({len(self.rows):,} rows{suffix}; {sum(self.seconds.values()):.2f} seconds)"


@with_old_names
@dataclasses.dataclass(frozen=True, eq=False)
class Result:
    """A release with its trace.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 1)})
    >>> sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2))
    Result(Release(trajectories by seqanon: 2 of 2 records, 2^2-anonymity of places))
    """

    release: Release
    owner_record: OwnerRecord

    def __repr__(self) -> str:
        return f"Result({self.release!r})"

    def _repr_html_(self) -> str:
        return self.release._repr_html_()
