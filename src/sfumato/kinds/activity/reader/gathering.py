"""Activities that are read bucket by bucket."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from sfumato.data.dataset import Dataset
from sfumato.kinds.activity.dataset import UNKNOWN
from sfumato.kinds.activity.reader.diaries import NAMES, WORDS
from sfumato.kinds.activity.reader.homes import looks_like_adl, looks_like_aras
from sfumato.readers.constraints import resolve_sensitive
from sfumato.readers.options import Reading
from sfumato.readers.ownership import OWNER
from sfumato.readers.partitioned.gathering import All, Gathering, ReadWhole, leave_out
from sfumato.readers.roles import assign_roles

__all__ = ["GATHERING", "find_person", "has_episodes"]

_FOUND = re.compile(r"Found .*? and (.*), with [\d,]+ activities\.", re.DOTALL)


def has_episodes(names: Sequence[str], reading: Reading) -> bool:
    """Tell whether the columns of a table are those of episodes, and not slots.

    Examples
    --------
    >>> has_episodes(["person", "start", "end", "activity"], Reading("activity"))
    True
    """
    role_names = {name.lower() for role in ("start", "end", "activity", "duration") for name in (role, *NAMES[role])}
    evidence = role_names & {name.lower() for name in names} or set(reading.columns) - {"person", OWNER}
    return reading.slots is None and bool(evidence)


def find_person(names: Sequence[str], reading: Reading) -> str | None:
    """Return the column of the person in a table of slots.

    Examples
    --------
    >>> find_person(["id", "t1", "t2"], Reading("activity", columns={"person": "id"}))
    'id'
    """
    person_names, taken = {"person", *NAMES["person"]}, (*reading.drop, reading.columns.get(OWNER))
    candidates = (name for name in names if name.lower() in person_names and name not in taken)
    return reading.columns.get("person") or next(candidates, None)


def _keep_together(names: Sequence[str], reading: Reading) -> str:
    if OWNER in reading.columns or reading.weight is not None:
        raise ReadWhole("whose records are, or what they weigh, is decided by all rows")
    if has_episodes(names, reading):
        columns = assign_roles("", names, reading, WORDS).columns
        if OWNER in columns:
            raise ReadWhole("a record must be of one owner, which all rows decide")
        person = columns.get("person")
    else:
        person = find_person(names, reading)
    if person is None or person not in names:
        raise ReadWhole("there is no column for the person")
    return person


def _is_table(sample: Sequence[str], reading: Reading) -> bool:
    described = reading.format or reading.header or reading.delimiter or reading.columns
    return bool(described) or not (looks_like_adl(sample[:5]) or looks_like_aras(sample[:5]))


def _settle(summary: All, reading: Reading) -> tuple[Dataset, list[str]]:
    """Say which activities are sensitive."""
    labels = list(summary.dataset.view_history().labels)
    sensitive = resolve_sensitive(reading.sensitive, labels, summary.name)
    return dataclasses.replace(
        summary.dataset, schema=dataclasses.replace(summary.dataset.schema, sensitive=sensitive)
    ), []


def _rebuild(summary: All, notes: Sequence[Sequence[str]]) -> dict[str, str]:
    """Say how many there are of everything, and how much time nothing is known about."""
    counts, labels = summary.survey.counts, summary.dataset.view_history().labels
    slots = next(match[1] for bucket in notes for note in bucket if (match := _FOUND.fullmatch(note)))
    used, gap = int((counts > 0).sum()), summary.dataset.reading.get("gap") or UNKNOWN
    lost = len(labels) - used
    missing = counts[labels.index(gap)] / max(int(counts.sum()), 1) if gap in labels else 0.0
    return {
        "Activities that never take": f"Activities that never take most of a slot: {lost:,}. A finer resolution would "
        "keep them." * bool(lost),
        "Found ": f"Found {summary.dataset.unit.count(summary.records)} and {slots}, with {used:,} activities.",
        "Time nothing is known": f"Time nothing is known about, which is called {gap}: {100 * missing:.3g} %."
        * bool(missing),
    }


def _loosen(reading: Reading) -> Reading:
    return leave_out(reading, ("sensitive",))


def _grow(reading: Reading) -> float:
    """A row of an episode becomes a slot for every minute or second of it."""
    return {"second": 1200.0, "minute": 20.0}.get(reading.resolution or "minute", 1.0)


GATHERING = Gathering(_keep_together, _is_table, _settle, _rebuild, _loosen, growth=_grow)
