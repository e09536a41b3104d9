"""How many different people a crowd has, where people have several records: counted from the owner's row map.

A crowd is what a guarantee counts: the records with a sequence of places, with a set of values, with the same monitored
part, of one class or group: ``find_crowds`` of the kind's checks lists them. Published files do not tell whose a
record is, so only the owner can count people.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.checks.subsequences import countable_sizes, distinct_subsequences, support
from sfumato.data.dataset import Dataset
from sfumato.data.lists import Ragged, distinct
from sfumato.data.record_unit import plural
from sfumato.release.release import Release
from sfumato.verification.faithful import check_rows
from sfumato.verification.release_checks import find_checks

__all__ = [
    "COUNTED",
    "Crowd",
    "count_in_groups",
    "count_in_sequences",
    "fewest_people",
    "leave_people_open",
    "say_people",
    "verify_people",
]

Ints = npt.NDArray[np.int64]

COUNTED = ("fewest_people", "most_records_of_one")
"""What is measured of people, by name."""
_CHECK = "different people are counted, and are k or more everywhere"


class Crowd(NamedTuple):
    """The crowd with fewest people: how many there are, and how many records they have in it."""

    people: int
    records: int


def fewest_people(release: Release, original: Dataset, rows: Ints) -> Crowd | None:
    """Return the crowd of the guarantee that has fewest people; None where it is not known whose the records are.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row of every published record; class by class or leaf by leaf where those are published.

    Examples
    --------
    >>> import sfumato as sf
    >>> visits = Dataset.of("trajectories", [["a", "b"], ["a", "b"], ["b"]], {"a": (0, 0), "b": (1, 1)})
    >>> result = sf.anonymize(visits.of_people(["ann", "ann", "bob"]), sf.methods.SeqAnon(k=2, m=1))
    >>> fewest_people(result.release, result.trace.original, result.trace.rows)
    Crowd(people=1, records=2)
    """
    person = original.person_codes()
    find_crowds = find_checks(release.kind).find_crowds
    if person is None or find_crowds is None:
        return None
    person = np.unique(person[np.asarray(rows, dtype=np.int64)], return_inverse=True)[1]
    everybody = Crowd(int(person.max(initial=-1)) + 1, len(person))
    crowd: Crowd = min((everybody, *find_crowds(release, original, np.asarray(rows, dtype=np.int64), person)))
    return crowd


def count_in_groups(group: Ints, person: Ints) -> Iterator[Crowd]:
    """Count the people of every group of records."""
    if not len(group):
        return
    width = int(person.max()) + 1
    pairs = distinct(group * width + person)
    people = np.bincount(pairs // width, minlength=int(group.max()) + 1)
    sizes = np.bincount(group, minlength=len(people))
    for at in np.flatnonzero(sizes).tolist():
        yield Crowd(int(people[at]), int(sizes[at]))


def count_in_sequences(histories: Ragged, m: int, person: Ints) -> Iterator[Crowd]:
    """Count the people of sequences of up to m values; of those only that can have fewer than any other.

    Nobody has more than `most` records, so a sequence in s records is one of at least s / most people: sequences in
    too many records need no counting.
    """
    most = int(np.bincount(person).max(initial=1))
    width = int(person.max(initial=0)) + 1
    for size in countable_sizes(histories, m):
        keys, supports = support(histories, size)
        fewest = int(supports.min())
        # In a sequence of the fewest records there are at most as many people.
        wanted = keys[supports <= max(most * (fewest - 1), fewest)]
        counted = np.empty(0, np.int64)
        for rows, sequences in distinct_subsequences(histories, size):
            at = np.minimum(np.searchsorted(wanted, sequences), len(wanted) - 1)
            hit = wanted[at] == sequences
            counted = distinct(np.concatenate([counted, at[hit] * width + person[rows[hit]]]))
        people = np.bincount(counted // width, minlength=len(wanted))
        least = int(np.argmin(people))
        yield Crowd(int(people[least]), int(supports[np.searchsorted(keys, wanted[least])]))


def leave_people_open(release: Release) -> Verdict:
    """Say that the published files do not tell whose the records are, where the claim is about people."""
    claim = release.guarantee
    if claim.count != "people":
        return Verdict(True, {}, {})
    whose = plural(release.unit.owner or "person")
    return Verdict(
        True,
        {"count": "people"},
        {},
        unsettled=(
            f"The promise counts different {whose}, and published files do not tell whose a {release.unit.record} is: "
            f"the records were counted, the {whose} can be counted by the owner only (verify with the original).",
        ),
    )


def verify_people(release: Release, original: Dataset, rows: Ints | None) -> Verdict:
    """Count the people of every crowd, and judge them where the claim counts people.

    Without the owner's row map, or where the original was read without whose its records are, such a claim stays open.
    """
    claim, unit = release.guarantee, release.unit
    counts = claim.count == "people"
    person = original.person_codes()
    if rows is None or person is None or check_rows(release, original, np.asarray(rows)) is not None:
        if not counts:
            return Verdict(True, {}, {})
        need = (
            "The original was read without whose its records are: name the column that tells (columns: owner=NAME)."
            if person is None
            else "The owner's row map (owner/rows.parquet) is missing or does not fit: it tells whose each record is."
        )
        return Verdict(True, {"count": "people"}, {}, unsettled=(need,))
    if not unit.owner and not counts:
        return Verdict(True, {}, {})
    crowd = fewest_people(release, original, rows)
    if crowd is None:
        return Verdict(True, {}, {})
    measured = {"fewest_people": crowd.people, "most_records_of_one": int(np.bincount(person).max(initial=0))}
    if not counts:
        return Verdict(True, {}, measured)
    holds = claim.crowd is not None and crowd.people >= claim.crowd
    witness = None if holds else {"people": crowd.people, "records": crowd.records}
    return Verdict(holds, {"count": "people"}, measured, witness, {_CHECK: holds})


def say_people(release: Release, fewest: int, most: int) -> str:
    """Say to the owner how many people the promise comes to, in one sentence.

    Examples
    --------
    >>> import sfumato as sf
    >>> visits = Dataset.of("trajectories", [["a"], ["a"]], {"a": (0, 0)}).of_people(["ann", "ann"])
    >>> print(say_people(sf.anonymize(visits, sf.methods.SeqAnon(k=2, m=1)).release, 1, 2))
    People have up to 2 records here; the fewest people that any sequence of places leads to is 1, not k=2
    (count=people promises k people).
    """
    unit, claim = release.unit, release.guarantee
    nouns = plural(unit.owner or unit.one)
    crowd = find_checks(release.kind).crowd
    sentence = (
        f"{nouns.capitalize()} have up to {most:,} {unit.records} here; the fewest {nouns} that any "
        f"{crowd} leads to is {fewest:,}"
    )
    wanted = claim.crowd
    if claim.count == "people" or wanted is None or fewest >= wanted:
        return f"{sentence}."
    return f"{sentence}, not k={wanted} (count=people promises k {nouns})."
