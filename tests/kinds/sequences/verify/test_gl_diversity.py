"""(g,l)-diversity: windows are counted right, and each damage breaks with a witness and without an exception."""

from __future__ import annotations

import json
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
from sfumato.data.lists import ListColumn
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import VerificationError
from sfumato.kinds.sequences.decode import Entries
from sfumato.kinds.sequences.guarantees import GlDiversity, GroupAnonymity
from sfumato.kinds.sequences.knowledge import windows
from sfumato.kinds.sequences.knowledge.windows import count_most, find_busiest
from sfumato.kinds.sequences.verify.faithful import verify_faithful
from sfumato.kinds.sequences.verify.gl_diversity import verify, verify_against
from sfumato.release.release import Release
from sfumato.verification.structure import READABLE

MONITORED = ("mail",)
PEOPLE = [
    [("mail", 1), ("news", 4), ("mail", 10)],
    [("mail", 3), ("shop", 5), ("mail", 11), ("news", 30)],
    [("mail", 2), ("news", 12), ("mail", 12), ("shop", 13)],
    [("mail", 20), ("bank", 21), ("bank", 22)],
    [("mail", 22), ("bank", 30)],
    [("mail", 21), ("news", 21)],
    [("shop", 3)],
    [("shop", 10)],
    [("news", 3)],
]
GROUP = [0, 0, 0, 1, 1, 1, -1, -1, -1]
ROWS = np.arange(len(PEOPLE))
CROWDED, DIVERSE = "every monitored part is published k times", "no event is in more than 1 in l inside a window"
LIKELY = "no event is likelier than 1 in l inside a window"


def claim(g: int = 6, l: int = 3, k: int = 3, unit: str = "", monitored: tuple[str, ...] = MONITORED) -> GlDiversity:
    return GlDiversity(g=g, l=l, k=k, monitored=monitored, unit=unit)


def records() -> list[Record]:
    return naive.publish(PEOPLE, GROUP, MONITORED)


def people(unit: str | None = None) -> Dataset:
    return Dataset.of("sequences", PEOPLE, time_unit=TimeUnit(unit))


@pytest.mark.parametrize("unit", [None, "second", "hour"])
def test_a_sound_release_holds(unit: str | None) -> None:
    release = make_release(records(), claim(unit=unit or ""), unit=unit)
    alone = verify(release)
    assert alone.holds
    assert alone.measured == {"k": 3, "classes": 3, "g": 6, "l": 3}
    assert all(alone.checks.values())
    against = verify_against(release, people(unit), ROWS)
    assert against.holds
    assert against.measured == {"matches": 3, "knowledges": 7, "share": 1 / 3}
    assert verify_faithful(release, people(unit), ROWS).holds


@pytest.mark.parametrize(
    ("changes", "window"),
    [
        ({"g": 7}, ("shop", [3, 10], 2, [7, 8])),
        ({"g": 8}, ("news", [4, 12], 2, [1, 3])),
        ({"g": 10**30}, ("news", [4, 30], 3, [1, 2, 3])),
        ({"l": 4}, ("shop", [5, 5], 1, [2])),
    ],
)
def test_claims_that_are_too_strong(changes: dict[str, int], window: tuple[str, list[int], int, list[int]]) -> None:
    verdict = verify(make_release(records(), claim(**changes)))
    assert not verdict.holds
    assert not verdict.checks[DIVERSE]
    assert verdict.counterexample is not None
    found = verdict.counterexample
    assert found["class_size"] == 3
    assert found["people"] == window[2]
    if changes != {"l": 4}:  # where everything is equally likely, any window will do
        assert (found["event"], found["window"], found["rows"]) == (window[0], window[1], window[3])
    against = verify_against(make_release(records(), claim(**changes)), people(), ROWS)
    assert not against.checks[LIKELY]
    assert against.counterexample is not None
    assert against.counterexample["people"] == window[2]
    json.dumps([verdict.to_dict(), against.to_dict()])


def test_higher_k() -> None:
    verdict = verify(make_release(records(), claim(k=4)))
    assert not verdict.checks[CROWDED]
    assert verdict.counterexample == {"class_size": 3, "rows": [1, 2, 3]}
    assert verify_against(make_release(records(), claim(k=4)), people(), ROWS).counterexample == {
        "matches": 3,
        "rows": [1, 2, 3],
    }


Damage = Callable[[list[Record]], None]


def move_event(rows: list[Record]) -> None:
    rows[1].events[1] = ("news", 11)


