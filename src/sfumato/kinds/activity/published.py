"""Classes of people by their daily activities: how they are published, and how they are read back."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.dataset import Dataset
from sfumato.core.errors import SchemaError
from sfumato.core.forms import Form
from sfumato.core.guarantee import Guarantee
from sfumato.core.method import Method
from sfumato.core.publication import number_names, publishing_secret
from sfumato.core.release import Part, PublishedColumn, Release, Result, Trace
from sfumato.core.run import Run

__all__ = [
    "CLASS_COLUMNS",
    "UNKNOWN",
    "Classified",
    "PublishedClasses",
    "Slots",
    "begin_intervals",
    "count_durations",
    "data_columns",
    "measure_intervals",
    "name_unknown",
    "publish_classes",
    "round_shares",
]

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

SUPPRESSED = "fits into no class"
PARTLY_UNKNOWN = "part of the time is unknown"

UNKNOWN = "(gap)"
"""What time is called that nothing is known about, unless the owner gives it another name."""

_CELLS = 1 << 21
"""So many slots are counted at a time: they widen to some tens of megabytes."""

CLASS_COLUMNS = (
    PublishedColumn("class", "class", Form("exact")),
    PublishedColumn("size", "size", Form("exact", "int64")),
)


def data_columns(time: str) -> tuple[PublishedColumn, ...]:
    """Return the columns of published classes; intervals are numbered from 0 or told by the time they begin.

    Examples
    --------
    >>> [column.name for column in data_columns("int64")]
    ['class', 'interval', 'activity', 'share']
    """
    return (
        PublishedColumn("class", "class", Form("exact")),
        PublishedColumn("interval", "interval", Form("exact", time)),
        PublishedColumn("activity", "activity", Form("category")),
        PublishedColumn("share", "share", Form("exact", "float64")),
    )


class Slots(NamedTuple):
    """What everybody did in every slot.

    Attributes
    ----------
    codes
        By person and slot: the activity.
    labels
        Names of the activities, by code.
    """

    codes: Codes
    labels: tuple[str, ...]

    @classmethod
    def of(cls, dataset: Dataset) -> Slots:
        """Read activity data. Raise :class:`SchemaError` where people have different numbers of slots.

        Examples
        --------
        >>> Slots.of(Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]])).codes.tolist()
        [[0, 1], [0, 0]]
        """
        history = dataset.history()
        slots = int(history.lengths[0]) if len(history) else 0
        if (history.lengths != slots).any():
            raise SchemaError("activity: everybody must have the same number of slots.")
        return cls(history.codes.reshape(len(history), slots), history.labels)

    def find(self, labels: tuple[str, ...]) -> list[int]:
        """Return the codes of activities, -1 for those that nobody does."""
        code = {label: at for at, label in enumerate(self.labels)}
        return [code.get(label, -1) for label in labels]


def name_unknown(dataset: Dataset) -> str | None:
    """Return what time is called that nothing is known about; None where everything is known of everybody.

    Examples
    --------
    >>> name_unknown(Dataset.of("activity", [["sleep", "(gap)"]])), name_unknown(Dataset.of("activity", [["sleep"]]))
    ('(gap)', None)
    """
    label = str(dataset.reading.get("gap") or UNKNOWN)
    slots = Slots.of(dataset)
    code = slots.find((label,))[0]
    return label if code >= 0 and (slots.codes == code).any() else None


def begin_intervals(slots: int, length: int) -> Ints:
    """Return the slots at which intervals of a length begin; the last one may be shorter.

    Examples
    --------
    >>> begin_intervals(5, 2).tolist()
    [0, 2, 4]
    """
    return np.arange(0, slots, length, dtype=np.int64)


def measure_intervals(slots: int, length: int) -> Ints:
    """Return how many slots each interval of a length has.

    Examples
    --------
    >>> measure_intervals(5, 2).tolist()
    [2, 2, 1]
    """
    return np.diff(np.append(begin_intervals(slots, length), slots))


def count_durations(codes: Codes, begins: Ints, activities: int) -> Ints:
    """Count the slots that some people together spend on every activity: interval, activity.

    Examples
    --------
    >>> count_durations(np.array([[0, 1, 1], [0, 0, 1]], np.int32), np.array([0, 2]), 2).tolist()
    [[3, 1], [0, 2]]
    """
    lengths = np.diff(np.append(begins, codes.shape[1]))
    interval = np.repeat(np.arange(len(begins)), lengths) * activities
    counts = np.zeros(len(begins) * activities, dtype=np.int64)
    step = max(1, _CELLS // max(1, codes.shape[1]))
    for first in range(0, len(codes), step):
        counts += np.bincount((interval + codes[first : first + step]).reshape(-1), minlength=len(counts))
    return counts.reshape(len(begins), activities)


def round_shares(counts: Ints, digits: int) -> Floats:
    """Return the shares of each row, rounded to decimals so that they still sum to 1: largest remainders go up.

    Examples
    --------
    >>> round_shares(np.array([[1, 1, 1], [2, 0, 1]]), 2).tolist()
    [[0.34, 0.33, 0.33], [0.67, 0.0, 0.33]]
    """
    unit = 10**digits
    total = counts.sum(axis=1, keepdims=True)
    units, rest = np.divmod(counts * unit, total)
    missing = unit - units.sum(axis=1, keepdims=True)
    rank = np.argsort(np.argsort(-rest, axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray((units + (rank < missing)) / unit)


@dataclasses.dataclass(frozen=True, eq=False)
class Classified:
    """What a method made of activity data.

    Parameters
    ----------
    label
        Class of every person, -1 for those who are suppressed.
    slot
        Slots in a published interval.
    digits
        Decimal digits of published shares; None for shares as they are.
    unknown
        By class and interval: whether it is published as unknown; None where everything is published.
    left_out
        Who is left out because part of their time is unknown; None where nobody is for this reason.

    Examples
    --------
    >>> [members.tolist() for members in Classified(np.array([0, -1, 0, 1]), 60).members()]
    [[0, 2], [3]]
    """

    label: Ints
    slot: int
    digits: int | None = None
    unknown: Flags | None = None
    left_out: Flags | None = None

    def members(self) -> list[Ints]:
        """Return the rows of every class."""
        return [np.flatnonzero(self.label == number) for number in range(int(self.label.max(initial=-1)) + 1)]

    def withheld(self) -> dict[str, int]:
        """Return how many people are left out, by reason."""
        unobserved = 0 if self.left_out is None else int(self.left_out.sum())
        reasons = {SUPPRESSED: int((self.label < 0).sum()) - unobserved, PARTLY_UNKNOWN: unobserved}
        return {reason: count for reason, count in reasons.items() if count}


def publish_classes(dataset: Dataset, method: Method, guarantee: Guarantee, classified: Classified, run: Run) -> Result:
    """Make the release and its trace: classes numbered in random order, as shares of time.

    Nothing in the release depends on the order of the input: what is listed of a class is in the order of time and
    alphabet.
    """
    members = classified.members()
    order = publishing_secret(dataset, method, run).order(len(members), "classes")
    members = [members[at] for at in order.tolist()]
    if classified.unknown is not None:
        classified = dataclasses.replace(classified, unknown=classified.unknown[order])
    names = number_names(len(members))
    slots = _alphabetical(Slots.of(dataset))
    sizes = pa.array([len(rows) for rows in members], pa.int64())
    published = sum(len(rows) for rows in members)
    release = Release(
        kind=dataset.kind,
        method=method.name,
        guarantee=guarantee,
        columns=data_columns(dataset.clock.form_type),
        table=_list_shares(dataset, slots, classified, members, names),
        values=pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")}),
        records_in=len(dataset),
        withheld=classified.withheld(),
        parts={"classes": Part(CLASS_COLUMNS, pa.table({"class": names, "size": sizes}))},
        published=published,
        unit=dataset.unit,
    )
    rows = np.concatenate([np.zeros(0, np.int64), *members])
    trace = Trace(rows, run.secret, run.seconds, run.counters, method.parameters(), None, dataset)
    return Result(release, trace)


def _alphabetical(slots: Slots) -> Slots:
    """Number the activities in the order of the alphabet."""
    order = sorted(range(len(slots.labels)), key=slots.labels.__getitem__)
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order))
    return Slots(number[slots.codes], tuple(slots.labels[code] for code in order))


def _list_shares(
    dataset: Dataset, slots: Slots, classified: Classified, members: list[Ints], names: pa.Array
) -> pa.Table:
    begins = begin_intervals(slots.codes.shape[1], classified.slot)
    nothing = np.array(slots.labels) == name_unknown(dataset)
    found: list[tuple[Ints, Ints, Floats]] = []
    for at, rows in enumerate(members):
        counts = count_durations(slots.codes[rows], begins, len(slots.labels))
        if classified.digits is None:
            shares = counts / counts.sum(axis=1, keepdims=True)
        else:
            shares = round_shares(counts, classified.digits)
        if classified.unknown is not None and classified.unknown[at].any():
            shares[classified.unknown[at]] = nothing
        interval, activity = np.nonzero(shares)
        found.append((interval, activity, shares[interval, activity]))
    owner = np.repeat(np.arange(len(members)), [len(interval) for interval, _, _ in found])
    interval, activity = (np.concatenate([entry[at] for entry in found]).astype(np.int64) for at in (0, 1))
    dated = dataset.clock.unit is not None
    when = dataset.clock.to_arrow(dataset.clock.origin + begins) if dated else pa.array(np.arange(len(begins)))
    # Categories are numbered as they first occur, so that the spelled table reads back to the same numbers.
    used, first = np.unique(activity, return_index=True)
    order = used[np.argsort(first)]
    number = np.zeros(len(slots.labels), dtype=np.int32)
    number[order] = np.arange(len(order))
    labels = pa.array([slots.labels[code] for code in order.tolist()], pa.string())
    return pa.table(
        {
            "class": names.take(pa.array(owner)),
            "interval": when.take(pa.array(interval)),
            "activity": pa.DictionaryArray.from_arrays(pa.array(number[activity]), labels),
            "share": pa.array(np.concatenate([entry[2] for entry in found]), pa.float64()),
        }
    )


class PublishedClasses(NamedTuple):
    """Published classes as arrays, class by class, in the order of intervals and activities.

    Attributes
    ----------
    names, sizes
        Of every class: its name and number of people.
    begins
        What tells the intervals apart, in order: their number, or microseconds since 1970.
    labels
        Names of the activities.
    owner, interval, activity, share
        Of every listed share: class, interval and activity by number, and the share itself.
    """

    names: tuple[str, ...]
    sizes: Ints
    begins: Ints
    labels: tuple[str, ...]
    owner: Ints
    interval: Ints
    activity: Ints
    share: Floats

    @classmethod
    def of(cls, release: Release) -> PublishedClasses:
        """Read a release. Raise :class:`SchemaError` where a class is named twice or not listed.

        Examples
        --------
        >>> import sfumato as sf
        >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]])
        >>> found = PublishedClasses.of(sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot")).release)
        >>> found.sizes.tolist(), found.labels, found.share.tolist()
        ([2], ('eat', 'sleep'), [1.0, 0.5, 0.5])
        """
        if release not in _KNOWN:
            _KNOWN[release] = cls._read(release)
        return _KNOWN[release]

    @classmethod
    def _read(cls, release: Release) -> PublishedClasses:
        part, table = release.parts["classes"].table, release.table
        names = tuple(part.column("class").to_pylist())
        position = {name: at for at, name in enumerate(names)}
        if len(position) < len(names):
            raise SchemaError("classes.csv: two classes have the same name.")
        owners, known = _encode(table.column("class"))
        unlisted = [name for name in known if name not in position]
        if unlisted:
            raise SchemaError("a row names a class that classes.csv does not list.")
        owner = np.array([position[name] for name in known], dtype=np.int64)[owners]
        activity, labels = _encode(table.column("activity"))
        begins, interval = np.unique(_numbers(table.column("interval")), return_inverse=True)
        order = np.lexsort((activity, interval, owner))
        share = np.asarray(table.column("share").to_numpy(), dtype=np.float64)
        return cls(
            names,
            _numbers(part.column("size")),
            begins,
            labels,
            owner[order],
            interval.reshape(-1)[order].astype(np.int64),
            activity[order],
            share[order],
        )

    def shares_of(self, label: str) -> Floats:
        """Return the share of an activity by class and interval."""
        shares = np.zeros((len(self.names), len(self.begins)))
        if label in self.labels:
            chosen = self.activity == self.labels.index(label)
            shares[self.owner[chosen], self.interval[chosen]] = self.share[chosen]
        return shares

    def unknown(self, gap: str | None) -> Flags:
        """Tell of which classes and intervals nothing is published: all of their time is unknown."""
        if gap is None:
            return np.zeros((len(self.names), len(self.begins)), dtype=bool)
        return np.asarray(self.shares_of(gap) >= 1.0)

    def tables(self) -> Iterator[Floats]:
        """Go through the classes: shares by interval and activity."""
        ends = np.searchsorted(self.owner, np.arange(len(self.names) + 1))
        for begin, end in itertools.pairwise(ends.tolist()):
            table = np.zeros((len(self.begins), len(self.labels)))
            table[self.interval[begin:end], self.activity[begin:end]] = self.share[begin:end]
            yield table

    def members(self, rows: Ints) -> list[Ints]:
        """Cut the owner's row map into classes."""
        return np.split(rows, np.cumsum(self.sizes)[:-1]) if len(self.sizes) else []


_KNOWN: WeakKeyDictionary[Release, PublishedClasses] = WeakKeyDictionary()
"""What was read of releases that are still in use: every check reads them, and none changes them."""


def _numbers(column: pa.ChunkedArray) -> Ints:
    return np.asarray(column.cast(pa.int64()).to_numpy(), dtype=np.int64)


def _encode(column: pa.ChunkedArray) -> tuple[Ints, tuple[str, ...]]:
    """Return a column of text or categories as codes in the order of the alphabet, and the names."""
    text = column.cast(pa.string()).combine_chunks()
    coded = text.dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    found = coded.dictionary.to_pylist()
    order = sorted(range(len(found)), key=found.__getitem__)
    number = np.empty(len(found), dtype=np.int64)
    number[order] = np.arange(len(found))
    codes = number[coded.indices.to_numpy()] if len(found) else np.zeros(0, dtype=np.int64)
    return codes, tuple(found[at] for at in order)
