"""Local recoding: every visit is published as finely as the others allow."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.kinds.trajectories.dataset.histories import Trajectories
from sfumato.kinds.trajectories.encode.recoding import recode_visits
from sfumato.kinds.trajectories.guarantees import KlmAnonymity, KmAnonymity
from sfumato.kinds.trajectories.methods._base import Limits, PlaceMerging, explain_failure
from sfumato.params import Param
from sfumato.release.encode import Recoded
from sfumato.release.recoding import SavedRecoding
from sfumato.release.release import Release, Result
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.trajectories._kernels.labels import Visits
    from sfumato.kinds.trajectories._kernels.trees import Grown

__all__ = ["LocalKm"]

Ints = npt.NDArray[np.int64]

BELOW, ABOVE = "below", "above"


class Start(NamedTuple):
    """Where one start ended: the tree, the places it is over, and the level of every ordinary visit.

    Examples
    --------
    >>> Start("below", None, np.array([3]), np.array([0]), np.array([0]), 0.0, 0, 0).name
    'below'
    """

    name: str
    tree: Grown | None
    places: Ints
    place: npt.NDArray[np.int32]
    level: npt.NDArray[np.int32]
    loss: float
    lowered: int
    swapped: int


@dataclasses.dataclass(frozen=True)
class LocalKm(PlaceMerging):
    """Hide every sequence of up to m places in a group of k, every visit with a label as fine as the others allow.

    A visit may be published as its place in one record and as one of several places in another. Where sensitive
    places are named, they stay as they are, and no sequence of places gives one away above probability 1/l.

    Examples
    --------
    >>> xy = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> rows = [["a"], ["b"], ["a", "c"], ["a", "c"]]
    >>> data = Dataset.of("trajectories", rows, xy)
    >>> release = LocalKm(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> sorted(release.history().lists())
    [['a', 'c'], ['a', 'c'], ['{a|b}'], ['{a|b}']]

    References
    ----------
    The guarantee is that of Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis: Apriori-based algorithms for
    k^m-anonymizing trajectory data, Definition 4, and Select-Organize-Anonymize, Definition 3; the method is our own.
    """

    name: ClassVar[str] = "local-km"
    summary: ClassVar[str] = (
        "Local recoding: generalises every visit only as far as needed; the same guarantee at less loss."
    )
    paper: ClassVar[str] = "our own; the guarantee of Poulis et al. (2014), Definition 4, and (2013), Definition 3"
    optimises: ClassVar[str] = "distance"
    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (KmAnonymity, KlmAnonymity)
    needs: ClassVar[tuple[str, ...]] = ("coordinates",)

    l: Annotated[
        int,
        Param("At most 1/l of the matching records visit the same sensitive place, where such places are named.", ge=2),
    ] = 2
    labels: Annotated[
        str,
        Param(
            "Places are grouped by coordinates (near ones) or by the place hierarchy.",
            choices=("coordinates", "hierarchy"),
        ),
    ] = "coordinates"

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:
        """Say what k does not mean, and whether sensitive places decided what became a label."""
        sentence = "k records match what is known"
        if isinstance(guarantee, KlmAnonymity):
            return (
                f"{sentence}; they need not be equally likely, since the method's choices rule some out. "
                "Generalised places depend on sensitive places, too.",
            )
        return (f"{sentence}. They need not be equally likely: the method's choices rule some out.",)

    def build_guarantee(self, dataset: Dataset) -> Guarantee:
        """Claim k^m-anonymity, or (k,l)^m-anonymity for the sensitive places that were named."""
        if dataset.schema.sensitive:
            return KlmAnonymity(self.k, self.m, self.l, dataset.schema.sensitive)
        return KmAnonymity(self.k, self.m)

    def apply(self, dataset: Dataset, recoding: SavedRecoding, earlier: Release, unknown: str, run: Run) -> Result:
        """Refuse: every visit has a label of its own, and nothing says what those of others would have."""
        return Method.apply(self, dataset, recoding, earlier, unknown, run)

    def recode(self, rows: Trajectories, run: Run) -> Recoded:
        """Give every visit a label, from two starts, and take the cheaper outcome."""
        places = np.unique(rows.ordinary.codes).astype(np.int64)
        if not len(places):
            return recode_visits(rows, np.empty(0, np.int64), [])
        starts = (BELOW, ABOVE) if self.labels == "coordinates" else (BELOW,)
        ended = [end for end in run.engine.map(lambda name: self._start(name, rows, places, run), starts) if end]
        if not ended:
            raise explain_failure(rows, self.l, self.message_name)
        best = min(ended, key=lambda end: end.loss)
        run.counters["labels_lowered"], run.counters["records_swapped"] = best.lowered, best.swapped
        run.counters["second_start"] = int(best.name == ABOVE)
        return _publish(rows, best)

    def _start(self, name: str, rows: Trajectories, places: Ints, run: Run) -> Start | None:
        """Recode from exact visits upwards, or from the groups of one recoding for all downwards; None if in vain."""
        from sfumato.kinds.trajectories._kernels.demand import Demand
        from sfumato.kinds.trajectories._kernels.local import recode_from_above, recode_from_below

        sensitive = np.unique(rows.visited_sensitive.codes)
        group = None if name == BELOW else self._find_groups(rows, places, run)
        if name == ABOVE and group is None:
            return None
        tree = self._grow_near(rows, places) if group is None else self._grow_groups(rows, places, group)
        visits = _list_visits(rows, places, tree, sensitive)
        demand = Demand(
            self.k, self.l if len(sensitive) else 1, self.sizes(rows)[-1], len(tree.paths.depth) + 1, len(sensitive) + 1
        )
        if group is not None:
            # Below the root of all there is a node for every group; a single group is the root itself.
            top = np.diff(tree.paths.start) - 1 - int(group.min() != group.max())
            visits.level[:] = top[visits.place]
            outcome = recode_from_above(visits, tree.paths, demand, run.report("labels"))
        else:
            outcome = recode_from_below(visits, tree.paths, demand, run.report("labels"))
        if not outcome.done:
            return None
        cost = tree.paths.cost[tree.paths.start[visits.place] + outcome.level] * tree.unit
        ordinary = rows.ordinary
        loss = float((cost / np.maximum(rows.histories.lengths, 1)[ordinary.row_of_token]).sum())
        return Start(name, tree, places, visits.place, outcome.level, loss, outcome.lowered, outcome.swapped)

    def _grow_near(self, rows: Trajectories, places: Ints) -> Grown:
        """Make the tree that labels are taken from."""
        from sfumato.kinds.trajectories._kernels.trees import build_tree, grow_paths, trim_tree

        owner = self.message_name
        if self.labels == "coordinates":
            located = rows.locations(owner)
            points = located.points[places]
            return grow_paths(build_tree(points, located.diameter), len(places), points, located.diameter)
        node, parent, _ = rows.hierarchy_arrays(owner)
        tree = trim_tree(node[places].astype(np.int64), parent.astype(np.int64))
        if rows.has_coordinates:
            located = rows.locations(owner)
            return grow_paths(tree, len(places), located.points[places], located.diameter)
        return grow_paths(tree, len(places), np.empty((0, 3)), 0.0)

    def _find_groups(self, rows: Trajectories, places: Ints, run: Run) -> Ints | None:
        """Return the groups of one recoding for all; None where there is no such recoding."""
        outcome = self.merge(rows, run, Limits(self.l if rows.is_sensitive.any() else 1))
        return outcome.group[places].astype(np.int64) if outcome.status == "done" else None

    def _grow_groups(self, rows: Trajectories, places: Ints, group: Ints) -> Grown:
        """Make a tree inside every group of places, and one over all."""
        from sfumato.kinds.trajectories._kernels.trees import grow_paths, join_trees

        located = rows.locations(self.message_name)
        points = located.points[places]
        return grow_paths(join_trees(group, points, located.diameter), len(places), points, located.diameter)


def _list_visits(rows: Trajectories, places: Ints, tree: Grown, sensitive: npt.NDArray[np.int32]) -> Visits:
    """Return the ordinary visits by the numbers of the tree's leaves, and the sensitive places of every record."""
    from sfumato.kinds.trajectories._kernels.labels import Visits

    ordinary, secret = rows.ordinary, rows.visited_sensitive
    rank = np.full(len(ordinary.labels), -1, np.int32)
    rank[places[tree.order]] = np.arange(len(places))
    return Visits(
        ordinary.offsets,
        rank[ordinary.codes],
        np.zeros(len(ordinary.codes), np.int32),
        secret.offsets,
        (np.searchsorted(sensitive, secret.codes) + 1).astype(np.int32),
    )


def _publish(rows: Trajectories, end: Start) -> Recoded:
    """Name the places that every label stands for."""
    assert end.tree is not None
    paths = end.tree.paths
    node = paths.node[paths.start[end.place] + end.level].astype(np.int64)
    used, value = np.unique(node, return_inverse=True)
    order = end.places[end.tree.order]
    return recode_visits(rows, value, [order[paths.first[at] : paths.last[at]] for at in used.tolist()])
