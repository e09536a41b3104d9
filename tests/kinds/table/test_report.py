"""The owner's report on tables: what became of columns and classes, of distributions and of what goes together."""

from __future__ import annotations

import datetime
import itertools
import re

import altair
import numpy as np
import pytest
from hypothesis import given
from tests.kinds.table.given_classes import compare, make_people
from tests.kinds.table.metrics.test_losses import ROWS, comparisons
from tests.kinds.table.naive import measures as naive
from tests.kinds.trajectories.report.test_report import Reader, read_text

import sfumato as sf
from sfumato import reports
from sfumato.attacks.risk import Risk
from sfumato.base.remaining import Remaining
from sfumato.kinds.table.attacks import attributes, homogeneity, more_known
from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.comparison.spread import MOST_BINS, Spread, associate
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.plugins import metrics_for
from sfumato.reports.palette import DARK
from sfumato.reports.text import describe_attacker, list_limits

CITIES = ["Rome", "<b>Oslo</b>", "a" * 80, "b" * 80, "Lima"]


def make_data(people=60):
    generator = np.random.default_rng(1)
    rows = [
        (
            int(generator.integers(18, 90)) if generator.random() > 0.1 else None,
            CITIES[int(generator.integers(len(CITIES)))],
            datetime.date(2024, 1, 1) + datetime.timedelta(int(generator.integers(400))),
            float(generator.normal(1.7, 0.1)),
            str(generator.choice(["flu", "cold"])),
            "same",
        )
        for _ in range(people)
    ]
    names = ("age", "city", "<i>day</i>", "height", "ill", "note")
    return sf.Dataset.of("table", rows, names, sensitive=("ill",), plain=("note",))


def prepare(comparison):
    found = comparison.view(TableComparison)
    sizes = np.ones(found.records, np.int64)
    after = np.zeros(found.records, np.int64)
    after[comparison.rows] = found.published.sizes[found.published.group]
    return comparison, Risk.of(sizes, "attributes"), Risk.of(after, "attributes", max_sensitive_share=0.9)


