"""Attackers on tables find what a plain search finds."""

import dataclasses
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.table.drawn_tables import dataset_of, tables
from tests.kinds.table.given import publish
from tests.kinds.table.naive import promise
from tests.kinds.table.releases import drawn, members_of, people_of

import sfumato as sf
from sfumato.api import calls
from sfumato.checks.classes import Classes
from sfumato.exceptions import ReleaseWarning
from sfumato.kinds.table.attacks import attributes, homogeneity, more_known
from sfumato.kinds.table.decode import quasi_columns
from sfumato.kinds.table.knowledge import Fitting
from sfumato.release.decode import decode


def fitting(made):
    """Everybody's fitting records."""
    data, result = made
    rows, quasi = result.release.table.to_pylist(), [column.name for column in quasi_columns(result.release)]
    return [promise.candidates(rows, quasi, person, members_of(result.release)) for person in people_of(data)]


@given(drawn())
def test_prosecutor_and_marketer(made):
    data, result = made
    found = attributes.attack(result.release, data, result.owner_record.rows)
    sizes = [len(records) for records in fitting(made)]
    chances = [1 / sizes[row] for row in result.owner_record.rows]
    assert found.prosecutor["highest"] == pytest.approx(max(chances))
    assert found.prosecutor["average"] == pytest.approx(sum(chances) / len(chances))
    assert found.prosecutor["unique"] == pytest.approx(
        sum(sizes[row] == 1 for row in result.owner_record.rows) / len(chances)
    )
    assert found.prosecutor["at_risk"] == pytest.approx(sum(chance > 0.5 for chance in chances) / len(chances))
    rows, quasi = result.release.table.to_pylist(), [column.name for column in quasi_columns(result.release)]
    assert found.marketer == pytest.approx(len(promise.classes(rows, quasi)) / len(rows))
    assert "No population" in found.journalist["note"]
    largest = max(
        max(sum(row["ill"] == value["ill"] for row in records) for value in records) / len(records)
        for records in fitting(made)
        if records
    )
    assert found.max_sensitive_share == pytest.approx(largest)


@given(drawn())
def test_the_journalist_picks_among_the_population(made):
    data, result = made
    known = [column.name for column in quasi_columns(result.release)]
    people = people_of(data) * 2
    texts = {name: pa.array(["" if p[name] is None else str(p[name]) for p in people]) for name in known}
    data = dataclasses.replace(data, population=pa.table(texts))
    rows, members = result.release.table.to_pylist(), members_of(result.release)
    chances = []
    for row in rows:
        fits = sum(all(promise.fits(row[q], p[q], members.get(q, {}), None) for q in known) for p in people)
        chances.append(1 / fits)
    found = attributes.attack(result.release, data, result.owner_record.rows).journalist
    assert found["highest"] == pytest.approx(max(chances))
    assert found["average"] == pytest.approx(sum(chances) / len(chances))


@given(tables(10), st.integers(1, 3))
def test_inspection_names_the_columns_that_give_people_away(columns, m):
    data = dataset_of(columns)
    people = people_of(data)
    found = attributes.attack_original(data, m)
    assert found[-1].m == len(columns)
    for risk in found:
        shares = promise.unique_columns(people, list(people[0]), risk.m)
        named = {" + ".join(chosen): share for chosen, share in shares.items()}
        assert risk.unique_by == pytest.approx({names: named[names] for names in risk.unique_by})
        assert next(iter(risk.unique_by.values())) == pytest.approx(max(shares.values()))


@given(drawn())
def test_whoever_knows_a_sensitive_value_as_well(made):
    data, result = made
    found = more_known.attack(result.release, data, result.owner_record.rows)
    people, records = people_of(data), fitting(made)
    left = [sum(r["ill"] == people[row]["ill"] for r in records[row]) for row in result.owner_record.rows]
    assert found.alone == {"ill": left.count(1)}
    assert found.below == {"ill": sum(count < 2 for count in left)}


@given(drawn(), st.integers(1, 5))
def test_few_people_and_classes_are_looked_at_in_one_go(made, pairs):
    data, result = made
    rows, table = result.owner_record.rows, Classes.of(decode(result.release))
    fitting, value = Fitting.of(table, data), rows % 3
    fits = fitting.fits.toarray()
    there = np.zeros((fits.shape[1], 3), np.int64)
    np.add.at(there, (table.group, value), 1)
    with patch.object(more_known, "_PAIRS", pairs):
        found = more_known.count_matching(fitting, fitting.case[rows], table.group, value)
    assert found.tolist() == [(fits @ there)[fitting.case[row], row % 3] for row in rows]


@given(drawn())
def test_values_that_are_certain(made):
    data, result = made
    found = homogeneity.attack(result.release, data, result.owner_record.rows)
    records = fitting(made)
    assert found.certain_counts == {
        "ill": sum(len({r["ill"] for r in records[row]}) == 1 for row in result.owner_record.rows)
    }


def test_plain_columns_that_leave_people_alone_are_said_loudly(tmp_path):
    rows = [(20 + i, f"team {i}") for i in range(6)]
    data = sf.Dataset.of("table", rows, ("age", "team"), plain=("team",))
    result = sf.anonymize(data, sf.methods.Mondrian(k=3), secret=bytes([1] * 32))
    with pytest.warns(ReleaseWarning, match=r"plain columns \(team\) as well can single out 6 of 6 people"):
        sf.write(result, tmp_path / "out")
    assert "plain columns (team)" in (tmp_path / "out" / "owner" / "report.html").read_text()
    (found,) = calls.attack_beyond(tmp_path / "out", data)
    assert found.to_dict()["plain_columns"] == {"one_record": 6, "fewer_than_k": 6}
    assert calls.inspect(data)["beyond"][0]["plain_columns"]["one_record"] == 6


def test_nothing_is_said_where_nobody_is_left_alone(tmp_path, recwarn):
    rows = [(20 + i, "yes" if i % 2 else "no", "ab"[i // 2 % 2]) for i in range(8)]
    data = sf.Dataset.of("table", rows, ("age", "smokes", "ill"), plain=("smokes",), sensitive=("ill",))
    result = publish(data, [0] * 8, k=4)
    found = more_known.attack(result.release, data, result.owner_record.rows)
    assert found.alone["plain"] == 0 and found.remaining.warnings == ()
    (inferred,) = homogeneity.attack(result.release, data, result.owner_record.rows).remaining
    assert (inferred.counts["people"], inferred.worst) == (0, {"confidence": 0.5})
    assert more_known.attack(result.release, data) is None
