"""The owner's report on activity data: true numbers, days before and after, nothing that runs or leaks."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.kinds.activity.naive.releases import HandMadeClaim, compare, people, publish

from sfumato import reports
from sfumato.api.calls import measure_release
from sfumato.attacks.risk import Risk
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.activity.comparison import ActivityComparison
from sfumato.kinds.activity.report import days
from sfumato.metrics.comparison import Comparison
from sfumato.reports.text import describe_attacker, list_limits, name_share

TIME_UNIT = TimeUnit("hour", 19723 * 24)
EVIL = "<script>alert(1)</script>&=HYPERLINK()"
ROWS = [
    ["sleep"] * 8 + ["work"] * 10 + ["tv"] * 6 + ["away"] * 24,
    ["sleep"] * 7 + ["work"] * 11 + ["tv"] * 30,
    ["sleep"] * 9 + [EVIL] * 9 + ["tv"] * 6 + ["away"] * 24,
    ["sleep"] * 24 + ["work"] * 24,
    ["tv"] * 48,
]


@pytest.fixture
def comparison():
    return compare(people(ROWS, ["away"], TIME_UNIT), [[0, 1, 2], [3, 4]], 1, dated=True)


def risk(smallest, share=None, people=5, m=3):
    sizes = np.full(people, smallest)
    return Risk(smallest, 1 / smallest, 1 / smallest, "known-slots", people, float(smallest == 1), sizes, share, m)


def page_of(comparison, share=0.5, **facts):
    return reports.render(comparison, risk(1, 1.0), risk(2, share), measure_release(comparison), facts=facts)


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_the_page_stands_alone(comparison):
    page = page_of(comparison, seconds="1.5")
    tags = Tags()
    tags.feed(page)
    assert not {tag for tag, _ in tags.found} & {"script", "link", "img", "iframe", "object"}
    assert not [name for _, attrs in tags.found for name in attrs if name in {"src", "onload", "onclick"}]
    assert "<script" not in page
    assert page.startswith("<!DOCTYPE html>")


def test_numbers_are_those_of_the_release(comparison):
    text = text_of(page_of(comparison))
    for fact in ("Slots of every person 48", "Published intervals 48", "Classes published 2", "Smallest class 2"):
        assert fact in text
    assert "Activities in the original 5" in text
    assert "never what a single person did" in text


def test_what_is_promised_about_sensitive_activities(comparison):
    text = text_of(page_of(comparison, 0.5))
    assert "Sensitive: away" in text
    assert "At most 50.0 % of the people of any class have the same sensitive activity throughout the same 2h" in text
    broken = text_of(page_of(comparison, 0.7))
    assert "Do not publish this release: in a class 70.0 % of the people" in broken


def test_without_sensitive_activities_nothing_is_said_of_them():
    comparison = compare(people(ROWS, time_unit=TIME_UNIT), [[0, 1, 2], [3, 4]], dated=True)
    assert "Sensitive activities" not in re.findall(r"<h2[^>]*>(.*?)</h2>", page_of(comparison, None))


def test_without_a_claim_about_them_that_is_said():
    comparison = compare(people(ROWS, ["away"], TIME_UNIT), [[0, 1, 2], [3, 4]], dated=True)
    page = page_of(comparison, None)
    assert "The guarantee does not limit how many people of a class have one at the same time." in text_of(page)


def test_people_who_are_left_out_are_counted():
    text = text_of(page_of(compare(people(ROWS, ["away"], TIME_UNIT), [[0, 1, 2]], dated=True)))
    assert "Records suppressed 2 fits into no class 2" in text
    assert "Suppressed records" in text


def test_the_figures_are_there_with_their_numbers(comparison):
    drawn = reports.figures(comparison, risk(1), risk(2))
    assert list(drawn) == ["anonymity-sets", "days", "durations", "class-sizes", "answers"]
    assert drawn["days"].head == ["Activity", "Class 1", "Class 2"]
    # The second day is shown, because people are away then.
    assert ["away", "66.7 %", "0 %"] in drawn["days"].rows
    assert drawn["class-sizes"].rows == [["2", "1", "2"], ["3–4", "1", "3"]]


def test_without_a_row_map_there_is_no_picture_of_days():
    data = people(ROWS, ["away"], TIME_UNIT)
    release, _ = publish(data, [[0, 1, 2], [3, 4]], dated=True)
    comparison = Comparison(data, release)
    assert "days" not in reports.figures(comparison, risk(1), risk(2))
    assert "Days are not drawn" in text_of(page_of(comparison))


def values_of(view):
    """What is drawn in every part of a panel."""
    return [part["data"]["values"] for part in view.to_dict()["vconcat"]]


def test_a_day_is_drawn_as_it_was(comparison):
    found = comparison.view(ActivityComparison)
    window, classes = days.choose_window(found), days.choose_classes(found)
    assert (window.first, window.end, window.hours) == (24, 48, True)
    assert window.title == "Tuesday, 2 January 2024"
    figure = days.draw_days(found, classes, window)
    for (_, each), view in zip(classes, figure.panels, strict=True):
        above, below = values_of(view)
        for line, row in enumerate(sorted(each.rows, key=lambda r: -ROWS[r][24:].count("away"))):
            stretches = [v for v in above if v["y"] == line]
            drawn = [v["what"] for v in stretches for _ in range(v["x"], v["x2"])]
            assert drawn == ROWS[row][24:]
        heights = {}
        for bar in below:
            heights[bar["x"]] = heights.get(bar["x"], 0) + bar["y2"] - bar["y"]
        assert len(heights) == 24
        assert all(height == pytest.approx(1) for height in heights.values())


def test_many_activities_share_one_colour():
    rows = [[f"activity{i % 15}" for i in range(24)], [f"activity{i % 12}" for i in range(24)]]
    found = compare(people(rows, time_unit=TIME_UNIT), [[0, 1]], dated=True).view(ActivityComparison)
    window, classes = days.choose_window(found), days.choose_classes(found)
    assert len(days.colour_activities(found, classes, window)) == 7
    (view,) = days.draw_days(found, classes, window).panels
    assert "all other activities" in {v["what"] for v in values_of(view)[0]}


@pytest.mark.parametrize(
    "time_unit, slots, expected",
    [
        (None, 30, (0, 30, False)),
        (TimeUnit("day", 3), 30, (0, 30, False)),
        (TimeUnit("hour", 4), 20, (0, 20, False)),
        (TimeUnit("hour", 4), 24, (0, 24, False)),
        (TimeUnit("hour", 4), 60, (20, 44, True)),
    ],
)
def test_the_window_fits_what_is_known_of_days(time_unit, slots, expected):
    data = people([["a"] * slots, ["b"] * slots], time_unit=time_unit)
    window = days.choose_window(compare(data, [[0, 1]], dated=time_unit is not None).view(ActivityComparison))
    assert (window.first, window.end, window.hours) == expected


def test_long_data_are_drawn_with_few_marks():
    minutes = 20_160
    rows = [["ab"[i // 7 % 2] for i in range(minutes)], ["a"] * minutes]
    found = compare(people(rows), [[0, 1]]).view(ActivityComparison)
    (view,) = days.draw_days(found, days.choose_classes(found), days.choose_window(found)).panels
    assert all(len(part) < 1_500 for part in values_of(view))


def test_labels_are_escaped(comparison):
    page = page_of(comparison)
    assert EVIL not in page
    assert "alert(1)" in page


def test_the_picture_is_saved(comparison, tmp_path):
    reports.picture(comparison, risk(1), risk(2), tmp_path / "days.svg")
    assert "class of" in (tmp_path / "days.svg").read_text()
    release, _ = publish(comparison.original, [[0, 1, 2], [3, 4]], dated=True)
    reports.picture(Comparison(comparison.original, release), risk(1), risk(2), tmp_path / "sets.svg")
    assert "Before: original data" in (tmp_path / "sets.svg").read_text()


def test_words_for_activity_data(comparison):
    assert describe_attacker("activity", "known-slots", 3) == "someone who knows what a person did at up to 3 times"
    assert describe_attacker("activity", "known-slots", None) == "someone who knows what a person did at some times"
    assert "throughout" in name_share("activity")
    assert next(lead for lead, _ in list_limits(HandMadeClaim())) == "What all records of a class have in common."
    for score in measure_release(comparison):
        assert score.explanation
