"""Releases in partitions, told of as one: the owner's report, plots, exports and estimates."""

import csv
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.api.aggregate import compare_partitions, evaluate_partitions
from sfumato.metrics.full_original import FullOriginal
from sfumato.release.locate import read_partitions
from sfumato.reports.partitioned import draw_divided
from tests.test_partitioned import publish

pytestmark = pytest.mark.filterwarnings("ignore::sfumato.exceptions.ReleaseWarning")
SECRET = bytes([1] * 32)
KINDS = ["seqanon", "hl", "disassociation", "local-km", "mondrian", "rfirst", "l-mdav"]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_counts_for_its_figures_what_all_partitions_have(name, tmp_path):
    data, made = publish(name, tmp_path / "out")
    seen = evaluate_partitions(tmp_path / "out", data, scored=False)
    assert seen.after.people == seen.before.people == len(data)
    assert seen.after.smallest_anonymity_set >= 2
    drawn = draw_divided(seen)
    assert sum(int(count) for _, count in drawn["parts"].rows) == len(made.release.partitions)
    if "items" in drawn or "places" in drawn:
        history = data.history()
        figure = drawn["items" if "items" in drawn else "places"]
        counts = dict(zip(history.labels, np.bincount(history.codes).tolist(), strict=True))
        assert all(counts[label] == int(before) for label, before, *_ in figure.rows)


def test_the_report_tells_of_all_partitions_as_one_and_runs_nothing(tmp_path):
    people = [(20 + age, "<script>alert(1)</script>" if age % 2 else "=cmd", "x") for age in range(40)]
    data = sf.Dataset.of("table", people, ("age", "town\n\"'", "ill"), sensitive=("ill",))
    method, engine = sf.methods.Mondrian(k=2), sf.engines.Local(1)
    sf.publish_in_partitions(
        data, method, tmp_path / "out", partition_size=10, engine=engine, secret=SECRET, reports=True
    )
    report = tmp_path / "out" / "owner" / "report.html"
    page = report.read_text()
    assert report.stat().st_mode & 0o077 == 0
    assert "<script" not in page
    assert "Least of a partition" in page
    assert "40 of 40 people (100 %) match only records with the same value of" in page
    ncp = sf.measure(tmp_path / "out", data)["ncp"]
    assert f"{ncp.value:.3g}" in page
    assert ncp.details["least"] <= ncp.value <= ncp.details["most"]
    assert not (tmp_path / "out" / "release" / "report.html").exists()


def test_partitions_know_the_values_of_the_whole(tmp_path):
    data, _ = publish("seqanon", tmp_path / "out")
    whole = FullOriginal(data)
    rows = [comparison.chosen for comparison in compare_partitions(tmp_path / "out", whole)]
    assert sorted(np.concatenate(rows).tolist()) == list(range(len(data)))
    assert {c.history.labels for c in compare_partitions(tmp_path / "out", whole)} == {data.history().labels}


@pytest.mark.parametrize("name", ["seqanon", "hl", "disassociation"])
def test_one_file_has_the_records_of_all_partitions_and_names_the_partition(name, tmp_path):
    publish(name, tmp_path / "out")
    rows = 0
    for release in read_partitions(tmp_path / "out"):
        sf.export(release, tmp_path / "part.csv", force=True)
        rows += len((tmp_path / "part.csv").read_text().splitlines()) - 1
    column = "release_part" if name == "hl" else "part"
    for form in ("csv", "jsonl", "parquet"):
        sf.export(tmp_path / "out", tmp_path / f"all.{form}")
    with (tmp_path / "all.csv").open(newline="") as file:
        told = list(csv.DictReader(file))
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    table = pq.read_table(tmp_path / "all.parquet")
    assert len(told) == len(lines) == table.num_rows == rows
    named = [row[column] for row in told]
    assert named == [line[column] for line in lines] == table.column(column).to_pylist()
    assert sorted(set(named)) == ["part-00000", "part-00001", "part-00002"]


def test_an_export_that_cannot_be_leaves_nothing(tmp_path):
    publish("hl", tmp_path / "out")
    with pytest.raises(sf.ParameterError, match="xes has no place for the partition"):
        sf.export(tmp_path / "out", tmp_path / "all.xes")
    ages = [(20, "a"), (20, "a")] * 5 + [(60, "a"), (70, "b")] * 5
    data = sf.Dataset.of("table", ages, ("age", "town"))
    sf.publish_in_partitions(
        data, sf.methods.Mondrian(k=2), tmp_path / "more", partition_size=10, engine=sf.engines.Local(1), secret=SECRET
    )
    forms = {str(release.table.schema) for release in read_partitions(tmp_path / "more")}
    if len(forms) > 1:
        with pytest.raises(sf.SchemaError, match="do not fit into one Parquet file"):
            sf.export(tmp_path / "more", tmp_path / "more.parquet", nested=True)
        assert not list(tmp_path.glob("*more.parquet*"))
    sf.export(tmp_path / "more", tmp_path / "more.parquet")
    names = pq.read_schema(tmp_path / "more.parquet").names
    assert {"part", "age_lo", "age_hi", "town"} <= set(names)
    sf.export(tmp_path / "more", tmp_path / "more.csv")


def test_answers_of_partitions_add_up_and_copies_are_of_one_partition(tmp_path):
    publish("disassociation", tmp_path / "out")
    for question in ('count person where "p00"', 'count person where "p00" and "p01"'):
        alone = [sf.query(release, question) for release in read_partitions(tmp_path / "out")]
        found = sf.query(tmp_path / "out", question)
        assert found.certain == sum(each.certain for each in alone)
        assert found.possible == sum(each.possible for each in alone)
        assert found.expected == pytest.approx(sum(each.expected for each in alone))
    with pytest.raises(sf.SfumatoError, match="is a release in partitions"):
        sf.reconstruct(tmp_path / "out")


def test_plots_are_those_of_the_report(tmp_path):
    data, _ = publish("seqanon", tmp_path / "out")
    assert list(sf.plot(tmp_path / "out", data)) == [
        "anonymity-sets", "risk-curve", "parts", "group-sizes", "places", "lengths",
    ]  # fmt: skip
