"""Methods that generalise items under constraints: which itemsets to protect, which items may go together."""

from __future__ import annotations

import dataclasses
import itertools
import re
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.sets.guarantees import ItemsetAnonymity, KmItems
from sfumato.kinds.sets.methods._base.generalisation import ItemGeneralising, ItemSets
from sfumato.messages import Message, MethodName, option, parameter
from sfumato.params import Param
from sfumato.release.encode import Recoded
from sfumato.release.recoding import Recoding
from sfumato.release.run import Run

__all__ = ["ConstraintGeneralising"]

Ints = npt.NDArray[np.int64]

_UTILITY = re.compile(r"auto|given|none|level:\d+|similarity:[1-9]\d*")
_LARGEST = 16
"""Items of a privacy constraint: all its subsets are protected, and there are 2^16 of them."""


@dataclasses.dataclass(frozen=True)
class ConstraintGeneralising(ItemGeneralising):
    """Base of methods that unite items until privacy constraints hold, within utility constraints.

    A subclass says how many items of a rare itemset it considers.

    Examples
    --------
    What is guaranteed depends on whether itemsets were named.

    >>> import sfumato as sf
    >>> data = Dataset.of("sets", [["beer", "bread"], ["wine"]], privacy=(("beer", "bread"),))
    >>> sf.methods.Coat(k=2, m=2).build_guarantee(data)
    ItemsetAnonymity(k=2, itemsets=(('beer', 'bread'),))
    >>> sf.methods.Coat(k=2, m=2, privacy="all").build_guarantee(data).name
    'km-items'
    """

    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (KmItems, ItemsetAnonymity)
    optimises: ClassVar[str] = "utility loss UL"
    tried: ClassVar[int]

    m: Annotated[int, Param("Largest number of items an attacker knows, with privacy=all.", ge=1)] = 2
    privacy: Annotated[
        str,
        Param(
            "Itemsets to protect: given with the data, or all of up to m items; auto is given if there are any.",
            choices=("auto", "given", "all"),
        ),
    ] = "auto"
    utility: Annotated[
        str,
        Param(
            "Items that may be generalised together: given with the data; none for no restriction; level:N "
            "for those under the same node at level N from the root; similarity:N for N groups of "
            "co-occurring items; auto is given if there are any, else none."
        ),
    ] = "auto"
    partner: Annotated[
        str,
        Param(
            "Items that an item of a rare itemset is merged with: helping for those that help the itemset, "
            "any for the least loss, as in the papers; auto is helping where itemsets are named.",
            choices=("auto", "helping", "any"),
        ),
    ] = "auto"
    suppression_limit: Annotated[float, Param("Largest share of entries that may be suppressed.", ge=0, le=1)] = 0.15

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _UTILITY.fullmatch(self.utility):
            raise ParameterError(
                Message(
                    self.message_name,
                    ": ",
                    parameter("utility"),
                    f" must be auto, given, none, level:N or similarity:N, got {self.utility!r}.",
                )
            )

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:  # noqa: ARG003
        """Say what k does not mean."""
        return ("The matching records need not be equally likely: the method's choices rule some out.",)

    def build_guarantee(self, dataset: Dataset) -> KmItems | ItemsetAnonymity:
        """Claim k^m-anonymity, or the anonymity of the itemsets that were named."""
        itemsets = self.protected(dataset)
        return KmItems(self.k, self.m) if itemsets is None else ItemsetAnonymity(self.k, itemsets)

    def protected(self, dataset: Dataset) -> tuple[tuple[str, ...], ...] | None:
        """Return the itemsets to protect, None for all of up to m items."""
        owner, itemsets = self.message_name, dataset.constraints.get("privacy", ())
        if self.privacy == "all" or (self.privacy == "auto" and not itemsets):
            return None
        if not itemsets:
            raise SchemaError(
                Message(owner, ": ", parameter("privacy", "given"), " needs privacy constraints."),
                hint=Message("Give them: ", option("constraints", {"privacy": "FILE"}), "."),
            )
        for number, itemset in enumerate(itemsets, start=1):
            if not 1 <= len(set(itemset)) <= _LARGEST:
                raise SchemaError(
                    Message(
                        owner,
                        f": privacy constraint {number} has {len(set(itemset))} items; from 1 to {_LARGEST} are "
                        "possible.",
                    ),
                    option="constraints",
                    rows=(number,),
                    hint="Split it.",
                )
        return itemsets

    def constraint_of_item(self, baskets: ItemSets) -> Ints:
        """Return the number of the utility constraint of each item."""
        owner, labels = self.message_name, baskets.sets.labels
        given = baskets.dataset.constraints.get("utility", ())
        word, _, number = self.utility.partition(":")
        if word == "auto":
            word = "given" if given else "none"
        if word == "given":
            if not given:
                raise SchemaError(
                    Message(owner, ": ", parameter("utility", "given"), " needs utility constraints."),
                    hint=Message("Give them: ", option("constraints", {"utility": "FILE"}), "."),
                )
            return number_groups(labels, given, owner)
        if word == "level":
            return self._number_nodes(baskets, int(number))
        if word == "similarity":
            return cluster_items(baskets.sets, int(number))
        return np.zeros(len(labels), dtype=np.int64)

    def _number_nodes(self, baskets: ItemSets, level: int) -> Ints:
        hierarchy = baskets.dataset.hierarchies.get("item")
        if hierarchy is None:
            raise SchemaError(
                Message(
                    self.message_name, ": ", parameter("utility", self.utility), " needs a hierarchy of the items."
                ),
                hint=Message("Give one: ", option("hierarchies", {"item": "FILE"}), "."),
            )
        node = baskets.leaf_of_item(hierarchy, self.message_name)
        while (deep := hierarchy.depth[node] > level).any():
            node = np.where(deep, hierarchy.parent[node], node)
        return node

    def recode(self, baskets: ItemSets, run: Run) -> Recoded:
        """Unite items until every itemset to protect occurs in no record or in k."""
        from sfumato.kinds.sets._kernels.item_groups import Rule, group_items

        itemsets = self.protected(baskets.dataset)
        longest = int(baskets.sets.lengths.max(initial=1))
        grouped = group_items(
            baskets.sets.offsets,
            baskets.sets.codes,
            self.constraint_of_item(baskets),
            Rule(self.k, self.tried, self.partner == "helping" or (self.partner == "auto" and itemsets is not None)),
            min(self.m, longest) if itemsets is None else list_subsets(itemsets, baskets.sets.labels),
            run.report("itemsets"),
        )
        run.counters |= {
            "merges": grouped.merges,
            "groups_suppressed": grouped.dropped,
            "itemsets_repaired": grouped.repaired,
        }
        self._limit_suppression(baskets, grouped.group)
        return baskets.recoded(recoding_of_groups(baskets, grouped.group))

    def _limit_suppression(self, baskets: ItemSets, group: Ints) -> None:
        supports = baskets.supports()
        removed, total = int(supports[group < 0].sum()), int(supports.sum())
        if removed > self.suppression_limit * total:
            items = int(((group < 0) & (supports > 0)).sum())
            raise InfeasibleError(
                Message(
                    self.message_name,
                    f": {removed:,} of {total:,} entries ({removed / total:.1%}, {items:,} items) would be suppressed; "
                    f"suppression_limit={self.suppression_limit:g} allows fewer.",
                ),
                option="suppression_limit",
                hint=Message(
                    "Raise ",
                    parameter("suppression_limit"),
                    ", choose a smaller ",
                    parameter("k"),
                    ", or use wider utility constraints.",
                ),
            )


