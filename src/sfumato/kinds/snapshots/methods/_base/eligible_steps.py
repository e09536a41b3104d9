"""What is done to an l-eligible snapshot before it is published: a slot, filled by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.data.schema import Schema
from sfumato.kinds.snapshots.guarantees import LDiversity, LEligibility
from sfumato.release.release import PublishedColumn
from sfumato.release.text import ValueFormat

__all__ = ["STEPS", "Eligible", "Published", "Step"]

Ints = npt.NDArray[np.int64]
Draw = Callable[[int, str], npt.NDArray[np.uint64]]
"""Returns so many random numbers of 64 bits for a purpose."""

_COUNT = ValueFormat("exact", "int64")


class Eligible(NamedTuple):
    """An l-eligible snapshot.

    Attributes
    ----------
    table
        Its records: the columns of the schema but for the time.
    codes, labels
        The sensitive value of every record.
    joined
        How many groups are put together where groups are made.

    Examples
    --------
    >>> people = Eligible(pa.table({"ill": ["flu", "cold"]}), np.array([1, 0]), ["cold", "flu"])
    >>> [people.labels[code] for code in people.codes], people.joined
    (['flu', 'cold'], 1)
    """

    table: pa.Table
    codes: Ints
    labels: list[str]
    joined: int = 1


class Published(NamedTuple):
    """What is published of a snapshot: its records, row by row as they came, and further tables."""

    table: pa.Table
    extra_tables: Mapping[str, pa.Table]


class Step(Protocol):
    """Something that publishes l-eligible snapshots, each on its own."""

    def build_guarantee(self, l: int, window: int, delays: str) -> Guarantee:
        """Return what the step makes of l-eligibility."""

    def columns(self, schema: Schema) -> tuple[PublishedColumn, ...]:
        """Return the published columns of a record, without the snapshot."""

    def extra_tables(self, schema: Schema) -> Mapping[str, tuple[PublishedColumn, ...]]:
        """Return the columns of the further tables, without the snapshot."""

    def publish(self, snapshot: Eligible, schema: Schema, l: int, draw: Draw) -> Published:
        """Publish a snapshot."""


class Plain:
    """Publishes a snapshot as it is: l-eligible, with the sensitive value beside every record.

    Examples
    --------
    >>> Plain().build_guarantee(2, 1, "paper").name
    'l-eligibility'
    """

    def build_guarantee(self, l: int, window: int, delays: str) -> Guarantee:
        """Claim l-eligibility and no more."""
        return LEligibility(l, window, delays)

    def columns(self, schema: Schema) -> tuple[PublishedColumn, ...]:
        """Publish attributes and sensitive value."""
        return tuple(
            PublishedColumn(column.name, column.role, ValueFormat("exact"))
            for column in schema.columns
            if column.role != "time"
        )

    def extra_tables(self, schema: Schema) -> Mapping[str, tuple[PublishedColumn, ...]]:  # noqa: ARG002
        """Publish no further table."""
        return {}

    def publish(self, snapshot: Eligible, schema: Schema, l: int, draw: Draw) -> Published:  # noqa: ARG002
        """Publish the records as they are."""
        return Published(snapshot.table.select([column.name for column in self.columns(schema)]), {})


class Anatomy:
    """Publishes attributes and sensitive values in two tables that only share the number of a group.

    Examples
    --------
    >>> from sfumato.data.schema import Column
    >>> names = (("time", "time"), ("age", "quasi-identifier"), ("ill", "sensitive"))
    >>> schema = Schema("snapshots", tuple(Column(*name) for name in names))
    >>> people = pa.table({"age": ["30", "40"], "ill": ["flu", "cold"]})
    >>> draw = lambda n, purpose: np.zeros(n, np.uint64)
    >>> table, extra_tables = Anatomy().publish(Eligible(people, np.array([0, 1]), ["flu", "cold"]), schema, 2, draw)
    >>> table.to_pydict(), extra_tables["sensitive"].to_pydict()
    ({'age': ['30', '40'], 'group': [1, 1]}, {'group': [1, 1], 'ill': ['cold', 'flu'], 'count': [1, 1]})

    References
    ----------
    X. Xiao, Y. Tao, Anatomy: simple and effective privacy preservation, VLDB 2006.
    """

    def build_guarantee(self, l: int, window: int, delays: str) -> Guarantee:
        """Claim l-diversity of groups."""
        return LDiversity(l, window, delays)

    def columns(self, schema: Schema) -> tuple[PublishedColumn, ...]:
        """Publish attributes and group."""
        attributes = [column for column in schema.columns if column.role not in {"time", "sensitive"}]
        published = tuple(PublishedColumn(column.name, column.role, ValueFormat("exact")) for column in attributes)
        return (*published, PublishedColumn("group", "group", _COUNT))

    def extra_tables(self, schema: Schema) -> Mapping[str, tuple[PublishedColumn, ...]]:
        """Publish how often each sensitive value occurs in each group."""
        value = next(column.name for column in schema.columns if column.role == "sensitive")
        return {
            "sensitive": (
                PublishedColumn("group", "group", _COUNT),
                PublishedColumn(value, "sensitive", ValueFormat("exact")),
                PublishedColumn("count", "count", _COUNT),
            )
        }

    def publish(self, snapshot: Eligible, schema: Schema, l: int, draw: Draw) -> Published:
        """Group the records at random so that no value is in a group twice, and put so many groups together."""
        groups = _join_groups(_group_records(snapshot.codes, l, draw), snapshot.joined)
        names = [column.name for column in self.columns(schema) if column.role != "group"]
        table = snapshot.table.select(names).append_column("group", pa.array(groups, pa.int64()))
        value = self.extra_tables(schema)["sensitive"][1].name
        return Published(table, {"sensitive": _count_values(groups, snapshot, value)})


def _group_records(codes: Ints, l: int, draw: Draw) -> Ints:
    """Return the group of every record, numbered from 1 in random order."""
    from sfumato.kinds.snapshots._kernels.buckets import group_buckets

    distinct, of_record = np.unique(codes, return_inverse=True)
    counts = np.bincount(of_record, minlength=len(distinct)).astype(np.int64)
    draws = (draw(2 * len(codes), "groups") >> np.uint64(2)).astype(np.int64)
    value, group = group_buckets(counts, l, draws)
    # Which record of a value goes to which of its groups is left to chance.
    mine = np.lexsort((draw(len(codes), "records"), of_record))
    theirs = np.argsort(value, kind="stable")
    groups = np.empty(len(codes), np.int64)
    number = np.argsort(draw(int(group.max(initial=-1)) + 1, "numbers"), kind="stable") + 1
    groups[mine] = number[group[theirs]]
    return groups


def _join_groups(groups: Ints, joined: int) -> Ints:
    """Put groups together that are numbered at random: what is left over joins the first ones."""
    return (groups - 1) % max(1, int(groups.max(initial=1)) // joined) + 1


def _count_values(groups: Ints, snapshot: Eligible, value: str) -> pa.Table:
    """Return the sensitive values of every group with their numbers, in the order of groups and names."""
    labels = np.array(snapshot.labels, dtype=object)
    rank = np.empty(len(labels), np.int64)
    rank[np.argsort(labels, kind="stable")] = np.arange(len(labels))
    pairs, counts = np.unique(groups * (len(labels) + 1) + rank[snapshot.codes], return_counts=True)
    by_rank = labels[np.argsort(rank)] if len(labels) else labels
    return pa.table(
        {
            "group": pa.array(pairs // (len(labels) + 1), pa.int64()),
            value: pa.array(by_rank[pairs % (len(labels) + 1)].tolist(), pa.string()),
            "count": pa.array(counts, pa.int64()),
        }
    )


STEPS: dict[str, Step] = {"anatomy": Anatomy(), "none": Plain()}
"""Steps by the name that ``then`` gives them."""
