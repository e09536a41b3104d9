"""An attacker who knows some of a person's items."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.core.chunk_matching import ChunkRecords
from sfumato.core.chunks import is_disassociated
from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError
from sfumato.core.item_matching import Crowd, ItemRecords, ItemSets, best_knowledge, draw_knowledge
from sfumato.core.named_itemsets import NamedItems
from sfumato.core.release import Release
from sfumato.core.risk import Risk, success

__all__ = ["KINDS", "KNOWLEDGE", "attack", "attack_original"]

KNOWLEDGE = "items"
KINDS = ("sets",)

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

DRAWN_PEOPLE = 100_000


def attack(release: Release, original: Dataset, rows: Ints | None = None, seed: int = 0) -> Risk:
    """Attack every person of the original with up to m of their items, m being that of the claim.

    Two attackers: one knows, of each person, the items that give the person away most; the other knows m items drawn
    at random, and its mean success is ``mean_success_random`` (of more than 100,000 people so many are drawn).
    Where the claim is about named itemsets, the attacker knows all that a person has of any one of them, and there is
    no second attacker. Sensitive items are known like any other.

    Records that match are counted where items are generalised. Where records are separated, they are records that
    may have all known items at once in one possible original, counted from below: see
    :mod:`sfumato.core.chunk_matching`.

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    rows
        Original row of every published person, where the owner kept it: withheld people then count as safe.
    seed
        Draws the items of the second attacker.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.core.forms import Form
    >>> from sfumato.core.ragged import Ragged
    >>> from sfumato.core.release import PublishedColumn
    >>> from sfumato.guarantees.km_items import KmItems
    >>> columns = (
    ...     PublishedColumn("person", "identifier", Form("exact")),
    ...     PublishedColumn("items", "history", Form("category", history=True, meaning="at least one of")),
    ... )
    >>> people = pa.table({"person": ["x", "y"], "items": Ragged.from_lists([["P", "c"], ["P", "c"]]).to_arrow()})
    >>> values = pa.table({"column": ["items"] * 2, "value": ["P"] * 2, "member": ["a", "b"]})
    >>> release = Release("sets", "by-hand", KmItems(k=2, m=2), columns, people, values, records_in=2)
    >>> risk = attack(release, Dataset.from_sets([["a", "c"], ["b", "c"]]))
    >>> risk.smallest_anonymity_set, risk.mean_success, risk.mean_success_random
    (2, 0.5, 0.5)
    """
    published = None if rows is None else np.isin(np.arange(len(original)), rows)
    itemsets = getattr(release.guarantee, "itemsets", None)
    if itemsets is not None:
        return _sum_up(NamedItems.of(release).attack(original, itemsets), published, None, None)
    m = getattr(release.guarantee, "m", None)
    if m is None:
        raise ParameterError(f"attack: {release.guarantee.name} does not say how many items are known.")
    crowd = _crowd(release, original, rows)
    return _sum_up(best_knowledge(crowd, m), published, m, _draw(crowd, m, seed, published))


def _crowd(release: Release, original: Dataset, rows: Ints | None) -> Crowd:
    if is_disassociated(release):
        return ChunkRecords.of(release, original, rows)
    return ItemRecords.of(release, original)


def attack_original(dataset: Dataset, m: int) -> list[Risk]:
    """Attack the data as they stand, without names, with one item known, two, and so on up to m.

    Examples
    --------
    >>> data = Dataset.from_sets([["a", "c"], ["b", "c"], ["b", "c"]])
    >>> [risk.smallest_anonymity_set for risk in attack_original(data, 2)]
    [1, 1]
    """
    crowd = ItemRecords.of_original(dataset)
    everybody = np.ones(len(dataset), dtype=bool)
    return [_sum_up(best_knowledge(crowd, size), everybody, size, None) for size in range(1, m + 1)]


def _draw(crowd: Crowd, m: int, seed: int, published: Flags | None) -> float:
    """Return the mean success of an attacker who knows m random items."""
    sizes, people = draw_knowledge(crowd, m, seed, DRAWN_PEOPLE)
    if published is not None:
        sizes = sizes * published[people]
    return float(success(sizes).mean()) if len(sizes) else 0.0


def _sum_up(found: ItemSets, published: Flags | None, m: int | None, drawn: float | None) -> Risk:
    sizes = found.smallest if published is None else found.smallest * published
    reached = found.smallest[found.smallest > 0]
    smallest = int(reached.min()) if len(reached) else 0
    return Risk(
        smallest_anonymity_set=smallest,
        mean_success=float(success(sizes).mean()) if len(sizes) else 0.0,
        max_success=1.0 / smallest if smallest else 0.0,
        knowledge=KNOWLEDGE,
        people=len(sizes),
        unique_share=float((sizes == 1).mean()) if len(sizes) else 0.0,
        set_sizes=sizes,
        m=m,
        mean_success_random=drawn,
    )
