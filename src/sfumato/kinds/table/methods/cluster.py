"""CLUSTER: a record at random and those that are published with it at the least loss."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.table.dataset import Attribute
from sfumato.kinds.table.methods._base.classes import draw_order, join_equal, join_until_diverse
from sfumato.kinds.table.methods._base.relational import Relational, read_weights
from sfumato.kinds.table.methods._base.requirement import Requirement
from sfumato.kinds.table.methods._base.spaces import space_of
from sfumato.params import Param
from sfumato.release.run import Run

__all__ = ["Cluster"]

Ints = npt.NDArray[np.int64]

NEAREST = ("cluster", "seed")


@dataclasses.dataclass(frozen=True)
class Cluster(Relational):
    """Hide records among k - 1 others that cost least when they are published like them.

    A cluster begins with a record drawn at random, so two releases of the same data differ; with the same secret they
    are equal. It then takes up the record that is cheapest with all it has, again and again; with
    ``nearest_to="seed"``, as the paper has it, the k - 1 records that are cheapest with the first one, each by itself.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> data = Dataset.of("table", [(20, "f"), (61, "m"), (21, "f"), (60, "m")], ("age", "sex"))
    >>> release = Cluster(k=2).anonymize(data, Run(bytes(32))).release
    >>> sorted({(age["lo"], age["hi"]) for age in release.table["age"].to_pylist()})
    [(20, 21), (60, 61)]

    References
    ----------
    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos: Anonymizing data with relational and transaction attributes
    (2013), Section 5, algorithm CLUSTER.
    """

    name: ClassVar[str] = "cluster"
    summary: ClassVar[str] = "Greedy clustering: groups a random record with the k-1 others of least loss."
    paper: ClassVar[str] = "Poulis et al., Anonymizing data with relational and transaction attributes (2013), CLUSTER"
    optimises: ClassVar[str] = "NCP of every cluster as it grows"

    nearest_to: Annotated[
        str,
        Param(
            "The next record of a cluster has the least loss with all its records so far, or with its "
            "first, as in the paper.",
            choices=NEAREST,
        ),
    ] = "cluster"

    def partition(self, attributes: tuple[Attribute, ...], requirement: Requirement, run: Run) -> Ints:
        """Form clusters around random records, then join those that are the same, or not diverse enough."""
        from sfumato.kinds.table._kernels.clusters import group_by_cluster
        from sfumato.kinds.table._kernels.prices import take_rows

        owner = self.message_name
        space = space_of(attributes, tuple(read_weights(self.weights, attributes, owner).tolist()))
        order = draw_order(attributes, run)
        group = np.empty(len(order), np.int64)
        at_a_time = {"seed": self.k - 1, "cluster": 1}[self.nearest_to]
        group[order] = group_by_cluster(take_rows(space, order), self.k, at_a_time)
        run.counters["clusters"] = int(group.max(initial=-1)) + 1
        group = join_equal(attributes, space, group)
        if requirement.needs_diversity:
            group = join_equal(attributes, space, join_until_diverse(space, group, requirement, owner))
        return group
