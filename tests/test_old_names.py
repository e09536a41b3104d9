"""Public names of version 0.2 still work, and warn with the name of today."""

from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.data.time_units import TimeUnit


@pytest.fixture
def result():
    return sf.anonymize(sf.Dataset.of("sets", [["tea"], ["tea"]]), sf.methods.Apriori(k=2, m=1), secret=bytes(32))


def test_attributes_are_read_by_their_old_names(result):
    with pytest.deprecated_call(match="Result.trace is now Result.owner_record"):
        assert result.trace is result.owner_record
    with pytest.deprecated_call(match="Release.withheld is now Release.suppressed_records"):
        assert result.release.withheld == {}
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
