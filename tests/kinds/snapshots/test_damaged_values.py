"""The sensitive values of a small release, damaged in every small way: all of it is refused, and nothing crashes."""

from __future__ import annotations

import dataclasses
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.exceptions import VerificationError
from sfumato.kinds.snapshots.verify.faithful import verify_faithful
from sfumato.kinds.snapshots.verify.l_diversity import verify, verify_against
from sfumato.release.release import ExtraTable, Release
from sfumato.release.storage import read_release, write_release

VALUES = ("cold", "flu", "gout", "rash")
PEOPLE = [(at // 6, str(20 + at), "f", VALUES[at % 4]) for at in range(9)]
DATA = sf.Dataset.of("snapshots", PEOPLE, ("age", "sex"), "illness")
GOOD = sf.anonymize(DATA, sf.methods.Anatomy(l=2), secret=bytes([1] * 32))
Rows = list[dict[str, Any]]
Damage = tuple[str, Rows, Rows, bool]
"""What it is, the records and the listed values after it, and whether the published files alone show it."""


def damages() -> Iterator[Damage]:
    """Yield every damage that makes the release say something false."""
    records, listed = GOOD.release.table.to_pylist(), GOOD.release.extra_tables["sensitive"].table.to_pylist()
    known = {format_rows(records, listed)}
    for name, some, values, alone in [*damage_values(records, listed), *damage_records(records, listed)]:
        if (found := format_rows(some, values)) not in known and not is_true(some, values):
            known.add(found)
            yield name, some, values, alone


def damage_values(records: Rows, listed: Rows) -> Iterator[Damage]:
    groups = sorted({(row["snapshot"], row["group"]) for row in listed})
    for at, row in enumerate(listed):
        before, after = listed[:at], listed[at + 1 :]

        def changed(before: Rows = before, row: dict[str, Any] = row, after: Rows = after, **cells: Any) -> Rows:
            return [*before, {**row, **cells}, *after]

        here = [other["illness"] for other in listed if key(other) == key(row)]
        for value in (*VALUES, "plague", ""):
            yield f"value {at} becomes {value!r}", records, changed(illness=value), value in here
        for count in (-1, 0, 2, 3, 2**40):
            yield f"count {at} becomes {count}", records, changed(count=count), True
        for column in ("illness", "count", "group", "snapshot"):
            yield f"{column} {at} is empty", records, changed(**{column: None}), True
        yield f"entry {at} is gone", records, [*before, *after], True
        yield f"entry {at} stands there twice", records, [*before, row, row, *after], True
        for snapshot, group in groups:
            moved = {"snapshot": snapshot, "group": group}
            yield f"entry {at} moves to {snapshot}, {group}", records, changed(**moved), True
        yield f"entry {at} moves to a group of nobody", records, changed(group=99), True
        for other, second in enumerate(after, start=at + 1):
            swapped = list(listed)
            swapped[at] = {**row, "illness": second["illness"]}
            swapped[other] = {**second, "illness": row["illness"]}
            yield f"values {at} and {other} change places", records, swapped, False
    for snapshot, group in groups:
        for value in VALUES:
            added = {"snapshot": snapshot, "group": group, "illness": value, "count": 1}
            yield f"{value} is added to {snapshot}, {group}", records, [*listed, added], True
    yield "nothing is listed", records, [], True


def damage_records(records: Rows, listed: Rows) -> Iterator[Damage]:
    groups = sorted({key(row) for row in listed})
    for at, row in enumerate(records):
        before, after = records[:at], records[at + 1 :]
        for snapshot, group in groups:
            moved = [*before, {**row, "snapshot": snapshot, "group": group}, *after]
            yield f"record {at} moves to {snapshot}, {group}", moved, listed, True
        yield f"record {at} has no group", [*before, {**row, "group": None}, *after], listed, True
        yield f"record {at} has another age", [*before, {**row, "age": "99"}, *after], listed, False
        yield f"record {at} is gone", [*before, *after], listed, True
        yield f"record {at} stands there twice", [*before, row, row, *after], listed, True
        for other, second in enumerate(after, start=at + 1):
            swapped = list(records)
            swapped[at], swapped[other] = {**row, "group": second["group"]}, {**second, "group": row["group"]}
            if row["snapshot"] == second["snapshot"]:
                yield f"records {at} and {other} change groups", swapped, listed, False


def key(row: dict[str, Any]) -> tuple[Any, Any]:
    return row["snapshot"], row["group"]


def format_rows(records: Rows, listed: Rows) -> str:
    return repr((records, sorted(map(repr, listed))))


def is_true(records: Rows, listed: Rows) -> bool:
    """Whether every group lists the values of the people in it, each once, and every record is its person's."""
    if len(records) != len(PEOPLE):
        return False
    people = [PEOPLE[at] for at in GOOD.owner_record.rows.tolist()]
    true = Counter((*key(row), person[3]) for row, person in zip(records, people, strict=True))
    same = all((row["snapshot"], row["age"]) == person[:2] for row, person in zip(records, people, strict=True))
    once = len({(*key(row), row["illness"]) for row in listed}) == len(listed)
    return same and once and {(*key(row), row["illness"]): row["count"] for row in listed} == dict(true)


def forge(records: Rows, listed: Rows) -> Release:
    release, extra_table = GOOD.release, GOOD.release.extra_tables["sensitive"]
    table = pa.Table.from_pylist(records, release.table.schema)
    values = pa.Table.from_pylist(listed, extra_table.table.schema)
    return dataclasses.replace(
        release, table=table, extra_tables={"sensitive": ExtraTable(extra_table.columns, values)}
    )


def judge(check: Callable[[], Any]) -> str:
    """What the command line would answer; anything but a refusal of the package is a crash."""
    try:
        return str(check().outcome)
    except VerificationError:
        return "broken"


CASES = list(damages())


def test_there_are_hundreds_of_damages() -> None:
    assert len(PEOPLE) == len(GOOD.release) == 9 and len(CASES) > 250
    assert verify(GOOD.release).holds and verify_faithful(GOOD.release, DATA, GOOD.owner_record.rows).holds


@pytest.mark.parametrize(("records", "listed", "alone"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_false_is_refused_by_the_verifiers(records: Rows, listed: Rows, alone: bool) -> None:
    release, rows = forge(records, listed), GOOD.owner_record.rows
    if alone:
        assert judge(lambda: verify(release)) == "broken"
    else:
        assert judge(lambda: verify(release)) in {"holds", "broken"}
    assert judge(lambda: verify_against(release, DATA, rows)) in {"holds", "broken"}
    assert judge(lambda: verify_faithful(release, DATA, rows)) == "broken"


@pytest.mark.slow
def test_what_is_false_is_refused_where_files_are_written_anew(tmp_path: Path) -> None:
    good = tmp_path / "good"
    sf.write(GOOD, good, reports=False)
    assert read_release(good / "release").table.equals(GOOD.release.table)
    for number, (name, records, listed, alone) in enumerate(CASES):
        out = tmp_path / str(number)
        shutil.copytree(good, out)
        shutil.rmtree(out / "release")
        (out / "release").mkdir()
        write_release(forge(records, listed), out / "release")
        told = judge(lambda out=out: sf.verify(out))
        assert told == "broken" if alone else told in {"holds", "broken", "undeclared"}, name
        assert judge(lambda out=out: sf.verify(out, DATA)) == "broken", name
        shutil.rmtree(out)


def test_the_row_map_of_nobody_is_refused() -> None:
    verdict = verify_faithful(forge([], []), DATA, np.array([], dtype=np.int64))
    assert verdict.outcome == "broken"
