"""The owner's report on snapshots."""

from tests.kinds.snapshots.naive.people import publish_cases

import sfumato as sf
from sfumato.kinds.snapshots import report
from sfumato.kinds.snapshots.attacks.attributes_and_time import attack, attack_original
from sfumato.kinds.snapshots.metrics.publication_delay import PublicationDelay
from sfumato.kinds.snapshots.metrics.window_queries import WindowQueries
from sfumato.metrics.comparison import Comparison

DATA, RESULT, COMPARISON = publish_cases()


def test_the_report_names_what_matters(tmp_path):
    before, after = attack_original(DATA, 2)[0], attack(RESULT.release, DATA, RESULT.owner_record.rows)
    scores = [WindowQueries().measure(COMPARISON), PublicationDelay().measure(COMPARISON)]
    page = report.render(COMPARISON, before, after, scores, facts={"snapshots": "40"})
    for text in (
        "In the groups no value has more than",
        "Late and missing records",
        "more than 1 in 3 records had the same value",
        "Counts over time",
        "Records by delay",
        "Inference from delays",
    ):
        assert text in page
    assert "<script" not in page
    assert set(report.figures(Comparison(DATA, RESULT.release), before, after)) == {
        "answers",
        "shares",
        "over-time",
        "values",
    }
    plain = sf.anonymize(DATA, sf.methods.Reposition(l=3, window=5, then="none"), secret=bytes([1] * 32))
    warned = report.render(Comparison(DATA, plain.release, plain.owner_record.rows), before, after, [])
    assert "Do not publish this" in warned
    report.picture(COMPARISON, before, after, tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").stat().st_size > 1000
