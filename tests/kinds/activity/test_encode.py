"""Shares as they are published: rounded so that they still sum to one, unknown time by its name."""

import dataclasses

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity.examples import make_data, make_method

import sfumato as sf
from sfumato.kinds.activity.encode import name_unknown, round_shares


@settings(max_examples=50)
@given(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=1, max_size=5), st.integers(1, 5))
def test_rounded_shares_sum_to_one_and_are_near(counts, digits):
    counts = np.array([[*row[:2], row[2] + 1] for row in counts])
    shares = round_shares(counts, digits)
    units = np.round(shares * 10**digits).astype(int)
    assert (units.sum(axis=1) == 10**digits).all()
    assert (np.abs(shares - counts / counts.sum(axis=1, keepdims=True)) < 10.0**-digits).all()


def test_shares_are_rounded_as_asked():
    data = make_data([list("aab"), list("abv"), list("aaa")])
    method = dataclasses.replace(make_method("mc-l-mdav", [list("aab")], 1, 2, "0.75"), k=3, digits=2)
    release = sf.anonymize(data, method, secret=bytes([1] * 32), max_suppressed_records=1).release
    assert release.guarantee.digits == 2
    assert sorted(release.table.column("share").to_pylist()) == [0.33, 0.33, 0.33, 0.34, 0.67, 1.0]


def test_unknown_time_has_the_name_the_owner_gives_it(tmp_path):
    file = tmp_path / "days.csv"
    begin, end = "2024-01-01T00:00", "2024-01-02T00:00"
    late = "2024-01-01T12:00"
    file.write_text(f"person,start,end,activity\n1,{begin},{end},x\n2,{begin},{end},x\n3,{late},{end},x\n")
    data = sf.read(file, kind="activity", resolution="hour", gap="nobody knows")
    assert name_unknown(data) == "nobody knows"
    result = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="12h"), secret=bytes([1] * 32))
    assert result.release.table.column("activity").to_pylist() == ["nobody knows", "x"]
    assert sf.write(result, tmp_path / "out", reports=True)
    assert sf.verify(tmp_path / "out", data).outcome == "holds"
