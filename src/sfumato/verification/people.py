"""How many different people a group has, where people have several records: counted from the owner's row map.

A group is what a guarantee counts: the records with a sequence of places, with a set of values, with the same monitored
events, of one class: ``find_smallest_groups`` of the kind's checks lists them. Published files do not link records to
people, so only the owner can count people.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.checks.subsequences import countable_sizes, distinct_subsequences, support
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn, distinct
from sfumato.data.record_unit import plural
from sfumato.messages import Message, call, option
from sfumato.release.release import Release
from sfumato.verification.faithful import check_rows
from sfumato.verification.release_checks import find_checks

__all__ = [
    "COUNTED",
    "GroupSize",
    "count_in_groups",
    "count_in_sequences",
    "describe_counted_people",
    "find_smallest_group",
    "leave_people_open",
    "verify_people",
]

Ints = npt.NDArray[np.int64]

COUNTED = ("fewest_people", "most_records_of_one")
"""What is measured of people, by name."""
_CHECK = "different people are counted, and are k or more everywhere"


class GroupSize(NamedTuple):
    """The group with fewest people: how many there are, and how many records they have in it."""

    people: int
    records: int


def find_smallest_group(release: Release, original: Dataset, rows: Ints) -> GroupSize | None:
    """Return the group of the guarantee with fewest people; None where no column links records to people.

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
    >>> find_smallest_group(result.release, result.owner_record.original, result.owner_record.rows)
    GroupSize(people=1, records=2)
    """
    person = original.person_codes()
    find_smallest_groups = find_checks(release.kind).find_smallest_groups
    if person is None or find_smallest_groups is None:
        return None
    person = np.unique(person[np.asarray(rows, dtype=np.int64)], return_inverse=True)[1]
    everybody = GroupSize(int(person.max(initial=-1)) + 1, len(person))
    smallest_group: GroupSize = min(
        (everybody, *find_smallest_groups(release, original, np.asarray(rows, dtype=np.int64), person))
    )
    return smallest_group


def count_in_groups(group: Ints, person: Ints) -> Iterator[GroupSize]:
    """Count the people of every group of records."""
    if not len(group):
        return
    width = int(person.max()) + 1
    pairs = distinct(group * width + person)
    people = np.bincount(pairs // width, minlength=int(group.max()) + 1)
    sizes = np.bincount(group, minlength=len(people))
    for at in np.flatnonzero(sizes).tolist():
        yield GroupSize(int(people[at]), int(sizes[at]))


def count_in_sequences(histories: ListColumn, m: int, person: Ints) -> Iterator[GroupSize]:
    """Count the people of sequences of up to m values; of those only that can have fewer than any other.

    Nobody has more than `most` records, so a sequence in s records is one of at least s / most people: sequences in
    too many records need no counting.
    """
    most = int(np.bincount(person).max(initial=1))
    width = int(person.max(initial=0)) + 1
    for size in countable_sizes(histories, m):
        keys, supports = support(histories, size)
        smallest = int(supports.min())
        # In a sequence of the fewest records there are at most as many people.
        wanted = keys[supports <= max(most * (smallest - 1), smallest)]
        counted = np.empty(0, np.int64)
        for rows, sequences in distinct_subsequences(histories, size):
            at = np.minimum(np.searchsorted(wanted, sequences), len(wanted) - 1)
            hit = wanted[at] == sequences
            counted = distinct(np.concatenate([counted, at[hit] * width + person[rows[hit]]]))
        people = np.bincount(counted // width, minlength=len(wanted))
        least = int(np.argmin(people))
        yield GroupSize(int(people[least]), int(supports[np.searchsorted(keys, wanted[least])]))


def leave_people_open(release: Release) -> Verdict:
    """Leave a guarantee that counts people open: published files do not link records to people."""
    claimed = release.guarantee
    if claimed.count != "people":
        return Verdict(True, {}, {})
    people_noun = plural(release.unit.owner or "person")
    return Verdict(
        True,
        {"count": "people"},
        {},
        unsettled=(
            Message(
                f"The guarantee counts {people_noun}, and published files do not link {release.unit.records} to "
                f"{people_noun}. Only the owner can verify it: ",
                call("sf.verify(release, original)", "sfumato verify DIR --original FILE"),
                ".",
            ),
        ),
    )


def verify_people(release: Release, original: Dataset, rows: Ints | None) -> Verdict:
    """Count the people of every group, and check them where the guarantee counts people.

    Such a guarantee stays open without the owner's row map, and where no column links records to people.
    """
    claimed, unit = release.guarantee, release.unit
    counts = claimed.count == "people"
    person = original.person_codes()
    if rows is None or person is None or check_rows(release, original, np.asarray(rows)) is not None:
        if not counts:
            return Verdict(True, {}, {})
        need = (
            Message(
                f"The original was read without a column that links {unit.records} to people. Name it: ",
                option("columns", {"owner": "NAME"}),
                ".",
            )
            if person is None
            else Message("owner/rows.parquet, which links published records to people, is missing or does not fit.")
        )
        return Verdict(True, {"count": "people"}, {}, unsettled=(need,))
    if not unit.owner and not counts:
        return Verdict(True, {}, {})
    smallest_group = find_smallest_group(release, original, rows)
    if smallest_group is None:
        return Verdict(True, {}, {})
    measured = {"fewest_people": smallest_group.people, "most_records_of_one": int(np.bincount(person).max(initial=0))}
    if not counts:
        return Verdict(True, {}, measured)
    holds = claimed.smallest_group is not None and smallest_group.people >= claimed.smallest_group
    counterexample = None if holds else {"people": smallest_group.people, "records": smallest_group.records}
    return Verdict(holds, {"count": "people"}, measured, counterexample, {_CHECK: holds})


def describe_counted_people(release: Release, smallest: int, most: int) -> str:
    """Return how many people the smallest groups have, in a sentence for the owner.

    Examples
    --------
    >>> import sfumato as sf
    >>> visits = Dataset.of("trajectories", [["a"], ["a"]], {"a": (0, 0)}).of_people(["ann", "ann"])
    >>> print(describe_counted_people(sf.anonymize(visits, sf.methods.SeqAnon(k=2, m=1)).release, 1, 2))
    People have up to 2 records here; the fewest people that any sequence of places leads to is 1, not k=2.
    For k people: protect='people'.
    """
    unit, claimed = release.unit, release.guarantee
    nouns = plural(unit.owner or unit.one)
    group_noun = find_checks(release.kind).group_noun
    sentence = (
        f"{nouns.capitalize()} have up to {most:,} {unit.records} here; the fewest {nouns} that any "
        f"{group_noun} leads to is {smallest:,}"
    )
    wanted = claimed.smallest_group
    if claimed.count == "people" or wanted is None or smallest >= wanted:
        return f"{sentence}."
    return Message(f"{sentence}, not k={wanted}. For k {nouns}: ", option("protect", "people"), ".")
