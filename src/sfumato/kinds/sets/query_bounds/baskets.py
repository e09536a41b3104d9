"""Records of items, some of them hidden in values that stand for at least one of several."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.estimate.weights import weigh_members
from sfumato.queries.categories import list_categories
from sfumato.queries.events import Events
from sfumato.queries.published_view import Link, Names, PublishedView, Selection, Values
from sfumato.release.release import Release

__all__ = ["Baskets", "of_dataset", "of_values", "read_items", "read_values"]

DRAWN = (
    "expected is the mean over random originals: generalised items are drawn by their shares, less often "
    "where other records publish them exactly, at least one per value; times in intervals are equally "
    "likely; suppressed records are like the others."
)
REMOVED = "items that were removed from all records may be in any record."


@dataclasses.dataclass(frozen=True, eq=False)
class Baskets(Events):
    """Sets of items. An entry is a value, which stands for at least one of its members and perhaps for all.

    Parameters
    ----------
    weights
        How likely every member of a value is, beside the others, in the order of ``values.members``.

    Examples
    --------
    >>> view = read_values(ListColumn.from_lists([["P", "c"], ["P"]]), {"P": ("a", "b")})
    >>> truths = [view.judge([Link(view.names.find(item))]) for item in "ac"]
    >>> [(truth.low.tolist(), truth.high.tolist()) for truth in truths]
    [([0, 0], [1, 1]), ([1, 0], [1, 0])]
    """

    weights: npt.NDArray[np.float64] = dataclasses.field(default_factory=lambda: np.empty(0))

    def count(self, link: Link) -> tuple[int, float]:
        """Return how many items asked for there are at least and at most: one and the same is once in a record."""
        sizes, chosen = self.values.sizes[self.value], link.selection.inside
        must = self.find_must(link)
        exact = np.bincount(self.record[must[sizes[must] == 1]], minlength=self.records)
        present = np.zeros(self.records, dtype=np.int64)
        present[self.record[must]] = 1
        entry = np.flatnonzero(self.values.can(link.selection)[self.value])
        lengths = sizes[entry]
        which = np.repeat(np.arange(len(entry)), lengths)
        within = np.arange(len(which)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        member = self.values.members[self.values.starts[self.value[entry]][which] + within]
        pairs = (self.record[entry][which] * len(chosen) + member)[chosen[member]]
        return int(np.maximum(exact, present).sum()), float(len(np.unique(pairs)))

    def draw(self, random: np.random.Generator, wanted: Selection) -> Events:
        """Draw an original: every member of a value by its weight, each on its own, and one where that gives none."""
        there = self.take(np.flatnonzero((self.least > 0) & self.values.can(wanted)[self.value]))
        values = self.values
        lengths = values.sizes[there.value]
        entry = np.repeat(np.arange(len(lengths)), lengths)
        first = np.cumsum(lengths) - lengths
        cell = values.starts[there.value][entry] + np.arange(len(entry)) - first[entry]
        member, weight = values.members[cell], self.weights[cell]
        total = np.bincount(entry, weight, minlength=len(lengths))
        chosen = random.random(len(entry)) < weight / total[entry]
        # A value without any member drawn gets the one that its share of the line of weights falls on.
        none = np.bincount(entry[chosen], minlength=len(lengths)) == 0
        line = np.cumsum(weight)
        start = np.append(0.0, line)[first]
        at = np.searchsorted(line, start[none] + random.random(int(none.sum())) * total[none], side="right")
        chosen[np.clip(at, first[none], first[none] + lengths[none] - 1)] = True
        exact = Values.exact(len(self.names.labels))
        record = there.record[entry[chosen]]
        return Events.of(self.records, record, member[chosen], exact, self.names, self.timing)


def of_dataset(dataset: Dataset) -> PublishedView:
    """Read an original: every item is what it is.

    Examples
    --------
    >>> of_dataset(Dataset.of("sets", [["bread", "wine"], ["bread"]])).history.names.labels
    ('bread', 'wine')
    """
    history = read_items(dataset)
    return PublishedView(dataset.unit, len(dataset), history=history, people=dataset.person_codes(), exact=True)


def read_items(dataset: Dataset) -> Events:
    """Return the items of an original."""
    records = dataset.view_history()
    names = Names(records.labels, list_categories(dataset.hierarchies.get("item")))
    values = Values.exact(len(records.labels))
    return Events.of(len(records), records.row_of_token, records.codes, values, names, "none")


def of_values(release: Release) -> PublishedView:
    """Read records with generalised items.

    Examples
    --------
    >>> import sfumato as sf
    >>> tree = sf.Hierarchy.from_parents({"bread": "food", "wine": "drink", "beer": "drink", "food": "*", "drink": "*"})
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "beer"], ["bread"]], hierarchy=tree)
    >>> view = of_values(sf.anonymize(data, sf.methods.Apriori(k=2, m=1), secret=bytes(32)).release)
    >>> view.history.names.find("wine").inside.sum()
    np.int64(1)
    """
    history = read_values(release.history(), release.members(), release.suppressed())
    notes = (REMOVED,) if release.suppressed() else ()
    return PublishedView(
        release.unit, len(release), sum(release.suppressed_records.values()), history, notes=notes, drawn=DRAWN
    )


def read_values(records: ListColumn, members: dict[str, tuple[str, ...]], removed: tuple[str, ...] = ()) -> Baskets:
    """Return the items that records with generalised values may have; removed ones may be in all of them."""
    records = records.distinct()
    meanings = [members.get(label, (label,)) for label in records.labels]
    labels = tuple(sorted({*removed, *(member for meaning in meanings for member in meaning)}))
    code = {label: at for at, label in enumerate(labels)}
    values = [[code[member] for member in meaning] for meaning in meanings]
    record, value = records.row_of_token, records.codes.astype(np.int64)
    least = np.ones(len(value), np.int64)
    if removed:
        values.append([code[item] for item in removed])
        record = np.concatenate([record, np.arange(len(records))])
        value = np.concatenate([value, np.full(len(records), len(values) - 1)])
        least = np.concatenate([least, np.zeros(len(records), np.int64)])
    weights = np.append(weigh_members(records, members).weight, np.ones(len(removed)))
    sizes = np.array([len(entries) for entries in values], dtype=np.int64)
    names = Names(labels, {name: entries for name, entries in members.items() if name not in code})
    entries = Events.of(len(records), record, value, Values.of(values), names, "none", least=least, most=sizes[value])
    return Baskets(
        **{field.name: getattr(entries, field.name) for field in dataclasses.fields(entries)}, weights=weights
    )
