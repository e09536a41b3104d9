"""Somebody whose time is unknown hides nobody: methods, verifiers and attackers count those who are observed."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.activity.naive.attack import class_members
from tests.activity.naive.promise import fewest_observed, hidden_intervals, largest_share
from tests.activity.naive.releases import people, publish

import sfumato as sf
from sfumato.checking.people import fewest_people
from sfumato.core.clock import Clock
from sfumato.core.errors import InfeasibleError, SchemaError
from sfumato.kinds.activity.attacker.known_slots import attack
from sfumato.kinds.activity.guarantees.activity_diversity import ActivityDiversity
from sfumato.kinds.activity.guarantees.class_anonymity import ClassAnonymity
from sfumato.kinds.activity.publication import name_unknown
from sfumato.kinds.activity.verifiers import activity_diversity, class_anonymity
from sfumato.registry import find, verifier

GAP = "(gap)"
DIVERSE = ("l-mdav", "l-vmdav", "msld", "mc-l-mdav", "mc-l-mdav-wd", "mc-l-vmdav", "mc-l-vmdav-wd", "mc-rr")


def build(rows, sensitive=("away",)):
    return sf.Dataset.of("activity", rows, sensitive=sensitive, clock=Clock("hour"))


def test_one_in_january_and_one_in_june_do_not_hide_each_other():
    rows = [["away"] * 4 + [GAP] * 4, [GAP] * 4 + ["home"] * 4]
    with pytest.raises(InfeasibleError, match="in no interval are k=2 of a class observed all the time"):
        sf.anonymize(build(rows), sf.methods.Mc(k=2, aggregate="slot"))
    both = [[*row, "home", "home"] for row in rows]
    result = sf.anonymize(build(both), sf.methods.Mc(k=2, aggregate="2h"), secret=bytes([1] * 32))
    table = result.release.table.to_pylist()
    assert [(row["activity"], row["share"]) for row in table] == [*[(GAP, 1.0)] * 4, ("home", 1.0)]
    assert result.trace.counters["intervals_of_classes_published_as_unknown"] == 4
    assert result.trace.counters["intervals_of_classes"] == 5
    assert (
        "where fewer than 2 people of a class were observed, nothing is published of it"
        in result.release.guarantee.statement()
    )


def test_a_release_in_which_they_do_is_found_out():
    data = people([["away", "home"], [GAP, "home"]], ["away"])
    release, rows = publish(data, [[0, 1]], claim=ClassAnonymity(2, 1, slots=2, gap=GAP))
    alone = class_anonymity.verify(release)
    assert alone.outcome == "broken"
    assert alone.witness == {
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
        release, owner = publish(data, [[0, 1, 2, 3]], 2, claim=ClassAnonymity(2, 2, slots=2, gap=GAP))
        alone = class_anonymity.verify(release)
        assert alone.outcome == "unsettled"
        assert "whether k=2 records of a class were observed at the same time" in alone.unsettled[0]
        assert class_anonymity.verify_against(release, data).outcome == "unsettled"
        assert class_anonymity.verify_against(release, data, owner).outcome == outcome


def test_the_share_counts_those_who_are_seen():
    """Of four people two are away and one is not observed: two of three, not two of four."""
    data = people([["away"] * 3, ["away", GAP, "away"], ["home"] * 3, [GAP] * 3], ["away"])
    for epsilon, outcome in (("2/3", "holds"), ("0.66", "broken")):
        claim = ActivityDiversity(2, "3", epsilon, 3, 1, slots=3, gap=GAP, sensitive=("away",))
        release, rows = publish(data, [[0, 1, 2, 3]], claim=claim)
        counted = activity_diversity.verify_against(release, data, rows)
        assert counted.outcome == outcome
        assert counted.measured["share"] == "2/3"
        assert attack(release, data, rows).max_sensitive_share == pytest.approx(2 / 3)


def test_people_with_unknown_time_may_be_withheld():
    rows = [["home"] * 4] * 2 + [["away", GAP, "home", "home"]] + [["away"] * 4]
    data = build(rows)
    method = sf.methods.LVmdav(k=2, delta="2h", epsilon="1/2", gaps="withhold")
    result = sf.anonymize(data, method, secret=bytes([1] * 32), withhold_at_most=1)
    assert result.release.withheld["part of the time is unknown"] == 1
    assert GAP not in result.release.table.column("activity").to_pylist()
    assert result.trace.counters["people_with_unknown_time_withheld"] == 1
    assert activity_diversity.verify_against(result.release, data, result.trace.rows)
    with pytest.raises(
        InfeasibleError, match=r"part of the time is unknown of all but 3 of 4 people, fewer than a class needs .4."
    ):
        sf.anonymize(data, dataclasses.replace(method, k=4))


def test_unknown_time_is_not_sensitive():
    with pytest.raises(SchemaError, match="nothing is known about must not be a sensitive activity"):
        sf.anonymize(build([["home", GAP]] * 3, (GAP,)), sf.methods.LMdav(k=2, delta="1h", epsilon="1/2"))


def test_unknown_time_has_the_name_the_owner_gives_it(tmp_path):
    file = tmp_path / "days.csv"
    begin, end = "2024-01-01T00:00", "2024-01-02T00:00"
    late = "2024-01-01T12:00"
    file.write_text(f"person,start,end,activity\n1,{begin},{end},x\n2,{begin},{end},x\n3,{late},{end},x\n")
    data = sf.read(file, kind="activity", resolution="hour", gap="nobody knows")
    assert name_unknown(data) == "nobody knows"
    result = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="12h"), secret=bytes([1] * 32))
    assert result.release.table.column("activity").to_pylist() == ["nobody knows", "x"]
    assert sf.write(result, tmp_path / "out", reports=True)
    assert sf.verify(tmp_path / "out", data).outcome == "holds"


@st.composite
def gappy_days(draw):
    """People with runs of activities, some of them unknown."""
    count, slots = draw(st.integers(3, 10)), draw(st.integers(2, 8))
    rows = []
    for _ in range(count):
        runs = draw(st.lists(st.tuples(st.sampled_from("avv?"), st.integers(1, 8)), min_size=1, max_size=4))
        row = [label for label, length in runs for _ in range(length)]
        rows.append([GAP if cell == "?" else cell for cell in (row * slots)[:slots]])
    rows[0] = ["v", *rows[0][1:]]
    return rows


@pytest.mark.parametrize("name", [*DIVERSE, "mc"])
@pytest.mark.parametrize("gaps", ["unknown", "withhold"])
@settings(max_examples=25)
@given(
    gappy_days(), st.integers(1, 3), st.integers(1, 4), st.sampled_from(["1/3", "1/2", "3/4"]), st.none() | st.just(2)
)
def test_what_is_published_of_people_with_unknown_time_keeps_the_claim(name, gaps, rows, slot, window, epsilon, digits):
    data = build(rows, ("v",))
    window = min(window, len(rows[0]))
    lengths = {"interval": f"{slot}h"} if not name.startswith("mc") else {"aggregate": f"{2 * slot}h,{slot}h"}
    asked = {} if name == "mc" else {"delta": f"{window}h", "epsilon": epsilon}
    try:
        method = find(name)(k=2, gaps=gaps, digits=digits, **lengths, **asked)
        result = sf.anonymize(data, method, secret=bytes(32), withhold_at_most=1)
    except InfeasibleError:
        return
    release, owner = result.release, result.trace.rows
    gap = name_unknown(data)
    hidden = hidden_intervals(release, gap)
    for label, members in class_members(release, owner).items():
        shown = [at for at in range(len(rows[0])) if (label, at // slot) not in hidden]
        assert fewest_observed(rows, members, shown, gap) >= 2
        if name != "mc":
            assert largest_share(rows, members, shown, "v", window, gap) <= Fraction(epsilon)
    judge = verifier(release.guarantee)
    assert judge.verify(release).outcome in ("holds", "unsettled")
    counted = judge.verify_against(release, data, owner)
    assert counted, counted.witness
    risk = attack(release, data, owner)
    assert risk.smallest_anonymity_set >= 2
    assert attack(release, data, owner, m=1).smallest_anonymity_set >= 2
    assert len(release) + sum(release.withheld.values()) == len(data)


@settings(max_examples=60)
@given(gappy_days(), st.integers(1, 3), st.integers(1, 4), st.sampled_from(["1/3", "1/2", "3/4"]))
def test_verifiers_find_every_breach(rows, slot, window, epsilon):
    """A class with everything published, whether it should be or not."""
    window = min(window, len(rows[0]))
    data = people(rows, ["v"], Clock("hour"))
    gap = name_unknown(data)
    claim = ActivityDiversity(2, f"{window}h", epsilon, window, slot, slots=len(rows[0]), gap=gap, sensitive=("v",))
    release, owner = publish(data, [list(range(len(rows)))], slot, claim=claim)
    hidden = hidden_intervals(release, gap)
    shown = [at for at in range(len(rows[0])) if ("c0", at // slot) not in hidden]
    observed = fewest_observed(rows, range(len(rows)), shown, gap)
    share = largest_share(rows, range(len(rows)), shown, "v", window, gap)
    good = observed >= 2 and share <= claim.fraction
    assert activity_diversity.verify_against(release, data, owner).outcome == ("holds" if good else "broken")
    alone = activity_diversity.verify(release).outcome
    assert alone in ({"holds", "unsettled"} if good else {"broken", "unsettled"})


def test_attackers_count_those_who_are_observed():
    rows = [["home", "home"]] * 3 + [[GAP, "home"]] * 2
    data = build(rows)
    result = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="slot"), secret=bytes([1] * 32))
    assert attack(result.release, data, result.trace.rows).set_sizes.tolist() == [3, 3, 3, 5, 5]
    shares = {(row["interval"].hour, row["activity"]): row["share"] for row in result.release.table.to_pylist()}
    assert shares[0, GAP] == 0.4
    assert np.isclose(shares[1, "home"], 1.0)


def test_people_are_counted_where_they_are_observed():
    """Two days of one person and one of another: at the second hour only one person is observed."""
    rows = [["home", "home"], ["home", "home"], ["home", GAP], ["home", "home"]]
    data = build(rows).of_people(["ann", "ann", "bob", "eve"])
    release, owner = publish(data, [[0, 1, 2, 3]], claim=ClassAnonymity(2, 1, slots=2, gap=GAP))
    assert fewest_people(release, data, owner) == (2, 3)
    result = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="slot"), secret=bytes(32), count="people")
    shares = {(row["interval"].hour, row["activity"]): row["share"] for row in result.release.table.to_pylist()}
    assert shares == {(0, "home"): 1.0, (1, GAP): 1.0}


@settings(max_examples=40)
@given(gappy_days(), st.data(), st.integers(1, 3))
def test_as_many_people_as_promised_are_observed(rows, choices, slot):
    names = choices.draw(st.lists(st.sampled_from("xyz"), min_size=len(rows), max_size=len(rows)))
    data = build(rows, ()).of_people(names)
    try:
        result = sf.anonymize(data, sf.methods.Mc(k=2, aggregate=f"{slot}h"), secret=bytes(32), count="people")
    except InfeasibleError:
        return
    gap = name_unknown(data)
    hidden = hidden_intervals(result.release, gap)
    for label, members in class_members(result.release, result.trace.rows).items():
        for at in range(len(rows[0])):
            if (label, at // slot) not in hidden:
                assert len({names[row] for row in members if rows[row][at] != gap}) >= 2
