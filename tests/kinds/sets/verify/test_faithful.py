"""Sets are published true to the original: one damage per rule, and random originals of random chunks."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.examples import PEOPLE, QUERIES, ROWS, chunk, figure_2, figure_3, nested, people
from tests.kinds.sets.naive.attack import draw_reconstruction, matches
from tests.kinds.sets.releases import disassociated, generalised, random_chunks

from sfumato.data.dataset import Dataset
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.sets.verify.faithful import verify_faithful
from sfumato.plugins import find_kind
from sfumato.verification.structure import verify_structure

MISSING, INVENTED = "nothing is missing", "nothing is invented"
TERMS, SUBRECORDS = "term chunks hold what their records have", "chunks hold their records' parts"
NO_DUPLICATES, COUNTED = "every record is published at most once", "withheld records are counted"
NAMES = "no original name is a pseudonym"


def test_it_is_found_by_kind() -> None:
    assert find_kind("sets").verify_faithful.load() is verify_faithful


def test_the_figures_and_the_small_release_are_true() -> None:
    queries = Dataset.of("sets", QUERIES)
    for release, original, rows in (
        (figure_2(), queries, np.arange(10)),
        (figure_3(), queries, np.arange(10)),
        (nested(), people(), ROWS),
    ):
        verdict = verify_faithful(release, original, rows)
        assert verdict.holds
        assert all(verdict.checks.values())


def changed(**rows: list[str]) -> list[list[str]]:
    return [rows.get(f"p{i}", row) for i, row in enumerate(PEOPLE)]


CHUNK_DAMAGES = {
    "an item is nowhere": (changed(p2=["c", "z", "h"]), MISSING, {"cluster": "p"}),
    "an item is in another cluster only": (changed(p2=["c", "z", "g"]), MISSING, {"cluster": "p"}),
    "nobody has a separated item": (changed(p4=["d", "e"]), TERMS, {"cluster": "q", "chunk": 0}),
    "one subrecord fewer": (changed(p2=["z"]), SUBRECORDS, {"cluster": "p", "chunk": 2, "published": 2, "expected": 1}),
    "one subrecord more": (changed(p0=["a", "b", "c", "e", "f", "z"]), SUBRECORDS, {"expected": 3}),
    "other subrecords of the same items": (
        changed(p0=["a", "e", "f", "z"], p2=["b", "c", "z"]),
        SUBRECORDS,
        {"cluster": "p", "chunk": 1},
    ),
    "other subrecords in a shared chunk": (
        changed(p0=["a", "b", "e", "z"], p4=["d", "e", "f", "y"], p5=["e", "z"], p3=["d", "f", "a", "o"]),
        SUBRECORDS,
        {"cluster": "i", "chunk": 1},
    ),
    "a shared subrecord at a leaf that has one of its items": (
        changed(p3=["d", "e", "f", "o"], p2=["a", "b", "c", "o", "z"]),
        SUBRECORDS,
        {"chunk": 1},
    ),
}


@pytest.mark.parametrize("damage", CHUNK_DAMAGES)
def test_each_rule_of_chunks_finds_its_damage_alone(damage: str) -> None:
    rows, name, expected = CHUNK_DAMAGES[damage]
    verdict = verify_faithful(nested(), people(rows), ROWS)
    assert [check for check, holds in verdict.checks.items() if not holds] == [name]
    assert verdict.counterexample is not None
    assert expected.items() <= verdict.counterexample.items()


def test_people_of_another_cluster_are_noticed() -> None:
    rows = ROWS.copy()
    rows[[0, 8]] = rows[[8, 0]]
    assert not verify_faithful(nested(), people(), rows).holds
    within = ROWS.copy()
    within[[0, 1]] = within[[1, 0]]
    assert verify_faithful(nested(), people(), within).holds


def test_a_published_subrecord_nobody_has_is_noticed() -> None:
    verdict = verify_faithful(nested(chunk("p", 2, "3 * c")), people(), ROWS)
    assert verdict.counterexample == {"check": SUBRECORDS, "cluster": "p", "chunk": 2, "published": 3, "expected": 2}


@pytest.mark.parametrize("rows", [np.arange(11), np.zeros(12, int), np.arange(1, 13), np.arange(12.0)])
def test_a_row_map_that_is_none_is_noticed(rows: np.ndarray) -> None:
    assert not verify_faithful(nested(), people(), rows).checks[NO_DUPLICATES]


GROUPS = {"P": ["a", "b"], "Q": ["c", "d"]}
SETS = [["a", "b", "c"], ["b", "d"], ["e", "f"]]
RECORDS = [["P", "Q"], ["Q", "P"], ["e"]]


def test_generalised_records_are_true() -> None:
    assert verify_faithful(generalised(RECORDS, GROUPS, suppressed=["f"]), Dataset.of("sets", SETS), np.arange(3)).holds
    local = generalised([["P", "c"], ["b", "Q"], ["e"]], GROUPS, suppressed=["f"])
    assert verify_faithful(local, Dataset.of("sets", SETS), np.arange(3)).holds


RECORD_DAMAGES = {
    "an item is missing": ([["P"], *RECORDS[1:]], ["f"], MISSING, {"rows": [1]}),
    "an item is missing that is not removed everywhere": (RECORDS, [], MISSING, {"rows": [3]}),
    "a value is invented": ([*RECORDS[:2], ["e", "Q"]], ["f"], INVENTED, {"rows": [3], "value": "Q"}),
    "a member of the value is published as well": (
        [["P", "Q", "d"], *RECORDS[1:]],
        ["f"],
        INVENTED,
        {"rows": [1], "value": "d"},
    ),
}


@pytest.mark.parametrize("damage", RECORD_DAMAGES)
def test_each_rule_of_records_finds_its_damage_alone(damage: str) -> None:
    rows, suppressed, name, expected = RECORD_DAMAGES[damage]
    verdict = verify_faithful(generalised(rows, GROUPS, suppressed=suppressed), Dataset.of("sets", SETS), np.arange(3))
    assert [check for check, holds in verdict.checks.items() if not holds] == [name]
    assert verdict.counterexample is not None
    assert expected.items() <= verdict.counterexample.items()


def test_withheld_people_and_names_are_looked_at() -> None:
    original = Dataset.of("sets", SETS)
    release = generalised(RECORDS, GROUPS, suppressed=["f"])
    assert not verify_faithful(release, Dataset.of("sets", [*SETS, ["a"]]), np.arange(3)).checks[COUNTED]
    names = original.table.column("person")
    leaked = generalised(RECORDS, GROUPS, suppressed=["f"], table=release.table.set_column(0, "person", names))
    assert not verify_faithful(leaked, original, np.arange(3)).checks[NAMES]


values = st.lists(st.sampled_from(["a", "b", "c", "d", "P", "Q"]), min_size=1, max_size=4, unique=True)
items = st.lists(st.sampled_from("abcdf"), min_size=1, max_size=4, unique=True)


@settings(max_examples=100)
@given(values, items)
def test_records_are_judged_like_by_brute_force(record: list[str], person: list[str]) -> None:
    verdict = verify_faithful(
        generalised([record], GROUPS, suppressed=["f"]), Dataset.of("sets", [person]), np.array([0])
    )
    wanted = [item for item in person if item != "f"]
    complete = matches(record, frozenset(wanted), GROUPS)
    true = all(set(GROUPS.get(value, [value])) & set(wanted) for value in record)
    assert verdict.checks[MISSING] == complete
    assert verdict.checks[INVENTED] == true


@settings(max_examples=150)
@given(st.integers(0, 10**9))
def test_whatever_could_be_the_original_is_true_and_nothing_else(seed: int) -> None:
    rng = random.Random(seed)
    k, m, clusters, rows = random_chunks(rng)
    release = disassociated(clusters, rows, KmItems(k=k, m=m))
    assume(rows and verify_structure(release).holds)
    drawn = draw_reconstruction(rng, clusters, rows)
    assume(drawn is not None)
    assert drawn is not None
    assert verify_faithful(release, Dataset.of("sets", drawn), np.arange(len(drawn))).holds
    person = rng.randrange(len(drawn))
    gone = rng.choice(drawn[person])
    fewer = [[item for item in row if (i, item) != (person, gone)] for i, row in enumerate(drawn)]
    leaf = next(name for name, last in _last_person(clusters) if person < last)
    separate = any(cluster == leaf and number == 0 and gone in items for cluster, number, items in rows)
    others = sum(gone in row for row in _people_of(clusters, leaf, fewer))
    verdict = verify_faithful(release, Dataset.of("sets", fewer), np.arange(len(fewer)))
    assert verdict.holds == (separate and others > 0)


def _last_person(clusters: list[tuple[str, str | None, int]]) -> list[tuple[str, int]]:
    parents = {parent for _, parent, _ in clusters}
    last, found = 0, []
    for name, _, size in clusters:
        if name not in parents:
            last += size
            found.append((name, last))
    return found


def _people_of(clusters: list[tuple[str, str | None, int]], leaf: str, rows: list[list[str]]) -> list[list[str]]:
    last = dict(_last_person(clusters))[leaf]
    size = next(size for name, _, size in clusters if name == leaf)
    return rows[last - size : last]
