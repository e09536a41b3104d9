"""Tables that are read bucket by bucket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.data.dataset import Dataset
from sfumato.hierarchies.rules import RULES
from sfumato.kinds.table.reader.roles import name_columns
from sfumato.readers.options import Reading
from sfumato.readers.ownership import OWNER
from sfumato.readers.partitioned.gathering import All, Gathering, ReadWhole

__all__ = ["GATHERING", "keep_together", "refuse_derived"]


def keep_together(names: Sequence[str], reading: Reading) -> str | None:
    """Return the one identifier of a table, so that it is seen whether it names a record twice; None without any.

    Examples
    --------
    >>> keep_together(["name", "age"], Reading("table", identifier=("name",), quasi=("age",)))
    'name'
    """
    if OWNER in reading.columns or reading.weight is not None or reading.population is not None:
        raise ReadWhole("whose records are, what they weigh, or where they come from, is decided by all rows")
    if reading.missing not in {"keep", "error"}:
        raise ReadWhole("rows are left out or filled in")
    refuse_derived(reading.hierarchies)
    named = [column for column in name_columns(reading.identifier, list(names)) if column in names]
    if len(named) > 1:
        raise ReadWhole("it has several identifiers")
    return named[0] if named else None


def refuse_derived(hierarchies: Mapping[str, str]) -> None:
    """Ask for all rows where a hierarchy is derived from the values of all people."""
    if any(given.split(":")[0] in RULES for given in hierarchies.values()):
        raise ReadWhole("hierarchies are derived from all values")


def _settle(summary: All, _: Reading) -> tuple[Dataset, list[str]]:
    return summary.dataset, []


GATHERING = Gathering(
    keep_together,
    lambda _sample, _reading: True,
    _settle,
    lambda _found, _notes: {},
    lambda reading: reading,
)
