"""Reading of activities bucket by bucket."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.kinds.activity.dataset import UNKNOWN
from sfumato.kinds.activity.reader.diaries import NAMES, WORDS
from sfumato.kinds.activity.reader.homes import is_adl, is_aras
from sfumato.kinds.activity.reader.notes import GAP, LOST, note_gap, note_lost, note_slots
from sfumato.readers.constraints import resolve_sensitive
from sfumato.readers.notes import SUMMARY
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER
from sfumato.readers.partitioned.reading import All, PartitionedReading, ReadWhole, leave_out
from sfumato.readers.roles import assign_roles

__all__ = ["PARTITIONED_READING", "find_person", "has_episodes"]


def has_episodes(names: Sequence[str], read_options: ReadOptions) -> bool:
    """Return whether the columns of a table are those of episodes, and not slots.

    Examples
    --------
    >>> has_episodes(["person", "start", "end", "activity"], ReadOptions("activity"))
    True
    """
    role_names = {name.lower() for role in ("start", "end", "activity", "duration") for name in (role, *NAMES[role])}
    role_columns = role_names & {name.lower() for name in names} or set(read_options.columns) - {"person", OWNER}
    return read_options.slots is None and bool(role_columns)


def find_person(names: Sequence[str], read_options: ReadOptions) -> str | None:
    """Return the column of the person in a table of slots.

    Examples
    --------
    >>> find_person(["id", "t1", "t2"], ReadOptions("activity", columns={"person": "id"}))
    'id'
    """
    person_names, taken = {"person", *NAMES["person"]}, (*read_options.drop, read_options.columns.get(OWNER))
    candidates = (name for name in names if name.lower() in person_names and name not in taken)
    return read_options.columns.get("person") or next(candidates, None)


def _find_person_column(names: Sequence[str], read_options: ReadOptions) -> str:
    if OWNER in read_options.columns or read_options.weight is not None:
        raise ReadWhole("people or weights need all rows")
    if has_episodes(names, read_options):
        columns = assign_roles("", names, read_options, WORDS).columns
        if OWNER in columns:
            raise ReadWhole("a record must be of one owner, which all rows decide")
        person = columns.get("person")
    else:
        person = find_person(names, read_options)
    if person is None or person not in names:
        raise ReadWhole("there is no column for the person")
    return person


def _is_table(sample: Sequence[str], read_options: ReadOptions) -> bool:
    described = read_options.format or read_options.header or read_options.delimiter or read_options.columns
    return bool(described) or not (is_adl(sample[:5]) or is_aras(sample[:5]))


def _finish(summary: All, read_options: ReadOptions) -> tuple[Dataset, list[Note]]:
    """Add which activities are sensitive."""
    labels = list(summary.dataset.view_history().labels)
    sensitive = resolve_sensitive(read_options.sensitive, labels, summary.name)
    return dataclasses.replace(
        summary.dataset, schema=dataclasses.replace(summary.dataset.schema, sensitive=sensitive)
    ), []


def _summarise(summary: All, notes: Sequence[Sequence[Note]]) -> dict[str, Note | None]:
    """Note how many there are of everything, and for which share of the time no activity is known."""
    data, counts, labels = summary.dataset, summary.survey.counts, summary.dataset.view_history().labels
    slots = next(note.counts["slots"] for bucket in notes for note in bucket if note.code == SUMMARY)
    used, gap = int((counts > 0).sum()), data.read_options.get("gap") or UNKNOWN
    lost = len(labels) - used
    missing = counts[labels.index(gap)] / max(int(counts.sum()), 1) if gap in labels else 0.0
    return {
        LOST: note_lost(lost) if lost else None,
        SUMMARY: note_slots(data.unit, data.time_unit, summary.records, slots, used),
        GAP: note_gap(gap, missing) if missing else None,
    }


def _relax(read_options: ReadOptions) -> ReadOptions:
    return leave_out(read_options, ("sensitive",))


def _grow(read_options: ReadOptions) -> float:
    """A row of an episode becomes a slot for every minute or second of it."""
    return {"second": 1200.0, "minute": 20.0}.get(read_options.resolution or "minute", 1.0)


PARTITIONED_READING = PartitionedReading(_find_person_column, _is_table, _finish, _summarise, _relax, growth=_grow)
