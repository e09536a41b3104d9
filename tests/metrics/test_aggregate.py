"""A partitioned release measures what its partitions, laid together as one, measure beside the whole original."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.kinds.contract_data import KINDS, required_parameters
from tests.contracts.kinds.test_contract import ordinary_rows
from tests.contracts.kinds.union import unite
from tests.examples import settings
from tests.kinds.sets.estimate.asking import estimate

import sfumato as sf
from sfumato import plugins
from sfumato.api.attack import measure_release
from sfumato.data.select import pick_rows, take_rows
from sfumato.metrics.aggregate import Union
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import SummedMetric

SECRET = bytes([1] * 32)
TOGETHER = [
    "seqanon", "trajectories/local-km", "hl", "ta", "disassociation", "apriori", "local-km", "mondrian", "incognito",
    "rfirst", "l-mdav",
]  # fmt: skip
CUT = ["u-seqanon", "trajectories/local-km", "hl", "sa", "apriori", "local-km", "incognito", "mdav", "rfirst"]
DRAWN = {"pair-support", "top-itemsets", "multilevel-itemsets"}
"""Measures that reconstruct records of chunks at random: another reconstruction has other itemsets."""
WEIGHED = {"item-queries", "pair-support"}
"""Measures that read a value by what else a partition publishes, where items are exact in some records only."""
QUICK = {"table": {"trees": 2, "folds": 2}, "trajectories": {"projections": 3}}
BESIDE = {"parts", "least", "most"}


def make_original(method, seed, people=60):
    data = KINDS[method.kinds[0]].build(ordinary_rows(seed, people), method)
    if data.kind in {"table", "activity"}:
        data = dataclasses.replace(data, weights=np.random.default_rng(seed).integers(1, 5, len(data)).astype(float))
    return data


def publish(data, method, seed):
    """Two partitions, each with its rows of the partition, and the rows of the whole that it has."""
    partitions = []
    for chosen in map(np.sort, np.array_split(np.random.default_rng(seed).permutation(len(data)), 2)):
        result = sf.anonymize(take_rows(data, chosen), method, secret=SECRET, max_suppressed_records=1)
        partitions.append((result.release, result.owner_record.rows, chosen))
    return partitions


def measure_partitions(data, partitions, seed=0):
    union = Union(plugins.metrics_for(data.kind, QUICK.get(data.kind)), FullOriginal(data, seed))
    for number, (release, rows, chosen) in enumerate(partitions):
        union.add(Comparison(pick_rows(data, chosen), release, rows, seed, None, union.full_original, chosen, number))
    return union


def assert_same(found, expected, *, but=()):
    assert [score.name for score in found] == [score.name for score in expected]
    for one, other in zip(found, expected, strict=True):
        told = {name: value for name, value in one.details.items() if name not in BESIDE}
        assert one.details["parts"] > 1
        if one.name not in but:
            assert one.value == pytest.approx(other.value, rel=1e-9, abs=1e-9), one.name
            assert told == approximately(other.details), one.name
        assert one.unit == other.unit


def approximately(told):
    return {
        name: approximately(value) if isinstance(value, dict)
        else pytest.approx(value, rel=1e-9, abs=1e-9) if isinstance(value, float) else value
        for name, value in told.items()
    }  # fmt: skip


@pytest.mark.parametrize("name", TOGETHER)
@settings(max_examples=2)
@given(st.integers(0, 2**32))
def test_partitions_with_recodings_of_their_own_measure_what_their_union_measures(name, seed):
    kind = plugins.all_methods()[name]
    data, method = make_original(kind, seed), kind(**required_parameters(kind))
    partitions = publish(data, method, seed)
    released = make_unique([release for release, _, _ in partitions])
    if data.kind != "table" and any(release.suppressed() for release in released):
        return  # What only one partition removes is not written in one release; the cut below has such releases.
    together = unite(released)
    rows = np.concatenate([chosen[rows] for _, rows, chosen in partitions])
    expected = measure_release(Comparison(data, together, rows), QUICK.get(data.kind))
    apart = {"disassociation": DRAWN, "apriori": WEIGHED, "local-km": WEIGHED}
    assert_same(measure_partitions(data, partitions).scores(), expected, but=apart.get(name, ()))


def make_unique(releases):
    """Let a value that has other members in another partition have another name there."""
    columns = {row["column"] for release in releases for row in release.values.to_pylist()}
    for column in sorted(columns):
        known = {}
        renamed = []
        for number, release in enumerate(releases):
            members = {}
            for row in release.values.to_pylist():
                if row["column"] == column and row["value"] is not None:
                    members.setdefault(row["value"], set()).add(row["member"])
            new = {
                value: f"{value} in {number}" for value, group in members.items() if known.get(value, group) != group
            }
            known |= {value: group for value, group in members.items() if value not in known}
            renamed.append(rename(release, column, new))
        releases = renamed
    return releases


def rename(release, column, new):
    def swap(cell):
        return [new.get(each, each) for each in cell] if isinstance(cell, list) else new.get(cell, cell)

    if not new:
        return release
    table, values = release.table, release.values
    at = table.column_names.index(column)
    cells = pa.array([swap(cell) for cell in table.column(column).to_pylist()], table.schema.field(at).type)
    listed = [
        {**row, "value": new.get(row["value"], row["value"])} if row["column"] == column else row
        for row in values.to_pylist()
    ]
    return dataclasses.replace(
        release,
        table=table.set_column(at, table.schema.field(at), cells),
        values=pa.Table.from_pylist(listed, schema=values.schema),
    )


@pytest.mark.parametrize("name", CUT)
@settings(max_examples=2)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_a_release_that_is_cut_measures_the_same(name, seed, pieces):
    kind = plugins.all_methods()[name]
    data, method = make_original(kind, seed), kind(**required_parameters(kind))
    result = sf.anonymize(data, method, secret=SECRET, max_suppressed_records=1)
    release, rows = result.release, result.owner_record.rows
    suppressed_records = np.setdiff1d(np.arange(len(data)), rows)
    partitions = []
    for published, gone in zip(
        np.array_split(np.arange(len(rows)), pieces), np.array_split(suppressed_records, pieces), strict=True
    ):
        chosen = np.sort(np.concatenate([rows[published], gone]))
        missing = len(chosen) - len(published)
        told = {next(iter(release.suppressed_records)): missing} if missing else {}
        table = release.table.take(published)
        some = dataclasses.replace(release, table=table, records_in=len(chosen), suppressed_records=told)
        partitions.append((some, np.searchsorted(chosen, rows[published]), chosen))
    expected = measure_release(Comparison(data, release, rows), QUICK.get(data.kind))
    assert_same(measure_partitions(data, partitions).scores(), expected, but=WEIGHED if name == "local-km" else ())


def test_every_measure_of_people_adds_up():
    kinds = {method.kinds[0] for method in plugins.all_methods().values()} - {"timeline", "snapshots"}
    alone = {m.name for kind in kinds for m in plugins.metrics_for(kind) if not isinstance(m, SummedMetric)}
    assert alone == set()


@pytest.mark.parametrize("name", ["local-km", "disassociation"])
def test_answers_of_partitions_are_added_before_they_are_compared_with_the_truth(name):
    kind = plugins.all_methods()[name]
    data, method = make_original(kind, 5), kind(**required_parameters(kind))
    partitions = publish(data, method, 5)
    found = measure_partitions(data, partitions).scores()
    queries = [set(query) for query in sf.draw_workload(data).queries]
    truth = np.array([sum(query <= set(row) for row in data.history().lists()) for query in queries])
    expected = sum(estimate(release, queries) for release, _, _ in partitions)
    errors = np.abs(expected - truth) / np.maximum(truth, 0.001 * len(data))
    assert found["item-queries"].value == pytest.approx(errors.mean())
    assert found["item-queries"].details["largest"] == pytest.approx(errors.max())


def test_a_measure_that_cannot_be_taken_in_one_partition_is_not_taken_and_says_why():
    kind = plugins.all_methods()["mdav"]
    data = make_original(kind, 1)
    (first, rows, chosen), second = publish(data, kind(k=2), 1)
    partitions = [(dataclasses.replace(first, extra_tables={}), rows, chosen), second]
    union = measure_partitions(data, partitions)
    assert "no means of groups" in union.left_out["microaggregation-error"]
    assert "microaggregation-error" not in {score.name for score in union.scores()}


def test_least_and_most_are_those_of_a_partition_alone():
    data = sf.Dataset.of("table", [(0,), (10,), (60,), (100,)], ("age",))
    partitions = publish(data, sf.methods.Mondrian(k=2), 3)
    found = measure_partitions(data, partitions).scores()["ncp"]
    lengths = sorted(np.ptp(np.array([0, 10, 60, 100])[chosen]) / 100 for _, _, chosen in partitions)
    assert [found.details["least"], found.value, found.details["most"]] == pytest.approx(
        [lengths[0], sum(lengths) / 2, lengths[1]]
    )
