"""A release is read like its data, and set beside them."""

import sfumato as sf
from sfumato.kinds.timeline.comparison import TimelineComparison
from sfumato.kinds.timeline.decode import read_timeline
from sfumato.metrics.comparison import Comparison


def test_a_release_is_viewed_like_its_data():
    data = sf.Dataset.of("timeline", [{"b": 1, "a": 2}, {}, {"c": 3}], sensitive=("a",))
    result = sf.anonymize(data, sf.methods.Odesa(delta="1"))
    after = read_timeline(result.release)
    found = TimelineComparison(Comparison(data, result.release, result.owner_record.rows))
    assert after.labels == ("a", "b", "c") and found.lengths.tolist() == [3, 3, 6]
    assert found.removed.tolist() == [0, 0, 0]
