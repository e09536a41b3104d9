"""Verifiers of snapshots, tried on damaged releases."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from tests.kinds.snapshots.naive.people import dataset, random_snapshots

import sfumato as sf
from sfumato.kinds.snapshots.guarantees import LDiversity
from sfumato.kinds.snapshots.verify import l_diversity, l_eligibility
from sfumato.kinds.snapshots.verify.faithful import verify_faithful
from sfumato.kinds.snapshots.verify.hidden_delays import verify_delays
from sfumato.release.release import ExtraTable, PublishedColumn
from sfumato.release.text import ValueFormat

DATA = random_snapshots()
GOOD = sf.anonymize(DATA, sf.methods.Reposition(l=2, window=3), secret=bytes([1] * 32))
PLAIN = sf.anonymize(DATA, sf.methods.Reposition(l=2, window=3, then="none"), secret=bytes([1] * 32))


def with_table(release, name, change):
    """The release with one column changed."""
    column = release.table.column(name).to_pylist()
    change(column)
    at = release.table.column_names.index(name)
    kind = release.table.schema.field(name).type
    return dataclasses.replace(release, table=release.table.set_column(at, name, pa.array(column, kind)))


def with_part(release, name, change):
    extra_table = release.extra_tables["sensitive"]
    column = extra_table.table.column(name).to_pylist()
    change(column)
    at = extra_table.table.column_names.index(name)
    kind = extra_table.table.schema.field(name).type
    table = extra_table.table.set_column(at, name, pa.array(column, kind))
    return dataclasses.replace(release, extra_tables={"sensitive": ExtraTable(extra_table.columns, table)})


def swap(column):
    other = next(i for i, cell in enumerate(column) if cell != column[0])
    column[0], column[other] = column[other], column[0]


def test_good_releases_hold():
    assert l_diversity.verify(GOOD.release).holds
    assert l_diversity.verify_against(GOOD.release, DATA).holds
    assert verify_faithful(GOOD.release, DATA, GOOD.owner_record.rows).holds
    assert l_eligibility.verify(PLAIN.release).holds
    assert l_eligibility.verify_against(PLAIN.release, DATA).holds
    assert verify_faithful(PLAIN.release, DATA, PLAIN.owner_record.rows).holds


def merge_values(column):
    """The values of one group become one value."""
    column[1] = column[0]


def rename_first(column):
    column[0] = "plague"


def add_one(column):
    column[0] += 1


def take_one(column):
    column[0] -= 1


def next_group(column):
    column[0] = column[0] % max(column) + 1


def no_group(column):
    column[0] = None


DAMAGES = {
    "a record changes its group": lambda r: with_table(r, "group", next_group),
    "a record has a group that does not exist": lambda r: with_table(r, "group", lambda c: c.__setitem__(0, 999)),
    "a record changes its snapshot": lambda r: with_table(r, "snapshot", swap),
    "a group is missing": lambda r: with_table(r, "group", no_group),
    "a value counts twice": lambda r: with_part(r, "count", add_one),
    "a value counts nothing": lambda r: with_part(r, "count", take_one),
    "a group lists a value twice": lambda r: with_part(r, "illness", merge_values),
    "a value moves to another group": lambda r: with_part(r, "group", next_group),
    "a record is gone": lambda r: dataclasses.replace(r, table=r.table.slice(1)),
    "values are gone": lambda r: dataclasses.replace(r, extra_tables={}),
    "withheld records are not counted": lambda r: dataclasses.replace(
        r, suppressed_records={}, records_in=r.records_in + 1
    ),
    "more is claimed": lambda r: dataclasses.replace(r, guarantee=LDiversity(l=3, window=3)),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damage_is_found_in_the_release_alone(damage):
    verdict = l_diversity.verify(damage(GOOD.release))
    assert not verdict
    assert verdict.counterexample and verdict.counterexample["check"] in verdict.checks


def test_sensitive_values_beside_the_records_are_not_diverse():
    release = dataclasses.replace(PLAIN.release, guarantee=LDiversity(l=2, window=3))
    assert l_diversity.verify(release).counterexample == {"check": "sensitive values stand apart from the records"}


def test_a_frequent_value_is_found():
    column = ["flu"] * len(PLAIN.release)
    release = with_table(PLAIN.release, "illness", lambda c: c.__setitem__(slice(None), column))
    verdict = l_eligibility.verify(release)
    assert not verdict and verdict.measured["l"] == 1
    assert verdict.counterexample["check"] == "no value is too frequent in a snapshot"


FALSEHOODS = {
    "records exchange their groups": (
        lambda r: with_table(r, "group", swap),
        "sensitive values are those of the group's records",
    ),
    "an attribute is swapped": (lambda r: with_table(r, "age", swap), "attributes are the original ones"),
    "a value is invented": (
        lambda r: with_part(r, "illness", rename_first),
        "sensitive values are those of the group's records",
    ),
    "a snapshot is moved": (
        lambda r: dataclasses.replace(r, guarantee=LDiversity(l=2, window=1)),
        "no record is early or too late",
    ),
}


@pytest.mark.parametrize(("damage", "check"), FALSEHOODS.values(), ids=FALSEHOODS.keys())
def test_falsehood_is_found_with_the_original(damage, check):
    verdict = verify_faithful(damage(GOOD.release), DATA, GOOD.owner_record.rows)
    assert not verdict and verdict.counterexample["check"] == check


def test_values_swapped_between_groups_are_found_with_the_original():
    rows = GOOD.release.extra_tables["sensitive"].table.to_pylist()
    a = 0
    b = next(
        i
        for i, row in enumerate(rows)
        if (row["snapshot"], row["group"]) != (rows[0]["snapshot"], rows[0]["group"])
        and row["illness"] != rows[0]["illness"]
    )

    def exchange(column):
        column[a], column[b] = column[b], column[a]

    damaged = with_part(GOOD.release, "illness", exchange)
    verdict = verify_faithful(damaged, DATA, GOOD.owner_record.rows)
    assert not verdict.checks["sensitive values are those of the group's records"]


@pytest.mark.parametrize("twist", [lambda r: r[:-1], lambda r: np.append(r[:-1], r[0]), lambda r: r + len(DATA)])
def test_wrong_row_maps_are_found(twist):
    assert not verify_faithful(GOOD.release, DATA, twist(GOOD.owner_record.rows))


def test_early_records_are_found():
    late = np.flatnonzero(
        np.array(GOOD.release.table["snapshot"].to_pylist()) > DATA.table["time"].to_numpy()[GOOD.owner_record.rows]
    )
    assert len(late)
    earlier = with_table(PLAIN.release, "snapshot", lambda c: c.__setitem__(slice(None), [t - 5 for t in c]))
    verdict = verify_faithful(earlier, DATA, PLAIN.owner_record.rows)
    assert not verdict.checks["no record is early or too late"]


def test_other_columns_are_unreadable():
    column = PublishedColumn("extra", "group", ValueFormat("exact", "int64"))
    table = GOOD.release.table.append_column("extra", pa.array([1] * len(GOOD.release)))
    release = dataclasses.replace(GOOD.release, table=table, columns=(*GOOD.release.columns, column))
    assert not l_diversity.verify(release).checks["readable"]


def test_the_paper_s_delays_break_the_claim_of_hidden_ones():
    rng = np.random.default_rng(3)
    days = [np.minimum(rng.exponential(1.0 + time % 3, 40), 5).astype(int).tolist() for time in range(12)]
    data = dataset(days)
    paper = sf.anonymize(data, sf.methods.Reposition(l=3, window=3), max_suppressed_records=1)
    lie = dataclasses.replace(paper.release, guarantee=LDiversity(3, 3, "hidden"))
    verdict = verify_delays(lie, data, paper.owner_record.rows)
    assert not verdict.holds
    assert verdict.counterexample["of_one_value"] > verdict.counterexample["records"] / 3 + 2
    assert verify_delays(lie, data, None).outcome == "unsettled"


def nine_records():
    """A release of nine records with four sensitive values, in which every value is listed once for its group."""
    values = ["flu", "cold", "gout", "rash"]
    people = [(number // 6, str(20 + number), "f", values[number % 4]) for number in range(9)]
    data = sf.Dataset.of("snapshots", people, ("age", "sex"), "illness")
    return data, sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes([1] * 32))


def put(at, cell):
    """What puts a cell into a column."""
    return lambda column: column.__setitem__(at, cell)


def listed_otherwise(release):
    """The release with one listed value or its count changed, in every small way."""
    rows = release.extra_tables["sensitive"].table.to_pylist()
    values = sorted({row["illness"] for row in rows})
    for at, row in enumerate(rows):
        for value in values:
            for count in range(5):
                if (value, count) != (row["illness"], row["count"]):
                    yield with_part(with_part(release, "illness", put(at, value)), "count", put(at, count))


def test_any_other_value_or_count_of_a_group_is_refused_with_its_rows():
    data, result = nine_records()
    assert verify_faithful(result.release, data, result.owner_record.rows).holds
    damaged = list(listed_otherwise(result.release))
    assert len(result.release) == 9 and len(damaged) == 171
    for release in damaged:
        verdict = verify_faithful(release, data, result.owner_record.rows)
        assert verdict.counterexample["check"] == "sensitive values are those of the group's records"
        assert verdict.counterexample["rows"]


def test_values_of_nobody_are_refused():
    data, result = nine_records()
    nobody = dataclasses.replace(result.release, table=result.release.table.slice(0, 0))
    verdict = verify_faithful(nobody, data, np.array([], dtype=np.int64))
    assert verdict.counterexample == {"check": "sensitive values are those of the group's records", "rows": []}
