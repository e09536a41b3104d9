"""A published table with sets read back: classes of records, what can be known of their sets, and what is sensitive."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.checks.cache import cached
from sfumato.data.lists import ListColumn
from sfumato.kinds.table.decode import PublishedTable
from sfumato.release.release import Release

__all__ = ["PublishedRecords"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True, eq=False)
class PublishedRecords:
    """The records of a release: the class of each, and its set of values.

    Attributes
    ----------
    table
        Quasi-identifiers, and the classes of records that are the same in all of them.
    values
        Published values of every record, each once.
    members
        Items of every generalised value; other values are the item of that name.
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

    table: PublishedTable
    values: ListColumn
    members: dict[str, tuple[str, ...]]
    sensitive_items: tuple[str, ...]

    @classmethod
    @cached
    def of(cls, release: Release) -> PublishedRecords:
        """Read a release whose structure was checked."""
        hidden = tuple(getattr(release.guarantee, "sensitive", ()))
        return cls(PublishedTable.of(release), release.history().distinct(), release.members(), hidden)

    @cached_property
    def known_values(self) -> ListColumn:
        """Values that are not a sensitive item."""
        hidden = set(self.sensitive_items)
        is_ordinary = np.array([label not in hidden for label in self.values.labels], dtype=bool)
        return self.values.keep(is_ordinary[self.values.codes] if len(is_ordinary) else np.zeros(0, dtype=bool))

    @cached_property
    def having(self) -> Flags:
        """Which records have which sensitive item, or may have it: one column per item."""
        flags = np.zeros((len(self.values), len(self.sensitive_items)), dtype=bool)
        rows = self.values.row_of_token
        for at, item in enumerate(self.sensitive_items):
            holders = [
                code for code, label in enumerate(self.values.labels) if item in self.members.get(label, (label,))
            ]
            flags[rows[np.isin(self.values.codes, holders)], at] = True
        return flags
