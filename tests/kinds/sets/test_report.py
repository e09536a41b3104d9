"""The owner's report on sets of items, in chunks and with generalised items."""

from __future__ import annotations

import re

import altair
import numpy as np
import pytest
from tests.kinds.trajectories.report.test_report import Reader, read_text

import sfumato as sf
from sfumato import reports
from sfumato.kinds.sets import attacks as known_items
from sfumato.kinds.sets.comparison import SetComparison
from sfumato.kinds.sets.guarantees import ItemsetAnonymity, KmItems
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Score
from sfumato.plugins import metrics_for
from sfumato.reports.palette import DARK
from sfumato.reports.text import describe_attacker, list_limits

NAMES = ["bread", "wine", "<b>beer</b>", "milk", "eggs", "insulin", "a" * 80, "salt"]


def make_data(**options):
    generator = np.random.default_rng(1)
    rows = [sorted({NAMES[min(n, 8) - 1] for n in generator.geometric(0.35, 4)}) for _ in range(60)]
    tree = sf.Hierarchy.from_paths([(name, f"group {n // 3}", "*") for n, name in enumerate(NAMES)])
    return sf.Dataset.of("sets", rows, hierarchy=tree, **options)


def prepare(method, data):
    result = sf.anonymize(data, method, secret=bytes([1] * 32))
    comparison = Comparison(data, result.release, result.owner_record.rows)
    before = known_items.attack_original(data, 2)[-1]
    return comparison, before, known_items.attack(result.release, data, result.owner_record.rows)


@pytest.fixture(scope="module", params=["chunks", "records"])
def prepared(request):
    if request.param == "chunks":
        return request.param, prepare(sf.methods.Disassociation(k=3, m=2, max_cluster=12), make_data())
    return request.param, prepare(sf.methods.Apriori(k=5, m=2), make_data())


@pytest.fixture(scope="module")
def page(prepared):
    scores = [Score("top-itemsets", 0.25, {"itemsets": 1000}, unit="of the itemsets", title="Itemsets lost (tKd)")]
    return reports.render(*prepared[1], scores, facts={"clusters": "12"})


def test_page_is_well_formed_and_stands_alone(page):
    reader = Reader(page)
    assert not {"script", "link", "iframe", "img", "object", "embed"} & set(reader.tags)
    assert len(reader.ids) == len(set(reader.ids))
    assert all(address.startswith("http://www.w3.org/") for address in re.findall(r"https?://[^\"' ]+", page))
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(reader.ids)
    assert page.count("<svg") - page.count("class='symbol'") == page.count("role='img'") >= 7
    assert "<b>beer</b>" not in page


def test_page_says_what_was_published(prepared, page):
    text = read_text(page)
    assert "More than 2 items." in text
    assert "The attacker is someone who knows up to 2 items of a person" in text
    assert "The attack confirms the guarantee" in text
    assert "25.0 % of the itemsets" in text
    form, (comparison, _, _) = prepared
    if form == "chunks":
        assert f"Clusters (groups of similar records) {len(comparison.view(SetComparison).matching.leaves)}" in text
        assert "All items are published; which of them belong together is hidden." in text
    else:
        assert "at least one of them" in text
        assert "Generalised items published" in text


def test_plots_are_valid_and_known_in_the_dark(prepared):
    form, parts = prepared
    drawn = reports.figures(*parts)
    assert list(drawn) == [
        "anonymity-sets",
        "clusters" if form == "chunks" else "group-sizes",
        "itemsets",
        "items",
        "lengths",
    ]
    for figure in drawn.values():
        spec = figure.chart().to_dict()
        altair.Chart.from_dict(spec)
        colours = set(re.findall(r"#[0-9a-f]{6}", str(spec)))
        assert colours <= set(DARK)


def test_numbers_behind_the_itemsets_are_true(prepared):
    _, parts = prepared
    rows = reports.figures(*parts)["itemsets"].rows
    assert rows[0][0].startswith("1.  bread")
    comparison = parts[0]
    truth = sum("bread" in row for row in comparison.history.lists())
    assert rows[0][1] == str(truth)
    assert all(int(row[3].replace(",", "")) <= int(row[1].replace(",", "")) for row in rows)


def test_numbers_behind_the_items_are_true(prepared):
    _, parts = prepared
    records = parts[0].history.lists()
    for name, before, after, error in reports.figures(*parts)["items"].rows:
        truth = sum(name in record for record in records)
        assert int(before) == truth
        assert error.endswith(" %") and int(after) >= 0


def test_picture(prepared, tmp_path):
    reports.picture(*prepared[1], tmp_path / "sets.png")
    assert (tmp_path / "sets.png").read_bytes()[:4] == b"\x89PNG"


def test_sensitive_items_are_named():
    data = make_data(sensitive=("insulin",))
    parts = prepare(sf.methods.Disassociation(k=3, m=2, l=4, max_cluster=12), data)
    assert "Sensitive items, separated from all others: insulin." in read_text(reports.render(*parts, []))


def test_nothing_generalised_is_said():
    data = sf.Dataset.of("sets", [["a", "b"]] * 4, hierarchy=sf.Hierarchy.from_paths([("a", "*"), ("b", "*")]))
    assert "Nothing is generalised" in reports.render(*prepare(sf.methods.Apriori(k=2, m=2), data), [])


def test_words():
    assert all(metric.explanation for metric in metrics_for("sets"))
    assert describe_attacker("sets", "items", 1) == "someone who knows 1 item of a person"
    assert [lead for lead, _ in list_limits(KmItems(k=2, m=1))][:2] == [
        "More than 1 item.",
        "What all matching records share.",
    ]
    assert list_limits(ItemsetAnonymity(k=2, itemsets=(("a",),)))[0][0] == "Other items."
