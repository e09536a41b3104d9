"""The owner's report on timed event sequences: for whom it is safe, what happened when, and nobody's name."""

from __future__ import annotations

import dataclasses
import re

import altair
import numpy as np
import pyarrow as pa
import pytest
from tests.kinds.sequences.naive.metrics import publish, publish_exactly
from tests.kinds.trajectories.report.test_report import Reader, read_text

from sfumato import reports
from sfumato.attacks.risk import Risk
from sfumato.data.dataset import Dataset
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.sequences.guarantees import GlDiversity, GroupAnonymity
from sfumato.kinds.sequences.metrics.interval_loss import IntervalLoss
from sfumato.kinds.sequences.report import lengths, timelines
from sfumato.kinds.sequences.report.lengths import show_length
from sfumato.metrics.metric import Score
from sfumato.reports.palette import DARK

SECONDS = TimeUnit("second")
MORNING = 1_700_000_000
PEOPLE = [
    [("mail", MORNING), ("news", MORNING + 60)],
    [("mail", MORNING + 300), ("mail", MORNING + 90_000), ("shop", MORNING + 400)],
    [("mail", MORNING + 500), ("mail", MORNING + 99_000), ("shop", MORNING + 400)],
    [("mail", MORNING + 900), ("news", MORNING + 5000)],
    [("news", MORNING + 1000)],
]
GROUPS = [[0, 3], [1, 2], [4]]
COVERS = [
    [("mail", MORNING, MORNING + 900)],
    [("mail", MORNING + 300, MORNING + 500), ("mail", MORNING + 90_000, MORNING + 99_000)],
    [],
]


def compare(people=PEOPLE, groups=GROUPS, covers=COVERS, monitored=("mail",), time_unit=SECONDS, **options):
    data = Dataset.of("sequences", people, monitored=monitored, time_unit=time_unit)
    return publish(data, groups, covers, **options)


def make_risk(sizes, share=None):
    sizes = np.array(sizes, dtype=np.int64)
    reached = sizes[sizes > 0]
    smallest = int(reached.min()) if len(reached) else 0
    success = np.where(sizes > 0, 1 / np.maximum(sizes, 1), 0)
    mean = float(success.mean()) if len(sizes) else 0.0
    unique = float((sizes == 1).mean()) if len(sizes) else 0.0
    most = 1 / smallest if smallest else 0.0
    return Risk(smallest, mean, most, "monitored-events", len(sizes), unique, sizes, share)


BEFORE, AFTER = make_risk([1, 1, 1, 1, 1]), make_risk([2, 2, 2, 2, 1])


def render(comparison, before=BEFORE, after=AFTER, scores=(), **options):
    return reports.render(comparison, before, after, list(scores), **options)


@pytest.fixture(scope="module")
def page():
    told = {"title": IntervalLoss.title, "explanation": IntervalLoss.explanation}
    scores = [Score("interval-loss", 0.25, {"groups": 1234}, **told)]
    return render(compare(), scores=scores, facts={"CP evaluations": "1,000"})


def test_page_is_well_formed_and_stands_alone(page):
    reader = Reader(page)
    assert not {"script", "link", "iframe", "img", "object", "embed"} & set(reader.tags)
    assert len(reader.ids) == len(set(reader.ids))
    assert all(address.startswith("http://www.w3.org/") for address in re.findall(r"https?://[^\"' ]+", page))
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(reader.ids)
    assert page.count("<svg") - page.count("class='symbol'") == page.count("role='img'") >= 6


def test_sections_come_in_the_promised_order(page):
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", page) == [
        "For whom this release is safe",
        "What was published",
        "Risk before and after",
        "Monitored events before and after",
        "Groups and intervals",
        "Times before and after",
        "Queries of the release",
        "Utility",
        "How it was made",
    ]


def test_the_receiver_comes_first_and_others_are_warned_of(page):
    text = read_text(page)
    assert "Safe for one receiver only" in text
    assert text.index("Give it to no one else") < text.rindex("What was published")
    assert "Monitored: mail." in text
    # shop happens twice at the same moment; everything else is somebody's alone.
    assert "60.0 % of the published records have an event at a time at which no other has it" in text
    assert "class='warning'" in page


def test_a_person_is_not_exposed_by_doing_the_same_twice_at_a_time():
    people = [[("mail", 0), ("news", 5), ("news", 5)], [("mail", 1)]]
    text = read_text(render(compare(people, [[0, 1]], [[("mail", 0, 1)]])))
    assert "50.0 % of the published records" in text


def test_where_everything_is_monitored_nobody_is_warned_of():
    comparison = compare([[("a", 1)], [("a", 2)]], [[0, 1]], [[("a", 1, 2)]], ("a",))
    page = render(comparison, after=make_risk([2, 2]))
    assert "Safe for every receiver who knows monitored events" in read_text(page)
    assert "class='warning'" not in page


