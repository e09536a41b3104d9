"""What timed sequences, original or published, say about who did what, and when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.sequences.decode import Entries, Stretches, count_steps, find_columns
from sfumato.queries.categories import list_categories
from sfumato.queries.events import MANY, Events
from sfumato.queries.published_view import Names, PublishedView, Values
from sfumato.queries.times import ENDLESS, find_steps, list_units
from sfumato.release.release import Release

__all__ = ["of_dataset", "of_release"]

Ints = npt.NDArray[np.int64]
Entry = tuple[Ints, Ints, Ints, Ints, int, int]
"""Record, value, first and last moment of entries, and how many events each stands for at least and at most."""

_LEFT_OUT = "some monitored events were removed; they may have happened at any time."
_BLURRED = "other events were removed near monitored intervals; any event may have happened there."


def of_dataset(dataset: Dataset) -> PublishedView:
    """Read an original: every event is what it is, when it was.

    Examples
    --------
    >>> of_dataset(Dataset.of("sequences", [[("mail", 3), ("news", 7)]], monitored=("mail",))).history.hi.tolist()
    [3, 7]
    """
    histories = dataset.view_history()
    timing, times = find_steps(dataset.time_unit, dataset.times())
    names = Names(histories.labels, list_categories(dataset.hierarchies.get("event")))
    values = Values.exact(len(histories.labels))
    events = Events.of(len(histories), histories.row_of_token, histories.codes, values, names, timing, lo=times)
    people, units = dataset.person_codes(), list_units(dataset.time_unit)
    return PublishedView(dataset.unit, len(dataset), history=events, people=people, exact=True, units=units)


def of_release(release: Release) -> PublishedView:
    """Read what is published: intervals that hold at least one event each, other events, and what may be missing.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("sequences", [[("mail", 1), ("news", 2)], [("mail", 3)]], monitored=("mail",))
    >>> found = of_release(sf.anonymize(data, sf.methods.Hi(k=2), secret=bytes(32)).release).history
    >>> sorted(zip(found.lo.tolist(), found.hi.tolist(), strict=True))
    [(1, 3), (1, 3), (2, 2)]
    """
    names, guarantee = find_columns(release), release.guarantee
    stretches = [Stretches.read(release.table.column(names.monitored), release.table.column(names.intervals))]
    if names.blurred is not None and names.stretches is not None:
        stretches.append(Stretches.read(release.table.column(names.blurred), release.table.column(names.stretches)))
    others = Entries.read(release.table.column(names.events), release.table.column(names.times))
    monitored = tuple(getattr(guarantee, "monitored", ()))
    book = _Book(release.members(), [*monitored, *(label for part in stretches for label in part.events.labels)])
    book.add(others.events.labels)
    entries = [_list_intervals(part, book) for part in stretches]
    entries.append((others.events.row_of_token, book.find(others.events), others.times, others.times, 1, 1))
    blur, notes = getattr(guarantee, "blur", None), []
    if getattr(guarantee, "suppressing", False):
        rows = np.arange(len(release))
        endless = np.full(len(rows), ENDLESS)
        entries.append((rows, book.file(monitored, rows), -endless, endless, 0, MANY))
        notes.append(_LEFT_OUT)
    blur_distance = None if blur is None else count_steps(release, blur)
    if blur_distance is not None:
        rows = stretches[0].events.row_of_token
        unwatched = [label for label in book.labels if label not in set(monitored)]
        zone = book.file(unwatched, rows, is_open=True)
        entries.append((rows, zone, stretches[0].lo - blur_distance, stretches[0].hi + blur_distance, 0, MANY))
        notes.append(_BLURRED)
    form = next(column.form for column in release.columns if column.name == names.times)
    events = _join(len(release), entries, book, "moment" if form.type == "timestamp" else "number")
    suppressed_records = sum(release.suppressed_records.values())
    return PublishedView(release.unit, len(release), suppressed_records, events, notes=tuple(notes))


class _Book:
    """Numbers events, and published values by what they stand for."""

    def __init__(self, members: Mapping[str, tuple[str, ...]], published: Iterable[str]) -> None:
        self.members, self.code, self.values, self.open = members, dict[str, int](), list[list[int]](), list[int]()
        for label in published:
            self.add(members.get(label, (label,)))

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(self.code)

    def add(self, labels: Iterable[str]) -> None:
        for label in labels:
            self.code.setdefault(label, len(self.code))

    def find(self, events: ListColumn) -> Ints:
        """Return the value of every entry of published events."""
        first = len(self.values)
        for label in events.labels:
            self.values.append([self.code[member] for member in self.members.get(label, (label,))])
        return first + events.codes.astype(np.int64)

    def file(self, labels: Iterable[str], rows: Ints, *, is_open: bool = False) -> Ints:
        """Make a value that stands for one of some events, perhaps also for others, and return it for some rows."""
        self.values.append([self.code[label] for label in labels])
        if is_open:
            self.open.append(len(self.values) - 1)
        return np.full(len(rows), len(self.values) - 1)


def _list_intervals(part: Stretches, book: _Book) -> Entry:
    return part.events.row_of_token, book.find(part.events), part.lo, part.hi, 1, MANY


def _join(records: int, entries: list[Entry], book: _Book, timing: str) -> Events:
    record, value, lo, hi = (np.concatenate([entry[at] for entry in entries]) for at in range(4))
    least, most = (np.concatenate([np.full(len(entry[0]), entry[at]) for entry in entries]) for at in (4, 5))
    categories = {name: members for name, members in book.members.items() if name not in book.code}
    return Events.of(
        records,
        record,
        value,
        Values.of(book.values, book.open),
        Names(book.labels, categories),
        timing,
        lo=lo,
        hi=hi,
        least=least,
        most=most,
    )
