"""A claim is compared with what its owner asked for."""

import dataclasses

import pytest

import sfumato as sf
from sfumato.release.release import describe_guarantee
from sfumato.verification.policy_check import LISTED, OWNER_CLAIM, TRUE_VALUES, verify_against_policy

ROWS = [["a", "b"], ["a", "c"], ["b", "c"], ["a", "b"]]
EVENTS = [[("mail", 1), ("news", 4)], [("mail", 3), ("chat", 5)], [("chat", 2), ("mail", 6)]]


def monitoring(*events):
    return sf.Dataset.of("sequences", EVENTS, monitored=events)


def test_fewer_more_and_other_monitored_events_are_broken():
    release = sf.anonymize(monitoring("mail"), sf.methods.Hi(k=2)).release
    assert verify_against_policy(release, monitoring("mail")).outcome == "holds"
    for asked in (("mail", "chat"), ("chat",)):
        verdict = verify_against_policy(release, monitoring(*asked))
        assert verdict.outcome == "broken" and not verdict.checks[LISTED]


def test_without_a_list_at_hand_the_comparison_is_left_open():
    release = sf.anonymize(monitoring("mail"), sf.methods.Hi(k=2)).release
    bare = dataclasses.replace(monitoring("mail"), schema=dataclasses.replace(monitoring("mail").schema, monitored=()))
    verdict = verify_against_policy(release, bare)
    assert verdict.outcome == "unsettled" and "(monitored)" in verdict.unsettled[0]
    assert verify_against_policy(release, bare, describe_guarantee(release)).outcome == "holds"


def test_itemsets_are_compared_as_sets():
    data = sf.Dataset.of("sets", ROWS, privacy=(("b", "a"), ("c",)))
    release = sf.anonymize(data, sf.methods.Coat(k=2)).release
    assert verify_against_policy(release, data).outcome == "holds"
    more = sf.Dataset.of("sets", ROWS, privacy=(("a", "b"), ("c",), ("a", "c")))
    assert verify_against_policy(release, more).counterexample == {
        "check": LISTED,
        "parameter": "itemsets",
        "asked": 3,
        "claimed": 2,
    }


def test_every_parameter_is_compared_with_the_claim_that_was_kept():
    data = sf.Dataset.of("sets", ROWS)
    release = sf.anonymize(data, sf.methods.Pcta(k=3, m=1)).release
    kept = describe_guarantee(release)
    assert verify_against_policy(release, data, kept).outcome == "holds"
    less = dataclasses.replace(release, guarantee=dataclasses.replace(release.guarantee, k=2))
    assert verify_against_policy(less, data, kept).counterexample == {"check": OWNER_CLAIM, "differing": ["k"]}
    other = dataclasses.replace(release, method="coat")
    assert verify_against_policy(other, data, kept).counterexample == {"check": OWNER_CLAIM, "differing": ["method"]}


@pytest.mark.parametrize("value", [None, "{a|zz}"])
def test_values_that_the_original_does_not_have_are_found(value):
    import pyarrow as pa

    data = sf.Dataset.of("sets", ROWS)
    release = sf.anonymize(data, sf.methods.Pcta(k=3, m=1)).release
    listed = pa.table({"column": ["items"], "value": pa.array([value], pa.string()), "member": ["zz"]})
    verdict = verify_against_policy(dataclasses.replace(release, values=listed), data)
    assert not verdict.checks[TRUE_VALUES]
    assert verify_against_policy(dataclasses.replace(release, values=listed), data, None, ("zz",)).checks[TRUE_VALUES]
