"""What columns of event logs are called, and what the owner says about events."""

from __future__ import annotations

from sfumato.exceptions import ParameterError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.rules import derive_hierarchy
from sfumato.readers.hierarchies import read_hierarchy
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER
from sfumato.readers.roles import EVENT_LOGS, UNUSED_IN_EVENT_LOGS, Vocabulary

__all__ = ["WORDS", "read_hierarchies"]

WORDS = Vocabulary(
    roles={role: role for role in ("person", "time", "event", OWNER)},
    names={name: role for role, names in EVENT_LOGS.items() for name in names},
    unused=UNUSED_IN_EVENT_LOGS,
)


def read_hierarchies(read_options: ReadOptions, name: str, labels: list[str], rows: list[int]) -> dict[str, Hierarchy]:
    """Read the hierarchy of events from its file, or derive it from their order; it must know all of them."""
    strange = [column for column in read_options.hierarchies if column != "event"]
    if strange:
        raise ParameterError(f"reading: sequences have a hierarchy of event only, not of {strange[0]!r}.")
    given = read_options.hierarchies.get("event")
    if given is None:
        return {}
    hierarchy = derive_hierarchy(given, labels, rows=rows) or read_hierarchy(given, root=read_options.hierarchy_root)
    hierarchy.require(labels, f"{name}: hierarchy of event", rows)
    return {"event": hierarchy}
