"""Public names of version 0.2 still work, and warn with the name of today."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import ParameterError
from sfumato.old_names import OLD_OPTIONS, OldNameWarning
from sfumato.params import list_options
from sfumato.policy import read_policy
from sfumato.release.options import ReleaseOptions
from sfumato.studies.study_file import read_study


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
    with pytest.deprecated_call(match=r"\[release\] part_size is now partition_size"):
        assert read_policy(Path("policy.toml")).release.partition_size == 60
    words = ["anonymize", "a.csv", "--kind", "sets", "--method", "apriori", "--out", "out", "--part-size", "9"]
    result = CliRunner().invoke(app, words)
    assert "--part-size is now --partition-size;" in result.output


ROWS = [["tea"], ["tea"], ["tea"], ["rye"]]
POLICY = """
[data]
path = "data.csv"
kind = "sets"

[method]
name = "apriori"
k = 2
m = 1

[{}]
{}
withhold_at_most = 0.5
count = "people"
"""


def test_options_are_taken_by_their_old_names():
    data, method = sf.Dataset.of("sets", ROWS), sf.methods.Coat(k=2)
    with pytest.deprecated_call(match="anonymize.withhold_at_most is now anonymize.max_suppressed_records"):
        assert sf.anonymize(data, method, secret=bytes(32), withhold_at_most=1)
    with pytest.deprecated_call(match="anonymize.count is now anonymize.protect"):
        assert sf.anonymize(data, method, secret=bytes(32), count="people", max_suppressed_records=1)
    with pytest.deprecated_call(match="study.count"):
        assert sf.study(data, [method], count="people", measures=[], workers=1, repetitions=1)
    with pytest.deprecated_call(match="Run.withhold_at_most"):
        assert sf.Run(withhold_at_most=0.5).withhold_at_most == 0.5


def test_an_option_is_given_by_one_of_its_names():
    data = sf.Dataset.of("sets", ROWS)
    with pytest.raises(ParameterError, match="by its old and its new name"), pytest.deprecated_call():
        sf.anonymize(data, sf.methods.Coat(k=2), withhold_at_most=1, max_suppressed_records=1)


def test_files_are_read_by_their_old_keys(tmp_path):
    (tmp_path / "policy.toml").write_text(POLICY.format("release", 'out = "out"'))
    with pytest.warns(OldNameWarning, match=r"\[release\] (withhold_at_most|count) is now") as caught:
        release = read_policy(tmp_path / "policy.toml").release
    assert (release.max_suppressed_records, release.protect, len(caught)) == (0.5, "people", 2)
    (tmp_path / "study.toml").write_text(POLICY.format("study", "seed = 1"))
    with pytest.warns(OldNameWarning, match=r"\[study\] (withhold_at_most|count) is now"):
        section = read_study(tmp_path / "study.toml").study
    assert (section.max_suppressed_records, section.protect) == (0.5, "people")
    (tmp_path / "policy.toml").write_text(POLICY.format("release", 'out = "out"\nprotect = "records"'))
    with pytest.raises(ParameterError, match=r"\[release\] count is now protect; give one of the two"):
        read_policy(tmp_path / "policy.toml")


def test_commands_take_old_flags_and_do_not_show_them(tmp_path):
    (tmp_path / "data.csv").write_text("person,item\n" + "".join(f"{n},{row[0]}\n" for n, row in enumerate(ROWS)))
    sfumato = shutil.which("sfumato", path=str(sys.prefix + "/bin"))
    words = [sfumato, "anonymize", "data.csv", "--kind", "sets", "--method", "apriori", "-p", "k=2", "-p", "m=1"]
    more = ["--out", "out", "--no-report", "--withhold-at-most", "0.5", "--count", "records"]
    done = subprocess.run([*words, *more], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "sfumato: --withhold-at-most is now --max-suppressed-records; the old name goes" in done.stderr
    assert "sfumato: --count is now --protect" in done.stderr
    wide = {**os.environ, "COLUMNS": "140"}
    helped = subprocess.run([sfumato, "anonymize", "--help"], capture_output=True, text=True, check=True, env=wide)
    shown = helped.stdout
    assert "--max-suppressed-records" in shown and "--protect" in shown
    assert "--withhold-at-most" not in shown and "--count" not in shown


def test_old_options_have_a_name_of_today():
    names = {option.name for option in list_options(ReleaseOptions)}
    assert set(OLD_OPTIONS.values()) <= names and not OLD_OPTIONS.keys() & names
