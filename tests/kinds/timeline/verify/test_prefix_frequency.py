"""The verifier of timelines, tried on damaged releases."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from tests.examples import settings
from tests.kinds.timeline.naive.releases import covered, good, rows_of, with_rows
from tests.kinds.timeline.naive.sanitisation import keeps
from tests.kinds.timeline.naive.timelines import occurring, small_timelines

import sfumato as sf
from sfumato.exceptions import VerificationError
from sfumato.kinds.timeline.guarantees import PrefixFrequency
from sfumato.kinds.timeline.verify.prefix_frequency import verify, verify_against
from sfumato.kinds.trajectories.guarantees import KmAnonymity


def damaged(change):
    """Return a release after a change to its rows."""
    _, result = good()
    rows = [list(row) for row in rows_of(result.release)]
    change(rows)
    return with_rows(result.release, rows)


def test_a_good_release_holds():
    data, result = good()
    verdict = verify(result.release)
    assert verdict.holds and verdict.claimed == {"delta": "1/4"}
    assert Fraction(verdict.measured["largest_relative_frequency"]) < Fraction(1, 4)
    assert verify_against(result.release, data).holds


@settings(max_examples=60)
@given(small_timelines(most=5, points=4))
def test_it_judges_like_a_plain_count(instance):
    alphabet, rows, sensitive, delta = instance
    release = with_rows(good()[1].release, [sorted(row.items()) for row in occurring(rows)], range(len(rows)))
    guarantee = PrefixFrequency(str(delta), events=tuple(sensitive))
    release = dataclasses.replace(release, guarantee=guarantee, records_in=len(rows), suppressed_records={})
    assert verify(release).checks["named events are rare in every prefix"] == keeps(occurring(rows), sensitive, delta)
    assert len(alphabet)


def test_one_more_occurrence_is_found_with_its_witness():
    def add(rows):
        rows[0] = [(event, count + 1 if event == "a" else count) for event, count in rows[0]]
        assert rows[0][0][0] == "a"

    verdict = verify(damaged(add))
    assert not verdict.holds
    assert verdict.counterexample["event"] == "a" and Fraction(
        verdict.counterexample["relative_frequency"]
    ) >= Fraction(1, 4)


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda rows: rows[1].append(rows[1][0]), "an event is listed once at a time point"),
        (lambda rows: rows[1].append(("z", 0)), "counts are at least one"),
        (lambda rows: rows[1].append(("z", -3)), "counts are at least one"),
        (lambda rows: rows[1].append(("z", 2**62)), "counts are at least one"),
    ],
)
def test_contents_that_make_no_sense_are_not_judged(change, check):
    verdict = verify(damaged(change))
    assert not verdict.holds and not verdict.checks["readable"] and verdict.counterexample["check"] == check


def test_time_points_must_be_in_order():
    _, result = good()
    rows = rows_of(result.release)
    verdict = verify(with_rows(result.release, rows, [0, 2, 1, 3]))
    assert verdict.counterexample == {"check": "time points are in order", "rows": [2, 3]}
    assert not verify(with_rows(result.release, rows, [0, 1, 1, 3])).holds


def test_counts_must_go_with_their_events():
    _, result = good()
    table = result.release.table
    wrong = table.set_column(2, "counts", table.column("counts").take([1, 0, 2, 3]))
    verdict = verify(dataclasses.replace(result.release, table=wrong))
    assert verdict.counterexample["check"] == "counts go with their events"


def test_a_row_that_is_gone_is_missed_in_the_count():
    _, result = good()
    verdict = verify(dataclasses.replace(result.release, table=result.release.table.slice(1)))
    assert not verdict.checks["counts agree"]


def test_a_smaller_claim_than_the_owner_needs_is_found_with_the_original():
    data, result = good()
    silent = dataclasses.replace(result.release, guarantee=PrefixFrequency("1/4", events=("b",)))
    verdict = verify_against(silent, data)
    assert not verdict.holds and verdict.counterexample == {"event": "a", "named": False}


def test_covers_hold_and_are_measured():
    data, result = covered()
    verdict = verify(result.release)
    assert verdict.holds and verdict.measured["cover"] == 3
    assert result.release.guarantee.events == ("s", "t", "u")
    assert verify_against(result.release, data).holds


def test_a_cover_that_is_one_occurrence_off_is_found():
    data, result = covered()
    rows = [[(e, c + (e == "t" and t == 0)) for e, c in row] for t, row in enumerate(rows_of(result.release))]
    broken = with_rows(result.release, rows)
    verdict = verify(broken)
    assert not verdict.checks["named events share their counts with others"]
    assert verdict.counterexample == {"event": "s", "events_with_its_counts": 2}
    assert not verify_against(broken, data).holds


def test_sensitive_events_cannot_cover_each_other():
    data, result = covered()
    both = sf.Dataset.of("timeline", [], sensitive=("s", "t"))
    assert verify(result.release).holds
    verdict = verify_against(result.release, both)
    assert verdict.counterexample == {"event": "s", "others_with_its_counts": 1}
    assert data.schema.sensitive == ("s",)


def test_huge_thresholds_are_compared_exactly():
    _, result = good()
    guarantee = PrefixFrequency("0.24999999999999999999", events=("a",))
    rows = [[("a", 1), ("b", 3)]]
    release = dataclasses.replace(with_rows(result.release, rows, [0]), guarantee=guarantee, records_in=1)
    assert not verify(release).holds
    guarantee = PrefixFrequency("0.25000000000000000001", events=("a",))
    assert verify(dataclasses.replace(release, guarantee=guarantee)).holds


def test_another_guarantee_is_not_judged_here():
    _, result = good()
    with pytest.raises(VerificationError, match="claims km-anonymity"):
        verify(dataclasses.replace(result.release, guarantee=KmAnonymity(k=2, m=1)))


def test_columns_of_another_form_are_refused():
    _, result = good()
    columns = tuple(
        dataclasses.replace(c, form=dataclasses.replace(c.form, type="float64")) if c.role == "count" else c
        for c in result.release.columns
    )
    verdict = verify(dataclasses.replace(result.release, columns=columns))
    assert verdict.counterexample["column"] == "counts"
    assert np.all([not verdict.holds])
