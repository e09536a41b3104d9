"""Notes on activities as a whole: of one file, or of all buckets of one."""

from __future__ import annotations

from sfumato.data.notes import Note
from sfumato.data.record_unit import RecordUnit
from sfumato.data.time_units import TimeUnit
from sfumato.readers.notes import SUMMARY

__all__ = ["GAP", "LOST", "note_gap", "note_lost", "note_slots"]

GAP, LOST = "unknown-time", "activities-lost"


def note_slots(unit: RecordUnit, time_unit: TimeUnit, records: int, slots: int, activities: int) -> Note:
    """Note how many records, slots and activities there are.

    Examples
    --------
    >>> from sfumato.data.record_unit import PERSON
    >>> str(note_slots(PERSON, TimeUnit("hour"), 1, 24, 2))
    'Found 1 person and 24 slots of an hour, with 2 activities.'
    """
    article = "an" if time_unit.unit == "hour" else "a"
    length = f" of {article} {time_unit.unit}" if time_unit.unit else ""
    return Note(
        SUMMARY,
        "Found {records} {records:{one}|{many}} and {slots} {slots:slot|slots}{length}, with {activities} "
        "{activities:activity|activities}.",
        {"records": records, "slots": slots, "activities": activities},
        details={"one": unit.one, "many": unit.many, "length": length},
    )


def note_gap(name: str, share: float) -> Note:
    """Note for which share of the time no activity is known.

    Examples
    --------
    >>> str(note_gap("(gap)", 0.625))
    'No activity is known for 62.5 % of the time; it is called (gap).'
    """
    details = {"share": f"{100 * share:.3g}", "name": name}
    return Note(GAP, "No activity is known for {share} % of the time; it is called {name}.", details=details)


def note_lost(activities: int) -> Note:
    """Note how many activities no slot has.

    Examples
    --------
    >>> str(note_lost(1))
    '1 activity never takes most of a slot; a finer resolution would keep it.'
    """
    return Note(
        LOST,
        "{activities} {activities:activity never takes|activities never take} most of a slot; a finer resolution would "
        "keep {activities:it|them}.",
        {"activities": activities},
    )
