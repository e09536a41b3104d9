"""The owner's report on a timeline."""

import re

import pytest

import sfumato as sf
from sfumato import reports
from sfumato.api.calls import measure_release
from sfumato.kinds.timeline.attacks import attack, attack_original
from sfumato.metrics.comparison import Comparison

ROWS = [{"<wine>": 3, "bread": 9, "milk": 2}, {"<wine>": 2, "bread": 4}, {"bread": 7, "beer": 2, "cider": 1}] * 8


@pytest.fixture(scope="module", params=[1, 2])
def made(request):
    data = sf.Dataset.of("timeline", ROWS, sensitive=("<wine>", "beer"))
    result = sf.anonymize(data, sf.methods.Essa(delta="1/12", cover=request.param))
    comparison = Comparison(data, result.release, result.owner_record.rows)
    return comparison, attack_original(data, 2)[-1], attack(result.release, data)


def test_the_page_says_what_was_done(made):
    comparison, before, after = made
    page = reports.render(comparison, before, after, measure_release(comparison), facts={"rounds": "2"})
    text = re.sub(r"<[^>]+>", " ", page)
    for words in (
        "of 24 time points published",
        "largest share of a sensitive event from the start to any time",
        "No sensitive event reaches the threshold in any published prefix, as guaranteed.",
        "Parts that begin later.",
        "What was deleted",
        "Occurrences deleted",
        "Segment boundaries",
        "Do not publish it",
    ):
        assert words in text
    assert "&lt;wine&gt;" in page and "<wine>" not in page
    assert "<script" not in page and "http-equiv" in page


def test_the_page_reads_well_after_nothing_was_deleted():
    data = sf.Dataset.of("timeline", [{"a": 1, "b": 99}], sensitive=("a",))
    result = sf.anonymize(data, sf.methods.Odesa(delta="1/2"))
    comparison = Comparison(data, result.release, result.owner_record.rows)
    page = reports.render(comparison, attack_original(data, 2)[-1], attack(result.release, data), [])
    assert "Nothing was deleted." in page


def test_plots_and_picture_are_drawn(made, tmp_path):
    comparison, before, after = made
    drawn = reports.figures(comparison, before, after)
    assert set(drawn) == {"answers", "prefix-frequencies", "deletions", "events"}
    first = drawn["prefix-frequencies"].panels[0].to_dict()
    assert first["title"] == "<wine>" and len(first["layer"]) == 2
    gone = sum(int(deleted) for _, _, deleted in drawn["deletions"].rows)
    total = sum(count for row in ROWS for count in row.values())
    assert gone == total - sum(map(sum, comparison.release.table.column("counts").to_pylist()))
    reports.picture(comparison, before, after, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000
