"""The owner's report: complete, self-contained, honest, and silent about people."""

from __future__ import annotations

import dataclasses
import itertools
import re
from html.parser import HTMLParser

import altair
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import reports
from sfumato.attacks.risk import Risk
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.notes import Note
from sfumato.exceptions import ParameterError
from sfumato.kinds.trajectories.attacks import risk_of_original
from sfumato.kinds.trajectories.guarantees import KlmAnonymity, KmAnonymity
from sfumato.kinds.trajectories.report import maps
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Score
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat
from sfumato.reports import plots
from sfumato.reports.numbers import show_number, show_share
from sfumato.reports.palette import DARK

PLACES = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (0.4, 1.2), "d": (2.6, 0.9), "e": (3.2, 2.4)}
PEOPLE = [list(row) for row in ("dace", "baec", "ade", "bdec", "dc", "de")]
VOID = {"meta", "br", "hr", "img", "input", "link"}


def publish(data, rows, members, guarantee=None, *, suppressed=(), suppressed_records=None):
    """Make a release by hand: published labels per row, and members of the generalised ones."""
    list_column = ListColumn.from_lists(rows)
    listed = [(value, member) for value, group in members.items() for member in group]
    listed += [(None, member) for member in suppressed]
    return Release(
        kind="trajectories",
        method="by-hand",
        guarantee=guarantee or KmAnonymity(k=2, m=2),
        columns=(
            PublishedColumn("person", "identifier", ValueFormat("exact")),
            PublishedColumn("places", "history", ValueFormat("category", history=True)),
        ),
        table=pa.table({"person": [f"pseudonym-{i}" for i in range(len(rows))], "places": list_column.to_arrow()}),
        values=pa.table(
            {
                "column": pa.array(["places"] * len(listed), pa.string()),
                "value": pa.array([value for value, _ in listed], pa.string()),
                "member": pa.array([member for _, member in listed], pa.string()),
            }
        ),
        records_in=len(data),
        suppressed_records=suppressed_records or {},
    )


def compare(people=PEOPLE, at=PLACES, group=("a", "b", "c"), **options):
    """Compare data with a release in which one group of places is generalised."""
    data = Dataset.of("trajectories", people, at, sensitive=options.pop("sensitive", ()))
    removed = set(options.get("suppressed", ()))
    rows = [["{group}" if p in group else p for p in row if p not in removed] for row in people]
    release = publish(data, rows, {"{group}": group}, **options)
    return Comparison(data, release, np.arange(len(people)))


def risks(comparison, m=2):
    published = Dataset.of("trajectories", comparison.published.lists())
    return risk_of_original(comparison.original, m), risk_of_original(published, m)


def render(comparison, scores=(), **options):
    return reports.render(comparison, *risks(comparison), list(scores), **options)


