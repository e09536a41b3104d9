"""k-anonymity of published classes, of which only people count who are observed."""

import dataclasses

import numpy as np
import pytest
from tests.kinds.activity.examples import DATA, GAP, GOOD, PLAIN, by_hour
from tests.kinds.activity.naive.releases import people, publish

import sfumato as sf
from sfumato.exceptions import VerificationError
from sfumato.kinds.activity import encode
from sfumato.kinds.activity._kernels import hiding
from sfumato.kinds.activity.guarantees import ClassAnonymity
from sfumato.kinds.activity.methods import _base, multilevel_clustering
from sfumato.kinds.activity.verify import activity_diversity, class_anonymity


def test_a_good_release_without_diversity_holds():
    assert class_anonymity.verify(PLAIN.release).holds
    assert class_anonymity.verify_against(PLAIN.release, DATA, PLAIN.owner_record.rows).holds
    assert class_anonymity.verify_against(PLAIN.release, DATA).holds
    with pytest.raises(VerificationError, match="class-anonymity: the release claims"):
        class_anonymity.verify(GOOD.release)
    with pytest.raises(VerificationError, match="activity-diversity: the release claims"):
        activity_diversity.verify(PLAIN.release)


def test_a_release_in_which_somebody_unobserved_hides_another_is_found_out():
    data = people([["away", "home"], [GAP, "home"]], ["away"])
    release, rows = publish(data, [[0, 1]], guarantee=ClassAnonymity(2, 1, slots=2, gap=GAP))
    alone = class_anonymity.verify(release)
    assert alone.outcome == "broken"
    assert alone.counterexample == {
        "check": "k records of a class are observed wherever something is published of it",
        "class": "c0",
        "interval": 1,
    }
    silent = dataclasses.replace(release, guarantee=ClassAnonymity(2, 1, slots=2))
    assert class_anonymity.verify(silent).outcome == "holds"
    counted = class_anonymity.verify_against(silent, data, rows)
    assert counted.outcome == "broken"
    assert counted.checks["the claim is about the slots there are, and knows what unknown time is called"] is False


def test_people_who_take_turns_leave_files_open_and_the_original_settles():
    """Half of a class of four is unknown on average: two and two, or three and one."""
    turns = [["home", GAP], ["home", GAP], [GAP, "home"], [GAP, "home"]]
    together = [["home", "home"], [GAP, "home"], ["home", GAP], [GAP, GAP]]
    worse = [["home", GAP], ["home", GAP], ["home", GAP], [GAP, "home"]]
    for rows, outcome in ((turns, "holds"), (together, "holds"), (worse, "broken")):
        data = people(rows)
        release, owner = publish(data, [[0, 1, 2, 3]], 2, guarantee=ClassAnonymity(2, 2, slots=2, gap=GAP))
        alone = class_anonymity.verify(release)
        assert alone.outcome == "unsettled"
        assert "whether k=2 records of a class were observed at the same time" in alone.unsettled[0]
        assert class_anonymity.verify_against(release, data).outcome == "unsettled"
        assert class_anonymity.verify_against(release, data, owner).outcome == outcome


def test_what_the_publisher_should_have_hidden_is_found(monkeypatch):
    data = by_hour([["home", "home"], ["home", "home"], ["home", GAP]])
    method = sf.methods.Mc(k=3, aggregate="slot")
    assert class_anonymity.verify_against(*_publish(data, method))
    monkeypatch.setattr(hiding, "find_hidden", lambda activities, *_: np.zeros(activities.codes.shape[1], bool))
    counted = class_anonymity.verify_against(*_publish(data, method))
    assert counted.checks["k records of a class are observed wherever something is published of it"] is False


def test_unknown_time_that_the_publisher_takes_for_an_activity_is_found(monkeypatch):
    data = by_hour([["home", "home"], ["home", "home"], ["home", GAP]])
    for module in (_base, multilevel_clustering, encode):
        monkeypatch.setattr(module, "name_unknown", lambda _: None)
    counted = class_anonymity.verify_against(*_publish(data, sf.methods.Mc(k=3, aggregate="slot")))
    assert counted.checks["the claim is about the slots there are, and knows what unknown time is called"] is False


def _publish(data, method):
    made = sf.anonymize(data, method, secret=bytes([1] * 32))
    return made.release, data, made.owner_record.rows