def test_everything_is_accounted_for(page):
    text = read_text(page)
    for line in (
        "Records in the original data 5 Records published 5 Records suppressed 0",
        "Monitored events in the original 6 Intervals published in their place 6",
        "Other events in the original 5 Other events published, with exact times 5",
        "Groups of records with the same intervals 3 Published records without monitored events 1",
        "1 person without monitored events is a group of their own",
        "1,234",
        "Cp evaluations 1,000",
        "Length of the interval published for a monitored event",
    ):
        assert line in text


def test_promise_and_limits_are_told():
    text = read_text(render(compare()))
    assert GroupAnonymity(2, ("mail",)).statement() in text
    for lead in ("Everyone else.", "Receivers who collude", "People without monitored", "What all matching records"):
        assert lead in text
    assert "an exact place" not in text
    diverse = compare(guarantee=GlDiversity(g=3600, l=2, k=1, monitored=("mail",), unit="second"))
    text = read_text(render(diverse, after=make_risk([2, 2, 2, 2, 1], 0.5)))
    assert "More than 3,600 seconds." in text
    assert "What all matching records" not in text


def test_prediction_is_judged():
    comparison = compare(guarantee=GlDiversity(g=60, l=2, k=2, monitored=("mail",), unit="second"))
    text = read_text(render(comparison, after=make_risk([2] * 5, 0.5)))
    assert "Largest share of matching records with the same other event in a window – 50.0 %" in text
    assert "matches at least 2 records (2 guaranteed). At most 50.0 % of matching records have the same" in text
    text = read_text(render(comparison, after=make_risk([1, 2, 2, 2, 2], 0.75)))
    assert "Do not publish this release. Some knowledge matches only 1 record; 2 are guaranteed." in text
    assert "75.0 % of matching records have the same other event in a window; at most 50.0 % are guaranteed." in text


def test_without_k_there_is_no_line_at_one():
    comparison = compare(guarantee=GlDiversity(g=60, l=2, monitored=("mail",), unit="second"))
    text = read_text(render(comparison, after=make_risk([2] * 5, 0.5)))
    assert "k = 1" not in text.replace("g = 60, l = 2, k = 1", "")
    assert "guaranteed)" in text
    assert "(1 guaranteed)" not in text


def test_nobody_is_named():
    comparison = compare()
    names = [f"Name-{i}-of-somebody" for i in range(len(PEOPLE))]
    table = comparison.original.table.set_column(0, "person", pa.array(names))
    original = dataclasses.replace(comparison.original, table=table)
    page = render(dataclasses.replace(comparison, original=original))
    assert "Name-" not in page


def test_hostile_labels_do_not_run():
    hostile = "<script>alert(1)</script>"
    people = [[(hostile, 1), ("'\"><img src=x>", 2)], [("b & c", 4), ("x", 3)]]
    cover = [[("<img>", 1, 4)]]
    members = {"<img>": (hostile, "b & c")}
    page = render(compare(people, [[0, 1]], cover, (hostile, "b & c"), members=members))
    assert "<script" not in page
    assert "<img" not in page
    assert any(hostile in text for text in Reader(page).texts)


def test_without_a_row_map_there_is_no_timeline():
    comparison = dataclasses.replace(compare(), rows=None)
    assert list(reports.figures(comparison, BEFORE, AFTER)) == ["anonymity-sets", "group-sizes", "times", "answers"]
    assert "Timelines are not drawn: the release is locally recoded" in read_text(render(comparison))


@pytest.mark.parametrize(
    "comparison",
    [
        compare([], [], []),
        compare([[], []], [[0, 1]], [[]]),
        compare(PEOPLE, [], []),
        compare([[("mail", 5)]], [[0]], [[("mail", 5, 5)]]),
        compare([[("mail", 5)]], [[0]], [[("mail", 5, 5)]], time_unit=TimeUnit()),
        compare(
            [[("mail", -700_000)], [("mail", 900_000)]],
            [[0, 1]],
            [[("mail", -700_000, 900_000)]],
            time_unit=TimeUnit("day"),
        ),
        compare(
            [[("mail", -(2**61))], [("mail", 2**61)]], [[0, 1]], [[("mail", -(2**61), 2**61)]], time_unit=TimeUnit()
        ),
        publish_exactly(Dataset.of("sequences", PEOPLE, monitored=("mail",), time_unit=TimeUnit("second"))),
    ],
    ids=["nobody", "no events", "all withheld", "one moment", "one number", "ages", "huge numbers", "exact"],
)
def test_odd_data_are_reported(comparison, tmp_path):
    risk = make_risk([1] * len(comparison.original))
    Reader(render(comparison, risk, risk))
    reports.picture(comparison, risk, risk, tmp_path / "odd.svg")


def test_withheld_records_are_counted():
    comparison = compare(groups=[[0, 3]], covers=COVERS[:1])
    text = read_text(render(comparison, after=make_risk([2, 0, 0, 2, 0])))
    assert "Records published 2 Records suppressed 3 by hand 3" in text
    assert "3 people are not in the release" in text


