"""How late records are published, and how many are not published at all."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from sfumato.kinds.snapshots.comparison import SnapshotComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Better, Metric, Operation

__all__ = ["PublicationDelay"]


@dataclasses.dataclass(frozen=True)
class PublicationDelay(Metric):
    """Mean number of snapshots that published records are late.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("snapshots", [(1, "flu"), (1, "flu"), (2, "cold"), (2, "cold")], (), "ill")
    >>> result = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), secret=bytes(32))
    >>> PublicationDelay().measure(Comparison(data, result.release, result.owner_record.rows))
    publication-delay: 0.5 snapshots (lower is better; 0: published when it happened; no upper bound)
      Average number of snapshots by which records are published late.
      longest           1
      late share        0.5
      suppressed share  0
    """

    name: ClassVar[str] = "publication-delay"
    title: ClassVar[str] = "Delay of publication"
    explanation = "Average number of snapshots by which records are published late."
    unit: ClassVar[str] = "snapshots"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: published when it happened; no upper bound"
    paper: ClassVar[str] = "Wang et al., Anonymizing Temporal Data (2010), II.C"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise",)
    not_monotone: ClassVar[str] = "Suppressed records are not late: suppressing late records lowers the mean."

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say that the row map is missing."""
        reason = super().obstacle(comparison)
        return reason or (None if comparison.rows is not None else "needs the owner's row map.")

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Average the delays."""
        delays = SnapshotComparison(comparison).delays
        return float(delays.mean()) if len(delays) else 0.0, {
            "longest": int(delays.max(initial=0)),
            "late_share": float((delays > 0).mean()) if len(delays) else 0.0,
            "suppressed_share": 1.0 - len(delays) / max(len(comparison.original), 1),
        }