class Reader(HTMLParser):
    """Collects the tags, ids and texts of a page, and complains about tags that do not match."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.ids, self.texts = [], [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if "style" not in self.open:
            self.texts.append(text)


def read_text(page):
    return " ".join(" ".join(Reader(page).texts).split())


@pytest.fixture(scope="module")
def page():
    scores = [
        Score("distance", 1234.5678, {"suppressed_entries": 1234567}, unit="metres", title="Distance D"),
        Score("pattern-preservation", 0.25, {"exact_share": 0.5}, "higher", "of the patterns"),
        Score("new-measure", 3.0),
    ]
    return render(compare(), scores, facts={"recode <1>": "0.81 s"})


def test_page_is_well_formed_and_stands_alone(page):
    reader = Reader(page)
    assert not {"script", "link", "iframe", "img", "object", "embed"} & set(reader.tags)
    assert len(reader.ids) == len(set(reader.ids))
    for address in re.findall(r"https?://[^\"' ]+", page):
        assert address.startswith("http://www.w3.org/")
    assert "src=" not in page
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    assert "default-src 'none'" in page


def test_sections_come_in_the_promised_order(page):
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    assert titles == [
        "What was published",
        "Risk before and after",
        "Places before and after",
        "Generalised places",
        "Visits before and after",
        "Utility",
        "How it was made",
    ]


def test_references_inside_plots_lead_somewhere(page):
    ids = set(Reader(page).ids)
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= ids
    for labels in re.findall(r"aria-labelledby='([^']+)'", page):
        assert set(labels.split()) <= ids
    assert page.count("<svg") - page.count("class='symbol'") == page.count("role='img'") == 9


def test_numbers_are_readable(page):
    text = read_text(page)
    assert "1,235 metres" in text
    assert "1,234,567" in text
    assert "25.0 % of the patterns" in text
    assert "Exact share 50.0 %" in text
    assert "Recode <1> 0.81 s" in text


def test_page_says_what_is_promised_and_what_is_not():
    text = read_text(render(compare()))
    assert "Every sequence of up to 2 places of a published record occurs in at least 2 published records." in text
    assert "More than 2 places." in text
    assert "Knowledge of places not visited." in text
    assert "Only the order of visits is published" in text


def test_withheld_records_are_counted_by_reason():
    data = Dataset.of("trajectories", PEOPLE, PLACES)
    rows = [["{group}" if p in "abc" else p for p in row] for row in PEOPLE[1:]]
    release = publish(data, rows, {"{group}": ("a", "b", "c")}, suppressed_records={"too <long>": 1})
    comparison = Comparison(data, release, np.arange(1, 6))
    before, after = risks(comparison)
    absent = dataclasses.replace(after, set_sizes=np.append(after.set_sizes, 0), people=6)
    text = read_text(reports.render(comparison, before, absent, []))
    assert "Records in the original data 6 Records published 5 Records suppressed 1 too <long> 1" in text
    assert "1 person is not in the release" in text


def test_hostile_labels_do_not_run():
    hostile = "<script>alert(1)</script>"
    people = [[hostile, "b & c", "c"], ["c", hostile, "'\"><img src=x>"]]
    places = {label: (float(i), float(i % 2)) for i, label in enumerate(dict.fromkeys(people[0] + people[1]))}
    comparison = compare(
        people,
        places,
        (hostile, "b & c"),
        guarantee=KlmAnonymity(2, 2, 2, (hostile,)),
        sensitive=("'\"><img src=x>",),
    )
    data = dataclasses.replace(comparison.original, notes=(Note("read", "Read {file}.", details={"file": "<script>"}),))
    comparison = dataclasses.replace(comparison, original=data)
    page = render(comparison, [Score("<script>", 1.0, {"<script>": "<script>"}, unit="<script>", title="<script>")])
    assert "<script" not in page
    assert "<img" not in page
    reader = Reader(page)
    assert any(hostile in text for text in reader.texts)
    assert any("<script>alert…" in text for text in reader.texts)


def test_nobody_is_named():
    comparison = compare()
    names = [f"Name-{i}-of-somebody" for i in range(len(PEOPLE))]
    table = comparison.original.table.set_column(0, "person", pa.array(names))
    page = render(dataclasses.replace(comparison, original=dataclasses.replace(comparison.original, table=table)))
    assert "Name-" not in page
    assert "pseudonym-" not in page


def test_without_coordinates_the_map_is_missing_and_said_to_be():
    comparison = compare(at=None)
    assert list(reports.figures(comparison, *risks(comparison))) == [
        "anonymity-sets",
        "group-sizes",
        "places",
        "lengths",
    ]
    assert "not drawn because the places have no coordinates" in render(comparison)


def test_local_recoding_without_a_row_map_has_no_map():
    comparison = local_comparison()
    assert maps.find_obstacle(comparison) is None
    unmatched = dataclasses.replace(comparison, rows=None)
    assert "row map" in (maps.find_obstacle(unmatched) or "")
    assert "Maps are not drawn" in render(unmatched)


def local_comparison():
    people = [["a", "d"], ["b", "d"], ["a", "d"], ["c", "d"]]
    data = Dataset.of("trajectories", people, PLACES)
    rows = [["{ab}", "d"], ["{ab}", "d"], ["{ac}", "d"], ["{ac}", "d"]]
    return Comparison(data, publish(data, rows, {"{ab}": ("a", "b"), "{ac}": ("a", "c")}), np.arange(4))


def test_local_recoding_is_drawn_by_coarseness():
    text = read_text(render(local_comparison()))
    assert "How it was made" not in text
    assert "2 generalised places, which differ between records" in text
    assert "2–5" in text


def test_attack_that_breaks_the_promise_is_shouted():
    comparison = compare(guarantee=KlmAnonymity(5, 2, 3, ("e",)), sensitive=("e",))
    before, _ = risks(comparison)
    broken = Risk(1, 0.5, 1.0, "ordered-places", 6, 0.5, np.array([1, 1, 1, 2, 2, 2]), 0.9, 2)
    text = read_text(reports.render(comparison, before, broken, []))
    assert "Do not publish this release. Some knowledge matches only 1 record; 5 are guaranteed." in text
    assert "90.0 % of matching records visit the same sensitive place; at most 33.3 % are guaranteed." in text
    kept = dataclasses.replace(broken, smallest_anonymity_set=5, max_sensitive_share=1 / 3)
    text = read_text(reports.render(comparison, before, kept, []))
    assert "Do not publish this release" not in text
    assert "matches at least 5 records (5 guaranteed)" in text
    assert "Sensitive places, published unchanged: e." in text


def test_suppressed_places_are_told_and_crossed_out():
    comparison = compare(suppressed=("e",))
    text = read_text(render(comparison))
    assert "Places removed from all records 1" in text
    assert "not published" in text


@pytest.mark.parametrize(
    "comparison",
    [
        compare(group=()),
        compare([["a"]], {"a": (5.0, 5.0)}, ()),
        compare([["a", "b"]], {"a": (1.0, 1.0), "b": (1.0, 1.0)}, ("a", "b")),
        Comparison(
            Dataset.of("trajectories", PEOPLE, PLACES),
            publish(Dataset.of("trajectories", PEOPLE, PLACES), [], {}, suppressed_records={"all": 6}),
            np.arange(0),
        ),
        compare([], {}, ()),
    ],
    ids=["nothing generalised", "one person", "one spot", "nothing published", "no data"],
)
def test_odd_data_are_reported(comparison):
    Reader(render(comparison))


def test_places_nobody_visits_here_need_no_coordinates():
    comparison = compare(group=("a", "b", "elsewhere"))
    assert "elsewhere" in render(comparison)


def test_specifications_are_valid_vega_lite():
    comparison = compare()
    curve = [
        (dataclasses.replace(risk, m=m), dataclasses.replace(risk, m=m)) for m, risk in enumerate(risks(comparison))
    ]
    for figure in reports.figures(comparison, *risks(comparison), curve).values():
        altair.Chart.from_dict(figure.chart().to_dict(), validate=True)


def test_figures_are_saved_in_four_formats(tmp_path):
    comparison = compare()
    figure = reports.figures(comparison, *risks(comparison))["map"]
    for suffix, start in ((".svg", b"<svg"), (".PNG", b"\x89PNG"), (".pdf", b"%PDF"), (".html", b"<!DOCTYPE html>")):
        file = tmp_path / f"map{suffix}"
        plots.save_figure(figure, file)
        assert file.read_bytes().lstrip().startswith(start)
    # A page that moves under the pointer brings all its scripts along.
    assert not re.search(rb"<script[^>]+src=|<link", (tmp_path / "map.html").read_bytes())
    assert b"default-src 'none'" in (tmp_path / "map.html").read_bytes()[:600]
    with pytest.raises(ParameterError, match="must end in"):
        plots.save_figure(figure, tmp_path / "map.gif")


def test_picture_fits_a_readme(tmp_path):
    comparison = compare()
    for number, shown in enumerate((comparison, compare(at=None))):
        file = tmp_path / f"{number}.png"
        reports.picture(shown, *risks(shown), file)
        assert file.stat().st_size < 300_000
    width = int.from_bytes((tmp_path / "0.png").read_bytes()[16:20])
    assert 1350 <= width <= 1450


def crowd(places, side):
    """A grid of places, each visited once or twice, generalised in blocks."""
    labels = [f"p{i}" for i in range(places)]
    at = {label: (float(i % side), float(i // side)) for i, label in enumerate(labels)}
    data = Dataset.of("trajectories", [labels, labels[::3]], at)
    block = {label: f"{{{int(x) // 5}.{int(y) // 5}}}" for label, (x, y) in at.items()}
    members: dict[str, list[str]] = {}
    for label in labels:
        members.setdefault(block[label], []).append(label)
    release = publish(data, [[block[p] for p in labels], [block[p] for p in labels[::3]]], members)
    return Comparison(data, release, np.arange(2))


def test_many_places_are_thinned_out_and_that_is_said():
    comparison = crowd(20_000, 142)
    risk = Risk(2, 0.5, 0.5, "ordered-places", 2, 0.0, np.array([2, 2]), m=2)
    page = reports.render(comparison, risk, risk, [])
    assert len(page) < 1_000_000
    assert re.search(r"2,\d{3} of 20,000 places are drawn", read_text(page))


def test_outlines_are_drawn_where_they_are_known():
    def cell(x, y):
        return f"POLYGON (({x} {y}, {x + 1} {y}, {x + 1} {y + 1}, {x} {y + 1}, {x} {y}))"

    comparison = compare()
    places = comparison.original.places
    cells = [cell(x - 0.5, y - 0.5) for x, y in zip(*(places[c].to_pylist() for c in "xy"), strict=True)]
    outlined = places.append_column("outline", pa.array(cells))
    comparison = dataclasses.replace(comparison, original=dataclasses.replace(comparison.original, places=outlined))
    panels, _ = maps.draw_panels(comparison, 400)
    for panel in panels:
        rings = [
            polygon[0]
            for shape in panel.shapes
            if shape["geometry"]["type"] == "MultiPolygon"
            for polygon in shape["geometry"]["coordinates"]
        ]
        sides = np.array([np.ptp(np.array(ring), axis=0) for ring in rings])
        cells_drawn = sides[sides[:, 0] > 20]
        assert len(cells_drawn) == 5
        assert np.allclose(cells_drawn, cells_drawn[0, 0], atol=0.2)


def test_both_axes_have_the_same_scale():
    panels, _ = maps.draw_panels(compare(), 400)
    dots = [s["geometry"]["coordinates"] for s in panels[0].shapes if s["geometry"]["type"] == "MultiLineString"]
    drawn = {tuple(line[0]) for lines in dots for line in lines}
    frame = maps._survey(compare(), 400).frame
    points = np.array(list(PLACES.values()))
    expected = frame.draw(points)
    assert {tuple(p) for p in expected.tolist()} <= drawn
    span, pixels = np.ptp(points, axis=0), np.ptp(expected, axis=0)
    assert np.allclose(pixels / span, frame.scale, rtol=1e-2)


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=40), st.integers(2, 60))
def test_every_person_is_in_one_bin_and_none_straddles_k(sizes, k):
    risk = Risk(1, 0.0, 0.0, "ordered-places", len(sizes), 0.0, np.array(sizes))
    rows = plots._count_sets(risk, risk, k)
    for when in ("before", "after"):
        mine = [row for row in rows if row["when"] == when]
        assert sum(row["people"] for row in mine) == sum(size > 0 for size in sizes)
        assert all(row["end"] <= k or row["first"] >= k for row in mine)
        assert all(a["end"] == b["first"] for a, b in itertools.pairwise(mine))


def test_far_away_places_do_not_press_the_others_together():
    people = [["a", "b", "c", "d", "e"]] * 100 + [["a", "far"]]
    comparison = compare(people, {**PLACES, "far": (9000.0, 9000.0)}, ("a", "b", "far"))
    text = read_text(reports.render(comparison, *risks(comparison), []))
    assert "1 place with 0.20 % of the visits: too far away" in text


def test_every_colour_of_text_and_lines_has_a_dark_twin(page):
    for colour in re.findall(r'<text[^>]* fill="(#\w+)"', page) + re.findall(r'<line[^>]* stroke="(#\w+)"', page):
        assert colour in DARK


def test_shares_are_never_rounded_to_none_or_all():
    assert show_share(1e-9) == "< 0.01 %"
    assert show_share(1 - 1e-9) == "> 99.99 %"
    assert show_share(None) == show_share(float("nan")) == show_number(float("inf")) == "–"
    assert show_number(np.int64(1234)) == "1,234"
    assert show_number("text") == "text"
