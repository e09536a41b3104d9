"""Published timelines must be true, tried on damaged ones."""

import dataclasses

import numpy as np
import pytest
from tests.kinds.timeline.naive.releases import good, rows_of, with_rows

from sfumato.kinds.timeline.verify.faithful import verify_faithful


def changed(change, rows=None, times=None):
    data, result = good()
    contents = [list(row) for row in rows_of(result.release)]
    change(contents)
    release = with_rows(result.release, contents, times)
    return verify_faithful(release, data, result.owner_record.rows if rows is None else rows)


def replace_count(event, amount, point):
    def change(rows):
        rows[point] = [(e, c + amount if e == event else c) for e, c in rows[point]]

    return change


def test_a_good_release_is_true():
    assert changed(lambda rows: rows).holds


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (replace_count("b", 1, 0), "nothing is invented"),
        (replace_count("c", -1, 1), "only sensitive events are deleted"),
        (lambda rows: rows[1].append(("b", 1)), "nothing is invented"),
        (lambda rows: rows[1].append(("stranger", 1)), "nothing is invented"),
        (lambda rows: rows.reverse(), "nothing is invented"),
    ],
)
def test_what_is_not_true_is_found(change, check):
    verdict = changed(change)
    assert not verdict.holds and verdict.counterexample["check"] == check


def test_fewer_sensitive_events_are_no_lie():
    assert changed(replace_count("a", -1, 3)).holds


def test_times_must_be_the_original_ones():
    verdict = changed(lambda rows: rows, times=[0, 1, 2, 4])
    assert verdict.counterexample == {"check": "times are the original ones", "rows": [4]}


@pytest.mark.parametrize("rows", [[0, 1, 2], [0, 1, 2, 4], [1, 0, 2, 3], [-1, 0, 1, 2]])
def test_the_row_map_must_fit(rows):
    assert not changed(lambda rows: rows, np.array(rows)).checks["row map fits"]


def test_a_time_point_left_out_must_have_been_sensitive_only():
    data, result = good()
    release = dataclasses.replace(result.release, table=result.release.table.slice(1))
    verdict = verify_faithful(release, data, result.owner_record.rows[1:])
    assert verdict.checks["nothing is invented"] and not verdict.checks["only sensitive events are deleted"]
