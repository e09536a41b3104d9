"""Bounds of single records, beside those over all originals that could have been published so."""

from __future__ import annotations

import itertools
import math
from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.queries.naive import chains, originals
from tests.queries.naive.originals import Entry, Step

from sfumato.data.record_unit import PERSON
from sfumato.queries.ask import ask
from sfumato.queries.events import MANY, Events, _find_tick
from sfumato.queries.periods import bound_first
from sfumato.queries.published_view import Link, Names, PublishedView, Selection, Values
from sfumato.queries.times import ENDLESS

LABELS = ("a", "b", "c")


@st.composite
def entries(draw, most_entries=3):
    found = []
    for _ in range(draw(st.integers(0, most_entries))):
        members = draw(st.sets(st.sampled_from(LABELS), min_size=1, max_size=2))
        lo = draw(st.integers(0, 3))
        hi = draw(st.integers(lo, min(lo + 2, 4)))
        least, most = draw(st.sampled_from([(1, 1), (1, 1), (1, MANY), (0, MANY), (2, 2)]))
        found.append(Entry(tuple(sorted(members)), lo, hi, least, most))
    return found


@st.composite
def steps(draw, length, *, windows=True, within=False):
    found = []
    for _ in range(length):
        wanted = draw(st.sets(st.sampled_from(LABELS), min_size=1, max_size=2))
        first, last = -np.inf, np.inf
        if windows and draw(st.booleans()):
            first = draw(st.integers(0, 4))
            last = first + draw(st.integers(0, 3))
        soon = draw(st.integers(1, 3)) if within and found else np.inf
        found.append(Step(frozenset(wanted), first, last, soon))
    return found


def as_events(records):
    flat = [(number, entry) for number, record in enumerate(records) for entry in record]

    def column(name):
        return [getattr(entry, name) for _, entry in flat]

    groups = list(dict.fromkeys(column("members")))
    values = Values.of([[LABELS.index(member) for member in group] for group in groups])
    return Events.of(
        len(records),
        [number for number, _ in flat],
        [groups.index(members) for members in column("members")],
        values,
        Names(LABELS),
        "number",
        lo=column("lo"),
        hi=column("hi"),
        least=column("least"),
        most=column("most"),
    )


def as_link(step):
    window = None if step.first == -np.inf else (int(step.first), int(step.last))
    within = None if step.within == np.inf else int(step.within)
    return Link(Selection(np.array([label in step.wanted for label in LABELS])), window, within)


def judge(records, asked):
    truth = as_events(records).judge([as_link(step) for step in asked])
    return [(bool(low), bool(high)) for low, high in zip(truth.low, truth.high, strict=True)]


def plain(records, asked):
    return [originals.bound(record, lambda found: originals.follows(found, asked)) for record in records]


@settings(max_examples=80)
@given(st.lists(entries(), min_size=1, max_size=3), steps(1))
def test_one_event_is_bounded_exactly(records, asked):
    assert judge(records, asked) == plain(records, asked)


@settings(max_examples=80)
@given(st.lists(entries(), min_size=1, max_size=3), steps(2))
def test_one_event_after_another_is_bounded_and_what_is_certain_exactly(records, asked):
    for (low, high), (certain, possible) in zip(judge(records, asked), plain(records, asked), strict=True):
        assert low == certain
        assert high >= possible


@settings(max_examples=80)
@given(st.lists(entries(), min_size=1, max_size=3), steps(2))
def test_one_event_after_another_is_bounded_exactly_unless_a_single_event_would_be_both(records, asked):
    loose = [any(entry.most == 1 and entry.lo < entry.hi for entry in record) for record in records]
    for found, expected, is_loose in zip(judge(records, asked), plain(records, asked), loose, strict=True):
        assert is_loose or found == expected


@settings(max_examples=60)
@given(st.lists(entries(), min_size=1, max_size=2), st.integers(2, 3).flatmap(lambda n: steps(n, within=True)))
def test_longer_and_timely_sequels_stay_within_the_bounds(records, asked):
    for (low, high), (certain, possible) in zip(judge(records, asked), plain(records, asked), strict=True):
        assert low <= certain
        assert high >= possible


def stretch(records, asked, scale):
    """The same with times further apart."""
    far = [[entry._replace(lo=entry.lo * scale, hi=entry.hi * scale) for entry in record] for record in records]
    return far, [
        step._replace(first=step.first * scale, last=step.last * scale, within=step.within * scale) for step in asked
    ]


@settings(max_examples=150)
@given(
    st.lists(entries(), min_size=1, max_size=4),
    st.integers(1, 4).flatmap(lambda n: steps(n, within=True)),
    st.sampled_from([1, 7, 86_400_000_000]),
    st.booleans(),
)
def test_sequels_of_all_records_are_those_of_entry_after_entry(records, asked, scale, loose):
    records, asked = stretch(records, asked, scale)
    if loose:
        # What was left out may have been at any time: then times are too far apart to be counted.
        records[0] = [*records[0], Entry(LABELS, -ENDLESS, ENDLESS, 0, MANY)]
    expected = [(chains.has_certain_chain(one, asked), chains.has_possible_chain(one, asked)) for one in records]
    assert judge(records, asked) == expected


