"""Anatomy: attributes and sensitive values in two tables, joined by groups only."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.snapshots.costs import CostModel
from sfumato.kinds.snapshots.guarantees import LDiversity
from sfumato.kinds.snapshots.methods._base.eligible_steps import STEPS
from sfumato.messages import Message, parameter
from sfumato.params import Param
from sfumato.release.release import Result
from sfumato.release.run import Run

__all__ = ["Anatomy"]


@dataclasses.dataclass(frozen=True)
class Anatomy(Method):
    """Group the records of every snapshot so that no sensitive value repeats in a group of l or more.

    Examples
    --------
    >>> rows = [(1, "30", "flu"), (1, "40", "cold"), (2, "50", "cold"), (2, "60", "cough")]
    >>> data = Dataset.of("snapshots", rows, ("age",), "ill")
    >>> Anatomy(l=2).anonymize(data, Run(bytes(32))).release
    Release(snapshots by anatomy: 4 of 4 records, 2-diversity)

    References
    ----------
    X. Xiao, Y. Tao, Anatomy: simple and effective privacy preservation, VLDB 2006.
    """

    name: ClassVar[str] = "anatomy"
    summary: ClassVar[str] = "Publishes attributes and sensitive values in two tables, linked by groups only."
    paper: ClassVar[str] = "Xiao and Tao, Anatomy (2006), as used by Wang et al., Anonymizing Temporal Data (2010)"
    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (LDiversity,)
    optimises: ClassVar[str] = "size of groups"

    l: Annotated[int, Param("At most 1/l of a group has the same sensitive value.", ge=2)]
    infeasible: Annotated[
        str,
        Param(
            "Values that are too frequent in a snapshot: refuse the data (error) or suppress records (suppress).",
            choices=("error", "suppress"),
        ),
    ] = "error"

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:  # noqa: ARG003
        """Say what a missing record tells."""
        return ("A missing record most likely had a value that was too frequent in its snapshot.",)

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release of all snapshots, each grouped on its own."""
        from sfumato.kinds.snapshots.methods._base.stream import SUPPRESSED, SnapshotStream, release_snapshots

        self.accept(dataset, 1)
        costs = CostModel.read(self.message_name, "linear", None, 1)
        stream = SnapshotStream(dataset.schema, dataset.time_unit, self.l, costs, STEPS["anatomy"], run.secret)
        result = release_snapshots(self, dataset, stream, run)
        suppressed = stream.suppressed_records[SUPPRESSED]
        if suppressed and self.infeasible == "error":
            raise InfeasibleError(
                Message(
                    self.message_name,
                    f": {suppressed:,} of {len(dataset):,} records have a value that exceeds 1 in l={self.l} of their "
                    "snapshot.",
                ),
                option="infeasible",
                hint=Message(
                    "Suppress them: ",
                    parameter("infeasible", "suppress"),
                    ", or use the method reposition, which publishes some of them later.",
                ),
            )
        return result
