"""One shape of data: what a row of it is, and how its files are read."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from sfumato.core.schema import Column
from sfumato.core.unit import PERSON, Unit

__all__ = ["TABLES", "Kind", "OfKind"]

TABLES = ("csv", "parquet", "jsonl", "xlsx", "xes", "gpx", "geojson")
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
