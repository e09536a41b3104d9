"""Reposition: publish some records a little later, so that every snapshot can be made l-diverse."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, ClassVar

from sfumato.core.clock import Clock
from sfumato.core.dataset import Dataset
from sfumato.core.guarantee import Guarantee
from sfumato.core.method import Method
from sfumato.core.params import Param
from sfumato.core.release import Result
from sfumato.core.run import Run
from sfumato.core.schema import Schema
from sfumato.core.secret import Secret
from sfumato.families.eligible_steps import STEPS
from sfumato.families.reposition_costs import CostModel
from sfumato.guarantees.l_diversity import LDiversity
from sfumato.guarantees.l_eligibility import LEligibility

if TYPE_CHECKING:
    from sfumato.families.snapshot_stream import SnapshotStream

__all__ = ["Reposition"]


@dataclasses.dataclass(frozen=True)
class Reposition(Method):
    """Publish records up to window-1 snapshots late, or not at all, so that no value is above 1/l of a snapshot.

    Examples
    --------
    >>> rows = [(1, "30", "flu"), (1, "40", "flu"), (2, "50", "cold"), (2, "60", "cold")]
    >>> data = Dataset.from_snapshots(rows, ("age",), "ill")
    >>> Reposition(l=2, window=2).anonymize(data, Run(bytes(32))).release
    Release(snapshots by reposition: 4 of 4 records, l-diversity (l=2, window=2))

    As a stream, snapshot by snapshot:

    >>> stream = Reposition(l=2, window=2).stream(data.schema, data.clock, secret=bytes(32))
    >>> [leaving.time for snapshot in stream.cut(data) for leaving in stream.push(snapshot)]
    []
    >>> [(leaving.time, leaving.table.num_rows) for leaving in stream.flush()]
    [(2, 4)]

    References
    ----------
    Wang et al., Anonymizing Temporal Data (2010).
    """

    name: ClassVar[str] = "reposition"
    summary: ClassVar[str] = "Publishes records a few snapshots late so that no value dominates a snapshot; a stream."
    paper: ClassVar[str] = "Wang et al., Anonymizing Temporal Data (2010)"
    kinds: ClassVar[tuple[str, ...]] = ("snapshots",)
    promises: ClassVar[tuple[type[Guarantee], ...]] = (LDiversity, LEligibility)
    optimises: ClassVar[str] = "cost of late and suppressed records, window by window"

    l: Annotated[int, Param("One over the largest share a sensitive value may have.", ge=2)]
    window: Annotated[int, Param("Number of snapshots in which a record may be published.", ge=1, le=366)] = 7
    cost: Annotated[
        str, Param("Cost of publishing d snapshots late: linear, quadratic or a table such as 1,3,6 for d=1,2,3.")
    ] = "linear"
    beta: Annotated[
        str | None,
        Param("Cost of suppressing a record: a number, or by value as in flu=20,*=10. By default that of a window."),
    ] = None
    then: Annotated[str, Param("What makes an eligible snapshot publishable.", choices=tuple(STEPS))] = "anatomy"
    late: Annotated[
        str,
        Param("Records that arrive after their snapshot has left the window.", choices=("withhold", "error")),
    ] = "withhold"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.costs()

    def costs(self) -> CostModel:
        """Return the costs in whole numbers."""
        return CostModel.read(type(self).__name__, self.cost, self.beta, self.window)

    def stream(
        self, schema: Schema, clock: Clock | None = None, *, secret: Secret | bytes | None = None
    ) -> SnapshotStream:
        """Begin a stream of snapshots whose records have the columns of the schema."""
        from sfumato.families.snapshot_stream import SnapshotStream

        step = STEPS[self.then]
        return SnapshotStream(
            schema,
            clock or Clock(),
            self.l,
            self.costs(),
            step,
            Secret.fresh() if secret is None else Secret.of(secret),
            self.late,
        )

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release of all snapshots."""
        from sfumato.families.snapshot_release import release_snapshots

        self.accept(dataset, 1)
        return release_snapshots(self, dataset, self.stream(dataset.schema, dataset.clock, secret=run.secret), run)
