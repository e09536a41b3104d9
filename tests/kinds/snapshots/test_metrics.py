"""Measures of snapshots: delays, costs and answers to queries."""

import numpy as np
import pytest
from tests.kinds.snapshots.naive.people import publish_cases

import sfumato as sf
from sfumato.exceptions import SfumatoError
from sfumato.kinds.snapshots.metrics.information_loss import InformationLoss
from sfumato.kinds.snapshots.metrics.publication_delay import PublicationDelay
from sfumato.kinds.snapshots.metrics.window_queries import WindowQueries
from sfumato.metrics.comparison import Comparison

DATA, RESULT, COMPARISON = publish_cases()


def test_delays_and_costs_are_those_of_the_row_map():
    times = DATA.table["time"].to_numpy()
    delays = np.array(RESULT.release.table["snapshot"].to_pylist()) - times[RESULT.owner_record.rows]
    score = PublicationDelay().measure(COMPARISON)
    assert score.value == pytest.approx(delays.mean())
    assert score.details["longest"] == delays.max() <= 4
    suppressed = len(DATA) - len(delays)
    assert score.details["suppressed_share"] == pytest.approx(suppressed / len(DATA))
    loss = InformationLoss().measure(COMPARISON)
    assert loss.details["total"] == delays.sum() + 5 * suppressed
    squares = InformationLoss(cost="quadratic", beta="7.5").measure(COMPARISON)
    assert squares.details["total"] == (delays**2).sum() + 7.5 * suppressed


def test_measures_that_need_the_row_map_say_so():
    without = Comparison(DATA, RESULT.release)
    for metric in (PublicationDelay(), InformationLoss()):
        assert not metric.applies(without)
        with pytest.raises(SfumatoError, match="row map"):
            metric.measure(without)
    assert WindowQueries().applies(without)


def test_repositioned_snapshots_answer_better_than_suppressed_ones():
    details = WindowQueries().measure(COMPARISON).details
    assert details["length_14"] < details["suppression_length_14"]
    assert details["length_1"] < details["merging_length_1"]
    again = WindowQueries().measure(COMPARISON).details
    assert again == details


def test_whole_releases_are_written_verified_attacked_and_measured(tmp_path):
    sf.write(RESULT, tmp_path / "out")
    assert sf.verify(tmp_path / "out", original=DATA).holds
    risk = sf.attack(tmp_path / "out", original=DATA)
    assert risk.max_sensitive_share <= 1 / 3 + 1e-9
    assert risk.max_success > 0.9, "who sees that a record is missing knows its value"
    assert {score.name for score in sf.measure(tmp_path / "out", original=DATA)} == {
        "average-relative-error",
        "information-loss",
        "publication-delay",
        "query-certainty",
        "window-queries",
    }
    assert (tmp_path / "out" / "owner" / "report.html").is_file()
