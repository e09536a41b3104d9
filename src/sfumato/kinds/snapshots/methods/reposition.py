"""Reposition: publish some records a little later, so that every snapshot can be made l-diverse."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, ClassVar

import pyarrow.compute as pc

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.schema import Schema
from sfumato.data.secret import Secret
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.kinds.snapshots.costs import CostModel
from sfumato.kinds.snapshots.guarantees import DELAYS, DELAYS_HELP, LDiversity, LEligibility
from sfumato.kinds.snapshots.methods._base.eligible_steps import STEPS
from sfumato.params import Param
from sfumato.release.release import Result
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.snapshots.methods._base.stream import SnapshotStream

__all__ = ["Reposition"]


@dataclasses.dataclass(frozen=True)
class Reposition(Method):
    """Publish records up to window-1 snapshots late, or not at all, so that no value is above 1/l of a snapshot.

    Examples
    --------
    >>> rows = [(1, "30", "flu"), (1, "40", "flu"), (2, "50", "cold"), (2, "60", "cold")]
    >>> data = Dataset.of("snapshots", rows, ("age",), "ill")
    >>> Reposition(l=2, window=2).anonymize(data, Run(bytes(32))).release
    Release(snapshots by reposition: 4 of 4 records, l-diversity (l=2, window=2, delays=paper))

    As a stream, snapshot by snapshot:

    >>> stream = Reposition(l=2, window=2).stream(data.schema, data.time_unit, secret=bytes(32))
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
    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (LDiversity, LEligibility)
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
        str | None,
        Param(
            "Records of a feed that arrive after their snapshot has left; withhold unless delays are hidden.",
            choices=("withhold", "error"),
        ),
    ] = None
    delays: Annotated[str, Param(DELAYS_HELP, choices=DELAYS)] = "paper"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.costs()
        if self.delays == "hidden" and (self.cost != "linear" or self.beta is not None):
            raise ParameterError("Reposition: delays=hidden weighs no costs by value: leave out cost and beta.")
        if self.delays == "hidden" and self.late == "withhold":
            raise ParameterError(
                "Reposition: delays=hidden cannot withhold records because they arrive late, since that may depend on "
                "their value. Leave out late, so that such records are refused."
            )

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:
        """Say what late and missing records tell, and under which knowledge no value is likelier than 1/l."""
        if getattr(guarantee, "delays", "paper") == "paper":
            return ("A late or missing record most likely had a value that was too frequent in its snapshot.",)
        sentence = "1 in l holds for someone who looks only at the group of a person. "
        return (
            f"{sentence if isinstance(guarantee, LDiversity) else ''}What came on time, and what did not, can make a "
            "value likelier, even certain.",
        )

    def costs(self) -> CostModel:
        """Return the costs in whole numbers."""
        return CostModel.read(type(self).__name__, self.cost, self.beta, self.window)

    def stream(
        self, schema: Schema, time_unit: TimeUnit | None = None, *, secret: Secret | bytes | None = None
    ) -> SnapshotStream:
        """Begin a stream of snapshots whose records have the columns of the schema."""
        from sfumato.kinds.snapshots.methods._base.stream import SnapshotStream

        step = STEPS[self.then]
        return SnapshotStream(
            schema,
            time_unit or TimeUnit(),
            self.l,
            self.costs(),
            step,
            Secret.fresh() if secret is None else Secret.of(secret),
            self.late or "withhold",
            self.delays,
        )

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release of all snapshots."""
        from sfumato.kinds.snapshots.methods._base.stream import release_snapshots

        self.accept(dataset, 1)
        if self.delays == "hidden":
            self._refuse_dominant(dataset)
        return release_snapshots(self, dataset, self.stream(dataset.schema, dataset.time_unit, secret=run.secret), run)

    def _refuse_dominant(self, dataset: Dataset) -> None:
        """Refuse data in which one value is too frequent overall: hiding delays would cost most of them."""
        name = next(column.name for column in dataset.schema.columns if column.role == "sensitive")
        most = max(pc.value_counts(dataset.table.column(name)).field("counts").to_pylist())
        if self.l * most > len(dataset):
            raise InfeasibleError(
                f"Reposition: one sensitive value is that of {most:,} of {len(dataset):,} records "
                f"({100 * most / len(dataset):.3g} %), above 1 in l={self.l} of all. With delays=hidden no value is "
                "left out more than others, so records of all values would have to be withheld, nearly all of them "
                "where most snapshots are like that. Lower l, join or leave out that value, or use delays=paper, which "
                "withholds records of that value alone and thereby tells it."
            )
