"""Shares bound who does something throughout a window, as tightly as can be: against all days that have them."""

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given
from tests.examples import settings
from tests.kinds.activity.examples import small_classes
from tests.kinds.activity.naive.promise import assignments, largest_share

from sfumato.kinds.activity.knowledge.bounds import PublishedTime, Within


def published_time(rows, length, activity="a", gap="?"):
    lengths = [min(length, len(rows[0]) - begin) for begin in range(0, len(rows[0]), length)]
    counts = [
        Counter(row[slot] for row in rows for slot in range(begin, min(begin + length, len(rows[0]))))
        for begin in range(0, len(rows[0]), length)
    ]
    done, unknown = (np.array([[count[label] for count in counts]]) for label in (activity, gap))
    time = PublishedTime(
        np.array([len(rows)]), np.array(lengths), Within(done, done), Within(unknown, unknown), done < 0
    )
    return time, lengths, counts


def conclude_at_least(time, size, window):
    """The largest share, in people, that is certain."""
    return max([people for people in range(size + 1) if people and sure(time, size, people, window)], default=0)


def sure(time, size, people, window):
    return time.bound_from_below(window, Fraction(people - 1, size)) is not None


@settings(max_examples=150)
@given(small_classes())
def test_shares_tell_exactly_what_all_days_that_fit_them_have_in_common(case):
    rows, length, window = case
    time, lengths, counts = published_time(rows, length)
    size, shown = len(rows), range(len(rows[0]))
    fitting = [largest_share(days, range(size), shown, "a", window) for days in assignments(size, lengths, counts)]
    window_counts = time.bound_from_above(0, window)
    assert window_counts.largest()[0] == max(fitting)
    assert (window_counts.seen == size).all()
    assert Fraction(conclude_at_least(time, size, window), size) == min(fitting)


@settings(max_examples=150)
@given(small_classes("ah?"))
def test_bounds_hold_where_time_is_unknown(case):
    rows, length, window = case
    time, lengths, counts = published_time(rows, length)
    size, shown = len(rows), range(len(rows[0]))
    fitting = [largest_share(days, range(size), shown, "a", window, "?") for days in assignments(size, lengths, counts)]
    assert time.bound_from_above(0, window).largest()[0] >= max(fitting)
    for share in {Fraction(0), *fitting}:
        found = time.bound_from_below(window, share)
        assert found is None or min(fitting) > share