@pytest.fixture(scope="module")
def prepared():
    data = make_data()
    return prepare(compare(data, [n // 6 if n < 57 else -1 for n in range(60)], k=3))


@pytest.fixture(scope="module")
def page(prepared):
    metrics = [metric for metric in metrics_for("table") if metric.name not in {"prediction", "microaggregation-error"}]
    scores = [metric.measure(prepared[0]) for metric in metrics if metric.applies(prepared[0])]
    return reports.render(*prepared, scores, facts={"recode, seconds": "0.1"})


def test_page_is_well_formed_and_stands_alone(page):
    reader = Reader(page)
    assert not {"script", "link", "iframe", "img", "object", "embed"} & set(reader.tags)
    assert len(reader.ids) == len(set(reader.ids))
    assert all(address.startswith("http://www.w3.org/") for address in re.findall(r"https?://[^\"' ]+", page))
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(reader.ids)
    assert page.count("<svg") - page.count("class='symbol'") == page.count("role='img'") >= 10
    assert "<b>Oslo</b>" not in page and "<i>day</i>" not in page


def test_page_says_what_was_published(page):
    text = read_text(page)
    assert "Records suppressed 3" in text and "too few records alike 3" in text
    assert "Quasi-identifiers 4" in text and "Groups published 10" in text
    assert "The attacker is someone who knows all quasi-identifiers of a person" in text
    assert "The attack confirms the guarantee" in text
    assert "Do not publish this release" not in text
    assert "3-anonymity" in text
    assert "Loss of generalised values" in text and "Papers call it NCP." in text and "by attribute" in text.lower()


def test_plots_are_valid_and_known_in_the_dark(prepared):
    drawn = reports.figures(*prepared)
    assert list(drawn) == ["anonymity-sets", "classes", "generalised", "marginals", "errors", "pairs"]
    for figure in drawn.values():
        spec = figure.chart().to_dict()
        altair.Chart.from_dict(spec)
        assert set(re.findall(r"#[0-9a-f]{6}", str(spec))) <= set(DARK)


def test_picture(prepared, tmp_path):
    reports.picture(*prepared, tmp_path / "table.png")
    assert (tmp_path / "table.png").read_bytes()[:4] == b"\x89PNG"


def test_what_more_knowledge_finds_is_said(prepared):
    comparison = prepared[0]
    parts = (comparison.release, comparison.original, comparison.rows)
    stronger = [found for found in (homogeneity.attack(*parts), more_known.attack(*parts)) if found is not None]
    text = read_text(reports.render(*prepared, [], stronger=stronger, remaining=Remaining.collect(stronger)))
    assert "Beyond the guarantee" in text
    for found in stronger:
        assert all(one.sentence in text and one.hint in text for one in found.remaining)
    assert "Certain ill" in text and "Sensitive column ill one record" in text


def test_figures_of_offices_are_shown(prepared):
    comparison, before, _ = prepared
    after = attributes.attack(comparison.release, comparison.original, comparison.rows)
    text = read_text(reports.render(comparison, before, after, []))
    assert "Prosecutor, journalist, marketer" in text and "No population file" in text


def test_a_column_alone_and_a_broken_promise():
    data = sf.Dataset.of("table", [(n,) for n in range(6)], ("age",))
    parts = prepare(compare(data, [0, 0, 0, 0, 0, 1], k=3))
    assert list(reports.figures(*parts)) == ["anonymity-sets", "classes", "generalised", "marginals", "errors"]
    assert "Do not publish this release." in read_text(reports.render(*parts, []))


@given(comparisons())
def test_mass_is_spread_over_what_a_cell_may_be(comparison):
    data, release = comparison.original, comparison.release
    found = comparison.view(TableComparison)
    for column in (*found.columns, *found.exact):
        spread = Spread(column)
        assert len(spread.bins) == len(spread.of_original) == len(set(spread.bins))
        assert spread.of_original.sum() == len(data)
        assert spread.of_release.sum() == pytest.approx(release.table.num_rows)
        assert spread.shares.sum(axis=1) == pytest.approx(1)
        if column.attribute.axis is None:
            members = naive.members_of(release, column.name)
            for name, mass in zip(spread.bins, spread.of_release, strict=True):
                if name.endswith(("other)", "others)")):
                    continue
                text = "" if name == "(missing)" else name
                cells = release.table.column(column.name).to_pylist()
                by_hand = sum(naive.chance(cell, text, data, column.name, members) for cell in cells)
                assert mass == pytest.approx(by_hand)


@given(comparisons())
def test_what_goes_together_is_told_between_none_and_all(comparison):
    found = comparison.view(TableComparison)
    spreads = [Spread(column) for column in (*found.columns, *found.exact)]
    for one in spreads:
        for other in spreads:
            strengths = associate(one, other)
            assert all(0 <= strength <= 1 for strength in strengths)
            assert strengths == pytest.approx(associate(other, one))


def test_an_exact_release_keeps_what_goes_together():
    comparison = compare(make_people(ROWS), range(5))
    found = comparison.view(TableComparison)
    spreads = [Spread(column) for column in (*found.columns, *found.exact)]
    for one, other in itertools.pairwise(spreads):
        was, now = associate(one, other)
        assert was == pytest.approx(now)
        assert one.of_original.tolist() == pytest.approx(one.of_release.tolist())


def test_bins_are_few_and_named():
    found = compare(make_data(), range(60)).view(TableComparison)
    for column in found.columns:
        assert len(Spread(column).bins) <= MOST_BINS + 2
    ages = Spread(found.columns[0])
    assert ages.bins[0] == "10–19" and ages.bins[-1] == "(missing)"
    data = sf.Dataset.of("table", [(f"c{n}",) for n in range(30)], ("city",))
    assert Spread(compare(data, range(30)).view(TableComparison).columns[0]).bins[-1] == "(19 others)"


def test_words():
    assert all(metric.explanation for metric in metrics_for("table"))
    assert describe_attacker("table", "attributes", None) == "someone who knows all quasi-identifiers of a person"
    leads = {
        name: [lead for lead, _ in list_limits(KAnonymity(k=5, sensitive=("ill", "pay"), **guarantee))]
        for name, guarantee in {"k": {}, "l": {"l": 2}, "t": {"t": 0.2}, "d": {"presence": 0.5}}.items()
    }
    assert "Records that share a sensitive value." in leads["k"]
    assert "Likely values." in leads["l"] and "Likely values." not in leads["t"]
    assert "Presence in the data." in leads["t"] and "Another population." in leads["d"]
    assert all("Several sensitive columns together." in found for found in leads.values())


def test_only_recursive_diversity_bounds_a_share():
    assert KAnonymity(k=5, l=3, sensitive=("ill",)).largest_share is None
    assert KAnonymity(k=5, l=3, c=2.0, diversity="recursive", sensitive=("ill",)).largest_share == pytest.approx(2 / 3)
