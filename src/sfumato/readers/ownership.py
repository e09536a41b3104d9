"""Record units and people of records, by options or by the columns that make a record."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.notes import Note
from sfumato.data.record_unit import PERSON, RECORD, RecordUnit, parse_unit, plural
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells, Labels, list_marked, name_marked
from sfumato.readers.notes import OWNERS, ROLE, note_role
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
"""Role of the column with the person of every record, where a person may have several."""

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
    """The unit of records, and the person of each record where that is known."""

    unit: RecordUnit
    people: Cells | None = None

    def note(self, count: int) -> list[Note]:
        """Note how many records people have, where they may have several."""
        unit = self.unit
        if not unit.owner:
            return []
        if self.people is None:
            return [_note_unknown_owners(unit)]
        counts = np.bincount(self.people.dictionary_encode().indices.to_numpy(zero_copy_only=False))
        return [describe_owners(unit, count, len(counts), int(counts.max(initial=0)))]


def describe_owners(unit: RecordUnit, count: int, owners: int, most: int) -> Note:
    """Note how many records how many people have, and what that means for the guarantee.

    Examples
    --------
    >>> str(describe_owners(RecordUnit("day", "days", "person"), 3, 2, 2)).partition(". ")[0]
    'There are 3 days of 2 people, up to 2 of one person'
    """
    return Note(
        OWNERS,
        "There are {records} {records:{one}|{many}} of {owners} {owners:{owner}|{people}}, up to {most} of one "
        "{owner}. The guarantee counts {many}: k {many} may belong to fewer than k {people}. To count {people}: "
        "{option}.",
        {"records": count, "owners": owners, "most": most},
        details={**_name_units(unit), "option": option("protect", "people")},
    )


def _note_unknown_owners(unit: RecordUnit) -> Note:
    """Note that people may have several records, and nobody knows which."""
    return Note(
        "owners-unknown",
        "The guarantee counts {many}, and one {owner} may have several. If a column links {many} to {people}, name it: "
        "{option}.",
        details={**_name_units(unit), "option": option("columns", {OWNER: "NAME"})},
    )


def _name_units(unit: RecordUnit) -> dict[str, str]:
    return {"one": unit.one, "many": unit.many, "owner": unit.owner, "people": plural(unit.owner)}


def name_records(column: str, several: bool) -> RecordUnit:
    """Return the record unit for the name of the column that identifies records.

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


def correct_role_note(notes: list[Note], column: str, unit: RecordUnit) -> None:
    """Note of a column that was taken for the person that it identifies records, where those are not people.

    Examples
    --------
    >>> notes = [note_role("Case ID", "person")]
    >>> correct_role_note(notes, "Case ID", RecordUnit("case", "cases", "person"))
    >>> str(notes[0])
    'Reading `Case ID` as identifier of cases.'
    """
    for at, note in enumerate(notes):
        if unit.owner and note.code == ROLE and note.columns == (column,) and note.details["role"] == "person":
            notes[at] = note_role(column, f"identifier of {unit.many}")


def resolve_unit(read_options: ReadOptions, detected: RecordPeople) -> RecordPeople:
    """Return the record unit of the options or, if they give none, the detected one.

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
            Message(
                *(option("unit"), f" must name one of several records, got {read_options.unit!r} for "),
                f"{detected.unit.many} of {plural(detected.unit.owner)}.",
            ),
            hint=Message("For example: ", option("unit", "stay of patient")),
        )
    if " of " not in read_options.unit and given.owner and detected.unit.owner:
        given = RecordUnit(given.one, given.many, detected.unit.owner)
    return RecordPeople(given, detected.people)


def check_people(name: str, column: str, record: npt.NDArray[np.integer[Any]], people: Labels, first: Longs) -> Cells:
    """Return the person of each record; refuse records of several people.

    Parameters
    ----------
    name, column
        Of the file, and of the column with the person.
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
            f"{name}: every record must be of one person; column {column!r} has another in {name_marked(wrong)}.",
            column=column,
            rows=list_marked(wrong),
            hint=Message("Correct the data, or give the column that identifies records with ", option("columns"), "."),
        )
    return people.labels.take(pa.array(people.codes[first])).cast(pa.string())
