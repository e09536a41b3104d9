"""Nothing invented, nothing swapped, for timed sequences: damages that keep the structure but not the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.sequences.naive import knowledge as naive
from tests.kinds.sequences.naive.knowledge import Record, make_release, people_table

from sfumato.data.dataset import Dataset
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.sequences.guarantees import GroupAnonymity
from sfumato.kinds.sequences.verify.faithful import verify_faithful
from sfumato.kinds.sequences.verify.group_anonymity import verify_against
from sfumato.release.release import Release

MONITORED = ("mail", "chat")
CLAIM = GroupAnonymity(k=2, monitored=MONITORED)
PEOPLE = [
    [("mail", 1), ("news", 4), ("mail", 10)],
    [("mail", 3), ("shop", 5), ("news", 5), ("chat", 11)],
    [("mail", 20), ("bank", 21), ("bank", 21)],
    [("mail", 22)],
    [("news", 7)],
    [("shop", 8), ("bank", 9)],
]
ORDER = np.array([3, 0, 5, 1, 4, 2])
UNITS = "the original's times are in the published units"
NO_DUPLICATES = "every record is published at most once"
COVERED = "every monitored event is covered"
USED = "every interval covers a monitored event"
OTHERS = "the other events are the original ones"
COUNTED = "withheld records are counted"
UNNAMED = "no original name is a pseudonym"


def published() -> list[Record]:
    rows = naive.publish(PEOPLE, [0, 0, 1, 1, -1, -1], MONITORED)
    return [rows[row] for row in ORDER]


def people(unit: str | None = None) -> Dataset:
    return Dataset.of("sequences", PEOPLE, time_unit=TimeUnit(unit))


def release_of(rows: list[Record], **changes: Any) -> Release:
    return make_release(rows, CLAIM, {"{chat|mail}": ["chat", "mail"]}, **changes)


@pytest.mark.parametrize("unit", [None, "minute"])
def test_a_true_release_is_faithful(unit: str | None) -> None:
    verdict = verify_faithful(release_of(published(), unit=unit), people(unit), ORDER)
    assert verdict.holds
    assert verdict.counterexample is None
    assert set(verdict.checks) == {UNITS, NO_DUPLICATES, COVERED, USED, OTHERS, COUNTED, UNNAMED}


Rows = list[Record]


def shrink_interval(rows: Rows) -> None:
    rows[1].pairs[1] = ("{chat|mail}", 11, 11)


def shift_interval(rows: Rows) -> None:
    rows[0].pairs[0] = ("mail", 23, 24)


def drop_interval(rows: Rows) -> None:
    rows[3].pairs.pop(0)


def drop_all_intervals(rows: Rows) -> None:
    rows[3].pairs.clear()


def add_interval(rows: Rows) -> None:
    rows[5].pairs.append(("mail", 30, 31))


def add_interval_to_nothing(rows: Rows) -> None:
    rows[2].pairs.append(("mail", 8, 8))


def wrong_category(rows: Rows) -> None:
    rows[3].pairs[1] = ("mail", 10, 11)


def finer_interval(rows: Rows) -> None:
    rows[0].pairs[0] = ("mail", 22, 22)


def move_event(rows: Rows) -> None:
    rows[4].events[0] = ("news", 8)


def rename_event(rows: Rows) -> None:
    rows[2].events[1] = ("news", 9)


def unknown_event(rows: Rows) -> None:
    rows[2].events[1] = ("casino", 9)


def drop_event(rows: Rows) -> None:
    rows[5].events.pop()


def add_event(rows: Rows) -> None:
    rows[0].events.append(("news", 40))


def expose_event(rows: Rows) -> None:
    rows[0].events.append(("mail", 22))


def swap_people(rows: Rows) -> None:
    rows[2], rows[4] = rows[4], rows[2]


def swap_events(rows: Rows) -> None:
    rows[1].events[0], rows[4].events[0] = rows[4].events[0], rows[1].events[0]


@pytest.mark.parametrize(
    ("damage", "counterexample"),
    [
        (shrink_interval, {"check": COVERED, "rows": [2]}),
        (shift_interval, {"check": COVERED, "rows": [1]}),
        (drop_interval, {"check": COVERED, "rows": [4]}),
        (drop_all_intervals, {"check": COVERED, "rows": [4]}),
        (wrong_category, {"check": COVERED, "rows": [4]}),
        (add_interval, {"check": USED, "rows": [6], "position": 2, "value": "mail"}),
        (add_interval_to_nothing, {"check": USED, "rows": [3], "position": 1, "value": "mail"}),
        (move_event, {"check": OTHERS, "rows": [5], "position": 1, "value": "news"}),
        (rename_event, {"check": OTHERS, "rows": [3], "position": 2, "value": "news"}),
        (unknown_event, {"check": OTHERS, "rows": [3], "position": 2, "value": "casino"}),
        (drop_event, {"check": OTHERS, "rows": [6], "published_events": 1, "original_events": 2}),
        (add_event, {"check": OTHERS, "rows": [1], "published_events": 1, "original_events": 0}),
        (expose_event, {"check": OTHERS, "rows": [1], "published_events": 1, "original_events": 0}),
        (swap_people, {"check": OTHERS, "rows": [3], "published_events": 1, "original_events": 2}),
        (swap_events, {"check": OTHERS, "rows": [2], "position": 1, "value": "news"}),
    ],
)
def test_untrue_records_are_found(damage: Callable[[Rows], None], counterexample: dict[str, Any]) -> None:
    rows = published()
    damage(rows)
    verdict = verify_faithful(release_of(rows), people(), ORDER)
    assert not verdict.holds
    assert verdict.counterexample == counterexample


def test_a_true_but_finer_record_is_faithful() -> None:
    rows = published()
    finer_interval(rows)
    assert verify_faithful(release_of(rows), people(), ORDER)


def test_events_at_one_time_may_come_in_any_order() -> None:
    rows = published()
    rows[3].events.reverse()
    assert rows[3].events == [("news", 5), ("shop", 5)]
    assert verify_faithful(release_of(rows), people(), ORDER)


def test_a_category_must_contain_the_event() -> None:
    release = make_release(published(), CLAIM, {"{chat|mail}": ["mail", "post"]})
    assert verify_faithful(release, people(), ORDER).counterexample == {"check": COVERED, "rows": [4]}


def test_an_unlisted_category_contains_only_what_it_is_called() -> None:
    verdict = verify_faithful(make_release(published(), CLAIM, {}), people(), ORDER)
    assert not verdict.checks[COVERED]
    assert not verdict.checks[USED]


def test_events_may_be_left_out_if_the_claim_says_so() -> None:
    rows = published()
    rows[1].pairs.pop()
    rows[3].pairs.pop()
    assert not verify_faithful(release_of(rows), people(), ORDER)
    release = make_release(rows, GroupAnonymity(k=2, monitored=MONITORED, suppressing=True))
    assert verify_faithful(release, people(), ORDER)
    assert verify_against(release, people(), ORDER)
    add_interval(rows)
    release = make_release(rows, GroupAnonymity(k=2, monitored=MONITORED, suppressing=True))
    assert not verify_faithful(release, people(), ORDER).checks[USED]


@pytest.mark.parametrize(
    ("rows", "counterexample"),
    [
        (ORDER[:5], {"check": NO_DUPLICATES, "published": 6, "mapped": 5}),
        (ORDER + 1, {"check": NO_DUPLICATES, "rows": [3]}),
        (ORDER.astype(float), {"check": NO_DUPLICATES, "published": 6, "mapped": 6}),
        (np.zeros(6, dtype=int), {"check": NO_DUPLICATES, "rows": [1, 2]}),
    ],
)
def test_wrong_row_maps(rows: Any, counterexample: dict[str, Any]) -> None:
    assert verify_faithful(release_of(published()), people(), rows).counterexample == counterexample


@pytest.mark.parametrize("changes", [{"records_in": 7}, {"suppressed_records": {"no group": 1}}, {"left_out": 1}])
def test_wrong_counts(changes: dict[str, Any]) -> None:
    verdict = verify_faithful(release_of(published(), **changes), people(), ORDER)
    assert not verdict.checks[COUNTED]
    assert verdict.counterexample is not None
    assert verdict.counterexample["people"] == 6


def test_withheld_people_are_counted() -> None:
    rows = published()[:4] + published()[5:]
    assert verify_faithful(release_of(rows, left_out=1), people(), np.delete(ORDER, 4))
    assert not verify_faithful(release_of(rows), people(), np.delete(ORDER, 4)).checks[COUNTED]


def test_original_names_must_not_be_published() -> None:
    table = people_table(published(), TimeUnit())
    names = pa.array(["x0", "x1", "x2", "p4", "x4", "x5"])
    verdict = verify_faithful(release_of(published(), table=table.set_column(0, "person", names)), people(), ORDER)
    assert verdict.counterexample == {"check": UNNAMED, "rows": [4]}


def test_times_in_other_units_are_not_judged_further() -> None:
    verdict = verify_faithful(release_of(published()), people("day"), ORDER)
    assert verdict.counterexample == {"check": UNITS, "times": ["int64"], "unit_of_original": "day"}
    assert COVERED not in verdict.checks
    other = verify_faithful(release_of(published(), unit="day"), people("hour"), ORDER)
    assert not other.checks[COVERED]


def test_unreadable_releases_are_not_judged_further() -> None:
    table = people_table(published(), TimeUnit())
    broken = table.set_column(1, "monitored", pa.array([[]] * 6, table.column("monitored").type))
    verdict = verify_faithful(release_of(published(), table=broken), people(), ORDER)
    assert not verdict.holds
    assert not verdict.checks["readable"]


pairs = st.lists(
    st.sampled_from([("m", 0, 1), ("{m|n}", 0, 2), ("n", 3, 3), ("{m|n}", 3, 5), ("m", 6, 6)]), max_size=3
).map(
    lambda drawn: [
        p
        for i, p in enumerate(sorted(drawn, key=lambda p: p[1]))
        if i == 0 or p[1] > sorted(drawn, key=lambda p: p[1])[i - 1][2]
    ]
)
events = st.lists(st.tuples(st.sampled_from("mnab"), st.integers(0, 6)), max_size=4)


@given(st.lists(events, min_size=1, max_size=4), st.data())
def test_every_record_is_compared(original: list[list[tuple[str, int]]], data: st.DataObject) -> None:
    true = naive.publish(original, [i % 2 for i in range(len(original))], "mn")
    others = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 6)), max_size=3)
    rows = [
        Record(
            data.draw(st.one_of(st.just(row.pairs), pairs)),
            sorted(data.draw(st.one_of(st.just(row.events), others)), key=lambda event: event[1]),
        )
        for row in true
    ]
    members = {"{m|n}": ["m", "n"]}
    release = make_release(rows, GroupAnonymity(k=2, monitored=("m", "n")), members)
    verdict = verify_faithful(release, Dataset.of("sequences", original), np.arange(len(rows)))
    assert verdict.checks[OTHERS] == all(
        sorted(row.events) == sorted(before.events) for row, before in zip(rows, true, strict=True)
    )
    assert verdict.holds == all(
        naive.is_faithful(row, person, "mn", members) for row, person in zip(rows, original, strict=True)
    )
