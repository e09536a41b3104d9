"""Methods that combine one for tables and one for sets: clusters of similar people, whose sets are recoded together."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.kind import find_kind
from sfumato.data.lists import ListColumn
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.rt.encode import ItemValues, publish_rt
from sfumato.kinds.rt.guarantees import KKmAnonymity
from sfumato.kinds.rt.methods._base.clusters import Clusters
from sfumato.kinds.rt.methods._base.items import ItemRecoder, RecodedItems
from sfumato.kinds.sets.methods._base.generalisation import ItemGeneralising
from sfumato.kinds.table.dataset import Attribute, attributes_of
from sfumato.kinds.table.encode import encode_cells
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.kinds.table.methods._base.relational import GROUP_TOO_SMALL, Relational
from sfumato.kinds.table.methods._base.requirement import Requirement
from sfumato.messages import Message, MethodName, option, parameter
from sfumato.params import Param, declared
from sfumato.release.release import Result
from sfumato.release.run import Run

__all__ = ["Combined", "Task", "find_method"]

Ints = npt.NDArray[np.int64]


def find_method(kind: str, base: type[Any], name: str, owner: str | MethodName, parameter_name: str) -> type[Any]:
    """Return the method of a kind with a name, or say which there are.

    Methods that recode every record on its own are left out: values of a class must not overlap.

    Examples
    --------
    >>> find_method("sets", ItemGeneralising, "coat", "RFirst", "transaction").__name__
    'Coat'
    >>> find_method("sets", ItemGeneralising, "coats", "RFirst", "transaction")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: RFirst: transaction must be one of apriori, coat, lra, pcta, vpa, got 'coats'.
    """
    loaded = {own: method.load() for own, method in find_kind(kind).methods.items()}
    eligible: dict[str, type[Any]] = {
        own: method
        for own, method in loaded.items()
        if issubclass(method, base) and not getattr(method, "by_record", False)
    }
    if name not in eligible:
        raise ParameterError(
            Message(
                owner, ": ", parameter(parameter_name), f" must be one of {', '.join(sorted(eligible))}, got {name!r}."
            )
        )
    return eligible[name]


@dataclasses.dataclass(eq=False)
class Task:
    """What a combined method works on: the data, its clusters, and how sets are recoded."""

    dataset: Dataset
    attributes: tuple[Attribute, ...]
    clusters: Clusters
    recoder: ItemRecoder
    run: Run


@dataclasses.dataclass(frozen=True)
class Combined(Method):
    """Base of methods that put people into clusters and anonymise the sets of each cluster.

    A subclass says how the first clusters are formed and which are merged. Clusters that cannot be anonymised alone,
    because fewer than k of their records have items or because a sensitive item is too frequent, are merged with the
    one that costs least before anything else. Where not even all published records can be one cluster, those that would
    be suppressed are published with them.
    """

    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (KKmAnonymity,)
    paper: ClassVar[str] = "Poulis et al., Anonymizing data with relational and transaction attributes (2013)"
    needs: ClassVar[tuple[str, ...]] = ("hierarchy item",)

    k: Annotated[int, Param("Smallest number of records that match what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of items an attacker knows.", ge=1)] = 2
    l: Annotated[int, Param("At most 1/l of these records have the same sensitive item; 1 for no limit.", ge=1)] = 1
    relational: Annotated[
        str, Param("Method for tables that forms the clusters: cluster, mondrian, incognito, ...")
    ] = "cluster"
    transaction: Annotated[
        str, Param("Method for sets that generalises the items of a cluster: apriori, coat, ...")
    ] = "apriori"

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:
        """Say whether sensitive items decided what became a group, and what k does not mean."""
        formed = (
            "Groups depend on sensitive items: someone who knows the method may find one likelier than its share."
            if isinstance(guarantee, KKmAnonymity) and guarantee.l > 1
            else "Groups do not depend on sensitive values."
        )
        return (f"{formed} The k matching records need not be equally likely.",)

    @abc.abstractmethod
    def build_clusters(self, dataset: Dataset, run: Run) -> Ints:
        """Return the first cluster of every record, numbered from 0; -1 for one that is suppressed."""

    @abc.abstractmethod
    def merge_clusters(self, task: Task) -> Sequence[RecodedItems]:
        """Merge clusters of the task, and return the sets of those that it has then, in their order."""

    def build_guarantee(self, dataset: Dataset) -> KKmAnonymity:
        """Return what the release will guarantee."""
        quasi = tuple(column.name for column in dataset.schema.columns if column.role == "quasi-identifier")
        return KKmAnonymity(self.k, self.m, self.l, quasi, dataset.schema.sensitive)

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        self.accept(dataset, self.k)
        guarantee = self.build_guarantee(dataset)
        attributes = attributes_of(dataset)
        if not attributes:
            raise SchemaError(
                Message(self.message_name, ": the table has no quasi-identifier."),
                option="quasi",
                hint=Message("Name the columns that an attacker may know: ", option("quasi", ["COLUMN"]), "."),
            )
        recoder = ItemRecoder(dataset, self.set_method(), self.m, self.l)
        with run.phase("clusters"):
            group = np.asarray(self.build_clusters(dataset, run), np.int64)
        if (group < 0).all():
            raise InfeasibleError(
                Message(
                    self.message_name, f": all {len(group):,} records would be suppressed; nothing is left to publish."
                ),
                hint=Message("Choose a smaller ", parameter("k"), "."),
            )
        clusters = Clusters(attributes, group, recoder.items)
        task = Task(dataset, attributes, clusters, recoder, run)
        run.counters["clusters_formed"] = len(clusters)
        with run.phase("merge"):
            clusters.merge_equal()
            self._merge_infeasible(task)
            recoded = self.merge_clusters(task)
        run.counters["clusters"] = len(task.clusters)
        return self._publish(task, guarantee, recoded)

    def set_method(self) -> ItemGeneralising:
        """Return the method for sets, with the parameters that this one has too."""
        method_class = find_method("sets", ItemGeneralising, self.transaction, self.message_name, "transaction")
        # Where items were suppressed in one cluster and published in another, nothing could be said about them.
        fixed = {"k": self.k, "m": self.m, "privacy": "all", "suppression_limit": 0.0}
        accepted = {parameter.name for parameter in declared(method_class)}
        method: ItemGeneralising = method_class(**{name: value for name, value in fixed.items() if name in accepted})
        return method

    def cluster_by_attributes(self, dataset: Dataset, run: Run) -> Ints:
        """Return classes of people with similar attributes, as the method for tables finds them."""
        method_class = find_method("table", Relational, self.relational, self.message_name, "relational")
        method: Relational = method_class(k=self.k)
        attributes = method.attributes(dataset)
        names = tuple(attribute.name for attribute in attributes)
        return method.partition(attributes, Requirement.of(KAnonymity(k=self.k, quasi=names), ()), run)

    def _refuse_impossible(self, recoder: ItemRecoder) -> None:
        """Refuse what not even all records together keep, with what they would keep."""
        whole = recoder.counts(np.zeros(len(recoder.sensitive), np.int64), 1)
        owner, filled = self.message_name, int(whole.filled[0])
        if 0 < filled < self.k:
            raise InfeasibleError(
                Message(
                    owner, f": only {filled} records have an item that can be known; at least k={self.k} are needed."
                ),
                option="k",
                hint=Message("Choose a smaller ", parameter("k"), ", or leave these records out."),
            )
        if whole.obstacles(self.k, self.l)[0]:
            among_all = int(whole.having.max()), int(whole.records[0]), "records"
            among_filled = int(whole.filled_having.max()), filled, "records with an item that can be known"
            having, records, which = max(
                among_all, among_filled, key=lambda candidate: candidate[0] / max(candidate[1], 1)
            )
            raise InfeasibleError(
                Message(owner, f": a sensitive item is in {having} of {records} {which}, more than 1 in l={self.l}."),
                option="l",
                hint=(
                    Message("Choose ", parameter("l", records // having), " or less.")
                    if records // having > 1
                    else "No l of 2 or more is possible on these data."
                ),
            )

    def _merge_infeasible(self, task: Task) -> None:
        """Merge every cluster that cannot be anonymised alone with the one that costs least.

        What is counted is what is published. Where the one cluster that is left cannot be anonymised either, those that
        would be suppressed join it. Where that does not help, nothing does.
        """
        clusters = task.clusters
        counts = task.recoder.counts(clusters.groups_as_numbered(), len(clusters.active))
        joined = 0
        for cluster in np.flatnonzero(counts.obstacles(self.k, self.l)).tolist():
            at = cluster
            while clusters.active[at] and counts.obstacles(self.k, self.l)[at] and len(clusters) > 1:
                other = int(np.argmin(clusters.loss_with(at, clusters.price_with(at))))
                into, gone = min(at, other), max(at, other)
                clusters.merge(into, gone)
                counts.merge(into, gone)
                at, joined = into, joined + 1
        if counts.obstacles(self.k, self.l).any():
            self._refuse_impossible(task.recoder)
            task.clusters = Clusters(task.attributes, np.zeros(clusters.records, np.int64), clusters.items)
        task.run.counters["clusters_joined"] = joined

    def recode_all(self, task: Task) -> list[RecodedItems]:
        """Return the sets of all clusters that are left; those that a method for sets cannot recode are merged on."""
        clusters = task.clusters
        done: dict[int, RecodedItems] = {}
        while waiting := [cluster for cluster in clusters.listed() if cluster not in done]:
            recoded = dict(zip(waiting, self.recode_clusters(task, clusters, waiting), strict=True))
            done |= {cluster: items for cluster, items in recoded.items() if items is not None}
            failed = next((cluster for cluster, items in recoded.items() if items is None), None)
            if failed is not None and len(clusters) == 1:
                task.recoder.recode(clusters.rows[failed], task.run)  # says why it cannot be done
            elif failed is not None:
                other = int(np.argmin(clusters.loss_with(failed, clusters.price_with(failed))))
                clusters.merge(failed, other)
                done.pop(other, None)
        return [done[cluster] for cluster in clusters.listed()]

    def recode_clusters(self, task: Task, clusters: Clusters, chosen: Sequence[int]) -> list[RecodedItems | None]:
        """Return the sets of some clusters, None for one that cannot be recoded alone."""

        def attempt(cluster: int) -> RecodedItems | None:
            try:
                return task.recoder.recode(clusters.rows[cluster], task.run)
            except InfeasibleError:
                return None

        return list(task.run.engine.map(attempt, chosen))

    def _publish(self, task: Task, guarantee: KKmAnonymity, recoded: Sequence[RecodedItems]) -> Result:
        dataset, clusters = task.dataset, task.clusters
        group = clusters.groups()
        rows = np.flatnonzero(group >= 0)
        quasi = [encode_cells(attribute.take(rows), group[rows]) for attribute in task.attributes]
        items = _join(recoded, dataset, task.recoder, rows)
        suppressed_records = {GROUP_TOO_SMALL: len(dataset) - len(rows)}
        return publish_rt(dataset, self, guarantee, rows, quasi, items, task.run, suppressed_records=suppressed_records)


def _join(recoded: Sequence[RecodedItems], dataset: Dataset, recoder: ItemRecoder, rows: Ints) -> ItemValues:
    """Put the sets of all clusters together, and the sensitive items with them, as they are."""
    number: dict[tuple[str, ...], int] = {}
    pairs: list[tuple[Ints, Ints]] = []
    for part in recoded:
        used = np.unique(part.values.codes)
        place = np.zeros(len(part.groups), np.int64)
        for code in used.tolist():
            place[code] = number.setdefault(part.groups[code], len(number))
        pairs.append((part.rows[part.values.row_of_token], place[part.values.codes]))
    published = np.zeros(len(dataset), dtype=bool)
    published[rows] = True
    for at, label in enumerate(dataset.schema.sensitive):
        holders = np.flatnonzero(recoder.sensitive[:, at] & published)
        pairs.append((holders, np.full(len(holders), number.setdefault((label,), len(number)))))
    row = np.concatenate([pair[0] for pair in pairs]) if pairs else np.empty(0, np.int64)
    code = np.concatenate([pair[1] for pair in pairs]) if pairs else np.empty(0, np.int64)
    order = np.lexsort((code, row))
    offsets = np.searchsorted(row[order], np.arange(len(dataset) + 1)).astype(np.int64)
    values = ListColumn(offsets, code[order].astype(np.int32), tuple(map(str, range(len(number)))))
    return ItemValues(np.arange(len(dataset)), values, list(number))
