"""Windows begin at any slot: what is published, counted and concluded, against a plain search of all of them."""

import dataclasses
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.activity.naive.promise import assignments, largest_share
from tests.activity.naive.releases import people, publish

import sfumato as sf
from sfumato.core.clock import Clock
from sfumato.core.errors import InfeasibleError, VerificationError
from sfumato.kinds.activity.attacker.known_slots import attack
from sfumato.kinds.activity.guarantees.activity_diversity import ActivityDiversity
from sfumato.kinds.activity.knowledge.windows import PublishedTime, Within
from sfumato.kinds.activity.verifiers import activity_diversity
from sfumato.registry import find

DIVERSE = ("l-mdav", "l-vmdav", "msld", "mc-l-mdav", "mc-l-mdav-wd", "mc-l-vmdav", "mc-l-vmdav-wd", "mc-rr")


def away_from_one_past_eight():
    """A day by the minute: away from 08:01 to 16:59, and a minute before and after at home."""
    return ["home"] * 481 + ["away"] * 538 + ["home"] * (1440 - 1019)


@pytest.mark.parametrize("name", DIVERSE)
def test_four_people_away_from_one_past_eight_are_not_published(name):
    data = sf.Dataset.of("activity", [away_from_one_past_eight()] * 4, sensitive=("away",), clock=Clock("minute"))
    lengths = {"aggregate": "day,hour"} if name.startswith("mc") else {"interval": "hour"}
    with pytest.raises(
        InfeasibleError, match=r"4 of 4 people have the sensitive activity throughout 8h from slot 482 on"
    ):
        sf.anonymize(data, find(name)(k=2, delta="8h", epsilon="1/2", **lengths))


@pytest.mark.parametrize("name", DIVERSE)
def test_they_are_put_together_with_others_so_that_half_of_a_class_is_away(name):
    rows = [away_from_one_past_eight()] * 4 + [["home"] * 1440] * 4
    data = sf.Dataset.of("activity", rows, sensitive=("away",), clock=Clock("minute"))
    lengths = {"aggregate": "day,hour"} if name.startswith("mc") else {"interval": "hour"}
    result = sf.anonymize(data, find(name)(k=2, delta="8h", epsilon="1/2", **lengths), secret=bytes([1] * 32))
    counted = activity_diversity.verify_against(result.release, data, result.trace.rows)
    assert counted, counted.witness
    assert Fraction(counted.measured["share"]) <= Fraction(1, 2)
    assert attack(result.release, data, result.trace.rows).max_sensitive_share <= 0.5


def test_a_release_of_them_is_found_out(tmp_path):
    """By the hour they show .983, 1, ..., 1, .983: nobody is away for eight whole hours of the clock."""
    data = people([away_from_one_past_eight()] * 4, ["away"], Clock("minute"))
    claim = ActivityDiversity(2, "8h", "1/2", 480, 60, slots=1440, sensitive=("away",))
    release, rows = publish(data, [[0, 1], [2, 3]], 60, claim=claim, dated=True)
    shares = [row["share"] for row in release.table.to_pylist() if row["activity"] == "away" and row["class"] == "c0"]
    assert shares == [59 / 60, *[1.0] * 7, 59 / 60]
    alone = activity_diversity.verify(release)
    assert alone.outcome == "unsettled"
    assert alone.measured["share_at_most"] == "1"
    counted = activity_diversity.verify_against(release, data, rows)
    assert counted.outcome == "broken"
    assert counted.witness["people"] == 2
    assert counted.witness["from_slot"] == 482
    assert attack(release, data, rows).max_sensitive_share == 1.0
    assert attack(release, data).max_sensitive_share == 1.0


def test_files_alone_leave_open_what_the_owner_settles(tmp_path):
    rows = [["away"] * 4 + ["home"] * 4, ["home"] * 4 + ["away"] * 4, ["home", "away"] * 4, ["away", "home"] * 4]
    data = sf.Dataset.of("activity", rows, sensitive=("away",), clock=Clock("hour"))
    result = sf.anonymize(data, sf.methods.LMdav(k=4, delta="3h", epsilon="1/4"), secret=bytes([1] * 32))
    assert sf.write(result, tmp_path / "out", reports=False).outcome == "holds"
    assert sf.verify(tmp_path / "out").outcome == "unsettled"
    assert sf.verify(tmp_path / "out", data).outcome == "holds"
    (tmp_path / "out" / "owner").rename(tmp_path / "elsewhere")
    left = sf.verify(tmp_path / "out", data)
    assert left.outcome == "unsettled"
    assert "owner's class file" in left.unsettled[0]


