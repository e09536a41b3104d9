"""Names of columns of event logs, and hierarchies of events."""

from __future__ import annotations

from sfumato.data.notes import Note
from sfumato.data.record_unit import RecordUnit
from sfumato.exceptions import ParameterError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.rules import derive_hierarchy
from sfumato.messages import Message, option
from sfumato.readers.hierarchies import read_hierarchy
from sfumato.readers.notes import SUMMARY
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER
from sfumato.readers.roles import EVENT_LOGS, UNUSED_IN_EVENT_LOGS, Vocabulary

__all__ = ["WORDS", "note_events", "read_hierarchies"]

WORDS = Vocabulary(
    roles={role: role for role in ("person", "time", "event", OWNER)},
    names={name: role for role, names in EVENT_LOGS.items() for name in names},
    unused=UNUSED_IN_EVENT_LOGS,
)


def note_events(unit: RecordUnit, records: int, events: int, kinds: int) -> Note:
    """Note how many records and events there are.

    Examples
    --------
    >>> from sfumato.data.record_unit import PERSON
    >>> str(note_events(PERSON, 1, 2, 2))
    'Found 1 person and 2 events of 2 kinds.'
    """
    return Note(
        SUMMARY,
        "Found {records} {records:{one}|{many}} and {events} {events:event|events} of {kinds} {kinds:kind|kinds}.",
        {"records": records, "events": events, "kinds": kinds},
        details={"one": unit.one, "many": unit.many},
    )


def read_hierarchies(read_options: ReadOptions, name: str, labels: list[str], rows: list[int]) -> dict[str, Hierarchy]:
    """Read the hierarchy of events from its file, or derive it from their order; it must know all of them."""
    strange = [column for column in read_options.hierarchies if column != "event"]
    if strange:
        raise ParameterError(
            Message(option("hierarchies"), f" of sequences can be of event only, got {strange[0]!r}."),
            column=strange[0],
            hint=Message("Give ", option("hierarchies", {"event": "FILE"}), "."),
        )
    given = read_options.hierarchies.get("event")
    if given is None:
        return {}
    hierarchy = derive_hierarchy(given, labels, rows=rows) or read_hierarchy(given, root=read_options.hierarchy_root)
    hierarchy.require(labels, f"{name}: hierarchy of event", rows)
    return {"event": hierarchy}
