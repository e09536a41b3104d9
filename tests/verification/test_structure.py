"""What every release must keep: one damage per rule."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.kinds.trajectories.verify.examples import ABC, SIX, six_published
from tests.kinds.trajectories.verify.releases import COLUMNS, make_release, people_table, recode, values_table

from sfumato.data.dataset import Dataset
from sfumato.data.places import PlaceOrigin
from sfumato.kinds.trajectories.guarantees import KmAnonymity
from sfumato.kinds.trajectories.verify.faithful import verify_faithful
from sfumato.kinds.trajectories.verify.km_anonymity import verify, verify_against
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat
from sfumato.verification.structure import READABLE, verify_structure

ROWS = [recode(row, ABC) for row in SIX]
NAMES = [f"x{i}" for i in range(6)]


def dictionary_lists(rows: list[Any], index: Any = None) -> pa.Array:
    return pa.array(rows, pa.list_(pa.dictionary(index or pa.int32(), pa.string())))


def with_histories(rows: list[Any]) -> pa.Table:
    return pa.table({"person": NAMES, "places": dictionary_lists(rows)})


def null_in_dictionary() -> pa.Table:
    flat = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 0, 0, 0], pa.int32()), pa.array(["d", None]))
    return pa.table({"person": NAMES, "places": pa.ListArray.from_arrays(pa.array(range(7), pa.int32()), flat)})


def places_table(places: list[str]) -> pa.Table:
    return pa.table({"place": places, "x": [0.0] * len(places), "y": [0.0] * len(places)})


COUNTS, NOBODY, PSEUDONYMS = "counts agree", "something is published", "pseudonyms are distinct"
EMPTY, MEMBERS = "no history is empty", "generalised values have members of their own"
GONE, DESCRIBED = "suppressed values are gone", "places are described"
NULL, TYPES, NAMED = "no cell is empty", "types are the declared ones", "columns are the declared ones"
VALUES = "values table can be read"

DAMAGES: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "one record removed": (
        {"table": six_published().table.slice(1)},
        COUNTS,
        {"published": 5, "withheld": [], "records_in": 6},
    ),
    "records_in wrong": ({"records_in": 7}, COUNTS, {"records_in": 7}),
    "withheld wrong": ({"suppressed_records": {"too long": 1}}, COUNTS, {"withheld": [1]}),
    "withheld negative": ({"records_in": 5, "suppressed_records": {"too long": -1}}, COUNTS, {"withheld": [-1]}),
    "withheld is no number": ({"suppressed_records": {"too long": "0"}}, COUNTS, {"withheld": ["0"]}),
    "nobody": ({"table": people_table([]), "records_in": 0}, NOBODY, {"published": 0}),
    "pseudonym twice": ({"table": people_table(ROWS, ["x", *NAMES[1:5], "x"])}, PSEUDONYMS, {"rows": [1, 6]}),
    "empty history": ({"table": people_table([*ROWS[:5], []])}, EMPTY, {"rows": [6]}),
    "null visit": ({"table": with_histories([*ROWS[:3], ["d", None], *ROWS[4:]])}, NULL, {"rows": [4]}),
    "null history": ({"table": with_histories([*ROWS[:2], None, *ROWS[3:]])}, NULL, {"rows": [3]}),
    "null label": ({"table": null_in_dictionary()}, NULL, {"rows": [2]}),
    "null pseudonym": (
        {"table": people_table(ROWS, [*NAMES[:5], None])},  # type: ignore[list-item]
        NULL,
        {"column": "person", "rows": [6]},
    ),
    "history as text": (
        {"table": pa.table({"person": NAMES, "places": ["d"] * 6})},
        TYPES,
        {"column": "places", "found": "string"},
    ),
    "history of plain strings": (
        {"table": pa.table({"person": NAMES, "places": ROWS})},
        TYPES,
        {"column": "places"},
    ),
    "pseudonyms as numbers": (
        {"table": six_published().table.set_column(0, "person", pa.array(range(6)))},
        TYPES,
        {"column": "person", "found": "int64"},
    ),
    "undeclared column": (
        {"table": six_published().table.append_column("age", pa.array(range(6)))},
        NAMED,
        {"found": ["person", "places", "age"]},
    ),
    "missing column": ({"table": six_published().table.drop_columns(["person"])}, NAMED, {"found": ["places"]}),
    "no history declared": (
        {
            "columns": (COLUMNS[0], PublishedColumn("places", "plain", ValueFormat("category", history=True))),
        },
        NAMED,
        {"role": "history", "columns": 0},
    ),
    "two identifiers": (
        {
            "columns": (*COLUMNS, PublishedColumn("ssn", "identifier", ValueFormat("exact"))),
            "table": six_published().table.append_column("ssn", pa.array(NAMES)),
        },
        NAMED,
        {"role": "identifier", "columns": 2},
    ),
    "one member": ({"values": values_table({**ABC, "e": ["e"]})}, MEMBERS, {"value": "e", "members": 1}),
    "member twice": (
        {"values": values_table({"{a|b|c}": ["a", "b", "c", "c"]})},
        MEMBERS,
        {"value": "{a|b|c}", "members": 4, "distinct_members": 3},
    ),
    "same members twice": (
        {"values": values_table({**ABC, "other": ["c", "a", "b"]})},
        MEMBERS,
        {"values": ["{a|b|c}", "other"]},
    ),
    "suppressed place published": ({"values": values_table(ABC, ["e"])}, GONE, {"value": "e"}),
    "suppressed place a member": ({"values": values_table(ABC, ["b"])}, GONE, {"value": "{a|b|c}"}),
    "suppressed twice": ({"values": values_table(ABC, ["z", "z"])}, GONE, {"listed": 2, "distinct": 1}),
    "member not described": ({"places": places_table(list("abde"))}, DESCRIBED, {"value": "{a|b|c}"}),
    "unknown value": (
        {"places": places_table(list("abcde")), "table": people_table([*ROWS[:5], ["d", "{a|z}"]])},
        DESCRIBED,
        {"value": "{a|z}"},
    ),
    "coordinates from nowhere": (
        {"places": places_table(list("abcde"))},
        "coordinates are what the release says",
        {"declared": ["place"], "found": ["place", "x", "y"]},
    ),
    "places without names": ({"places": pa.table({"x": [0.0]})}, DESCRIBED, {"found": ["x"]}),
    "values of another column": (
        {
            "values": pa.table(
                {"column": ["age", "age"], "value": ["{1|2}"] * 2, "member": ["1", "2"]},
            )
        },
        VALUES,
        {"unknown_columns": ["age"]},
    ),
    "values without members": (
        {"values": pa.table({"column": ["places"], "value": ["v"]})},
        VALUES,
        {"found": ["column", "value"]},
    ),
    "null member": (
        {"values": values_table({"{a|b|c}": ["a", "b", None]})},  # type: ignore[list-item]
        VALUES,
        {"column": "member", "empty_cells": 1},
    ),
    "members as numbers": (
        {"values": pa.table({"column": ["places"], "value": ["v"], "member": [1]})},
        VALUES,
        {"column": "member", "found": "int64"},
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found_and_nothing_raises(damage: str) -> None:
    changes, broken, expected = DAMAGES[damage]
    release = dataclasses.replace(six_published(), **changes)
    verdict = verify_structure(release)
    assert not verdict.holds
    assert not verdict.checks[broken]
    assert verdict.counterexample is not None
    assert verdict.counterexample["check"] == broken
    assert expected.items() <= verdict.counterexample.items()
    data = Dataset.of("trajectories", SIX)
    assert not verify(release)
    assert isinstance(verify_against(release, data).holds, bool)
    assert isinstance(verify_faithful(release, data, np.arange(len(release))).holds, bool)


def sound_releases() -> dict[str, Release]:
    release = six_published()
    wide = pa.array(ROWS, pa.large_list(pa.dictionary(pa.int8(), pa.large_string())))
    halves = pa.concat_tables([release.table.slice(0, 2), people_table(ROWS[2:], NAMES[2:])])
    return {
        "as made": release,
        "wide types": dataclasses.replace(release, table=pa.table({"person": NAMES, "places": wide})),
        "in chunks": dataclasses.replace(release, table=halves),
        "described": dataclasses.replace(release, places=places_table(list("abcde")), place_origin=PlaceOrigin()),
        "withheld": make_release(ROWS, ABC, suppressed=["z"], suppressed_records=3),
    }


@pytest.mark.parametrize("name", sound_releases())
def test_sound_releases_pass(name: str) -> None:
    verdict = verify_structure(sound_releases()[name])
    assert verdict.holds
    assert verdict.counterexample is None
    assert verdict.checks[READABLE]
    assert all(verdict.checks.values())
    assert verify(sound_releases()[name]).holds


def test_tables_without_history_are_checked_too() -> None:
    columns = (
        PublishedColumn("age", "quasi-identifier", ValueFormat("interval", "int64")),
        PublishedColumn("job", "quasi-identifier", ValueFormat("set")),
        PublishedColumn("town", "quasi-identifier", ValueFormat("category")),
    )
    table = pa.table(
        {
            "age": pa.array([{"lo": 1, "hi": 2}, None], pa.struct([("lo", pa.int64()), ("hi", pa.int64())])),
            "job": pa.array([["a", "b"], None], pa.list_(pa.string())),
            "town": pa.array(["x", None]).dictionary_encode(),
        }
    )

    class TableClaim(KmAnonymity):
        kinds = ("table",)

    guarantee = TableClaim(k=2, m=1)
    release = make_release([], kind="table", guarantee=guarantee, columns=columns, table=table, records_in=2)
    assert verify_structure(release).holds
    wrong = dataclasses.replace(release, table=table.set_column(0, "age", pa.array([1, 2])))
    assert not verify_structure(wrong).checks[TYPES]
