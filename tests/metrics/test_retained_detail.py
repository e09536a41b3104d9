"""Where little is left, a release says so in one sentence with numbers, and names what would help."""

import dataclasses

import numpy as np
import pytest
from tests.kinds.activity.naive import releases as activity_releases
from tests.kinds.sequences.naive import metrics as sequence_metrics
from tests.kinds.sets.releases import disassociated, generalised
from tests.kinds.timeline.naive.releases import with_rows
from tests.kinds.trajectories.verify.releases import make_release

import sfumato as sf
from sfumato.data.kind import all_kinds, find_kind
from sfumato.metrics.retained_detail import FAR, RetainedDetail, find_retained, judge_retained

MANY = [f"v{number:02}" for number in range(60)]


def warn_of_leftover(data, release):
    """Return what is said where little is left."""
    found = judge_retained(find_retained(data, release))
    return None if found is None else str(found)


def test_every_kind_is_counted():
    assert all(find_kind(kind).count_retained.load() for kind in all_kinds())


@pytest.mark.parametrize(
    ("left", "little"), [(1, True), (60 // (2 * FAR), True), (60 // (2 * FAR) + 1, False), (60, False)]
)
def test_the_rule(left, little):
    assert RetainedDetail(60, left, "", "", expected=2).is_low_utility is little


def test_small_data_are_not_warned_about():
    assert not RetainedDetail(19, 1, "", "").is_low_utility


def test_places():
    data = sf.Dataset.of("trajectories", [[place] for place in MANY])
    whole = "{" + "|".join(MANY) + "}"
    told = warn_of_leftover(data, make_release([[whole]] * 60, {whole: MANY}))
    assert told.startswith("Low utility: 60 places are published as 1 value. A smaller k or m")
    assert warn_of_leftover(data, make_release([[place] for place in MANY])) is None


def test_items_and_long_records():
    rows = [[item] for item in MANY] + [MANY]
    data = sf.Dataset.of("sets", rows)
    whole = "{" + "|".join(MANY) + "}"
    told = warn_of_leftover(data, generalised([[whole]] * 61, {whole: MANY}))
    assert "60 items are published as 1 value." in told
    assert "the longest has 60 items, the mean is 2.0" in told
    assert "disassociation, which keeps every item" in told


def test_separated_items():
    data = sf.Dataset.of("sets", [["common", item] for item in MANY])
    rows = [("p", 1, ["common"])] * 60 + [("p", 0, MANY)]
    told = warn_of_leftover(data, disassociated([("p", None, 60)], rows))
    assert "Of 61 items only 1 is published in subrecords" in told


def test_moments():
    people = [[("a", number)] for number in range(60)]
    data = sf.Dataset.of("sequences", people, monitored=("a",))
    wide = sequence_metrics.publish(data, [list(range(60))], [[("a", 0, 59)]])
    told = warn_of_leftover(data, wide.release)
    assert "60 times of monitored events are published as 1 interval." in told
    assert warn_of_leftover(data, sequence_metrics.publish_exactly(data).release) is None


def test_classes():
    data = activity_releases.people([["a", "b"]] * 60)
    release, _ = activity_releases.publish(data, [list(range(60))])
    assert "60 people are published as 1 class." in warn_of_leftover(data, release)


def test_occurrences():
    rows = [{"s": 5, "b": 20}] * 10
    data = sf.Dataset.of("timeline", rows, sensitive=("s",))
    release = sf.anonymize(data, sf.methods.Odesa(delta="1/3")).release
    emptied = with_rows(release, [[("b", 20)]] * 10)
    assert "Of 50 occurrences of sensitive events 0 are left." in warn_of_leftover(data, emptied)
    assert find_retained(data, with_rows(release, [[("b", 20), ("s", 5)]] * 10)).left == 50


def test_records_of_snapshots():
    data = sf.Dataset.of("snapshots", [(t, v) for t in range(20) for v in ("flu", "cold")], (), "ill")
    result = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), secret=bytes([1] * 32))
    assert warn_of_leftover(data, result.release) is None
    cut = dataclasses.replace(result.release, table=result.release.table.slice(0, 4))
    assert "Of 40 records 4 are published." in warn_of_leftover(data, cut)


def test_the_report_says_so(tmp_path):
    tree = sf.Hierarchy.from_paths([(item, "*") for item in MANY])
    data = sf.Dataset.of("sets", [[item] for item in MANY], hierarchy=tree)
    result = sf.anonymize(data, sf.methods.Apriori(k=2, m=1), secret=bytes([1] * 32))
    with pytest.warns(sf.ReleaseWarning, match="Low utility: 60 items"):
        sf.write(result, tmp_path / "out")
    page = (tmp_path / "out" / "owner" / "report.html").read_text("utf-8")
    assert "Low utility: 60 items are published as 1 value." in page
    assert len(np.unique(result.release.history().codes)) == 1