@settings(max_examples=60)
@given(
    st.lists(entries(), min_size=6, max_size=12),
    st.integers(1, 3).flatmap(lambda n: steps(n, within=True)),
    st.sampled_from(["record", "event"]),
)
def test_piece_by_piece_it_is_the_same(records, asked, noun):
    question = f"count {noun} where a|b by 2"
    view = PublishedView(PERSON, len(records), 0, as_events(records))
    whole, bars = judge(records, asked), ask(view, question, span=(0, 4)).table
    with mock.patch("sfumato.queries.events._PIECE", 1):
        assert judge(records, asked) == whole
        assert ask(view, question, span=(0, 4)).table.equals(bars)


def test_many_entries_are_looked_at_in_pieces_of_whole_records():
    record = np.repeat(np.arange(5), [1, 7, 1, 0, 4])
    events = Events.of(5, record, np.zeros(13), Values.exact(1), Names(("a",)), "number", lo=np.arange(13))
    with mock.patch("sfumato.queries.events._PIECE", 3):
        pieces = [piece.record.tolist() for piece in events.split()]
    assert [number for piece in pieces for number in piece] == record.tolist()
    assert len(pieces) > 1
    assert not any(set(one) & set(other) for one, other in itertools.combinations(pieces, 2))


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.tuples(st.sampled_from(LABELS), st.integers(0, 9)), max_size=4), min_size=1, max_size=4),
    st.integers(1, 3).flatmap(lambda n: steps(n, within=True)),
)
def test_of_exact_events_everything_is_certain(people, asked):
    records = [[Entry((what,), when, when, 1, 1) for what, when in events] for events in people]
    assert as_events(records).is_exact
    expected = [originals.follows(events, asked) for events in people]
    assert judge(records, asked) == [(found, found) for found in expected]


@settings(max_examples=60)
@given(
    st.lists(entries(), min_size=1, max_size=4),
    st.integers(1, 3),
    st.sampled_from(["", " during 1..3", " after 1"]),
    st.sampled_from(["record", "event"]),
)
def test_bars_are_what_every_stretch_answers_by_itself(records, length, window, noun):
    view = PublishedView(PERSON, len(records), 1, as_events(records))
    for row in ask(view, f"count {noun} where a{window} by {length}", span=(0, 4)).table.to_pylist():
        alone = ask(view, f"count {noun} where a{window} during {row['from']}..{row['before'] - 1}")
        assert (row["certain"], row["possible"]) == (alone.certain, alone.possible)


@given(st.lists(st.integers(-50, 50), max_size=5), st.lists(st.integers(-50, 50), max_size=5), st.integers(1, 9))
def test_the_longest_common_step_is_found(left, right, scale):
    columns = [np.array(column, dtype=np.int64) * scale for column in (left, right)]
    assert _find_tick(0, *columns) == max(math.gcd(*(abs(int(time)) for column in columns for time in column)), 1)


def test_a_common_step_that_the_first_times_do_not_show_is_found():
    assert _find_tick(0, np.append(np.zeros(3_000, np.int64), [12] * 3_000 + [18])) == 6


@settings(max_examples=60)
@given(entries(), steps(1))
def test_events_are_counted_between_the_least_and_the_most(record, asked):
    found = [originals.count_events(one, asked[0]) for one in originals.list_originals(record)]
    low, high = as_events([record]).count(as_link(asked[0]))
    assert low == min(found)
    assert high == max(found) or (high == np.inf and any(entry.most >= MANY for entry in record))


@settings(max_examples=60)
@given(entries(), steps(1), st.booleans())
def test_first_and_last_times_are_bounded_exactly(record, asked, last):
    found = [originals.find_first(one, asked[0], last=last) for one in originals.list_originals(record)]
    earliest, latest, certain = (side[0] for side in bound_first(as_events([record]), as_link(asked[0]), turned=last))
    there = [time for time in found if time is not None]
    if not there:
        assert earliest >= 1 << 60
        return
    if last:
        earliest, latest = -latest, -earliest
    assert (earliest, latest, bool(certain)) == (min(there), max(there), len(there) == len(found))


@settings(max_examples=60)
@given(st.lists(entries(), min_size=1, max_size=3), st.integers(0, 5))
def test_drawn_originals_could_have_been_published_so(records, seed):
    drawn = as_events(records).draw(np.random.default_rng(seed), Selection.everything(len(LABELS)))
    for number, record in enumerate(records):
        chosen = drawn.record == number
        made = [
            (LABELS[value], int(time))
            for value, time, least in zip(drawn.value[chosen], drawn.lo[chosen], drawn.least[chosen], strict=True)
            for _ in range(int(least))
        ]
        smallest = [entry for entry in record if entry.least]
        assert len(made) == sum(entry.least for entry in smallest)
        assert all(
            any(value in entry.members and entry.lo <= time <= entry.hi for entry in smallest) for value, time in made
        )


def test_a_sequel_needs_later_events_not_events_of_the_same_moment():
    record = [Entry(("a",), 2, 2, 1, 1), Entry(("b",), 2, 2, 1, 1)]
    assert judge([record], [Step(frozenset("a")), Step(frozenset("b"))]) == [(False, False)]


def test_nothing_follows_in_empty_records():
    assert judge([[], []], [Step(frozenset("a")), Step(frozenset("b"))]) == [(False, False), (False, False)]
