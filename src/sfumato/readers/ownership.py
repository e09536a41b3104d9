"""What one record is and whose it is: told by the owner, or by the columns that make a record."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.record_unit import PERSON, RECORD, RecordUnit, parse_unit, plural
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.readers.cells import Cells, Labels, name_marked
from sfumato.readers.options import ReadOptions

__all__ = [
    "OWNER",
    "RecordPeople",
    "check_people",
    "correct_role_note",
    "describe_owners",
    "name_records",
    "resolve_unit",
]

Longs = npt.NDArray[np.int64]

OWNER = "owner"
"""Role of the column that says whose the records are, where a person may have several."""

_NOUNS = (
    *("basket", "session", "visit", "order", "invoice", "receipt", "transaction", "admission", "stay", "case"),
    "trip",
)
_SYNONYMS = {
    **dict.fromkeys(("tid", "traj", "trajectory", "trajectoryid"), "trip"),
    **dict.fromkeys(("hadm", "encounter"), "admission"),
    **dict.fromkeys(("caseid",), "case"),
    **dict.fromkeys(("sessionid",), "session"),
    **dict.fromkeys(("visitid",), "visit"),
    **dict.fromkeys(("transactionid",), "transaction"),
    **dict.fromkeys(("invoiceno",), "invoice"),
}


class RecordPeople(NamedTuple):
    """What one record is, and whose each one is where that is known."""

    unit: RecordUnit
    people: Cells | None = None

    def note(self, count: int) -> list[str]:
        """Say how many records people have, where they may have several."""
        unit = self.unit
        if not unit.owner:
            return []
        if self.people is None:
            return [f"{unit.explain()} The file does not tell whose a record is (columns: owner=NAME)."]
        counts = np.bincount(self.people.dictionary_encode().indices.to_numpy(zero_copy_only=False))
        return [describe_owners(unit, count, len(counts), int(counts.max(initial=0)))]


def describe_owners(unit: RecordUnit, count: int, owners: int, most: int) -> str:
    """Say how many records how many people have, and what that means for the promise.

    Examples
    --------
    >>> describe_owners(RecordUnit("day", "days", "person"), 3, 2, 2).partition(". ")[0]
    'There are 3 days of 2 people, up to 2 of one'
    """
    return (
        f"There are {unit.count(count)} of {unit.owners(owners)}, up to {most:,} of one. "
        f"The promise counts {unit.many}: k of them may be of fewer than k {plural(unit.owner)} (protect=people)."
    )


def name_records(column: str, several: bool) -> RecordUnit:
    """Tell by the name of the column that tells records apart what a record is.

    Parameters
    ----------
    column
        Its name.
    several
        Whether it is known that people may have several of them.

    Examples
    --------
    >>> name_records("basket_id", True), name_records("case:concept:name", False).one, name_records("user", False).one
    (RecordUnit(one='basket', many='baskets', owner='person'), 'case', 'person')
    """
    words = re.split(r"[^a-z]+", column.lower())
    noun = next((_SYNONYMS.get(word, word) for word in words if word in (*_NOUNS, *_SYNONYMS)), None)
    if noun is not None:
        return RecordUnit(noun, plural(noun), "person")
    return RECORD if several else PERSON


def correct_role_note(notes: list[str], column: str, unit: RecordUnit) -> None:
    """Say of a column that was taken for the person that it tells records apart, where those are not people.

    Examples
    --------
    >>> notes = ["Reading `Case ID` as person."]
    >>> correct_role_note(notes, "Case ID", RecordUnit("case", "cases", "person"))
    >>> notes
    ['Reading `Case ID` as what tells cases apart.']
    """
    note = f"Reading `{column}` as person."
    if unit.owner and note in notes:
        notes[notes.index(note)] = f"Reading `{column}` as what tells {unit.many} apart."


def resolve_unit(read_options: ReadOptions, detected: RecordPeople) -> RecordPeople:
    """Let the owner's word on what a record is win over what the file looks like.

    Examples
    --------
    >>> resolve_unit(ReadOptions("sets", unit="basket of household"), RecordPeople(RECORD)).unit
    RecordUnit(one='basket', many='baskets', owner='household')
    """
    if read_options.unit is None:
        return detected
    given = parse_unit(read_options.unit)
    if detected.people is not None and not given.owner:
        raise ParameterError(
            f"reading: unit must say what one of several records is, "
            f"got {read_options.unit!r} for {detected.unit.many} of "
            f"{plural(detected.unit.owner)}. Name it as in 'stay of patient', or leave it out."
        )
    if " of " not in read_options.unit and given.owner and detected.unit.owner:
        given = RecordUnit(given.one, given.many, detected.unit.owner)
    return RecordPeople(given, detected.people)


def check_people(name: str, column: str, record: npt.NDArray[np.integer[Any]], people: Labels, first: Longs) -> Cells:
    """Return whose each record is; refuse a record that is several people's.

    Parameters
    ----------
    name, column
        Of the file, and of the column that says whose a record is.
    record
        Record of every row that is used, from 0; negative for rows that are not.
    people
        Person of every row.
    first
        A row of every record.
    """
    used = np.flatnonzero(record >= 0)
    wrong = np.zeros(len(record), dtype=bool)
    wrong[used] = people.codes[used] != people.codes[first][record[used]]
    if wrong.any():
        raise SchemaError(
            f"{name}: every record must be of one person, but column {column!r} says otherwise in "
            f"{name_marked(wrong)}. "
            "Correct the data, or say which column tells records apart (columns)."
        )
    return people.labels.take(pa.array(people.codes[first])).cast(pa.string())
