"""Files of snapshots: sorted before they are published, refused when too much would be lost."""

import json
import random

import pytest
from tests.cli.test_snapshot_stream import HEADER, lines, write

from sfumato.cli import run

SNAPSHOTS = ["--kind", "snapshots", "--sensitive", "illness", "--column", "quasi-identifier=age,sex"]


def anonymize(data, out, *more, method="reposition", key=None):
    given = ["anonymize", str(data), *SNAPSHOTS, "--method", method, "--out", str(out), *more]
    return run([*given, *(["--secret", str(key)] if key else [])])


@pytest.fixture
def key(tmp_path):
    (tmp_path / "key.hex").write_text("07" * 32)
    return tmp_path / "key.hex"


@pytest.mark.parametrize("delays", ["paper", "hidden"])
def test_a_shuffled_file_is_published_like_the_sorted_one(tmp_path, key, delays):
    rows = lines(2, 30)
    shuffled = random.Random(5).sample(rows, len(rows))
    sorted_, mixed = write(tmp_path / "sorted.csv", rows), write(tmp_path / "mixed.csv", shuffled)
    more = ["-p", "l=2", "-p", f"delays={delays}", "--max-suppressed-records", "0.3", "--no-report"]
    assert anonymize(sorted_, tmp_path / "a", *more, key=key) == 0
    assert anonymize(mixed, tmp_path / "b", *more, key=key) == 0
    for name in ("data.csv", "sensitive.csv", "release.json"):
        assert (tmp_path / "a" / "release" / name).read_bytes() == (tmp_path / "b" / "release" / name).read_bytes()
    assert run(["verify", str(tmp_path / "b"), "--original", str(mixed)]) == 0
    records = json.loads((tmp_path / "b" / "release" / "release.json").read_text())["records"]
    assert records["in"] == len(rows) == records["published"] + records["withheld"]


def test_a_file_that_loses_too_much_is_refused_with_the_reasons(tmp_path, capsys):
    data = write(
        tmp_path / "cases.csv", [f"{day},{i},f,{'flu' if i < 9 else 'cold'}\n" for day in (1, 2) for i in range(12)]
    )
    assert anonymize(data, tmp_path / "out", "-p", "l=2") == 2
    error = capsys.readouterr().err
    assert "12 of 24 records are suppressed, 50 % (suppressed: 12); --max-suppressed-records 0.05 allows 5 %" in error
    assert not (tmp_path / "out").exists()
    assert anonymize(data, tmp_path / "out", "-p", "l=2", "--max-suppressed-records", "0.5") == 0
    assert (tmp_path / "out" / "owner" / "report.html").is_file()
    assert anonymize(data, tmp_path / "bad", "-p", "l=2", "--max-suppressed-records", "50") == 2
    assert "--max-suppressed-records must be a share" in capsys.readouterr().err


def test_a_policy_says_how_much_may_be_withheld(tmp_path, capsys):
    write(tmp_path / "cases.csv", [f"1,{i},f,{'flu' if i < 9 else 'cold'}\n" for i in range(12)])
    policy = """
[data]
path = "cases.csv"
kind = "snapshots"
sensitive = ["illness"]
columns = {{ quasi-identifier = "age,sex" }}
[method]
name = "reposition"
l = 2
[release]
out = "out"
report = false
{}
"""
    (tmp_path / "policy.toml").write_text(policy.format(""))
    assert run(["run", str(tmp_path / "policy.toml")]) == 2
    assert "6 of 12 records are suppressed" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    (tmp_path / "policy.toml").write_text(policy.format("max_suppressed_records = 0.5"))
    assert run(["run", str(tmp_path / "policy.toml"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["attack"]["fates"]["missing"]["right_knowing_frequencies"] == 1.0
    assert found["attack"]["max_success"] == 1.0, "withheld people are found"
    (tmp_path / "policy.toml").write_text(policy.format("max_suppressed_records = 5"))
    assert run(["run", str(tmp_path / "policy.toml")]) == 2


def test_attack_shows_what_late_and_missing_records_tell(tmp_path, capsys):
    data = write(tmp_path / "cases.csv", lines(2, 30))
    assert anonymize(data, tmp_path / "out", "-p", "l=3", "--max-suppressed-records", "1") == 0
    capsys.readouterr()
    assert run(["attack", str(tmp_path / "out"), "--original", str(data)]) == 0
    said = capsys.readouterr().out
    assert "late" in said and "missing" in said
    page = (tmp_path / "out" / "owner" / "report.html").read_text()
    assert "Late and missing records" in page
    assert "The attack confirms the guarantee" not in page
    manifest = json.loads((tmp_path / "out" / "release" / "release.json").read_text())
    assert "inference from a record being late or missing" in manifest["guarantee"]["statement"]


def test_header_only(tmp_path):
    (tmp_path / "cases.csv").write_text(HEADER)
    assert anonymize(tmp_path / "cases.csv", tmp_path / "out", "-p", "l=2") == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("kind", "method", "resume"),
    [
        ("snapshots", ["anatomy", "-p", "l=2"], False),
        ("trajectories", ["seqanon", "-p", "k=2", "-p", "m=1"], False),
        ("trajectories", ["seqanon", "-p", "k=2", "-p", "m=1"], True),
    ],
)
def test_a_feed_needs_a_kind_and_a_method_that_have_streams(tmp_path, capsys, kind, method, resume):
    asked = ["anonymize", "-", "--kind", kind, "--method", *method, "--out", str(tmp_path / "out")]
    assert run([*asked, "--resume", "replay"] if resume else asked) == 2
    said = capsys.readouterr().err
    wanted = "applies only to streams of snapshots" if resume else f"{method[0]} cannot read standard input"
    assert wanted in said and not (tmp_path / "out").exists()
