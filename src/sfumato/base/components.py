"""What the components of a kind of data must have: modules and functions that its specification names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from sfumato.attacks.risk import Finding
    from sfumato.base.remaining import Remaining
    from sfumato.base.verdict import Verdict
    from sfumato.data.dataset import Dataset
    from sfumato.generators.options import Option
    from sfumato.metrics.comparison import Comparison
    from sfumato.metrics.partial_sums import PartialSums
    from sfumato.queries.published_view import PublishedView
    from sfumato.readers.options import ReadOptions
    from sfumato.release.release import Release
    from sfumato.reports.figure import Figure
    from sfumato.reports.judgement import Judgement
    from sfumato.reports.partitioned import Divided

    Ints = npt.NDArray[np.int64]

__all__ = [
    "Attacker",
    "FindInferences",
    "Folder",
    "Generator",
    "JudgePartitions",
    "PartitionsReport",
    "QueryBounds",
    "Reader",
    "Reconstruct",
    "Report",
    "SortKey",
    "Stream",
    "StrongerAttacker",
    "Verifier",
    "VerifyFaithful",
]


@runtime_checkable
class Reader(Protocol):
    """Reads files."""

    def read(self, path: Any, read_options: ReadOptions) -> Dataset:
        """Read a file, a folder or an archive."""


@runtime_checkable
class Generator(Protocol):
    """Generates data by models with options."""

    MODELS: dict[str, str]
    OPTIONS: dict[str, tuple[Option, ...]]

    def generate(self, size: int, seed: int, model: str = ..., **options: Any) -> pa.Table:
        """Generate a table, the same for the same seed."""


@runtime_checkable
class Verifier(Protocol):
    """Verifies the claim of a guarantee."""

    def verify(self, release: Release) -> Verdict:
        """Verify what the published files tell on their own."""

    def verify_against(self, release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
        """Verify what only the original shows."""


class FindInferences(Protocol):
    """Counts how sure a reader of the published files can be of sensitive values."""

    def __call__(self, release: Release, measured: Mapping[str, Any], /) -> Remaining:
        """Return what can be inferred, given what the verifier counted."""


class VerifyFaithful(Protocol):
    """Checks that published records are true to the original."""

    def __call__(self, release: Release, original: Dataset, rows: Any) -> Verdict:
        """Compare every published record with the one it was."""


@runtime_checkable
class Attacker(Protocol):
    """Attacks with the knowledge that a guarantee is about."""

    KNOWLEDGE: str

    def attack(self, release: Release, original: Dataset, rows: Any = None) -> Finding:
        """Attack a release."""

    def attack_original(self, dataset: Dataset, m: int = ...) -> Sequence[Finding]:
        """Attack data as they stand, with ever more knowledge."""

    def attack_by_knowledge(self, release: Release, original: Dataset, m: int, rows: Any = None) -> Sequence[Finding]:
        """Attack a release with ever more knowledge."""


@runtime_checkable
class StrongerAttacker(Protocol):
    """Does more with a knowledge than guarantees about it assume."""

    __name__: str

    def attack(self, release: Release, original: Dataset, rows: Any = None) -> Finding | None:
        """Attack a release; None where there is nothing to attack."""

    def attack_original(self, dataset: Dataset) -> Finding | None:
        """Attack data as they stand; None where there is nothing to attack."""


@runtime_checkable
class QueryBounds(Protocol):
    """Says what is certain of data, and what is possible."""

    def of_dataset(self, dataset: Dataset) -> PublishedView:
        """Return what data say: all is certain."""

    def of_release(self, release: Release) -> PublishedView:
        """Return what a release says."""


@runtime_checkable
class SortKey(Protocol):
    """Lays people in a line, so that those who are near each other are alike."""

    PARTITION_SIZE: int

    def compute_sort_key(self, dataset: Dataset, survey: Any = None) -> Any:
        """Return the place of every record in the line."""


@runtime_checkable
class Report(Protocol):
    """Writes the owner's report."""

    def render(self, comparison: Comparison, before: Any, after: Any, scores: Any, **more: Any) -> str:
        """Return the page."""

    def figures(self, comparison: Comparison, before: Any, after: Any, **more: Any) -> dict[str, Figure]:
        """Return the figures by name."""

    def picture(self, comparison: Comparison, before: Any, after: Any, path: str | Path) -> None:
        """Save the figures that say most side by side."""


@runtime_checkable
class PartitionsReport(Protocol):
    """Says what the report on a release in partitions shows of this kind."""

    def count_partition(self, comparison: Comparison) -> PartialSums:
        """Count in a partition what figures need."""

    def draw_partitions(self, seen: Divided) -> dict[str, Figure]:
        """Return the figures on all partitions by name."""

    def show_partitions(self, drawn: Mapping[str, Figure], seen: Divided) -> list[str]:
        """Return the sections of the page."""


class JudgePartitions(Protocol):
    """Judges a release in partitions as the report on one that is whole does."""

    def __call__(self, judged: Judgement, seen: Divided) -> Judgement:
        """Return the judgement, with what is special to this kind."""


class Reconstruct(Protocol):
    """Draws originals that fit a release."""

    def __call__(self, release: Release, seed: int | None, copies: int) -> list[Dataset]:
        """Return as many originals as asked for."""


@runtime_checkable
class Folder(Protocol):
    """Reads and checks releases of a shape of their own."""

    def read_folder(self, folder: Any, data: Any) -> Release:
        """Read a release."""

    def check_folder(self, release: Release, folder: Any) -> Verdict:
        """Check every file of it."""


@runtime_checkable
class Stream(Protocol):
    """Publishes records as they come."""

    StreamStopped: type[Exception]

    def is_feed(self, path: Any) -> bool:
        """Tell whether records come from a place bit by bit."""

    def publish_stream(self, *given: Any, **options: Any) -> Any:
        """Publish until the input ends."""
