"""The release of groups of people: monitored events as the cover of the group, other events as they are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.sequences.dataset import Sequences
from sfumato.release.encode import number_names, publishing_secret
from sfumato.release.release import OwnerRecord, PublishedColumn, Release, Result
from sfumato.release.run import Run
from sfumato.release.text import ValueFormat

__all__ = ["Cover", "Grouped", "publish_groups"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Cover:
    """What a group publishes in place of its members' monitored events: categories and closed intervals.

    Examples
    --------
    >>> Cover(("mail",), (3,), (4,)).categories
    ('mail',)
    """

    categories: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Grouped:
    """Groups of rows with what each publishes, still in the owner's order.

    Parameters
    ----------
    sequences
        The rows that are published.
    group
        Number of the group of each row.
    covers
        What each group publishes; nothing for people without monitored events.
    members
        Members of the categories that are not single events.
    suppressed_records
        Records left out, by reason.
    blurred
        What each group publishes of other events that are not published with a time of their own; None where all are.
        The sequences do not hold such events any more.

    Examples
    --------
    >>> data = Dataset.of("sequences", [[("mail", 3)], [("mail", 8)]], monitored=("mail",))
    >>> grouped = Grouped(Sequences.of(data), np.array([0, 0]), [Cover(("mail",), (3,), (8,))])
    >>> [grouped.covers[number].ends for number in grouped.group]
    [(8,), (8,)]
    """

    sequences: Sequences
    group: Ints
    covers: Sequence[Cover]
    members: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    suppressed_records: Mapping[str, int] = dataclasses.field(default_factory=dict)
    blurred: Sequence[Cover] | None = None


def publish_groups(dataset: Dataset, method: Method, guarantee: Guarantee, grouped: Grouped, run: Run) -> Result:
    """Make the release and its trace: monitored events as the group's cover, other events as they are.

    How often a member did a monitored event inside an interval is not published, so that members of a group
    are equal in all the receiver knows. Group numbers are not published either: records with the same cover
    are a group. Other events that were blurred are published as what the whole group did, in a column of their own.
    """
    sequences = grouped.sequences
    order = publishing_secret(dataset, method, run).order(len(sequences), "records")
    shuffled = sequences.take(order)
    group = grouped.group[order]
    person, history, time = dataset.schema.identifier, dataset.schema.history, dataset.schema.time
    categories, intervals = _covers_of_rows(grouped.covers, group, dataset.time_unit)
    offsets, codes, times = shuffled.part(monitored=False)
    events = _sorted_labels(ListColumn(offsets, codes, shuffled.events.labels))
    # Events of one moment stand in the order of the alphabet: that of the input is nobody's business.
    within = np.lexsort((events.codes, times, events.row_of_token))
    events, times = ListColumn(offsets, events.codes[within], events.labels), times[within]
    published_times = dataset.time_unit.to_arrow(times)
    blurred: dict[str, pa.Array] = {}
    if grouped.blurred is not None:
        blurred_events, stretches = _covers_of_rows(grouped.blurred, group, dataset.time_unit)
        blurred = {"blurred": blurred_events.to_arrow(), "blurred_times": stretches}
    category = ValueFormat("category", history=True, meaning="at least one of")
    interval = ValueFormat("interval", dataset.time_unit.published_type, history=True)
    table = pa.table(
        {
            person: number_names(len(shuffled)),
            "monitored": categories.to_arrow(),
            "monitored_times": intervals,
            **blurred,
            history: events.to_arrow(),
            time: pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), published_times),
        }
    )
    release = Release(
        kind=dataset.kind,
        method=method.name,
        method_note=method.note(guarantee),
        guarantee=guarantee,
        columns=(
            PublishedColumn(person, "identifier", ValueFormat("exact")),
            PublishedColumn("monitored", "history", category),
            PublishedColumn("monitored_times", "time", interval),
            *(
                PublishedColumn(name, role, form)
                for name, role, form in (("blurred", "history", category), ("blurred_times", "time", interval))
                if blurred
            ),
            PublishedColumn(history, "history", ValueFormat("category", history=True)),
            PublishedColumn(time, "time", ValueFormat("exact", dataset.time_unit.published_type, history=True)),
        ),
        table=table,
        values=_members_table(grouped.members),
        records_in=len(dataset),
        suppressed_records={reason: count for reason, count in grouped.suppressed_records.items() if count},
        unit=dataset.unit,
    )
    owner_record = OwnerRecord(shuffled.rows, run.secret, run.seconds, run.counters, method.parameters(), None, dataset)
    return Result(release, owner_record)


def _covers_of_rows(covers: Sequence[Cover], group: Ints, time_unit: TimeUnit) -> tuple[ListColumn, pa.Array]:
    lengths = np.array([len(cover.starts) for cover in covers], dtype=np.int64)
    labels = sorted({category for cover in covers for category in cover.categories})
    code = {label: i for i, label in enumerate(labels)}
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    codes = np.array([code[c] for cover in covers for c in cover.categories], dtype=np.int32)
    by_group = ListColumn(offsets, codes, tuple(labels))
    rows = by_group.take(group)
    at = ListColumn(offsets, np.arange(len(codes), dtype=np.int32), ()).take(group).codes
    lo = time_unit.to_arrow(np.array([s for cover in covers for s in cover.starts], dtype=np.int64)[at])
    hi = time_unit.to_arrow(np.array([e for cover in covers for e in cover.ends], dtype=np.int64)[at])
    cells = pa.StructArray.from_arrays([lo, hi], names=["lo", "hi"])
    return rows, pa.ListArray.from_arrays(pa.array(rows.offsets, pa.int32()), cells)


def _sorted_labels(histories: ListColumn) -> ListColumn:
    """Number the labels that occur alphabetically: the order of first appearance would tell who came first."""
    used = np.unique(histories.codes)
    labels = sorted(histories.labels[code] for code in used)
    position = {label: i for i, label in enumerate(labels)}
    recode = np.array([position.get(label, -1) for label in histories.labels], dtype=np.int32)
    return ListColumn(histories.offsets, recode[histories.codes], tuple(labels))


def _members_table(members: Mapping[str, tuple[str, ...]]) -> pa.Table:
    listed = [(category, member) for category in sorted(members) for member in sorted(members[category])]
    return pa.table(
        {
            "column": pa.array(["monitored"] * len(listed), pa.string()),
            "value": pa.array([category for category, _ in listed], pa.string()),
            "member": pa.array([member for _, member in listed], pa.string()),
        }
    )
