"""k-anonymity of groups: sound releases pass, and each damage breaks with a witness and without an exception."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.sequences.naive import knowledge as naive
from tests.kinds.sequences.naive.knowledge import Record, make_release, people_table
from tests.kinds.sequences.verify.examples import CLAIM, MONITORED, PEOPLE, ROWS, people, records, sound

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import VerificationError
from sfumato.kinds.sequences.guarantees import GroupAnonymity
from sfumato.kinds.sequences.knowledge.matches import count_matches
from sfumato.kinds.sequences.verify.faithful import verify_faithful
from sfumato.kinds.sequences.verify.group_anonymity import verify, verify_against
from sfumato.kinds.trajectories.guarantees import KmAnonymity
from sfumato.release.storage import read_release, write_release
from sfumato.verification.structure import READABLE


def test_the_example_is_what_it_should_be() -> None:
    assert records()[0].pairs == [("{chat|mail}", 1, 3), ("{chat|mail}", 10, 11)]
    assert records()[3].pairs == [("mail", 20, 22)]
    assert records()[5] == ([], [("news", 7)])


@pytest.mark.parametrize("unit", [None, "second", "day"])
def test_a_sound_release_holds(unit: str | None) -> None:
    release, data = sound(unit=unit), people(unit)
    alone = verify(release)
    assert alone.holds
    assert alone.measured == {"k": 2, "classes": 3}
    assert all(alone.checks.values())
    against = verify_against(release, data, ROWS)
    assert against.holds
    assert against.measured == {"matches": 2, "knowledges": 6}
    assert verify_against(release, data).holds
    assert verify_faithful(release, data, ROWS).holds


def test_it_is_judged_by_what_is_read_back(tmp_path: Path) -> None:
    for unit in (None, "minute"):
        folder = tmp_path / str(unit)
        folder.mkdir()
        write_release(sound(unit=unit), folder)
        for file in ("data.parquet", "data.csv"):
            release = read_release(folder, file)
            assert verify(release).measured == {"k": 2, "classes": 3}
            assert verify_against(release, people(unit), ROWS).holds
            assert verify_faithful(release, people(unit), ROWS).holds


def test_chunks_do_not_matter_and_repeated_labels_are_refused() -> None:
    release = sound()
    halves = pa.concat_tables([release.table.slice(0, 3), people_table(records(), TimeUnit()).slice(3)])
    assert verify(dataclasses.replace(release, table=halves)).measured == {"k": 2, "classes": 3}
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array(["mail", "mail"]))
    table = people_table([Record([("mail", 1, 3)], []), Record([("mail", 1, 3)], [])], TimeUnit())
    table = table.set_column(1, "monitored", pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), twice))
    verdict = verify(make_release([], CLAIM, table=table, records_in=2))
    assert verdict.counterexample is not None
    assert (
        verdict.counterexample["check"] == "a dictionary lists a label once"
        and verdict.counterexample["column"] == "monitored"
    )


Damage = Callable[[list[Record]], None]


def shrink_interval(rows: list[Record]) -> None:
    rows[0].pairs[0] = ("{chat|mail}", 1, 2)


def shift_interval(rows: list[Record]) -> None:
    rows[3].pairs[0] = ("mail", 21, 23)


def drop_interval(rows: list[Record]) -> None:
    rows[1].pairs.pop()


def add_interval(rows: list[Record]) -> None:
    rows[4].pairs.append(("mail", 30, 31))


def narrow_category(rows: list[Record]) -> None:
    rows[2].pairs[0] = ("mail", 1, 3)


def merge_people(rows: list[Record]) -> None:
    rows[4].events.extend(rows[3].events)
    del rows[3]


def leave_alone(rows: list[Record]) -> None:
    del rows[5]


@pytest.mark.parametrize(
    ("damage", "row"),
    [
        (shrink_interval, 1),
        (shift_interval, 4),
        (drop_interval, 2),
        (add_interval, 5),
        (narrow_category, 3),
        (merge_people, 4),
        (leave_alone, 6),
    ],
)
def test_records_that_stand_out_are_found(damage: Damage, row: int) -> None:
    rows = records()
    damage(rows)
    release = make_release(rows, CLAIM)
    verdict = verify(release)
    assert verdict.checks[READABLE]
    assert not verdict.checks["every monitored part is published k times"]
    assert verdict.counterexample is not None
    assert verdict.counterexample["class_size"] == 1
    # One of the two that no longer agree: the damaged one, or the one it left behind.
    assert verdict.counterexample["rows"][0] in {row, 4 if row == 5 else row, 5 if row == 4 else row}
    assert isinstance(verify_against(release, people(), np.arange(len(rows))).holds, bool)
    json.dumps(verdict.to_dict())


@pytest.mark.parametrize("damage", [shrink_interval, shift_interval, drop_interval, add_interval, narrow_category])
def test_a_receiver_notices_records_that_stand_out(damage: Damage) -> None:
    """Also where the whole class is damaged, so that its records still agree."""
    rows = records()
    damage(rows)
    changed = next(row for row, before in zip(rows, records(), strict=True) if row != before)
    number = rows.index(changed)
    whole = [
        Record(changed.pairs, row.events) if before.pairs == records()[number].pairs else row
        for row, before in zip(rows, records(), strict=True)
    ]
    release = make_release(whole, CLAIM, members={"{chat|mail}": ["chat", "mail"]})
    assert verify(release).measured["k"] == 2
    verdict = verify_against(release, people(), ROWS)
    assert not verdict.holds
    assert not verdict.checks["published records match"]
    assert verdict.counterexample is not None
    assert verdict.counterexample["unmatched"] >= 1
    assert not verify_against(release, people()).holds


SHOPS = ["eBay", "Seenit", "Amazon", "Kmart"]
TAXONOMY = {
    "Search Engines": ["Google", "Bing"],
    "Shopping": SHOPS,
    "Internet/Computer": ["Facebook", "Myspace", "Google", "Bing"],
    "All": ["Facebook", "Myspace", "Google", "Bing", *SHOPS],
}


def test_the_printed_release_for_colluding_receivers() -> None:
    """Table 1: whoever knows all of S1 (Google 1, 10; Bing 3; Amazon 6, 12) matches T1, T2 and T3."""
    three = Record([("Search Engines", 1, 3), ("Shopping", 5, 8), ("All", 10, 13)], [])
    two = Record([("All", 1, 2), ("Internet/Computer", 4, 8), ("All", 10, 13)], [])
    guarantee = GroupAnonymity(k=2, monitored=tuple(TAXONOMY["All"]))
    release = make_release([three] * 3 + [two] * 2, guarantee, TAXONOMY)
    assert verify(release).measured == {"k": 2, "classes": 2}
    first = [("Google", 1), ("Bing", 3), ("Amazon", 6), ("Google", 10), ("Amazon", 12)]
    found = count_matches(release, Dataset.of("sequences", [first]))
    assert found.sizes.tolist() == [3]
    assert found.rarest is not None
    assert found.rarest.tolist() == [0, 1, 2]


def test_another_guarantee_is_refused() -> None:
    release = sound(guarantee=KmAnonymity(k=2, m=2))
    with pytest.raises(VerificationError, match="use the verifier of that guarantee"):
        verify(release)
    with pytest.raises(VerificationError, match="use the verifier of that guarantee"):
        verify_against(release, people())


@pytest.mark.parametrize(("published", "read"), [(None, "day"), ("day", None)])
def test_times_in_other_units_cannot_be_compared(published: str | None, read: str | None) -> None:
    verdict = verify_against(sound(unit=published), people(read), ROWS)
    assert not verdict.holds
    assert verdict.counterexample is not None
    assert verdict.counterexample["unit_of_original"] == read
    assert not verify_faithful(sound(unit=published), people(read), ROWS).holds


def test_another_original_is_noticed() -> None:
    assert not verify_against(sound(), people("day"), ROWS)
    assert not verify_against(sound(unit="day"), people("hour"), ROWS)
    fewer = Dataset.of("sequences", PEOPLE[:-1])
    verdict = verify_against(sound(), fewer)
    assert not verdict.checks["the original has as many records as the release says"]
    assert verdict.counterexample == {"people": 6, "records_in": 7, "unmatched": 0}


def test_withheld_people_match_nothing_or_a_crowd() -> None:
    data = Dataset.of("sequences", [*PEOPLE, [("mail", 99)], [("mail", 21)]])
    release = sound(left_out=2)
    verdict = verify_against(release, data, ROWS)
    assert verdict.holds
    assert verdict.measured == {"matches": 2, "knowledges": 8}
    assert verify_against(release, data).holds
    assert not verify_against(release, data, np.array([0, 1, 2, 3, 4, 5, 7])).checks["published records match"]


def test_a_receiver_who_matches_too_few_is_shown() -> None:
    rows = records()
    rows[3] = Record([("mail", 20, 21)], rows[3].events)
    rows[4] = Record([("mail", 22, 23)], rows[4].events)
    verdict = verify_against(make_release(rows, CLAIM), people(), ROWS)
    assert verdict.counterexample == {"matches": 1, "rows": [4]}


def test_lists_of_labels_may_be_sliced() -> None:
    release = sound()
    sliced = dataclasses.replace(release, table=release.table.slice(3), records_in=4)
    assert verify(sliced).measured == {"k": 2, "classes": 2}
    assert ListColumn.from_arrow(sliced.table.column("events")).lists() == [["bank"], [], ["news"], ["shop", "bank"]]


pairs = st.lists(
    st.sampled_from([("mail", 0, 2), ("mail", 0, 3), ("{chat|mail}", 4, 5), ("chat", 6, 6)]),
    max_size=2,
    unique_by=lambda pair: pair[1],
).map(sorted)


@given(st.lists(pairs, min_size=1, max_size=6), st.integers(2, 3))
def test_k_is_counted_right(found: list[list[Any]], k: int) -> None:
    rows = [Record(sorted(pair, key=lambda p: p[1]), []) for pair in found]
    release = make_release(rows, GroupAnonymity(k=k, monitored=MONITORED))
    smallest = min(len(group) for group in naive.classes(rows))
    verdict = verify(release)
    assert verdict.measured == {"k": smallest, "classes": len(naive.classes(rows))}
    assert verdict.holds == (smallest >= k)
