"""What snapshots, original or published, say about which records there were, and when."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.coded import ValueSets
from sfumato.data.dataset import Dataset
from sfumato.data.time_units import MONTHS, UNITS, count_units, find_moments
from sfumato.kinds.snapshots.decode import PublishedSnapshots, read_codes
from sfumato.kinds.snapshots.query_bounds.groups import GroupedValue, Groups
from sfumato.queries.columns import CodedAttribute
from sfumato.queries.events import Events
from sfumato.queries.published_view import Attribute, Names, PublishedView, Values
from sfumato.queries.times import find_steps, find_units, list_units
from sfumato.release.release import Release

__all__ = ["of_dataset", "of_release"]

Ints = npt.NDArray[np.int64]

_LATE = "records are published up to {} late, so their times are known only that exactly."
_GROUPS = "which record of a group has which sensitive value is not published, only the number of records with each."
_PUBLISHED_ROLES = ("quasi-identifier", "plain")


def of_dataset(dataset: Dataset) -> PublishedView:
    """Read an original: every record has its attributes, and its sensitive value is an event at its time.

    Examples
    --------
    >>> data = Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill")
    >>> found = of_dataset(data)
    >>> sorted(found.attributes), found.history.names.labels
    (['age', 'ill'], ('cold', 'flu'))
    """
    roles = {column.role: column.name for column in dataset.schema.columns}
    codes, labels = read_codes(dataset.table.column(roles["sensitive"]))
    numbers = np.asarray(dataset.table.column(dataset.schema.time).to_numpy(), dtype=np.int64)
    timing, times = find_steps(dataset.time_unit, numbers)
    attributes: dict[str, Attribute] = {
        column.name: _read_labels(dataset.table.column(column.name))
        for column in dataset.schema.columns
        if column.role in {*_PUBLISHED_ROLES, "sensitive"}
    }
    rows = np.arange(len(dataset))
    events = Events.of(len(rows), rows, codes, Values.exact(len(labels)), Names(labels), timing, lo=times)
    people = None if dataset.people is None else dataset.person_codes()
    return PublishedView(
        dataset.unit,
        len(dataset),
        0,
        events,
        attributes,
        people=people,
        exact=True,
        ordered=False,
        units=list_units(dataset.time_unit),
    )


def of_release(release: Release) -> PublishedView:
    """Read what is published: records with their attributes, and values of whole groups where they are separated.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill")
    >>> found = of_release(sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32)).release)
    >>> found.sizes.tolist(), found.attributes["age"].codes.tolist() in ([0, 1], [1, 0])
    ([2], True)
    """
    published = PublishedSnapshots.of(release)
    dated = any(column.role == "time" and column.form.type == "timestamp" for column in release.columns)
    late = int(getattr(release.guarantee, "window", 1)) - 1
    attributes: dict[str, Attribute] = {
        column.name: _read_labels(release.table.column(column.name))
        for column in release.columns
        if column.role in {*_PUBLISHED_ROLES, "sensitive"}
    }
    timing, suppressed_records = "moment" if dated else "number", sum(release.suppressed_records.values())
    units = find_units(published.group_time) if dated else ()
    notes = (_LATE.format(f"{late} snapshot{'s' * (late > 1)}"),) if late else ()
    extra_table = release.extra_tables.get("sensitive")
    if extra_table is None:
        rows = np.arange(len(release))
        values, names = Values.exact(len(published.labels)), Names(published.labels)
        first = _find_earliest_times(published.times, late, dated=dated)
        events = Events.of(len(rows), rows, published.pair_value, values, names, timing, lo=first, hi=published.times)
        return PublishedView(
            release.unit, len(release), suppressed_records, events, attributes, ordered=False, notes=notes, units=units
        )
    first = _find_earliest_times(published.group_time, late, dated=dated)
    groups = Groups.of(published, first, timing)
    sensitive = next(column.name for column in extra_table.columns if column.role == "sensitive")
    return PublishedView(
        release.unit,
        len(release),
        suppressed_records,
        groups,
        {**attributes, sensitive: GroupedValue(groups)},
        block=groups.group,
        sizes=groups.sizes,
        ordered=False,
        notes=(*notes, _GROUPS),
        units=units,
    )


def _find_earliest_times(times: Ints, late: int, *, dated: bool) -> Ints:
    """Return when records may have arisen at the earliest that were published so many snapshots late at most.

    Of dates the length of a snapshot is not published: it is taken to be as long as the dates allow.
    """
    if not late or not dated:
        return times - late
    units = [unit for unit in UNITS if np.array_equal(find_moments(unit, count_units(unit, times)), times)]
    longest = max(units, key=lambda unit: (unit in MONTHS, UNITS[unit]), default="second")
    return find_moments(longest, count_units(longest, times) - late)


def _read_labels(column: pa.ChunkedArray) -> CodedAttribute:
    codes, labels = read_codes(column)
    values = ValueSets.of_labels(labels, [[code] for code in range(len(labels))])
    return CodedAttribute(values, codes, Names(labels), _read_places(labels))


def _read_places(labels: tuple[str, ...]) -> npt.NDArray[np.float64] | None:
    """Return the labels as numbers where all of them are, so that they can be compared."""
    try:
        return np.array([float(label) for label in labels], dtype=np.float64)
    except ValueError:
        return None