def copy_event(rows: list[Record]) -> None:
    rows[4].events.append(("news", 31))
    rows[3].events.append(("news", 31))


def rename_event(rows: list[Record]) -> None:
    rows[8].events[0] = ("shop", 3)


def shrink_interval(rows: list[Record]) -> None:
    rows[0].pairs[1] = ("mail", 11, 12)


def drop_interval(rows: list[Record]) -> None:
    rows[3].pairs.pop()


def merge_people(rows: list[Record]) -> None:
    rows[3].events.extend(rows.pop(4).events)


def expose(rows: list[Record]) -> None:
    rows[3].events.insert(0, ("mail", 20))


@pytest.mark.parametrize(
    ("damage", "broken", "counterexample"),
    [
        (move_event, DIVERSE, {"event": "news", "window": [11, 12], "people": 2, "class_size": 3, "rows": [2, 3]}),
        (copy_event, DIVERSE, {"event": "news", "window": [31, 31], "people": 2, "class_size": 3, "rows": [4, 5]}),
        (rename_event, DIVERSE, {"event": "shop", "window": [3, 3], "people": 2, "class_size": 3, "rows": [7, 9]}),
        (shrink_interval, CROWDED, {"class_size": 1, "rows": [1]}),
        (drop_interval, CROWDED, {"class_size": 2, "rows": [5, 6]}),
        (merge_people, CROWDED, {"class_size": 2, "rows": [4, 5]}),
        (expose, "no monitored event is published as it is", {"event": "mail", "rows": [4]}),
    ],
)
def test_damaged_records_are_found(damage: Damage, broken: str, counterexample: dict[str, Any]) -> None:
    rows = records()
    damage(rows)
    release = make_release(rows, claim())
    verdict = verify(release)
    assert verdict.checks[READABLE]
    assert not verdict.checks[broken]
    assert verdict.counterexample == counterexample
    assert isinstance(verify_against(release, people(), np.arange(len(rows))).holds, bool)
    assert not verify_faithful(release, people(), np.arange(len(rows)))


@pytest.mark.parametrize(("unit", "published"), [("", "day"), ("day", None), ("century", "day"), ("century", None)])
def test_windows_must_be_in_units_of_the_times(unit: str, published: str | None) -> None:
    release = make_release(records(), claim(unit=unit), unit=published)
    for verdict in (verify(release), verify_against(release, people(published), ROWS)):
        assert not verdict.holds
        assert not verdict.checks["the window is in units of the times"]
        assert verdict.counterexample == {"unit": unit}


def test_times_between_whole_units_are_not_rounded() -> None:
    """Six hours and a microsecond are more than six hours."""
    rows = [Record([], [("shop", 3)]), Record([], [("shop", 9)]), Record([], [])]
    table = people_table(rows, TimeUnit("hour"))
    release = make_release([], claim(unit="hour"), unit="hour", table=table, records_in=3)
    assert verify(release).measured["l"] == 1
    micros = table.column("times").combine_chunks().flatten().cast(pa.int64()).to_pylist()
    later = pa.array([[micros[0]], [micros[1] + 1], []], pa.list_(pa.int64())).cast(table.column("times").type)
    release = make_release([], claim(unit="hour"), unit="hour", table=table.set_column(4, "times", later), records_in=3)
    assert verify(release).measured["l"] == 3
    window = verify(make_release(rows, claim(unit="hour"), unit="hour")).counterexample
    assert window is not None
    assert window["window"] == ["1970-01-01 03:00:00.000000Z", "1970-01-01 09:00:00.000000Z"]


def test_other_units_and_guarantees() -> None:
    release = make_release(records(), claim(unit="day"), unit="day")
    assert not verify_against(release, people(), ROWS).checks["the original's times are in the published units"]
    with pytest.raises(VerificationError, match="use the verifier of that guarantee"):
        verify(make_release(records(), GroupAnonymity(k=2, monitored=MONITORED)))


def test_broken_lists_are_not_judged_further() -> None:
    table = people_table(records(), TimeUnit())
    short = table.set_column(4, "times", pa.array([[]] * 9, table.column("times").type))
    release = make_release([], claim(), table=short, records_in=9)
    for verdict in (verify(release), verify_against(release, people(), ROWS)):
        assert not verdict.checks[READABLE]
        assert verdict.counterexample == {
            "check": "times go with their events",
            "columns": ["events", "times"],
            "rows": [1],
        }


