"""What every release of sets must keep: one damage per rule, each with a witness and without an exception."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.kinds.sets.examples import CLUSTERS, PEOPLE, chunk, nested, people
from tests.kinds.sets.releases import COLUMNS, clusters_table, generalised, items_column, values_table

from sfumato.kinds.sets.dataset import CHUNK_COLUMNS, CLUSTER_COLUMNS
from sfumato.kinds.sets.verify.faithful import verify_faithful
from sfumato.kinds.sets.verify.km_items import verify, verify_against
from sfumato.release.release import ExtraTable, PublishedColumn, Release
from sfumato.release.text import ValueFormat
from sfumato.verification.structure import verify_structure

NULL = "no cell is empty"
FORM, TREE = "sets are generalised or separated", "clusters form a tree"
REPEATED, FIT = "no item is repeated in a row", "clusters and chunks fit together"
GENERALISED, EXTRA_TABLES = "separated items are not generalised", "parts are the declared ones"


def extra_table(table: pa.Table, columns: tuple[PublishedColumn, ...] = CLUSTER_COLUMNS) -> dict[str, ExtraTable]:
    return {"clusters": ExtraTable(columns, table)}


def with_cell(name: str, cell: Any) -> pa.Table:
    table = nested().table
    cells = table.column(name).to_pylist()
    return table.set_column(table.column_names.index(name), name, pa.array([cell, *cells[1:]], table.column(name).type))


def with_size(cluster: str, size: int | None) -> dict[str, ExtraTable]:
    return extra_table(clusters_table([(c, p, size if c == cluster else s) for c, p, s in CLUSTERS]))


def with_parent(cluster: str, parent: str | None) -> dict[str, ExtraTable]:
    return extra_table(clusters_table([(c, parent if c == cluster else p, s) for c, p, s in CLUSTERS]))


ONE_OF = (COLUMNS[0], PublishedColumn("items", "history", ValueFormat("category", history=True)))
PLAIN = generalised([["P", "c"], ["P", "c"]], {"P": ["a", "b"]})

DAMAGES: dict[str, tuple[Release, str, dict[str, Any]]] = {
    "values mean one of": (
        dataclasses.replace(PLAIN, columns=ONE_OF),
        FORM,
        {"form": "category", "meaning": "one of"},
    ),
    "items are no categories": (
        dataclasses.replace(
            PLAIN,
            columns=(COLUMNS[0], PublishedColumn("items", "history", ValueFormat("set", history=False))),
            table=PLAIN.table.set_column(1, "items", pa.array([["a"], ["b"]])),
        ),
        FORM,
        {"form": "set"},
    ),
    "records without names": (
        dataclasses.replace(PLAIN, columns=COLUMNS[1:], table=PLAIN.table.drop_columns("person")),
        FORM,
        {"roles": ["history"]},
    ),
    "records in clusters": (
        dataclasses.replace(
            PLAIN,
            columns=(*COLUMNS, CHUNK_COLUMNS[0]),
            table=PLAIN.table.append_column("cluster", pa.array(["p", "p"])),
        ),
        FORM,
        {"roles": ["cluster", "history", "identifier"]},
    ),
    "another part": (
        dataclasses.replace(PLAIN, extra_tables={"groups": ExtraTable((), pa.table({}))}),
        EXTRA_TABLES,
        {"part": "groups"},
    ),
    "another part beside the clusters": (
        nested(extra_tables={**extra_table(clusters_table(CLUSTERS)), "groups": ExtraTable((), pa.table({}))}),
        EXTRA_TABLES,
        {"part": "groups"},
    ),
    "an item twice in a record": (generalised([["a", "b"], ["b", "a", "b"]]), REPEATED, {"rows": [2]}),
    "an item twice in a subrecord": (nested(chunk("p", 1, "a b a", "a b")), REPEATED, {"rows": [1]}),
    "chunks without a number": (
        nested(columns=CHUNK_COLUMNS[::2], table=nested().table.drop_columns("chunk")),
        FORM,
        {"table": "data"},
    ),
    "names beside chunks": (
        nested(
            columns=(*CHUNK_COLUMNS, COLUMNS[0]),
            table=nested().table.append_column("person", pa.array(map(str, range(nested().table.num_rows)))),
        ),
        FORM,
        {"table": "data"},
    ),
    "clusters without parents": (
        nested(extra_tables=extra_table(clusters_table(CLUSTERS).drop_columns("parent"), CLUSTER_COLUMNS[::2])),
        FORM,
        {"table": "clusters"},
    ),
    "a cluster column that is not there": (
        nested(extra_tables=extra_table(clusters_table(CLUSTERS).drop_columns("parent"))),
        EXTRA_TABLES,
        {"part": "clusters"},
    ),
    "a subrecord of no cluster": (nested(table=with_cell("cluster", None)), TREE, {"column": "cluster"}),
    "a subrecord of no chunk": (nested(table=with_cell("chunk", None)), TREE, {"column": "chunk"}),
    "a cluster without a size": (nested(extra_tables=with_size("p", None)), TREE, {"column": "size"}),
    "an unknown cluster": (nested(table=with_cell("cluster", "nowhere")), TREE, {}),
    "an unknown parent": (nested(extra_tables=with_parent("p", "nowhere")), TREE, {}),
    "a cluster twice": (nested(clusters=[*CLUSTERS, CLUSTERS[-1]]), TREE, {}),
    "a circle": (nested(extra_tables=with_parent("j", "i")), TREE, {}),
    "no clusters": (
        nested(extra_tables=extra_table(clusters_table([])), table=nested().table.slice(0, 0)),
        TREE,
        {"clusters": 0},
    ),
    "no subrecord": (nested(table=with_cell("items", [])), "no history is empty", {"rows": [1]}),
    "a null item": (nested(table=with_cell("items", ["a", None])), NULL, {"rows": [1]}),
    "a joint size that is no sum": (nested(extra_tables=with_size("i", 7)), FIT, {"cluster": "j", "size": 12}),
    "a leaf without records": (nested(extra_tables=with_size("q", 0)), FIT, {"size": 6}),
    "a negative size": (nested(extra_tables=with_size("q", -3)), FIT, {"cluster": "i"}),
    "more people than records": (nested(published=13, records_in=13), FIT, {"published": 13, "clusters": 12}),
    "a missing number": (
        nested(chunk("q", 2, "2 * h"), chunk("q", 3, "2 * k"), chunk("r", 3, "2 * h")),
        FIT,
        {"rule": "chunks are numbered from 1", "cluster": "r", "chunk": 3},
    ),
    "a negative number": (nested(chunk("r", -1, "2 * h")), FIT, {"rule": "chunks are numbered from 1"}),
    "a first chunk that is not 1": (
        nested(chunk("t", 2, "2 * h"), clusters=[*CLUSTERS, ("t", None, 2)], published=14, records_in=14),
        FIT,
        {"cluster": "t", "chunk": 2},
    ),
    "a term chunk of two rows": (nested(chunk("p", 0, "x", "z")), FIT, {"rule": "a term chunk is one row"}),
    "a joint term chunk": (nested(chunk("i", 0, "x")), FIT, {"rule": "only leaves have a term chunk"}),
    "an item in two chunks": (
        nested(chunk("p", 2, "2 * a")),
        FIT,
        {"rule": "chunks do not share items", "cluster": "p", "value": "a"},
    ),
    "an item in a term chunk and a record chunk": (nested(chunk("p", 0, "a z")), FIT, {"cluster": "p", "value": "a"}),
    "an item in two shared chunks": (nested(chunk("j", 2, "2 * o")), FIT, {"cluster": "j", "value": "o"}),
    "an item in a term chunk and above": (nested(chunk("p", 0, "e z")), FIT, {"cluster": "p", "value": "e"}),
    "an item in a term chunk and at the top": (nested(chunk("q", 0, "o z")), FIT, {"cluster": "q", "value": "o"}),
    "generalised items in chunks": (nested(values=values_table({"z": ["u", "v"]})), GENERALISED, {"listed": 2}),
    "removed items beside chunks": (nested(values=values_table({}, ["u"])), GENERALISED, {"listed": 1}),
    "wrong count": (nested(records_in=13), "counts agree", {"published": 12}),
}


def test_the_undamaged_releases_are_sound() -> None:
    for release in (nested(), PLAIN):
        verdict = verify_structure(release)
        assert verdict.holds
        assert all(verdict.checks.values())


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found_and_nothing_raises(damage: str) -> None:
    release, name, expected = DAMAGES[damage]
    verdict = verify_structure(release)
    assert {check for check, holds in verdict.checks.items() if not holds} - {"readable"} == {name}
    assert verdict.counterexample is not None
    assert verdict.counterexample["check"] == name
    assert expected.items() <= verdict.counterexample.items()
    json.dumps(verdict.to_dict())
    assert not verify(release).holds
    rows = np.arange(len(release)) % len(PEOPLE)
    for other in (
        verify_against(release, people(), rows),
        verify_against(release, people()),
        verify_faithful(release, people(), rows),
    ):
        assert isinstance(other.holds, bool)


def test_rows_in_any_order_are_the_same_release() -> None:
    order = np.random.default_rng(5).permutation(nested().table.num_rows)
    shuffled = nested(table=nested().table.take(pa.array(order)))
    assert verify(shuffled).to_dict() == verify(nested()).to_dict()
    assert verify_faithful(shuffled, people(), np.arange(12)).holds


def test_items_columns_share_no_numbering_with_the_original() -> None:
    table = pa.table({"person": ["x", "y"], "items": items_column([["c", "P"], ["P", "c"]])})
    assert verify(dataclasses.replace(PLAIN, table=table)).holds
