"""Blurred events: a true release holds, and each damage is found, from the files alone where they tell."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.data.dataset import Dataset
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.sequences.guarantees import GlDiversity
from sfumato.kinds.sequences.verify.faithful import verify_faithful
from sfumato.plugins import find_verifier
from sfumato.release.release import Release, Result
from sfumato.release.storage import read_release, write_release

START = 28_000_000
PEOPLE = [
    [("mail", 0), ("news", 2), ("shop", 3), ("bank", 90)],
    [("mail", 4), ("news", 5), ("bank", 91)],
    [("mail", 8), ("news", 9), ("news", 40), ("bank", 92)],
    [("mail", 500), ("news", 501), ("shop", 700)],
    [("mail", 503), ("bank", 504), ("shop", 701)],
    [("mail", 506), ("bank", 507)],
    [("news", 30)],
    [("shop", 31)],
    [("bank", 32)],
]


def dataset(unit: str | None = "minute") -> Dataset:
    return Dataset.of(
        "sequences",
        [[(event, START + time) for event, time in person] for person in PEOPLE],
        monitored=("mail",),
        time_unit=TimeUnit(unit),
    )


def published(unit: str | None = "minute", blur: int = 10) -> Result:
    return sf.anonymize(dataset(unit), sf.methods.Hi(k=3, blur=blur), secret=bytes([1] * 32))


def rebuilt(release: Release, change: Callable[[list[dict[str, Any]]], None]) -> Release:
    """Change the rows of a release, the order kept."""
    rows = release.table.to_pylist()
    change(rows)
    columns = {name: pa.array([row[name] for row in rows], release.table.schema.field(name).type) for name in rows[0]}
    return dataclasses.replace(release, table=pa.table(columns))


def claiming(release: Release, **changes: Any) -> Release:
    return dataclasses.replace(release, guarantee=dataclasses.replace(release.guarantee, **changes))


def at(minute: int) -> datetime.datetime:
    return TimeUnit("minute").to_arrow(pa.array([START + minute]).to_numpy())[0].as_py()


def row_with(rows: list[dict[str, Any]], told: bool) -> dict[str, Any]:
    return next(row for row in rows if bool(row["blurred"]) == told and row["monitored"])


@pytest.mark.parametrize("unit", [None, "minute"])
def test_what_all_did_is_told_of_all_and_the_rest_is_left_out(unit: str | None, tmp_path: Path) -> None:
    result = published(unit)
    release, rows = result.release, result.owner_record.rows
    told = [(row["blurred"], row["events"]) for row in release.table.to_pylist()]
    assert sorted(told) == sorted(
        [
            *[(["news"], ["bank"]), (["news"], ["bank"]), (["news"], ["news", "bank"])],
            *[([], ["shop"]), ([], ["shop"]), ([], [])],
            *[([], ["news"]), ([], ["shop"]), ([], ["bank"])],
        ]
    )
    assert (
        result.owner_record.counters["other_events_told_as_intervals"],
        result.owner_record.counters["other_events_left_out"],
    ) == (3, 4)
    assert find_verifier(release.guarantee).verify(release).measured == {"k": 3, "classes": 3, "blur": 10, "alike": 3}
    assert verify_faithful(release, dataset(unit), rows)
    write_release(release, tmp_path)
    for file in ("data.parquet", "data.csv"):
        again = read_release(tmp_path, file)
        assert again.guarantee == release.guarantee
        assert find_verifier(again.guarantee).verify(again)


def move_near(rows: list[dict[str, Any]]) -> None:
    row = next(row for row in rows if "bank" in row["events"] and row["monitored"])
    row["times"][0] = at(18)


def add_blurred(rows: list[dict[str, Any]]) -> None:
    row = row_with(rows, False)
    row["blurred"], row["blurred_times"] = ["shop"], [{"lo": at(490), "hi": at(500)}]


def change_interval(rows: list[dict[str, Any]]) -> None:
    row_with(rows, True)["blurred_times"] = [{"lo": at(1), "hi": at(9)}]


def blur_monitored(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["blurred"]:
            row["blurred"] = ["mail"]


def reverse_intervals(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["blurred"]:
            row["blurred_times"] = [{"lo": at(9), "hi": at(2)}]


def repeat_blurred(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        row["blurred"], row["blurred_times"] = row["blurred"] * 2, row["blurred_times"] * 2


def drop_intervals(rows: list[dict[str, Any]]) -> None:
    row_with(rows, True)["blurred_times"] = []


@pytest.mark.parametrize(
    ("damage", "check"),
    [
        (move_near, "no event near a monitored interval has a time"),
        (add_blurred, "what is told of blurred events is told of k records"),
        (change_interval, "what is told of blurred events is told of k records"),
        (blur_monitored, "no monitored event is published as it is"),
        (reverse_intervals, "times are in order"),
        (repeat_blurred, "times are in order"),
        (drop_intervals, "times go with their events"),
    ],
)
def test_damage_that_the_files_show(damage: Callable[[list[dict[str, Any]]], None], check: str) -> None:
    release = rebuilt(published().release, damage)
    verdict = find_verifier(release.guarantee).verify(release)
    assert not verdict.holds
    assert not verdict.checks[check]
    assert verdict.counterexample


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"blur": 80}, "no event near a monitored interval has a time"),
        ({"blur": None}, "nothing is told as blurred that is not declared"),
        ({"unit": ""}, "the blur is in units of the times"),
        ({"unit": "hour"}, "no event near a monitored interval has a time"),
        ({"suppressing": True}, "no monitored event is left out where others are blurred"),
        ({"k": 4}, "what is told of blurred events is told of k records"),
    ],
)
def test_claims_that_the_files_contradict(changes: dict[str, Any], check: str) -> None:
    release = claiming(published().release, **changes)
    verdict = find_verifier(release.guarantee).verify(release)
    assert not verdict.holds
    assert not verdict.checks[check]


def test_an_event_that_all_did_can_be_predicted() -> None:
    release = published().release
    guarantee = GlDiversity(g=1, l=2, k=3, monitored=("mail",), unit="minute", blur=10)
    verdict = find_verifier(guarantee).verify(dataclasses.replace(release, guarantee=guarantee))
    assert not verdict.checks["nothing is told of blurred events that could be predicted"]


def forget_far(rows: list[dict[str, Any]]) -> None:
    row = next(row for row in rows if row["monitored"] and row["events"])
    row["events"], row["times"] = row["events"][1:], row["times"][1:]


def replace_blurred(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["blurred"]:
            row["blurred"] = ["shop"]


def move_intervals(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["blurred"]:
            row["blurred_times"] = [{"lo": at(3), "hi": at(9)}]


def invent_event(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["blurred"]:
            row["blurred"] = ["poker"]


@pytest.mark.parametrize("damage", [forget_far, replace_blurred, move_intervals, invent_event])
def test_damage_that_only_the_original_shows(damage: Callable[[list[dict[str, Any]]], None]) -> None:
    result = published()
    release = rebuilt(result.release, damage)
    assert find_verifier(release.guarantee).verify(release)
    verdict = verify_faithful(release, dataset(), result.owner_record.rows)
    assert not verdict.holds
    assert verdict.counterexample


def test_a_smaller_blur_than_was_used_is_found_with_the_original() -> None:
    result = published(blur=60)
    release = claiming(result.release, blur=10)
    assert find_verifier(release.guarantee).verify(release)
    assert not verify_faithful(release, dataset(), result.owner_record.rows)


def test_a_release_that_has_other_events_cannot_say_it_has_none() -> None:
    release = claiming(published().release, others=False)
    verdict = find_verifier(release.guarantee).verify(release)
    assert not verdict.holds
    assert not verdict.checks["no other events are published"]
