"""Methods that generalise items: which records take part, how they are recoded, how they are published."""

from __future__ import annotations

import abc
import dataclasses
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets import KIND
from sfumato.messages import Message, MethodName, option, parameter
from sfumato.params import Param
from sfumato.release.encode import AT_LEAST_ONE, Recoded, publish
from sfumato.release.recoding import Recoding, SavedRecoding
from sfumato.release.release import Release, Result
from sfumato.release.run import Run

__all__ = ["EMPTY", "ItemGeneralising", "ItemSets"]

Ints = npt.NDArray[np.int64]

EMPTY, _ = KIND.suppression_reasons


@dataclasses.dataclass(frozen=True, eq=False)
class ItemSets:
    """Some rows of a dataset of sets, none of them empty, with items numbered in alphabetical order.

    In the order of their first appearance, ties between items would depend on who came first.

    Examples
    --------
    >>> data = Dataset.of("sets", [["a", "b"], [], ["b"]])
    >>> sets = ItemSets.of(data)
    >>> sets.rows.tolist(), sets.sets.lists()
    ([0, 2], [['a', 'b'], ['b']])
    """

    dataset: Dataset
    rows: Ints
    sets: ListColumn

    @classmethod
    def of(cls, dataset: Dataset) -> ItemSets:
        """Take all rows that hold an item."""
        sets = dataset.history()
        labels = sorted(sets.labels)
        position = {label: i for i, label in enumerate(labels)}
        rank = np.array([position[label] for label in sets.labels], dtype=np.int32)
        codes = rank[sets.codes]
        rows = np.flatnonzero(sets.lengths > 0)
        return cls(dataset, rows, ListColumn(sets.offsets, codes, tuple(labels)).take(rows))

    def take(self, positions: Ints) -> ItemSets:
        """Return some of these rows."""
        return dataclasses.replace(self, rows=self.rows[positions], sets=self.sets.take(positions))

    def __len__(self) -> int:
        return len(self.rows)

    def supports(self) -> Ints:
        """Return the number of rows that hold each item."""
        return np.bincount(self.sets.codes, minlength=len(self.sets.labels)).astype(np.int64)

    def leaf_of_item(self, hierarchy: Hierarchy, owner: str | MethodName) -> Ints:
        """Return the leaf of each item, or say in which rows items are that have none; 0 for an item in no row."""
        first_row = np.zeros(len(self.sets.labels), dtype=np.int64)
        first_row[self.sets.codes[::-1]] = (self.rows[self.sets.row_of_token] + 1)[::-1]
        held = np.flatnonzero(first_row)
        leaf = np.zeros(len(first_row), dtype=np.int64)
        leaf[held] = hierarchy.require([self.sets.labels[code] for code in held], owner, first_row[held].tolist())
        return leaf

    def recoded(self, recoding: Recoding) -> Recoded:
        """Publish every item as its group; rows without any item that is published are left out.

        A generalised value may come more than once here; a row is made a set again when it is published.
        """
        number = {item: i for i, group in enumerate(recoding.groups) for item in group}
        position = np.array([number.get(label, -1) for label in self.sets.labels], dtype=np.int32)
        image = position[self.sets.codes]
        published = ListColumn(self.sets.offsets, image, self.sets.labels).keep(image >= 0)
        left = np.flatnonzero(published.lengths > 0)
        published = published.take(left)
        # Only what was in the data is said to be suppressed; a recoding may know more.
        gone = np.flatnonzero((position < 0) & (self.supports() > 0))
        suppressed = tuple(sorted(self.sets.labels[code] for code in gone))
        return Recoded(self.rows[left], published.offsets, published.codes, recoding.groups, suppressed, {}, recoding)


@dataclasses.dataclass(frozen=True)
class ItemGeneralising(Method):
    """Base of methods that publish items as themselves, as "at least one of" several, or not at all.

    A subclass says what it claims and how it recodes the records.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("sets", [["beer"], ["wine"], [], ["bread"], ["bread"]])
    >>> release = sf.methods.Coat(k=2, m=1).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.history().lists()), dict(release.suppressed_records)
    ([['bread'], ['bread'], ['{beer|wine}'], ['{beer|wine}']], {'nothing left to publish': 1})
    """

    by_record: ClassVar[bool] = False
    """Whether an item may be published differently from record to record, so that values overlap."""

    k: Annotated[int, Param("Smallest number of records that match what an attacker knows.", ge=2)]

    @abc.abstractmethod
    def build_guarantee(self, dataset: Dataset) -> Guarantee:
        """Return what the release will guarantee."""

    @abc.abstractmethod
    def recode(self, baskets: ItemSets, run: Run) -> Recoded:
        """Recode the rows so that the claim holds."""

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        self.accept(dataset, self.k)
        owner = self.message_name
        if dataset.schema.sensitive:
            raise ParameterError(
                Message(owner, ": has no protection for sensitive items and would generalise them like others."),
                option="sensitive",
                hint=Message("Use the method disassociation, or leave out ", option("sensitive"), "."),
            )
        baskets = ItemSets.of(dataset)
        if len(baskets) < self.k:
            raise InfeasibleError(
                Message(owner, f": only {len(baskets)} of {len(dataset)} records have an item, fewer than k={self.k}."),
                option="k",
                hint=Message("Choose a smaller ", parameter("k"), "."),
            )
        guarantee = self.build_guarantee(dataset)
        with run.phase("recode"):
            try:
                recoded = self.recode(baskets, run)
            except ValueError as error:  # what the kernel refuses: sizes and counts, no labels
                raise ParameterError(Message(owner, f": {error}")) from None
        return self._publish(dataset, guarantee, recoded, run)

    def apply(self, dataset: Dataset, recoding: SavedRecoding, earlier: Release, unknown: str, run: Run) -> Result:
        """Publish a later batch with the recoding of an earlier release, under its guarantee."""
        if unknown not in {"error", "suppress"}:
            raise ParameterError(Message(option("unknown"), f" must be error or suppress, got {unknown!r}."))
        baskets, learnt = ItemSets.of(dataset), Recoding.expect(recoding)
        vocabulary = set(learnt.values)
        strange = np.array([label not in vocabulary for label in baskets.sets.labels], dtype=bool)
        rows = np.unique(baskets.rows[baskets.sets.row_of_token[strange[baskets.sets.codes]]])
        if len(rows) and unknown == "error":
            shown = ", ".join(str(row + 1) for row in rows[:5])
            raise SchemaError(
                f"{int(strange.sum())} items are not in the recoding; {len(rows)} records have them, first rows "
                f"{shown}.",
                rows=(rows[:5] + 1).tolist(),
                hint=Message("Remove these items: ", option("unknown", "suppress"), ", or anonymise the batch anew."),
            )
        return self._publish(dataset, earlier.guarantee, baskets.recoded(learnt), run)

    def _publish(self, dataset: Dataset, guarantee: Guarantee, recoded: Recoded, run: Run) -> Result:
        """Make the release: every row a set of values, each meaning at least one of its members."""
        if not len(recoded.rows):
            raise InfeasibleError(
                Message(
                    self.message_name,
                    f": all items of {len(dataset):,} records would be suppressed; nothing is left to publish.",
                ),
                option="k",
                hint=Message("Choose a smaller ", parameter("k"), "."),
            )
        suppressed_records = {**recoded.suppressed_records, EMPTY: len(dataset) - len(recoded.rows)}
        return publish(
            dataset,
            self,
            guarantee,
            dataclasses.replace(recoded, suppressed_records=suppressed_records, meaning=AT_LEAST_ONE),
            run,
        )
