"""Generator, measures and report of snapshots."""

import itertools

import numpy as np
import pytest

import sfumato as sf
from sfumato.core.comparison import Comparison
from sfumato.core.errors import ParameterError, SfumatoError
from sfumato.kinds.snapshots import report
from sfumato.kinds.snapshots.attacker.attributes_and_time import attack, attack_original
from sfumato.kinds.snapshots.comparison import SnapshotComparison, ValueCounts, merge_snapshots, suppress_plainly
from sfumato.kinds.snapshots.generator import generate
from sfumato.kinds.snapshots.metrics.information_loss import InformationLoss
from sfumato.kinds.snapshots.metrics.publication_delay import PublicationDelay
from sfumato.kinds.snapshots.metrics.window_queries import WindowQueries


def cases(records=1500, **options):
    table = generate(records, 1, **{"snapshots": 40, "values": 8, "areas": 5, **options})
    rows = zip(
        table["time"].cast("int32").to_pylist(),
        *(map(str, table[name].to_pylist()) for name in ("age", "sex", "area", "condition")),
        strict=True,
    )
    return sf.Dataset.of("snapshots", list(rows), ("age", "sex", "area"), "condition")


DATA = cases()
RESULT = sf.anonymize(DATA, sf.methods.Reposition(l=3, window=5), secret=bytes([1] * 32))
COMPARISON = Comparison(DATA, RESULT.release, RESULT.trace.rows)


def test_the_same_seed_gives_the_same_records():
    assert generate(300, 5, snapshots=9).equals(generate(300, 5, snapshots=9))
    assert not generate(300, 5, snapshots=9).equals(generate(300, 6, snapshots=9))


@pytest.mark.parametrize("unit", ["day", "hour", "minute"])
def test_generated_records_are_in_the_order_of_time(unit):
    table = generate(500, 2, snapshots=20, unit=unit)
    times = table["time"].to_pylist()
    assert times == sorted(times) and table.num_rows == 500
    assert len(set(times)) <= 20


def shares(**options):
    found = SnapshotComparison(Comparison(cases(4000, **options), RESULT.release))
    return report._largest_shares(found.original_counts)


def test_outbreaks_make_snapshots_skewed():
    assert shares(outbreaks=0.5, burst=4.0).mean() > shares(outbreaks=0.0).mean() + 0.1


@pytest.mark.parametrize(
    "options", [{"snapshots": 0}, {"unit": "year"}, {"values": "x"}, {"skw": 1}, {"model": "none"}]
)
def test_the_generator_refuses_what_it_cannot_do(options):
    with pytest.raises(ParameterError, match="generate snapshots"):
        generate(10, 1, **options)


def test_delays_and_costs_are_those_of_the_row_map():
    times = DATA.table["time"].to_numpy()
    delays = np.array(RESULT.release.table["snapshot"].to_pylist()) - times[RESULT.trace.rows]
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


def plain_count(times, values, value, begin, length):
    return sum(v == value and begin <= t < begin + length for t, v in zip(times, values, strict=True))


def test_window_counts_are_counts():
    found = SnapshotComparison(COMPARISON)
    values = DATA.table["condition"].to_pylist()
    published = [
        (row["snapshot"] - int(DATA.table["time"].to_numpy().min()), row["condition"])
        for row in RESULT.release.parts["sensitive"].table.to_pylist()
        for _ in range(row["count"])
    ]
    for (code, value), begin, length in itertools.product(list(enumerate(found.values))[:3], (0, 7, 30), (1, 4)):
        at = np.array([begin])
        assert found.original_counts.count_in(code, at, length) == plain_count(
            found.times, values, value, begin, length
        )
        expected = plain_count(*zip(*published, strict=True), value, begin, length)
        assert found.published_counts.count_in(code, at, length) == expected


def test_alternatives_are_eligible():
    truth = SnapshotComparison(COMPARISON).original_counts
    for counts in (suppress_plainly(truth, 3), merge_snapshots(truth, 3)):
        for first in np.unique(counts.first):
            mine = counts.count[counts.first == first]
            assert 3 * mine.max() <= mine.sum()
        assert counts.count.sum() <= truth.count.sum()
    whole = ValueCounts(*(np.array(part) for part in ([0, 1], [0, 1], [0, 1], [4, 1])))
    assert merge_snapshots(whole, 2).count.tolist() == [1, 1]


def test_repositioned_snapshots_answer_better_than_suppressed_ones():
    details = WindowQueries().measure(COMPARISON).details
    assert details["length_14"] < details["suppression_length_14"]
    assert details["length_1"] < details["merging_length_1"]
    again = WindowQueries().measure(COMPARISON).details
    assert again == details


def test_the_report_names_what_matters(tmp_path):
    before, after = attack_original(DATA, 2)[0], attack(RESULT.release, DATA, RESULT.trace.rows)
    scores = [WindowQueries().measure(COMPARISON), PublicationDelay().measure(COMPARISON)]
    page = report.render(COMPARISON, before, after, scores, facts={"snapshots": "40"})
    for text in (
        "In the groups no value is likelier than",
        "Late and missing records",
        "one value was that of more than 1 in 3 records",
        "Counts over time",
        "Records by delay",
        "Reasoning about delays",
    ):
        assert text in page
    assert "<script" not in page
    assert set(report.figures(Comparison(DATA, RESULT.release), before, after)) == {"shares"}
    plain = sf.anonymize(DATA, sf.methods.Reposition(l=3, window=5, then="none"), secret=bytes([1] * 32))
    warned = report.render(Comparison(DATA, plain.release, plain.trace.rows), before, after, [])
    assert "Do not publish this" in warned
    report.picture(COMPARISON, before, after, tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").stat().st_size > 1000


def test_whole_releases_are_written_verified_attacked_and_measured(tmp_path):
    sf.write(RESULT, tmp_path / "out")
    assert sf.verify(tmp_path / "out", original=DATA).holds
    risk = sf.attack(tmp_path / "out", original=DATA)
    assert risk.max_sensitive_share <= 1 / 3 + 1e-9
    assert risk.max_success > 0.9, "who sees that a record is missing knows its value"
    assert {score.name for score in sf.measure(tmp_path / "out", original=DATA)} == {
        "information-loss",
        "publication-delay",
        "window-queries",
    }
    assert (tmp_path / "out" / "owner" / "report.html").is_file()
