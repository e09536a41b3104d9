"""How little is left: whether a release tells far less apart than its original, and what would help.

The rule is one for all kinds. A promise of k makes things share a published value, about k of them if all goes well.
Where a published value stands for more than four times as many on average, the promise alone does not explain it:
something in the data (a few very long records, many rare values, no hierarchy) drags everything else along. What is
counted is in :data:`COUNTERS`, kind by kind.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.dataset import Dataset
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release
from sfumato.kinds.sets.published import TERM_CHUNK, is_disassociated

__all__ = ["COUNTERS", "FAR", "Leftover", "find_leftover", "warn_of_leftover"]

FAR = 4
_FEW = 20
_LONG = 10


@dataclasses.dataclass(frozen=True)
class Leftover:
    """What is left of what there was.

    Parameters
    ----------
    had, left
        Number of different things in the original, and of those the release tells apart.
    sentence
        Says so; ``{had}`` and ``{left}`` stand for the numbers.
    advice
        What would leave more.
    expected
        How many things share one anyway, where the promise is kept at its best.

    Examples
    --------
    >>> found = Leftover(4913, 6, "{had} places are published as {left} values.", "Lower k.", expected=5)
    >>> found.is_little, str(found)
    (True, '4,913 places are published as 6 values. Lower k.')
    """

    had: int
    left: int
    sentence: str
    advice: str
    expected: float = 1.0

    @property
    def is_little(self) -> bool:
        """Tell whether far less is left than the promise asks for."""
        return self.had >= _FEW and self.left * FAR * self.expected < self.had

    def __str__(self) -> str:
        return f"{self.sentence.format(had=f'{self.had:,}', left=f'{self.left:,}')} {self.advice}"


def warn_of_leftover(original: Dataset, release: Release) -> str | None:
    """Say in a sentence or two that little is left and what would help, or return None where enough is.

    Examples
    --------
    >>> from sfumato.kinds.sets.methods.apriori import Apriori
    >>> from sfumato.core.hierarchy import Hierarchy
    >>> from sfumato.core.run import Run
    >>> tree = Hierarchy.from_paths([(f"item {n}", "*") for n in range(40)])
    >>> data = Dataset.of("sets", [[f"item {n}"] for n in range(40)], hierarchy=tree)
    >>> warn_of_leftover(data, Apriori(k=2, m=1).anonymize(data, Run(bytes(32))).release)
    'Little is left: 40 items are published as 1 value. A smaller k or m, a hierarchy with more levels, or
     disassociation, which keeps every item, would leave more.'
    """
    found = find_leftover(original, release)
    return f"Little is left: {found}" if found is not None and found.is_little else None


def find_leftover(original: Dataset, release: Release) -> Leftover | None:
    """Count what is left of what there was; None where nothing of the kind is counted."""
    counter = COUNTERS.get(release.kind)
    return None if counter is None else counter(original, release)


def _share_of(release: Release) -> float:
    """Return how many things share a value if the promise is kept at its best."""
    claim = release.guarantee
    return float(max(getattr(claim, "k", None) or getattr(claim, "l", None) or 1, 1))


def _different(histories: Ragged) -> int:
    return len(np.unique(histories.codes))


def _values(number: int) -> str:
    return "{left} value" if number == 1 else "{left} values"


def _count_places(original: Dataset, release: Release) -> Leftover:
    left = _different(release.history())
    advice = f"A smaller k or m, {_name_long(original.history(), 'visits')}or another method would leave more."
    sentence = f"{{had}} places are published as {_values(left)}."
    return Leftover(_different(original.history()), left, sentence, advice, _share_of(release))


def _count_items(original: Dataset, release: Release) -> Leftover:
    history, published = original.history(), release.history()
    long = _name_long(history, "items")
    if is_disassociated(release):
        outside = np.asarray(release.table.column("chunk")) != TERM_CHUNK
        left = _different(published.take(np.flatnonzero(outside)))
        are = "is" if left == 1 else "are"
        sentence = (
            f"of {{had}} items only {{left}} {are} published in subrecords; of all others only the cluster is told."
        )
        advice = f"A smaller k or m, {long}or a larger max_cluster would leave more."
        return Leftover(_different(history), left, sentence, advice, _share_of(release))
    left = _different(published)
    hierarchy = "a hierarchy with more levels" if "item" in original.hierarchies else "a method with a hierarchy"
    advice = f"A smaller k or m, {long}{hierarchy}, or disassociation, which keeps every item, would leave more."
    sentence = f"{{had}} items are published as {_values(left)}."
    return Leftover(_different(history), left, sentence, advice, _share_of(release))


def _name_long(histories: Ragged, what: str) -> str:
    """Name records that are much longer than the others: whatever they hold must be hidden together."""
    lengths = histories.lengths
    longest, mean = int(lengths.max(initial=0)), float(lengths.mean()) if len(lengths) else 0.0
    if longest < _LONG * max(mean, 1.0):
        return ""
    return f"leaving out the few longest records (the longest has {longest:,} {what}, the mean is {mean:.1f}), "


def _count_moments(original: Dataset, release: Release) -> Leftover:
    history, named = original.history(), set(getattr(release.guarantee, "monitored", ()) or original.schema.monitored)
    monitored = np.array([label in named for label in history.labels], dtype=bool)[history.codes]
    moments = np.unique(np.stack([history.codes[monitored], original.times()[monitored]]), axis=1).shape[1]
    column = next((c.name for c in release.columns if c.form.cell == "interval"), None)
    published = release.history()
    ends = [published.codes.astype(np.int64)]
    if column is not None:
        cells = release.table.column(column).combine_chunks().flatten()
        ends += [pc.dictionary_encode(cells.field(end)).indices.to_numpy(zero_copy_only=False) for end in ("lo", "hi")]
    left = np.unique(np.stack([np.asarray(end, dtype=np.int64) for end in ends]), axis=1).shape[1]
    intervals = "interval" if left == 1 else "different intervals"
    sentence = f"{{had}} different moments of monitored events are published as {{left}} {intervals}."
    advice = "A smaller k or l, fewer monitored events, or another method for event sequences would leave more."
    return Leftover(moments, left, sentence, advice, _share_of(release))


def _count_classes(original: Dataset, release: Release) -> Leftover:
    left = release.parts["classes"].table.num_rows if "classes" in release.parts else len(release)
    classes = "class" if left == 1 else "classes"
    sentence = f"{{had}} {original.unit.many} are published as {{left}} {classes}."
    advice = "A smaller k, a larger epsilon or a longer delta, or another method for activity data would leave more."
    return Leftover(len(original), left, sentence, advice, _share_of(release))


def _count_occurrences(original: Dataset, release: Release) -> Leftover:
    """Count occurrences of sensitive events: other events are published as they are."""
    named = set(original.schema.sensitive)
    had, left = (
        _sum_counts(histories, table, named)
        for histories, table in ((original.history(), original.table), (release.history(), release.table))
    )
    sentence = "of {had} occurrences of sensitive events {left} are left."
    return Leftover(had, left, sentence, "A larger delta or fewer sensitive events would leave more.")


def _sum_counts(histories: Ragged, table: pa.Table, named: set[str]) -> int:
    chosen = np.array([label in named for label in histories.labels], dtype=bool)
    lists = table.column("counts") if "counts" in table.column_names else None
    if lists is None or not len(chosen):
        return int(chosen[histories.codes].sum()) if len(chosen) else 0
    counts = np.asarray(lists.combine_chunks().flatten())
    return int(counts[chosen[histories.codes]].sum())


def _count_records(original: Dataset, release: Release) -> Leftover:
    sentence = "of {had} records {left} are published."
    return Leftover(len(original), len(release), sentence, "A smaller l or a longer window would leave more.")


COUNTERS: dict[str, Callable[[Dataset, Release], Leftover]] = {
    "trajectories": _count_places,
    "sets": _count_items,
    "sequences": _count_moments,
    "activity": _count_classes,
    "timeline": _count_occurrences,
    "snapshots": _count_records,
}
"""What is counted of each kind: places and items by the values they are published as, moments of monitored events by
intervals, people by classes, occurrences of sensitive events and records by how many are left."""
