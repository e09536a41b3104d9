"""Nothing in release/ helps to undo it."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.stats import spearmanr

SECRET = "91827364" * 8


@pytest.fixture
def published(sfumato, checkins, tmp_path):
    (tmp_path / "mine.hex").write_text(SECRET)
    sfumato(
        "anonymize", checkins, "--kind", "trajectories", "--method", "seqanon", "-p", "k=5", "-p", "m=2",
        "--out", "out", "--secret", "mine.hex", "--json",
    )  # fmt: skip
    return tmp_path / "out"


def test_no_original_id_secret_or_path_is_in_any_published_byte(published, tmp_path):
    for path in (published / "release").iterdir():
        content = path.read_bytes()
        for secret in (
            b"canary",
            SECRET.encode(),
            bytes.fromhex(SECRET),
            b"2024-03-04",
            str(tmp_path).encode(),
            b"checkins.csv",
        ):
            assert secret not in content, (path.name, secret)
        if path.suffix == ".parquet":
            text = json.dumps([pq.read_table(path).to_pylist(), str(pq.read_metadata(path).metadata)])
            assert "canary" not in text and SECRET not in text


def test_records_are_in_random_order(published):
    rows = pq.read_table(published / "owner" / "rows.parquet").column("original_row").to_numpy()
    assert sorted(rows.tolist()) == list(range(120))
    assert abs(spearmanr(rows, np.arange(len(rows))).statistic) < 0.35


def test_numbers_say_nothing_about_the_order(published):
    names = pq.read_table(published / "release" / "data.parquet").column("person").to_pylist()
    rows = pq.read_table(published / "owner" / "rows.parquet").column("original_row").to_numpy()
    assert names == [str(number) for number in range(1, 121)]
    assert abs(spearmanr([int(name) for name in names], rows).statistic) < 0.35


def test_values_are_listed_alphabetically_not_as_first_seen(published):
    column = pq.read_table(published / "release" / "data.parquet").column("places").combine_chunks()
    labels = column.flatten().dictionary.to_pylist()
    assert labels == sorted(labels)
    members = (published / "release" / "values.csv").read_text().splitlines()[1:]
    assert members == sorted(members)


def test_two_releases_differ_and_the_kept_secret_makes_one_again(sfumato, checkins, tmp_path):
    for out in ("one", "two"):
        sfumato(
            "anonymize", checkins, "--kind", "trajectories", "--method", "seqanon", "-p", "k=5", "-p", "m=2",
            "--out", out, "--no-report",
        )  # fmt: skip
    one, two = ((tmp_path / out / "release" / "data.csv").read_text() for out in ("one", "two"))
    assert one != two
    kept = tmp_path / "one" / "owner" / "secret.hex"
    assert kept.stat().st_mode & 0o077 == 0
    sfumato(
        "anonymize", checkins, "--kind", "trajectories", "--method", "seqanon", "-p", "k=5", "-p", "m=2",
        "--out", "three", "--no-report", "--secret", kept,
    )  # fmt: skip
    for path in (tmp_path / "one" / "release").iterdir():
        assert (tmp_path / "three" / "release" / path.name).read_bytes() == path.read_bytes(), path.name


def test_the_owner_can_find_the_way_back(published, checkins):
    rows = pq.read_table(published / "owner" / "rows.parquet").to_pylist()
    trace = json.loads((published / "owner" / "trace.json").read_text())
    assert {row["person"] for row in rows} == {f"canary-{i:04}" for i in range(120)}
    assert (published / "owner" / "secret.hex").read_text().strip() == SECRET and trace["parameters"]["k"] == 5
