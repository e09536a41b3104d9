"""Two releases of the same people, each as it promises, leave one value together."""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.attacks.pairs import attack_pair
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.release.locate import pick_partitions_beside
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

COLUMNS = (
    PublishedColumn("age", "quasi-identifier", ValueFormat("category")),
    PublishedColumn("ill", "sensitive", ValueFormat("exact")),
)


def published(ages: list[str], ills: list[str]) -> Release:
    table = pa.table({"age": pa.array(ages).dictionary_encode(), "ill": pa.array(ills)})
    values = pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")})
    return Release("table", "by-hand", KAnonymity(k=2, quasi=("age",)), COLUMNS, table, values, len(ages))


def test_classes_that_share_one_value_give_it_away():
    """Two classes of two, twice, cut otherwise: everybody is left with the own value."""
    first = published(["young", "young", "old", "old"], ["flu", "gout", "flu", "gout"])
    second = published(["a", "b", "a", "b"], ["flu", "gout", "gout", "flu"])
    found = attack_pair([(first, np.arange(4))], [(second, np.array([0, 1, 3, 2]))])
    assert found.certain == {"ill": {"first": 0, "second": 0, "both": 0}}
    third = published(["a", "b", "a", "b"], ["flu", "flu", "cough", "rash"])
    fourth = published(["x", "x", "y", "y"], ["flu", "flu", "cough", "rash"])
    found = attack_pair([(third, np.arange(4))], [(fourth, np.arange(4))])
    assert found.certain["ill"] == {"first": 0, "second": 2, "both": 4}
    assert "of 4 of 4 records, 2 more" in found.warnings[0]


def naive(first: Release, second: Release, rows) -> int:
    certain = 0
    for one, row in enumerate(rows[0]):
        for other, again in enumerate(rows[1]):
            if row == again:
                left = []
                for release, at in ((first, one), (second, other)):
                    records = release.table.to_pylist()
                    left.append({r["ill"] for r in records if r["age"] == records[at]["age"]})
                certain += len(left[0] & left[1]) == 1
    return certain


LABELS = st.sampled_from("abc")


@given(st.lists(st.tuples(LABELS, LABELS, LABELS), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_people_are_counted_one_by_one(records, random):
    order = list(range(len(records)))
    random.shuffle(order)
    first = published([r[0] for r in records], [r[2] for r in records])
    second = published([records[at][1] for at in order], [records[at][2] for at in order])
    rows = np.arange(len(records)), np.array(order)
    found = attack_pair([(first, rows[0])], [(second, rows[1])])
    assert found.people == len(records)
    assert found.certain["ill"]["both"] == naive(first, second, rows)
    assert found.certain["ill"]["both"] >= max(found.certain["ill"]["first"], found.certain["ill"]["second"])


def test_two_releases_of_one_original_and_of_others():
    rows = [["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"]]
    data = sf.Dataset.of("trajectories", rows, {"a": (0, 0), "b": (1, 1), "c": (0, 1)})
    result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes([1] * 32))
    again = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes([2] * 32))
    same = sf.attack_together(result, again)
    assert (same.people, same.in_both, same.only_in_first, same.warnings) == (4, 4, 0, ())
    less = dataclasses.replace(again.release, table=again.release.table.slice(1), records_in=3)
    assert "differ in 1 published record, fewer than 2" in sf.attack_together(result.release, less).warnings[0]
    with pytest.raises(SchemaError, match="3"):
        sf.attack_together(result, less, data)
    sets = sf.anonymize(sf.Dataset.of("sets", rows), sf.methods.Pcta(k=2, m=1)).release
    with pytest.raises(ParameterError, match="two releases"):
        sf.attack_together(result, sets)


def test_a_release_in_partitions_is_laid_beside_another_partition_by_partition(tmp_path):
    ages = [(20 + age, "ill" if age % 3 else "well") for age in range(24)]
    data = sf.Dataset.of("table", ages, ("age", "state"), sensitive=("state",))
    method, engine = sf.methods.Mondrian(k=2), sf.engines.Local(1)
    for name, size in (("one", 12), ("other", 8)):
        sf.publish_in_partitions(data, method, tmp_path / name, partition_size=size, engine=engine, secret=bytes(32))
    same = sf.attack_together(tmp_path / "one", tmp_path / "one", data)
    assert (same.people, same.in_both, same.only_in_first, same.warnings) == (24, 24, 0, ())
    found = sf.attack_together(tmp_path / "one", tmp_path / "other", data)
    left = []
    for name in ("one", "other"):
        of_person = {}
        for release, _, rows, chosen in pick_partitions_beside(tmp_path / name, data):
            cells = release.table.to_pylist()
            for row, cell in zip(chosen[rows].tolist(), cells, strict=True):
                of_person[row] = {other["state"] for other in cells if other["age"] == cell["age"]}
        left.append(of_person)
    both = sum(len(left[0][row] & left[1][row]) == 1 for row in range(24))
    assert found.certain["state"]["both"] == both
    assert sf.attack_together(tmp_path / "one", tmp_path / "other").in_both == found.in_both
