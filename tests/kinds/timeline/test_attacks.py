"""The observer of prefixes."""

from fractions import Fraction

from hypothesis import given
from tests.examples import settings
from tests.kinds.timeline.naive.sanitisation import prefixes
from tests.kinds.timeline.naive.timelines import occurring, small_timelines

import sfumato as sf
from sfumato.kinds.timeline.attacks import attack, attack_original, expose
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.plugins import find_attacker, find_original_attacker


@settings(max_examples=60)
@given(small_timelines(sensitive=2))
def test_exposure_is_what_plain_counting_finds(instance):
    alphabet, rows, sensitive, delta = instance
    data = sf.Dataset.of("timeline", rows, sensitive=tuple(sensitive), events=tuple(alphabet))
    found = expose(Timeline.of(data), data.schema.sensitive, delta).to_dict()
    for event in sensitive:
        shares = [Fraction(s.get(event, 0), max(sum(s.values()), 1)) for s in prefixes(occurring(rows))]
        assert found["events"][event] == {
            "largest_relative_frequency": float(max(shares)),
            "prefixes_at_or_above_delta": sum(share >= delta for share in shares),
        }
    assert found["largest_relative_frequency"] == max(
        entry["largest_relative_frequency"] for entry in found["events"].values()
    )


def test_a_release_exposes_nothing_and_the_original_does():
    rows = [{"a": 3, "b": 4}, {"a": 1, "b": 9}]
    data = sf.Dataset.of("timeline", rows, sensitive=("a",))
    result = sf.anonymize(data, sf.methods.Odesa(delta="1/4"))
    after = attack(result.release, data, result.owner_record.rows).to_dict()
    assert after["exposed_events"] == after["prefixes_at_or_above_delta"] == 0
    assert after["largest_relative_frequency"] < 0.25
    before = attack_original(data, 2)[0]
    assert before.largest == Fraction(3, 7) and "delta" not in before.to_dict()
    assert find_attacker(result.release.guarantee) is find_original_attacker("timeline")


def test_an_event_of_which_nothing_is_left_is_not_exposed():
    data = sf.Dataset.of("timeline", [{"a": 3}, {"b": 9}], sensitive=("a",))
    result = sf.anonymize(data, sf.methods.Odesa(delta="1/100"), max_suppressed_records=1)
    assert attack(result.release, data).to_dict()["events"] == {
        "a": {"largest_relative_frequency": 0.0, "prefixes_at_or_above_delta": 0}
    }


def test_without_sensitive_events_the_most_frequent_one_counts_and_no_names_are_listed():
    found = attack_original(sf.Dataset.of("timeline", [{"a": 3, "b": 1}]), 2)[0].to_dict()
    assert found == {
        "knowledge": "prefixes",
        "prefixes": 1,
        "largest_relative_frequency": 0.75,
        "events_that_reach": {"0.1 %": 2, "1 %": 2, "5 %": 2, "20 %": 2},
    }
