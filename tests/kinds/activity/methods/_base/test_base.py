"""What methods for daily activities take and refuse, with the reason."""

import dataclasses

import pytest
from tests.kinds.activity.examples import DATA, GAP, METHOD, by_hour

import sfumato as sf
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.activity.methods import _base
from sfumato.kinds.activity.verify import activity_diversity

GIVEN = {"k": 2, "delta": "2h", "epsilon": "0.5"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": "soon"}, "delta must be a length of time"),
        ({"delta": "0h"}, "delta must be a length of time"),
        ({"delta": ""}, "delta must be a length of time"),
        ({"delta": 3}, "delta must be text"),
        ({"epsilon": "1.5"}, "epsilon must be above 0 and below 1"),
        ({"epsilon": "1/0"}, "epsilon must be a fraction with a denominator above 0"),
        ({"epsilon": "half"}, "epsilon must be a"),
        ({"aggregate": "week,,hour"}, "aggregate must be a length of time"),
        ({"aggregate": "hour", "levels": 2}, "levels must be the number of lengths in aggregate"),
        ({"k": 1}, "k must be at least 2"),
        ({"digits": 10}, "digits must be at most 9"),
        ({"fanout": 0}, "fanout must be at least 1"),
    ],
)
def test_parameters_are_refused_with_the_reason(change, message):
    with pytest.raises(ParameterError, match=f"McLMdav: {message}"):
        sf.methods.McLMdav(**{**GIVEN, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": "2d"}, "delta must be at most "),
        ({"delta": "90min"}, "delta must be a whole number of slots"),
        ({"aggregate": "hour,day"}, "aggregate must go from coarse to fine"),
        ({"aggregate": "30min"}, "aggregate must be a whole number of slots"),
    ],
)
def test_parameters_that_do_not_fit_the_data_are_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        sf.anonymize(DATA, dataclasses.replace(METHOD, **change))


def test_data_without_what_a_method_needs_are_refused():
    nothing = dataclasses.replace(DATA, schema=dataclasses.replace(DATA.schema, sensitive=()))
    with pytest.raises(SchemaError, match="needs sensitive activities"):
        sf.anonymize(nothing, METHOD)
    unknown = dataclasses.replace(DATA, schema=dataclasses.replace(DATA.schema, sensitive=("abroad",)))
    with pytest.raises(SchemaError, match="1 of the 1 sensitive activities do not occur"):
        sf.anonymize(unknown, METHOD)
    with pytest.raises(SchemaError, match="same number of slots"):
        sf.Dataset.of("activity", [["a"], ["a", "b"]])
    with pytest.raises(SchemaError, match="have no slot"):
        sf.anonymize(sf.Dataset.of("activity", [[], []]), sf.methods.Mc(k=2))
    with pytest.raises(ParameterError, match="the length of a slot is unknown"):
        sf.anonymize(dataclasses.replace(DATA, time_unit=TimeUnit()), METHOD)


@pytest.mark.parametrize("method", [METHOD, sf.methods.Mc(k=3, aggregate="6h,2h")], ids=lambda method: method.name)
def test_data_that_are_too_large_to_compare_are_refused_with_the_reason(method, monkeypatch):
    def overflow(*_):
        raise OverflowError

    monkeypatch.setattr(type(method), "classify", overflow)
    with pytest.raises(ParameterError, match=f"{type(method).__name__}: too many records.* coarser resolution"):
        sf.anonymize(DATA, method)


@pytest.mark.parametrize("delta", ["1h", "3h", "5h", "12h"])
def test_delta_need_not_be_whole_intervals(delta):
    release = sf.anonymize(DATA, dataclasses.replace(METHOD, delta=delta), secret=bytes([1] * 32)).release
    assert (release.guarantee.delta, release.guarantee.delta_slots) == (delta, int(delta[:-1]))
    assert f"throughout any {delta}, whenever it begins" in release.guarantee.statement()


def test_people_with_unknown_time_may_be_withheld():
    rows = [["home"] * 4] * 2 + [["away", GAP, "home", "home"]] + [["away"] * 4]
    data = by_hour(rows)
    method = sf.methods.LVmdav(k=2, delta="2h", epsilon="1/2", gaps="withhold")
    result = sf.anonymize(data, method, secret=bytes([1] * 32), max_suppressed_records=1)
    assert result.release.suppressed_records["part of the time is unknown"] == 1
    assert GAP not in result.release.table.column("activity").to_pylist()
    assert result.owner_record.counters["people_with_unknown_time_withheld"] == 1
    assert activity_diversity.verify_against(result.release, data, result.owner_record.rows)
    with pytest.raises(InfeasibleError, match=r"only 3 of 4 people have no unknown time; a class needs 4"):
        sf.anonymize(data, dataclasses.replace(method, k=4))


def test_unknown_time_is_not_sensitive():
    with pytest.raises(SchemaError, match="unknown time has the name of a sensitive activity"):
        sf.anonymize(by_hour([["home", GAP]] * 3, (GAP,)), sf.methods.LMdav(k=2, delta="1h", epsilon="1/2"))


@pytest.mark.parametrize("length", ["month", "quarter"])
def test_a_month_is_no_number_of_seconds(length):
    """A mean month of 2,629,746 seconds is none there is."""
    with pytest.raises(ParameterError, match="must be a whole number of slots"):
        _base.count_slots("Mc", "aggregate", length, "second")
    assert _base.count_slots("Mc", "aggregate", "quarter", "month") == 3
