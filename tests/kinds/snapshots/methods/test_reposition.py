"""Reposition: what it takes, refuses and publishes."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.snapshots.naive.people import dataset, push_all, record_lists, snapshots_of

import sfumato as sf
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.snapshots.methods.anatomy import Anatomy
from sfumato.kinds.snapshots.methods.reposition import Reposition

BAD = {
    "cost": ["cubic", "3,2", "0", "1,1", "1,3,4", "1;2", "1", "nan", "-1,0,1"],
    "beta": ["0", "-3", "flu", "=3", "flu=,cold=3", "a=1,b"],
    "then": ["generalise"],
    "late": ["drop"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_bad_parameters_are_refused_without_naming_values(name, value):
    with pytest.raises(ParameterError, match=f"Reposition: {name} must") as error:
        sf.methods.Reposition(l=2, window=4, **{name: value})
    assert name != "beta" or "flu=,cold" not in str(error.value)


def test_costs_of_suppression_decide_whether_waiting_pays():
    data = sf.Dataset.of("snapshots", [(0, "1", "a"), (1, "2", "b")], ("age",), "ill")
    for beta, published in ((None, 2), ("0.4", 0), ("a=5,*=0.4", 2)):
        flow = sf.methods.Reposition(l=2, window=2, beta=beta).stream(data.schema, secret=bytes([1] * 32))
        out = [leaving for part in flow.cut(data) for leaving in flow.push(part)] + flow.flush()
        assert sum(len(leaving.rows) for leaving in out) == published


@pytest.mark.parametrize("name", ["snapshot", "group", "count"])
def test_names_the_release_needs_are_refused(name):
    data = sf.Dataset.of("snapshots", [(0, "1", "a"), (0, "2", "b")], (name,), "ill")
    with pytest.raises(SchemaError, match=f"Column '{name}' has the name of a column"):
        sf.anonymize(data, sf.methods.Reposition(l=2))


def test_methods_refuse_other_kinds_and_nobody():
    with pytest.raises(SchemaError, match="hold no record"):
        sf.anonymize(sf.Dataset.of("snapshots", [], ("age",), "ill"), sf.methods.Reposition(l=2))
    with pytest.raises(SchemaError, match="works on snapshots"):
        sf.anonymize(sf.Dataset.of("trajectories", [["a"]]), sf.methods.Anatomy(l=2))
    with pytest.raises(sf.InfeasibleError, match=r"Reposition: no snapshot can be published"):
        sf.anonymize(sf.Dataset.of("snapshots", [(0, "1", "a")], ("age",), "ill"), sf.methods.Reposition(l=2))


def test_dates_are_published_as_dates():
    data = sf.Dataset.of(
        "snapshots", [(19725, "1", "a"), (19725, "2", "b")], ("age",), "ill", time_unit=TimeUnit("day")
    )
    release = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), secret=bytes([1] * 32)).release
    assert release.table["snapshot"][0].as_py().isoformat() == "2024-01-03T00:00:00+00:00"
    assert release.extra_tables["sensitive"].table["snapshot"].type == release.table["snapshot"].type


def test_a_value_that_is_too_frequent_overall_is_refused_with_the_numbers():
    data = dataset([[0, 0, 1], [0, 0, 2]])
    with pytest.raises(InfeasibleError, match=r"4 of 6 records \(66.7 %\), above 1 in l=2"):
        sf.anonymize(data, sf.methods.Reposition(l=2, window=2, delays="hidden"))


def test_hidden_delays_take_no_costs_and_no_late_records():
    with pytest.raises(ParameterError, match="do not apply to"):
        sf.methods.Reposition(l=2, delays="hidden", cost="quadratic")
    with pytest.raises(ParameterError, match="does not apply to"):
        sf.methods.Reposition(l=2, delays="hidden", late="withhold")
    data = dataset([[0, 1], [0, 1], [0, 1]])
    stream = sf.methods.Reposition(l=2, window=2, delays="hidden").stream(data.schema, data.time_unit)
    first, second, third = stream.cut(data)
    stream.push(second)
    with pytest.raises(SchemaError, match="order of time"):
        stream.push(first)
    stream.push(third)


def test_skewed_snapshots_that_complement_each_other_lose_nothing():
    """The paper's motivation: each snapshot alone is hopeless, neighbours together are balanced."""
    days = [["flu"] * 4 + ["cold"], ["cold"] * 4 + ["flu"], ["flu"] * 3 + ["cold"] * 3]
    rows = [(day, str(i), value) for day, values in enumerate(days) for i, value in enumerate(values)]
    data = sf.Dataset.of("snapshots", rows, ("number",), "illness")
    moved = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), secret=bytes([1] * 32))
    suppressing = sf.methods.Anatomy(l=2, infeasible="suppress")
    with pytest.raises(sf.InfeasibleError, match=r"6 of 16 records are suppressed, 37.5 % \(suppressed: 6\)"):
        sf.anonymize(data, suppressing)
    plain = sf.anonymize(data, suppressing, secret=bytes([1] * 32), max_suppressed_records=0.4)
    assert len(moved.release) == len(rows)
    assert len(plain.release) == len(rows) - 6
    with pytest.raises(sf.InfeasibleError, match=r"Anatomy: 6 of 16 records have a value that exceeds"):
        sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes([1] * 32))


@settings(max_examples=60)
@given(record_lists(), st.integers(1, 5), st.integers(2, 3), st.sampled_from(("linear", "quadratic")))
def test_every_published_snapshot_is_eligible_and_no_record_is_early_or_too_late(rows, size, l, cost):
    data = snapshots_of(rows)
    stream, leaving = push_all(Reposition(l=l, window=size, cost=cost, then="none"), data)
    values, times = data.table["value"].to_pylist(), data.table["time"].to_pylist()
    seen = []
    for out in leaving:
        assert out.table["value"].to_pylist() == [values[row] for row in out.rows]
        assert out.origins.tolist() == [times[row] for row in out.rows]
        assert all(0 <= out.time - times[row] < size for row in out.rows)
        counts = Counter(values[row] for row in out.rows)
        assert all(l * count <= len(out.rows) for count in counts.values())
        seen += out.rows.tolist()
    assert len(set(seen)) == len(seen)
    assert len(seen) + sum(stream.suppressed_records.values()) == len(rows)
    assert [out.time for out in leaving] == sorted({out.time for out in leaving})
    for value in set(values):
        origins = [sorted(times[row] for row in out.rows if values[row] == value) for out in leaving]
        flat = [origin for group in origins for origin in group]
        assert flat == sorted(flat)


@settings(max_examples=30)
@given(record_lists(), st.integers(2, 3))
def test_a_window_of_one_is_plain_suppression(rows, l):
    data = snapshots_of(rows)
    stream, leaving = push_all(Reposition(l=l, window=1, then="none"), data)
    for time in sorted({row[0] for row in rows}):
        counts = Counter(row[2] for row in rows if row[0] == time)
        most = max(
            sum(min(count, level) for count in counts.values())
            for level in range(max(counts.values()) + 1)
            if sum(min(count, level) for count in counts.values()) >= l * level
        )
        assert most == sum(len(out.rows) for out in leaving if out.time == time)
    assert Anatomy(l=l).name == "anatomy" and stream.window == 1
