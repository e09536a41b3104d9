"""What every release of sequences must keep: one damage per rule, each with a witness and without an exception."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.kinds.sequences.naive.knowledge import Record, columns, people_table, values_table
from tests.kinds.sequences.verify.examples import MONITORED, people, records, sound

from sfumato.data.time_units import TimeUnit
from sfumato.kinds.sequences.guarantees import GroupAnonymity
from sfumato.kinds.sequences.verify.faithful import verify_faithful
from sfumato.kinds.sequences.verify.group_anonymity import verify, verify_against
from sfumato.release.release import PublishedColumn
from sfumato.release.text import ValueFormat
from sfumato.verification.structure import verify_structure

NAMED, TYPES, NULL = "columns are the declared ones", "types are the declared ones", "no cell is empty"
ALIGNED, ORDERED = "times go with their events", "times are in order"
LISTED, EXPOSED = "categories are listed or monitored events", "no monitored event is published as it is"
COUNTS = "counts agree"


def with_column(name: str, values: list[Any]) -> pa.Table:
    table = people_table(records(), TimeUnit())
    at = table.column_names.index(name)
    return table.set_column(at, name, pa.array(values, table.column(name).type))


def column(name: str) -> list[Any]:
    found: list[Any] = people_table(records(), TimeUnit()).column(name).to_pylist()
    return found


def changed(name: str, row: int, cell: Any) -> pa.Table:
    return with_column(name, [cell if i == row else old for i, old in enumerate(column(name))])


def with_record(row: int, record: Record) -> pa.Table:
    return people_table([record if i == row else old for i, old in enumerate(records())], TimeUnit())


def redeclared(at: int, name: str, role: str, form: ValueFormat) -> tuple[PublishedColumn, ...]:
    made = list(columns(TimeUnit()))
    made[at] = PublishedColumn(name, role, form)
    return tuple(made)


DAMAGES: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "monitored shorter than its times": (
        {"table": changed("monitored", 3, [])},
        ALIGNED,
        {"columns": ["monitored", "monitored_times"], "rows": [4]},
    ),
    "times shorter than events": (
        {"table": changed("times", 6, [8])},
        ALIGNED,
        {"columns": ["events", "times"], "rows": [7]},
    ),
    "interval ends before it begins": (
        {"table": changed("monitored_times", 3, [{"lo": 22, "hi": 20}])},
        ORDERED,
        {"column": "monitored_times", "rows": [4]},
    ),
    "intervals meet": (
        {"table": changed("monitored_times", 2, [{"lo": 1, "hi": 10}, {"lo": 10, "hi": 11}])},
        ORDERED,
        {"column": "monitored_times", "rows": [3]},
    ),
    "intervals out of order": (
        {"table": changed("monitored_times", 1, [{"lo": 10, "hi": 11}, {"lo": 1, "hi": 3}])},
        ORDERED,
        {"column": "monitored_times", "rows": [2]},
    ),
    "times out of order": ({"table": changed("times", 6, [9, 8])}, ORDERED, {"column": "times", "rows": [7]}),
    "time out of range": ({"table": changed("times", 5, [2**62])}, ORDERED, {"column": "times"}),
    "interval out of range": (
        {"table": changed("monitored_times", 4, [{"lo": -(2**63), "hi": 22}])},
        ORDERED,
        {"column": "monitored_times"},
    ),
    "bound missing": (
        {"table": changed("monitored_times", 3, [{"lo": 20, "hi": None}])},
        NULL,
        {"column": "monitored_times", "rows": [4]},
    ),
    "interval missing": ({"table": changed("monitored_times", 4, [None])}, NULL, {"rows": [5]}),
    "time missing": ({"table": changed("times", 5, [None])}, NULL, {"column": "times", "rows": [6]}),
    "times missing": ({"table": changed("times", 5, None)}, NULL, {"column": "times", "rows": [6]}),
    "times as text": (
        {"table": sound().table.set_column(4, "times", pa.array([["1"]] * 7))},
        TYPES,
        {"column": "times"},
    ),
    "intervals as numbers": (
        {"table": sound().table.set_column(2, "monitored_times", pa.array([[1]] * 7))},
        TYPES,
        {"column": "monitored_times"},
    ),
    "one history": (
        {"columns": redeclared(3, "events", "plain", ValueFormat("category", history=True))},
        NAMED,
        {"role": "history", "columns": 1},
    ),
    "no times": (
        {"columns": redeclared(4, "times", "plain", ValueFormat("exact", "int64", history=True))},
        NAMED,
        {"role": "time", "columns": 1},
    ),
    "two exact times": (
        {"columns": redeclared(2, "monitored_times", "time", ValueFormat("exact", "int64", history=True))},
        NAMED,
        {"role": "time", "forms": ["exact", "exact"]},
    ),
    "times of two types": (
        {"columns": redeclared(4, "times", "time", ValueFormat("exact", "timestamp", history=True))},
        NAMED,
        {"types": ["int64", "timestamp"]},
    ),
    "times that are sets": (
        {"columns": redeclared(4, "times", "time", ValueFormat("set", "int64", history=True))},
        NAMED,
        {"column": "times", "form": "set"},
    ),
    "events that are numbers": (
        {"columns": redeclared(3, "events", "history", ValueFormat("exact", "int64", history=True))},
        NAMED,
        {"column": "events"},
    ),
    "category without members": ({"values": values_table({})}, LISTED, {"value": "{chat|mail}"}),
    "category of nothing monitored": (
        {"values": values_table({"{chat|mail}": ["talk", "post"]})},
        LISTED,
        {"value": "{chat|mail}"},
    ),
    "unknown category": (
        {"table": with_record(3, Record([("post", 20, 22)], [("bank", 21)]))},
        LISTED,
        {"value": "post"},
    ),
    "category of one": (
        {"values": values_table({"{chat|mail}": ["mail"]})},
        "generalised values have members of their own",
        {"members": 1},
    ),
    "monitored event as it is": (
        {"table": with_record(4, Record(records()[4].pairs, [("mail", 22)]))},
        EXPOSED,
        {"event": "mail", "rows": [5]},
    ),
    "member of a category as it is": (
        {"values": values_table({"{chat|mail}": ["chat", "mail", "shop"]})},
        EXPOSED,
        {"value": "{chat|mail}"},
    ),
    "receiver monitors more than was generalised": (
        {"guarantee": GroupAnonymity(k=2, monitored=(*MONITORED, "bank"))},
        EXPOSED,
        {"event": "bank", "rows": [4, 7]},
    ),
    "receiver monitors less than was generalised": (
        {"guarantee": GroupAnonymity(k=2, monitored=("chat",))},
        LISTED,
        {"value": "{chat|mail}"},
    ),
    "higher k": (
        {"guarantee": GroupAnonymity(k=3, monitored=MONITORED)},
        "every monitored part is published k times",
        {},
    ),
    "another kind": ({"kind": "trajectories"}, "the records are sequences", {"kind": "trajectories"}),
    "wrong count": ({"records_in": 8}, COUNTS, {"published": 7}),
    "wrong withheld": ({"suppressed_records": {"no group": 2}}, COUNTS, {"withheld": [2]}),
    "nobody": ({"table": people_table([], TimeUnit()), "records_in": 0}, "something is published", {"published": 0}),
    "pseudonym twice": (
        {"table": with_column("person", ["x"] * 7)},
        "pseudonyms are distinct",
        {"rows": [1, 2]},
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found_and_nothing_raises(damage: str) -> None:
    changes, broken, expected = DAMAGES[damage]
    release = sound(**changes)
    verdict = verify(release)
    assert not verdict.holds
    assert not verdict.checks[broken]
    assert verdict.counterexample is not None
    assert expected.items() <= verdict.counterexample.items()
    json.dumps(verdict.to_dict())
    rows = np.arange(len(release))
    for other in (
        verify_structure(release),
        verify_against(release, people(), rows),
        verify_against(release, people()),
    ):
        assert isinstance(other.holds, bool)
    assert isinstance(verify_faithful(release, people(), rows).holds, bool)
