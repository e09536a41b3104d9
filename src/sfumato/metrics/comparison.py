"""An original and its release side by side, with what several measures need to know about them."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.workload import Workload
from sfumato.release.release import Release

__all__ = ["Comparison"]

Ints = npt.NDArray[np.int64]
View = TypeVar("View")

_NO_ROW_MAP = (
    "the release is locally recoded, so which record became which cannot be told from the release alone. "
    "Give the owner's row map (rows)."
)


@dataclasses.dataclass(frozen=True, eq=False)
class Comparison:
    """What was, what is published of it, and how the two correspond.

    Derived arrays are computed once, when a measure first asks for them. A published *value* is a label
    of the release; it stands for exactly one of its *members*, which are original places.

    Parameters
    ----------
    original, release
        The data, and what was made of them.
    rows
        Original row of every published row, as the owner's trace has it. Where the recoding is the same
        for everybody it may be left out: then each published record is matched with an original one that
        is published as the same values. Records that are published alike are told apart by nobody, and
        when one of several such is withheld the first ones count as published.
    seed
        Seed of measures that sample.
    workload
        Queries of measures that ask; by default they draw their own.
    part_of
        Where this is a partition of a release: the original of all partitions, whose numbering of values the original
        of this partition shares. Otherwise the original is the whole.
    chosen
        Rows of the whole that this partition has; None where it has all of them.
    partition
        Number of the partition, from 0.

    Examples
    --------
    >>> import sfumato as sf
    >>> at = {"a": (0, 0), "b": (1, 0), "c": (4, 0)}
    >>> data = sf.Dataset.of("trajectories", [["a", "c"], ["b", "c"], ["c"]], at)
    >>> result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32))
    >>> Comparison(data, result.release, result.owner_record.rows).members.lists()
    [['c'], ['a', 'b']]
    """

    original: Dataset
    release: Release
    rows: Ints | None = None
    seed: int = 0
    workload: Workload | None = None
    partition_of: FullOriginal | None = None
    chosen: Ints | None = None
    partition: int = 0

    def __post_init__(self) -> None:
        if self.rows is None:
            return
        rows = np.asarray(self.rows, dtype=np.int64)
        if rows.shape != (len(self.release),):
            raise ParameterError(
                f"Comparison: rows must name one original row for each of the {len(self.release):,} "
                f"published records, got {rows.size:,}."
            )
        inside = (rows >= 0) & (rows < len(self.original))
        if not inside.all() or np.bincount(rows).max(initial=0) > 1:
            raise ParameterError(
                f"Comparison: rows must name different rows of the {len(self.original):,} original records. "
                "The row map or the original data do not belong to this release."
            )
        object.__setattr__(self, "rows", rows)

    @cached_property
    def full_original(self) -> FullOriginal:
        """The original of all partitions, and what is known of it."""
        return self.partition_of or FullOriginal(self.original, self.seed, self.workload)

    @cached_property
    def _views(self) -> dict[Any, Any]:
        return {}

    def view(self, way: Callable[[Comparison], View]) -> View:
        """Return what a kind of data makes of this comparison, made once for all measures.

        Examples
        --------
        >>> import sfumato as sf
        >>> from sfumato.kinds.sets.comparison import SetComparison
        >>> data = sf.Dataset.of("sets", [["wine"], ["wine"]])
        >>> release = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32)).release
        >>> comparison = Comparison(data, release)
        >>> comparison.view(SetComparison) is comparison.view(SetComparison)
        True
        """
        if way not in self._views:
            self._views[way] = way(self)
        cached_view: View = self._views[way]
        return cached_view

    @cached_property
    def history(self) -> ListColumn:
        """Original histories; codes are places."""
        return self.original.history()

    @cached_property
    def published(self) -> ListColumn:
        """Published histories; codes are values."""
        return self.release.history()

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Labels of all places: the original ones by their codes, then members that nobody visits here.

        The latter occur when a recoding learnt on other data was applied to these.
        """
        codes = self._code_of
        groups = self.release.members()
        labels = self.published.labels
        if any(label not in codes for label in labels if label not in groups):
            raise SchemaError(
                "Comparison: the release has exact values that the original data do not have. "
                "Compare it with the data it was made from."
            )
        others = {member for label in labels for member in groups.get(label, ()) if member not in codes}
        return (*self.history.labels, *sorted(others)) if others else self.history.labels

    @property
    def _code_of(self) -> dict[str, int]:
        """Code of every original place."""
        return self.full_original.cached(
            "code of place", lambda: {label: at for at, label in enumerate(self.history.labels)}
        )

    @cached_property
    def members(self) -> ListColumn:
        """Members of every value: row v holds the places that value v may be, in ascending order."""
        code_of = self._code_of
        if len(self.places) > len(code_of):
            code_of = {label: code for code, label in enumerate(self.places)}
        groups = self.release.members()
        rows = [sorted({code_of[m] for m in groups.get(v, (v,))}) for v in self.published.labels]
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        codes = np.array([code for row in rows for code in row], dtype=np.int32)
        return ListColumn(offsets, codes, self.places)

    @cached_property
    def keys(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """What tells every value from those of other partitions: its label, and its members where it has several."""
        groups = np.split(self.members.codes, self.members.offsets[1:-1]) if len(self.members) else []
        return tuple(
            (label, tuple(group.tolist()) if len(group) > 1 else ())
            for label, group in zip(self.published.labels, groups, strict=True)
        )

    @cached_property
    def sizes(self) -> Ints:
        """Number of members of every value; 1 where a place is published as it is."""
        return self.members.lengths

    @cached_property
    def generalised(self) -> npt.NDArray[np.bool_]:
        """Which values stand for more than one place."""
        return self.sizes > 1

    @cached_property
    def is_global(self) -> bool:
        """Whether every place is published as one value only, the same for everybody, and in its old position.

        Records with times are published group by group, and sets in an order of their own.
        """
        form = next((column.form for column in self.release.columns if column.role == "history"), None)
        timed = any(column.role == "time" for column in self.release.columns)
        if timed or form is None or form.meaning != "one of":
            return False
        return len(np.unique(self.members.codes)) == len(self.members.codes)

    @property
    def obstacle(self) -> str | None:
        """Why records cannot be matched, or None when they can."""
        return _NO_ROW_MAP if self.rows is None and not self.is_global else None

    @cached_property
    def row_map(self) -> Ints:
        """Original row of every published row: the owner's, or one that fits a global recoding."""
        if self.rows is not None:
            return self.rows
        if self.obstacle:
            raise SfumatoError(f"Comparison: {self.obstacle}")
        value_of = np.full(len(self.places), -1, dtype=np.int32)
        value_of[self.members.codes] = self.members.row_of_token
        retained = self.history.keep(~self._is_suppressed[self.history.codes])
        waiting: dict[bytes, list[int]] = {}
        for row, key in reversed(list(enumerate(_row_keys(retained.offsets, value_of[retained.codes])))):
            waiting.setdefault(key, []).append(row)
        rows = np.empty(len(self.published), dtype=np.int64)
        for row, key in enumerate(_row_keys(self.published.offsets, self.published.codes)):
            if not waiting.get(key):
                raise _misfit(row, "is not what any record of the original data, not yet matched, becomes")
            rows[row] = waiting[key].pop()
        return rows

    @cached_property
    def originals(self) -> ListColumn:
        """Original histories of the published records, in the published order."""
        return self.history.take(self.row_map)

    @cached_property
    def published_values(self) -> npt.NDArray[np.int32]:
        """Published value of every entry of :attr:`originals`; -1 where the place is suppressed."""
        is_published = ~self._is_suppressed[self.originals.codes]
        left = self.originals.keep(is_published)
        wrong = np.flatnonzero(left.lengths != self.published.lengths)
        if len(wrong):
            raise _misfit(int(wrong[0]), "has another number of places than its original")
        values = np.full(len(self.originals.codes), -1, dtype=np.int32)
        values[is_published] = self.published.codes
        return values

    @cached_property
    def member_entries(self) -> Ints:
        """Where each published entry's true place stands in ``members.codes``, entry by entry."""
        width = len(self.places)
        keys = self.members.row_of_token * width + self.members.codes
        is_published = self.published_values >= 0
        wanted = self.published_values[is_published].astype(np.int64) * width + self.originals.codes[is_published]
        if not len(wanted):
            return np.empty(0, dtype=np.int64)
        positions = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        wrong = np.flatnonzero(keys[positions] != wanted)
        if len(wrong):
            row = int(np.searchsorted(self.published.offsets, wrong[0], side="right")) - 1
            raise _misfit(row, "does not cover what its original visited")
        return positions

    @cached_property
    def _is_suppressed(self) -> npt.NDArray[np.bool_]:
        removed = set(self.release.suppressed())
        return np.array([label in removed for label in self.history.labels], dtype=bool)


def _row_keys(offsets: Ints, codes: npt.NDArray[np.int32]) -> list[bytes]:
    data = np.ascontiguousarray(codes, dtype=np.int32).tobytes()
    bounds = (offsets * 4).tolist()
    return [data[a:b] for a, b in itertools.pairwise(bounds)]


def _misfit(row: int, finding: str) -> SchemaError:
    return SchemaError(
        f"Comparison: published row {row + 1} {finding}. "
        "The row map or the original data do not belong to this release."
    )