def test_specifications_are_valid_vega_lite():
    plain = compare(time_unit=TimeUnit())
    several = compare(
        [[("a", 1), ("x", 9)], [("b", 3)]], [[0, 1]], [[("{a|b}", 1, 3)]], ("a", "b"), members={"{a|b}": ("a", "b")}
    )
    for comparison in (compare(), plain, several):
        drawn = reports.figures(comparison, BEFORE, AFTER)
        assert list(drawn) == ["anonymity-sets", "timeline", "group-sizes", "times", "answers"]
        for figure in drawn.values():
            altair.Chart.from_dict(figure.chart().to_dict(), validate=True)


def test_picture_fits_a_readme(tmp_path):
    reports.picture(compare(), BEFORE, AFTER, tmp_path / "picture.png")
    png = (tmp_path / "picture.png").read_bytes()
    assert 1350 <= int.from_bytes(png[16:20]) <= 1450
    assert len(png) < 300_000


def test_every_colour_of_text_and_lines_has_a_dark_twin(page):
    for colour in re.findall(r'<text[^>]* fill="(#\w+)"', page) + re.findall(r'<line[^>]* stroke="(#\w+)"', page):
        assert colour in DARK


# The timeline.


def crowd(groups, size, mails=1):
    """Groups whose intervals are longer and longer."""
    people, numbers, covers = [], [], []
    for group in range(groups):
        start = MORNING + group * 86_400
        numbers.append(list(range(len(people), len(people) + size)))
        step = (group + 1) * 60
        people += [[("mail", start + i * step + j) for j in range(mails)] for i in range(size)]
        covers.append([("mail", start, start + (size - 1) * step + mails - 1)])
    return compare(people, numbers, covers)


def test_groups_shown_run_from_short_to_long_intervals():
    chosen = timelines.choose_timelines(crowd(40, 3))
    assert [timeline.rank for timeline in chosen][::4] == ["Shortest intervals", "Longest intervals"]
    averages = [timeline.average for timeline in chosen]
    assert averages == sorted(averages)
    assert (averages[0], averages[-1]) == (120, 4800)
    assert "5 of 40 groups are shown" in read_text(render(crowd(40, 3), make_risk([1] * 120), make_risk([3] * 120)))


def test_intervals_shown_hold_the_dots_above_them():
    for timeline in timelines.choose_timelines(compare()):
        assert timeline.shown == len({line for line, _ in timeline.points})
        for _, time in timeline.points:
            assert any(low <= time <= high for _, low, high in timeline.intervals)


def test_large_groups_and_busy_people_are_thinned_out_and_that_is_said():
    comparison = crowd(2, 50, mails=3000)
    chosen = timelines.choose_timelines(comparison)
    assert [timeline.shown for timeline in chosen] == [8, 8]
    page = render(comparison, make_risk([1] * 100), make_risk([50] * 100))
    assert "for 50 people (8 shown)" in read_text(page)
    assert len(page) < 1_500_000


def test_categories_are_named_where_there_is_room():
    people = [[("a", 0), ("b", 50), ("a", 51), ("b", 100)]]
    cover = [[("a", 0, 10), ("b", 50, 50), ("{a|b}", 51, 51), ("b", 90, 100)]]
    comparison = compare(people, [[0]], cover, ("a", "b"), TimeUnit(), members={"{a|b}": ("a", "b")})
    (timeline,) = timelines.choose_timelines(comparison)
    named = [text["text"] for text in timelines._label_bars(timeline, 8.0, TimeUnit(), 0)]
    assert named == ["a", "{a|b}", "b"]
    text = read_text(render(comparison))
    assert "The published categories One of Events Intervals a, b 2 1" in text


def test_lengths_are_counted_by_duration():
    people = [[("a", t) for t in (0, 10, 100, 1000, 10_000, 10**6)]]
    cover = [[("a", 0, 0), ("a", 10, 70), ("a", 100, 161), ("a", 1000, 9000), ("a", 10_000, 10**6)]]
    comparison = compare(people, [[0]], cover, ("a",))
    assert lengths.count_lengths(comparison) == [
        ("a single time", 1),
        ("≤ 1 minute", 1),
        ("≤ 1 hour", 1),
        ("≤ 1 day", 1),
        ("≤ 1 week", 0),
        ("≤ 1 month", 1),
    ]


@pytest.mark.parametrize(("sizes", "bins"), [([5, 5, 7], 1), ([5, 5000, 70], 4), ([1] * 9, 1)])
def test_bars_of_group_sizes_have_room_for_their_names(sizes, bins):
    edges = lengths._size_edges(np.array(sizes), 5)
    counts, _ = np.histogram(sizes, edges)
    assert counts.sum() == len(sizes)
    assert bins <= len(counts) <= 7
    assert counts[0] > 0


@pytest.mark.parametrize(
    ("length", "unit", "shown"),
    [
        (0, "second", "0 s"),
        (59, "second", "59 s"),
        (3601, "second", "1 h"),
        (90_061, "second", "1 day 1 h"),
        (90, "minute", "1 h 30 min"),
        (1.5, "day", "1 day 12 h"),
        (0, "day", "0 days"),
        (1234.5, None, "1,234"),
    ],
)
def test_lengths_of_time_are_readable(length, unit, shown):
    assert show_length(length, TimeUnit(unit)) == shown
