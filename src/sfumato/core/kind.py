"""One shape of data: what a row of it is, and how its files are read."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

from sfumato.core.schema import Column
from sfumato.core.unit import PERSON, Unit

__all__ = ["TABLES", "WRITTEN", "Kind", "OfKind"]

WRITTEN = ("csv", "parquet", "jsonl")
"""Formats in which every table can be written."""
TABLES = (*WRITTEN, "xlsx", "xes", "gpx", "geojson")
"""Formats of files that hold one table."""


@dataclasses.dataclass(frozen=True)
class Kind:
    """What the folder of a kind says about it; everything else is found in its rooms.

    Parameters
    ----------
    row
        What one row of a dataset is, in a few words.
    columns
        The columns of a dataset with the parts they play; none where its files decide.
    options
        Reading options that mean something for this kind, beside those that mean something for any file. Others are
        refused rather than ignored.
    formats
        Formats of files that can be read.
    unit
        What one record is, where a file does not tell.
    manifests
        Files that mark a release of a shape of its own, which the room ``folder`` reads.
    told
        What whoever receives a release is told: of a row of its records (``row``, or ``row with NAME`` where there is
        a further table of that name), of columns by their roles, and of further tables (``NAME table``).
    entries
        In the long layout, one row per entry: what an entry of a list column is called there, as readers call it.
    position
        In the long layout: the column that numbers the entries of a record, where their order says something.
    ordered
        Whether the order of the entries of a record says something.
    exports
        Formats beside those of tables in which a release can be exported.
    reasons
        Why records may be withheld; a release gives no others.
    advised
        Methods to try first, the first of all first.
    headline
        Measures that tell most about what a release is still good for, the first of all first.
    usual
        Values of parameters worth trying, by name, for every method of the kind that has such a parameter; the mildest
        demand first.

    Examples
    --------
    >>> Kind("the wishes of a person", (Column("person", "identifier"), Column("wishes", "history"))).formats
    ('csv', 'parquet', 'jsonl', 'xlsx', 'xes', 'gpx', 'geojson')
    """

    row: str
    columns: tuple[Column, ...] = ()
    options: tuple[str, ...] = ()
    formats: tuple[str, ...] = TABLES
    unit: Unit = PERSON
    manifests: tuple[str, ...] = ()
    told: Mapping[str, str] = dataclasses.field(default_factory=dict)
    entries: Mapping[str, str] = dataclasses.field(default_factory=dict)
    position: str = ""
    ordered: bool = True
    exports: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    advised: tuple[str, ...] = ()
    headline: tuple[str, ...] = ()
    usual: Mapping[str, tuple[Any, ...]] = dataclasses.field(default_factory=dict)


class OfKind:
    """Something that lies in a room of a kind of data, and so is for that kind: the folder says it, nobody repeats it.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees.km_anonymity import KmAnonymity
    >>> KmAnonymity.kinds
    ('trajectories',)
    """

    kinds: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        home = cls.__module__.split(".")
        if home[:2] == ["sfumato", "kinds"]:
            cls.kinds = (home[2],)