def test_what_nobody_can_settle_is_not_written(tmp_path):
    rows = [["away"] * 4 + ["home"] * 4, ["home"] * 4 + ["away"] * 4, ["home", "away"] * 4, ["away", "home"] * 4]
    data = sf.Dataset.of("activity", rows, sensitive=("away",), clock=Clock("hour"))
    result = sf.anonymize(data, sf.methods.LMdav(k=4, delta="3h", epsilon="1/4"), secret=bytes([1] * 32))
    forgotten = dataclasses.replace(result, trace=dataclasses.replace(result.trace, original=None))
    with pytest.raises(VerificationError):
        sf.write(forgotten, tmp_path / "out", reports=False)
    assert not (tmp_path / "out").exists()


@st.composite
def small_classes(draw, activities="ah"):
    """Days of few people, few enough that all days with the same shares can be listed."""
    size, length = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    slots = draw(st.integers(2, 6))
    assume(size * length <= 6 and size * slots <= 12)
    rows = draw(
        st.lists(st.lists(st.sampled_from(activities), min_size=slots, max_size=slots), min_size=size, max_size=size)
    )
    return rows, length, draw(st.integers(1, slots))


def published_time(rows, length, activity="a", gap="?"):
    lengths = [min(length, len(rows[0]) - begin) for begin in range(0, len(rows[0]), length)]
    counts = [
        Counter(row[slot] for row in rows for slot in range(begin, min(begin + length, len(rows[0]))))
        for begin in range(0, len(rows[0]), length)
    ]
    done, unknown = (np.array([[count[label] for count in counts]]) for label in (activity, gap))
    time = PublishedTime(
        np.array([len(rows)]), np.array(lengths), Within(done, done), Within(unknown, unknown), done < 0
    )
    return time, lengths, counts


def conclude_at_least(time, size, window):
    """The largest share, in people, that is certain."""
    return max([people for people in range(size + 1) if people and sure(time, size, people, window)], default=0)


def sure(time, size, people, window):
    return time.bound_from_below(window, Fraction(people - 1, size)) is not None


@settings(max_examples=150)
@given(small_classes())
def test_shares_tell_exactly_what_all_days_that_fit_them_have_in_common(case):
    rows, length, window = case
    time, lengths, counts = published_time(rows, length)
    size, shown = len(rows), range(len(rows[0]))
    fitting = [largest_share(days, range(size), shown, "a", window) for days in assignments(size, lengths, counts)]
    crowds = time.bound_from_above(0, window)
    assert crowds.largest()[0] == max(fitting)
    assert (crowds.seen == size).all()
    assert Fraction(conclude_at_least(time, size, window), size) == min(fitting)


@settings(max_examples=150)
@given(small_classes("ah?"))
def test_bounds_hold_where_time_is_unknown(case):
    rows, length, window = case
    time, lengths, counts = published_time(rows, length)
    size, shown = len(rows), range(len(rows[0]))
    fitting = [largest_share(days, range(size), shown, "a", window, "?") for days in assignments(size, lengths, counts)]
    assert time.bound_from_above(0, window).largest()[0] >= max(fitting)
    for share in {Fraction(0), *fitting}:
        found = time.bound_from_below(window, share)
        assert found is None or min(fitting) > share


@settings(max_examples=60)
@given(small_classes(), st.sampled_from(["1/3", "1/2", "2/3", "3/4"]), st.sampled_from([None, 1, 2]))
def test_verdicts_are_never_wrong(case, epsilon, digits):
    """From files alone: holds only if it does, broken only if it is; with the class file: exactly."""
    rows, length, window = case
    assume(len(rows) > 1 and any("a" in row for row in rows))
    data = people([[{"a": "away", "h": "home"}[cell] for cell in row] for row in rows], ["away"])
    claim = ActivityDiversity(2, str(window), epsilon, window, length, slots=len(rows[0]), sensitive=("away",))
    release, owner = publish(data, [list(range(len(rows)))], length, claim=claim)
    if digits is not None:
        rounded = sf.anonymize(data, sf.methods.Mc(k=len(rows), aggregate=str(length), digits=digits)).release
        release = dataclasses.replace(rounded, guarantee=dataclasses.replace(claim, digits=digits))
    truth = largest_share(data.history().lists(), range(len(rows)), range(len(rows[0])), ["away"], window)
    alone = activity_diversity.verify(release)
    if alone.outcome == "holds":
        assert truth <= claim.fraction
    if alone.outcome == "broken":
        assert truth > claim.fraction
    counted = activity_diversity.verify_against(release, data, owner)
    assert counted.outcome == ("holds" if truth <= claim.fraction else "broken")
