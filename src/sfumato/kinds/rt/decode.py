"""A published table with sets read back: classes of records, what can be known of their sets, and what is sensitive."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.checks.cache import cached
from sfumato.checks.classes import Classes
from sfumato.checks.values import can
from sfumato.data.coded import Coded
from sfumato.data.lists import ListColumn
from sfumato.release.decode import decode
from sfumato.release.release import Release

__all__ = ["PublishedRecords"]

Flags = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True, eq=False)
class PublishedRecords:
    """The records of a release: the class of each, and its set of values.

    Attributes
    ----------
    table
        Classes of records that are the same in all quasi-identifiers.
    items
        Published values of every record, and the items that they stand for.
    sensitive_items
        Items that are no part of what is known.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("rt", [(20,), (20,)], ("age",), [["a", "s"], ["a"]], sensitive_items=("s",))
    >>> release = sf.anonymize(data, sf.methods.RFirst(k=2, m=1, transaction="coat"), secret=bytes(32)).release
    >>> records = PublishedRecords.of(release)
    >>> records.known_values.lists(), int(records.having.sum()), records.table.sizes.tolist()
    ([['a'], ['a']], 1, [2])
    """

    table: Classes
    items: Coded
    sensitive_items: tuple[str, ...]

    @classmethod
    @cached
    def of(cls, release: Release) -> PublishedRecords:
        """Read a release whose structure was checked."""
        decoded = decode(release)
        hidden = tuple(getattr(release.guarantee, "sensitive", ()))
        return cls(Classes.of(decoded), decoded.with_role("history")[0], hidden)

    @cached_property
    def values(self) -> ListColumn:
        """Published values of every record, each once."""
        return self.items.lists.distinct()

    @cached_property
    def known_values(self) -> ListColumn:
        """Values that are not a sensitive item."""
        is_ordinary = np.array([label not in self.sensitive_items for label in self.values.labels], dtype=bool)
        return self.values.keep(is_ordinary[self.values.codes] if len(is_ordinary) else np.zeros(0, dtype=bool))

    @cached_property
    def having(self) -> Flags:
        """Which records have which sensitive item, or may have it: one column per item."""
        flags = np.zeros((len(self.values), len(self.sensitive_items)), dtype=bool)
        rows, labels = self.values.row_of_token, self.items.values.labels
        for at, item in enumerate(self.sensitive_items):
            holds = can(self.items.values, np.array([label == item for label in labels], dtype=bool))
            flags[rows[holds[self.values.codes]], at] = True
        return flags