def test_where_everything_is_monitored_nothing_is_left_to_predict() -> None:
    rows = naive.publish([[("mail", 1)], [("mail", 2)]], [0, 0], MONITORED)
    verdict = verify(make_release(rows, claim(k=2)))
    assert verdict.holds
    assert verdict.measured["l"] is None
    against = verify_against(make_release(rows, claim(k=2)), Dataset.of("sequences", [[("mail", 1)], [("mail", 2)]]))
    assert against.measured["share"] == 0.0


def test_labels_listed_twice_are_refused() -> None:
    """A dictionary with two entries for one label would otherwise hide that two people did the same."""
    rows = [Record([], [("shop", 3)]), Record([], [("shop", 3)])]
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), pa.array(["shop", "shop"]))
    column = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), twice)
    table = people_table(rows, TimeUnit()).set_column(3, "events", column)
    verdict = verify(make_release([], claim(k=2), table=table, records_in=2))
    assert verdict.outcome == "broken"
    assert verdict.counterexample == {
        "check": "a dictionary lists a label once",
        "column": "events",
        "labels": 2,
        "distinct_labels": 1,
    }


@pytest.mark.parametrize(
    ("first", "second", "g", "people"),
    [
        ([5], [8], 3, 2),  # both ends belong to the window
        ([5], [8], 2, 1),
        ([5], [5], 0, 2),
        ([1, 2, 3, 4], [20], 5, 1),  # a person counts once
        ([1, 9], [5], 4, 2),
        ([-7], [2**61], 2**61 + 7, 2),
        ([-7], [2**61], 2**61 + 6, 1),
        ([-(2**61)], [2**61], 2**62, 2),
    ],
)
def test_windows(first: list[int], second: list[int], g: int, people: int) -> None:
    entries = Entries(ListColumn.from_lists([["a"] * len(first), ["a"] * len(second)]), np.array(first + second))
    assert count_most(entries, np.array([0, 0]), 1, g).tolist() == [people]
    found = find_busiest(entries, np.array([0, 1]), g)
    assert found is not None
    assert (found.people, found.records, len(found.rows)) == (people, 2, people)
    assert found.last - found.first <= g


histories = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), max_size=5).map(
    lambda row: sorted(row, key=lambda event: event[1])
)
published = st.lists(
    st.tuples(st.sampled_from([[], [("mail", 0, 2)], [("mail", 1, 3)]]), histories), min_size=1, max_size=7
)


def rows_of(found: list[Any]) -> list[Record]:
    return [Record(list(pairs), list(events)) for pairs, events in found]


def release_of(rows: list[Record], g: int, l: int, k: int) -> Release:
    return make_release(rows, claim(g=g, l=l, k=k))


@given(published, st.integers(0, 10), st.integers(2, 4), st.integers(1, 3))
def test_l_is_counted_right(found: list[Any], g: int, l: int, k: int) -> None:
    rows = rows_of(found)
    verdict = verify(release_of(rows, g, l, k))
    smallest, expected = min(map(len, naive.classes(rows))), naive.measured_l(rows, g)
    assert verdict.measured == {"k": smallest, "classes": len(naive.classes(rows)), "g": g, "l": expected}
    assert verdict.holds == (smallest >= k and (expected is None or expected >= l))
    if not verdict.checks[DIVERSE] and verdict.checks[CROWDED]:
        assert verdict.counterexample is not None
        inside = [rows[row - 1] for row in verdict.counterexample["rows"]]
        first, last = verdict.counterexample["window"]
        assert last - first <= g
        for record in inside:
            assert any(e == verdict.counterexample["event"] and first <= t <= last for e, t in record.events)
        assert verdict.counterexample["people"] == len(inside)
        assert verdict.counterexample["people"] / verdict.counterexample["class_size"] == naive.worst_share(rows, g)


@given(published, st.integers(0, 10), st.integers(1, 6))
def test_portions_do_not_matter(found: list[Any], g: int, portion: int) -> None:
    rows = rows_of(found)
    table = people_table(rows, TimeUnit())
    entries = Entries.read(table.column("events"), table.column("times"))
    group = np.array([len(row.pairs) for row in rows])
    whole = count_most(entries, group, 2, g)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_PORTION", portion)
        assert count_most(entries, group, 2, g).tolist() == whole.tolist()
    expected = [naive.most_in_window([r for r, n in zip(rows, group, strict=True) if n == c], g) for c in (0, 1)]
    assert whole.tolist() == expected