def number_groups(labels: tuple[str, ...], groups: tuple[tuple[str, ...], ...], owner: str | MethodName) -> Ints:
    """Return the number of the group of each label; a label in no group has a number of its own.

    Examples
    --------
    >>> number_groups(("a", "b", "c"), (("c", "b", "elsewhere"),), "Coat").tolist()
    [1, 0, 0]
    """
    number: dict[str, int] = {}
    for line, group in enumerate(groups, start=1):
        for item in group:
            if number.setdefault(item, line - 1) != line - 1:
                raise SchemaError(
                    Message(owner, f": utility constraint {line} repeats an item of constraint {number[item] + 1}."),
                    option="constraints",
                    rows=(line, number[item] + 1),
                    hint="Remove the item from one of them.",
                )
    alone = itertools.count(len(groups))
    return np.array([number[label] if label in number else next(alone) for label in labels], dtype=np.int64)


def list_subsets(itemsets: tuple[tuple[str, ...], ...], labels: tuple[str, ...]) -> tuple[Ints, ...]:
    """Return all non-empty subsets of itemsets as codes of labels, by size; items that are no label are left out.

    Examples
    --------
    >>> [found.tolist() for found in list_subsets((("b", "a"), ("b", "x")), ("a", "b"))]
    [[[0], [1]], [[0, 1]]]
    """
    code = {label: i for i, label in enumerate(labels)}
    encoded = {tuple(sorted({code[item] for item in itemset if item in code})) for itemset in itemsets}
    subsets: dict[int, set[tuple[int, ...]]] = {}
    for itemset in encoded:
        for size in range(1, len(itemset) + 1):
            subsets.setdefault(size, set()).update(itertools.combinations(itemset, size))
    return tuple(np.array(sorted(subsets[size]), dtype=np.int64) for size in sorted(subsets))


