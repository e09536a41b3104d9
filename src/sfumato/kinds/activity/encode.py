"""Classes of people by their daily activities as they are published: shares of time, in random order."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.kinds.activity import KIND
from sfumato.kinds.activity.dataset import CLASS_COLUMNS, UNKNOWN, Slots, list_columns
from sfumato.release.encode import number_names, publishing_secret
from sfumato.release.release import ExtraTable, OwnerRecord, Release, Result
from sfumato.release.run import Run

__all__ = ["Classified", "count_durations", "name_unknown", "publish_classes", "round_shares"]

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

SUPPRESSED, PARTLY_UNKNOWN = KIND.suppression_reasons

_CELLS = 1 << 21
"""So many slots are counted at a time: they widen to some tens of megabytes."""


def name_unknown(dataset: Dataset) -> str | None:
    """Return what time is called that nothing is known about; None where everything is known of everybody.

    Examples
    --------
    >>> name_unknown(Dataset.of("activity", [["sleep", "(gap)"]])), name_unknown(Dataset.of("activity", [["sleep"]]))
    ('(gap)', None)
    """
    label = str(dataset.read_options.get("gap") or UNKNOWN)
    slots = Slots.of(dataset)
    code = slots.find((label,))[0]
    return label if code >= 0 and (slots.codes == code).any() else None


def count_durations(codes: Codes, length: int, activities: int) -> Ints:
    """Count the slots that some people together spend on every activity, by interval of a length and activity.

    Examples
    --------
    >>> count_durations(np.array([[0, 1, 1], [0, 0, 1]], np.int32), 2, 2).tolist()
    [[3, 1], [0, 2]]
    """
    slots = codes.shape[1]
    interval = np.arange(slots) // length * activities
    counts = np.zeros(-(-slots // length) * activities, dtype=np.int64)
    step = max(1, _CELLS // max(1, slots))
    for first in range(0, len(codes), step):
        counts += np.bincount((interval + codes[first : first + step]).reshape(-1), minlength=len(counts))
    return counts.reshape(-1, activities)


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
    hidden
        By class and interval: whether nothing is published of it; None where everything is published.
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
    hidden: Flags | None = None
    left_out: Flags | None = None

    def members(self) -> list[Ints]:
        """Return the rows of every class."""
        return [np.flatnonzero(self.label == number) for number in range(int(self.label.max(initial=-1)) + 1)]

    def count_suppressed_records(self) -> dict[str, int]:
        """Return how many people are left out, by reason."""
        unobserved = 0 if self.left_out is None else int(self.left_out.sum())
        suppression_reasons = {SUPPRESSED: int((self.label < 0).sum()) - unobserved, PARTLY_UNKNOWN: unobserved}
        return {reason: count for reason, count in suppression_reasons.items() if count}


def publish_classes(dataset: Dataset, method: Method, guarantee: Guarantee, classified: Classified, run: Run) -> Result:
    """Make the release and its trace: classes numbered in random order, as shares of time.

    Nothing in the release depends on the order of the input: what is listed of a class is in the order of time and
    alphabet.
    """
    members = classified.members()
    order = publishing_secret(dataset, method, run).order(len(members), "classes")
    members = [members[at] for at in order.tolist()]
    if classified.hidden is not None:
        classified = dataclasses.replace(classified, hidden=classified.hidden[order])
    names = number_names(len(members))
    slots = _alphabetical(Slots.of(dataset))
    sizes = pa.array([len(rows) for rows in members], pa.int64())
    published = sum(len(rows) for rows in members)
    release = Release(
        kind=dataset.kind,
        method=method.name,
        method_note=method.note(guarantee),
        guarantee=guarantee,
        columns=list_columns(dataset.time_unit.published_type),
        table=_list_shares(dataset, slots, classified, members, names),
        values=pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")}),
        records_in=len(dataset),
        suppressed_records=classified.count_suppressed_records(),
        extra_tables={"classes": ExtraTable(CLASS_COLUMNS, pa.table({"class": names, "size": sizes}))},
        published=published,
        unit=dataset.unit,
    )
    rows = np.concatenate([np.zeros(0, np.int64), *members])
    owner_record = OwnerRecord(rows, run.secret, run.seconds, run.counters, method.parameters(), None, dataset)
    return Result(release, owner_record)


def _alphabetical(slots: Slots) -> Slots:
    """Number the activities in the order of the alphabet."""
    order = sorted(range(len(slots.labels)), key=slots.labels.__getitem__)
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order))
    return Slots(number[slots.codes], tuple(slots.labels[code] for code in order))


def _list_shares(
    dataset: Dataset, slots: Slots, classified: Classified, members: list[Ints], names: pa.Array
) -> pa.Table:
    """List the shares of every class by interval and activity, those that are not nothing."""
    begins = np.arange(0, slots.codes.shape[1], classified.slot)
    nothing = np.array(slots.labels) == name_unknown(dataset)
    entries: list[tuple[Ints, Ints, Floats]] = []
    for at, rows in enumerate(members):
        counts = count_durations(slots.codes[rows], classified.slot, len(slots.labels))
        if classified.digits is None:
            shares = counts / counts.sum(axis=1, keepdims=True)
        else:
            shares = round_shares(counts, classified.digits)
        if classified.hidden is not None and classified.hidden[at].any():
            shares[classified.hidden[at]] = nothing
        interval, activity = np.nonzero(shares)
        entries.append((interval, activity, shares[interval, activity]))
    owner = np.repeat(np.arange(len(members)), [len(interval) for interval, _, _ in entries])
    interval, activity = (np.concatenate([entry[at] for entry in entries]).astype(np.int64) for at in (0, 1))
    dated = dataset.time_unit.unit is not None
    when = dataset.time_unit.to_arrow(dataset.time_unit.origin + begins) if dated else pa.array(np.arange(len(begins)))
    # Categories are numbered as they first occur, so that the written table reads back to the same numbers.
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
            "share": pa.array(np.concatenate([entry[2] for entry in entries]), pa.float64()),
        }
    )
