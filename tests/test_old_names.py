"""Public names of version 0.2 still work, and warn with the name of today."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app
from sfumato.data.time_units import TimeUnit
from sfumato.policy import read_policy


@pytest.fixture
def result():
    return sf.anonymize(sf.Dataset.of("sets", [["tea"], ["tea"]]), sf.methods.Apriori(k=2, m=1), secret=bytes(32))


def test_attributes_are_read_by_their_old_names(result):
    with pytest.deprecated_call(match="Result.trace is now Result.owner_record"):
        assert result.trace is result.owner_record
    with pytest.deprecated_call(match="Release.withheld is now Release.suppressed_records"):
        assert result.release.withheld == {}
    with pytest.deprecated_call(match="Release.parts is now Release.extra_tables"):
        assert result.release.parts == {}
    with pytest.deprecated_call(match="Verdict.witness is now Verdict.counterexample"):
        assert sf.verify(result).witness is None
    with pytest.raises(AttributeError, match="'Result' object has no attribute 'traces'"):
        result.traces  # noqa: B018


def test_keywords_are_taken_by_their_old_names():
    hours = TimeUnit("hour")
    with pytest.deprecated_call(match="Dataset.clock is now Dataset.time_unit"):
        data = sf.Dataset.of("activity", [["a", "b"]], clock=hours)
    assert data.time_unit == hours
    with pytest.deprecated_call(match="Dataset.clock"):
        assert data.clock == hours
    with pytest.deprecated_call(match="Verdict.witness"):
        assert sf.Verdict(False, {}, {}, witness={"rows": [1]}).counterexample == {"rows": [1]}


def test_the_class_is_found_by_its_old_name():
    with pytest.deprecated_call(match=r"sfumato\.Unit is now sfumato\.RecordUnit"):
        assert sf.Unit is sf.RecordUnit


def test_releases_are_published_in_partitions_by_the_old_names(tmp_path):
    with pytest.deprecated_call(match=r"sfumato\.publish_in_parts is now sfumato\.publish_in_partitions"):
        publish = sf.publish_in_parts
    data = sf.Dataset.of("sets", [["tea"]] * 8)
    with pytest.deprecated_call(match="part_size is now publish_in_partitions.partition_size"):
        made = publish(data, sf.methods.Apriori(k=2, m=1), tmp_path, part_size=4, engine=sf.engines.Local(1))
    with pytest.deprecated_call(match="DividedRelease.parts is now DividedRelease.partitions"):
        assert made.release.parts == made.release.partitions


def test_policies_and_commands_take_the_old_name_of_the_size_of_partitions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("policy.toml").write_text(
        '[data]\npath = "a.csv"\nkind = "sets"\n[method]\nname = "apriori"\n[release]\nout = "out"\npart_size = 60\n'
    )
    with pytest.deprecated_call(match="ReleaseOptions.part_size is now ReleaseOptions.partition_size"):
        assert read_policy(Path("policy.toml")).release.partition_size == 60
    words = ["anonymize", "a.csv", "--kind", "sets", "--method", "apriori", "--out", "out", "--part-size", "9"]
    result = CliRunner().invoke(app, words)
    assert "--part-size is now --partition-size." in result.output