def recoding_of_groups(baskets: ItemSets, group: Ints) -> Recoding:
    """Return groups of items, numbered by one of their members, as a recoding; items without one are suppressed."""
    members: dict[int, list[str]] = {}
    suppressed = []
    for code in np.flatnonzero(baskets.supports()):
        label = baskets.sets.labels[code]
        if group[code] < 0:
            suppressed.append(label)
        else:
            members.setdefault(int(group[code]), []).append(label)
    groups = tuple(sorted(tuple(sorted(items)) for items in members.values()))
    return Recoding(baskets.dataset.schema.history, groups, tuple(sorted(suppressed)))


def cluster_items(sets: ListColumn, number: int) -> Ints:
    """Put items into so many groups around the most frequent ones, and return the group of each item.

    Every group begins with one of the most frequent items. Each other item joins the one it has the largest share of
    common records with (Jaccard similarity); of equal shares, the more frequent one. An item that shares no record
    with any of them joins the group with the fewest items. Of equally frequent items, the first one goes first.

    Examples
    --------
    >>> rows = [["tea", "milk"], ["tea", "milk"], ["beer", "nuts"], ["beer"], ["beer"], ["tea"]]
    >>> sets = ListColumn.from_lists(rows)
    >>> dict(zip(sets.labels, cluster_items(sets, 2).tolist()))
    {'tea': 0, 'milk': 0, 'beer': 1, 'nuts': 1}
    """
    supports = np.bincount(sets.codes, minlength=len(sets.labels)).astype(np.int64)
    order = np.argsort(-supports, kind="stable")
    centres = order[: min(number, len(order))]
    common = _count_common(sets, centres)
    union = supports[:, None] + supports[centres][None, :] - common
    share = np.divide(common, union, out=np.zeros(common.shape), where=union > 0)
    group = np.argmax(share, axis=1) if len(centres) else np.zeros(len(supports), np.int64)
    group[centres] = np.arange(len(centres))
    lonely = common.sum(axis=1) == 0
    lonely[centres] = False
    sizes = np.bincount(group[~lonely], minlength=len(centres))
    for item in order[lonely[order]]:
        group[item] = int(np.argmin(sizes))
        sizes[group[item]] += 1
    return group.astype(np.int64)


def _count_common(sets: ListColumn, centres: Ints) -> Ints:
    """Count the records every item shares with each centre."""
    common = np.zeros((len(sets.labels), len(centres)), dtype=np.int64)
    place = np.full(len(sets.labels), -1, dtype=np.int64)
    place[centres] = np.arange(len(centres))
    rows = sets.row_of_token
    for at, centre in enumerate(centres):
        holds = np.zeros(len(sets), dtype=bool)
        holds[rows[sets.codes == centre]] = True
        common[:, at] = np.bincount(sets.codes[holds[rows]], minlength=len(sets.labels))
    return common
