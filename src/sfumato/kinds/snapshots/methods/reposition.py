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
from sfumato.messages import Message, parameter
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
    Release(snapshots by reposition: 4 of 4 records, 2-diversity, window of 2 snapshots)

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
    summary: ClassVar[str] = (
        "Publishes some records a few snapshots late so that no value dominates a snapshot; for streams."
    )
    paper: ClassVar[str] = "Wang et al., Anonymizing Temporal Data (2010)"
    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (LDiversity, LEligibility)
    optimises: ClassVar[str] = "cost of late and suppressed records, window by window"

    l: Annotated[int, Param("At most 1/l of records have the same sensitive value.", ge=2)]
    window: Annotated[int, Param("Number of snapshots in which a record may be published.", ge=1, le=366)] = 7
    cost: Annotated[
        str, Param("Cost of publishing d snapshots late: linear, quadratic or a table such as 1,3,6 for d=1,2,3.")
    ] = "linear"
    beta: Annotated[
        str | None,
        Param("Cost of suppressing a record: a number, or by value as in flu=20,*=10. By default that of a window."),
    ] = None
    then: Annotated[str, Param("How eligible snapshots are published.", choices=tuple(STEPS))] = "anatomy"
    late: Annotated[
        str | None,
        Param(
            "Records of a feed that arrive after their snapshot was published: withhold suppresses them "
            "(default unless delays are hidden).",
            choices=("withhold", "error"),
        ),
    ] = None
    delays: Annotated[str, Param(DELAYS_HELP, choices=DELAYS)] = "paper"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.costs()
        if self.delays == "hidden" and (self.cost != "linear" or self.beta is not None):
            raise ParameterError(
                Message(
                    self.message_name,
                    ": ",
                    parameter("cost"),
                    " and ",
                    parameter("beta"),
                    " do not apply to ",
                    parameter("delays", "hidden"),
                    ", which treats all values alike.",
                )
            )
        if self.delays == "hidden" and self.late == "withhold":
            raise ParameterError(
                Message(
                    self.message_name,
                    ": ",
                    parameter("late", "withhold"),
                    " does not apply to ",
                    parameter("delays", "hidden"),
                    ": which records come late may depend on their values.",
                ),
                hint=Message("Leave out ", parameter("late"), ", so that late records are refused."),
            )

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:
        """Say what late and missing records tell, and under which knowledge no value is likelier than 1/l."""
        if getattr(guarantee, "delays", "paper") == "paper":
            return ("A late or missing record most likely had a value that was too frequent in its snapshot.",)
        sentence = "1 in l holds for someone who sees only the group of a person. "
        return (
            f"{sentence if isinstance(guarantee, LDiversity) else ''}Which records came on time can make a "
            "value likelier, even certain.",
        )

    def costs(self) -> CostModel:
        """Return the costs in whole numbers."""
        return CostModel.read(self.message_name, self.cost, self.beta, self.window)

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
                Message(
                    self.message_name,
                    f": one sensitive value has {most:,} of {len(dataset):,} records ({100 * most / len(dataset):.3g} "
                    "%), "
                    f"above 1 in l={self.l}; ",
                    parameter("delays", "hidden"),
                    " would suppress nearly all records.",
                ),
                option="delays",
                hint=Message(
                    "Use a smaller ",
                    parameter("l"),
                    ", or merge or drop that value. Or use ",
                    parameter("delays", "paper"),
                    ", which suppresses only records of that value and so reveals it.",
                ),
            )
