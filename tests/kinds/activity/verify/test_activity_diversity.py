"""(delta, epsilon)-diversity of published classes: good releases hold, and every damage and breach is found."""

import dataclasses

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity.examples import (
    DATA,
    GAP,
    GOOD,
    METHOD,
    ROUNDED,
    TABLE_1,
    away_from_one_past_eight,
    gappy_days,
    move_share,
    name_gap,
    set_first,
    small_classes,
    with_claim,
    with_column,
    with_part,
)
from tests.kinds.activity.naive.promise import count_least_observed, hidden_intervals, largest_share
from tests.kinds.activity.naive.releases import people, publish

import sfumato as sf
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import VerificationError
from sfumato.kinds.activity.attacks.known_slots import attack
from sfumato.kinds.activity.guarantees import ActivityDiversity
from sfumato.kinds.activity.methods import _base
from sfumato.kinds.activity.verify import activity_diversity
from sfumato.kinds.activity.verify.faithful import verify_faithful


@pytest.mark.parametrize("good", [GOOD, ROUNDED], ids=["exact", "rounded"])
def test_good_releases_hold(good):
    assert activity_diversity.verify(good.release).outcome in ("holds", "unsettled")
    verdict = activity_diversity.verify_against(good.release, DATA, good.owner_record.rows)
    assert verdict.holds, verdict.counterexample
    assert verdict.measured["diversity"] == "counted"
    assert verify_faithful(good.release, DATA, good.owner_record.rows).holds


@pytest.mark.parametrize(
    ("damage", "check"),
    [
        (lambda r: with_claim(r, k=50), "every class has k records"),
        (lambda r: with_part(r, "size", set_first(0)), "sizes of classes make up the records"),
        (lambda r: with_part(r, "size", set_first(99)), "sizes of classes make up the records"),
        (lambda r: with_part(r, "size", set_first(None)), "no class, interval, activity or share is empty"),
        (lambda r: with_part(r, "class", set_first("zz")), "classes are listed once"),
        (lambda r: with_part(r, "class", lambda c: set_first(c[1])(c)), "classes are listed once"),
        (lambda r: with_column(r, "class", set_first("zz")), "classes are listed once"),
        (lambda r: with_column(r, "share", set_first(None)), "no class, interval, activity or share is empty"),
        (lambda r: with_column(r, "share", set_first(float("nan"))), "no class, interval, activity or share is empty"),
        (lambda r: with_column(r, "activity", set_first(None)), "no class, interval, activity or share is empty"),
        (lambda r: with_column(r, "share", set_first(-0.5)), "shares are above 0 and at most 1"),
        (lambda r: with_column(r, "share", set_first(0.0)), "shares are above 0 and at most 1"),
        (lambda r: with_column(r, "share", set_first(1.5)), "shares are above 0 and at most 1"),
        (lambda r: with_column(r, "share", set_first(0.011)), "shares make up the time of every class and interval"),
        (lambda r: with_column(r, "share", move_share), "shares are whole numbers of slots, or rounded as declared"),
        (
            lambda r: dataclasses.replace(r, table=r.table.slice(1)),
            "shares make up the time of every class and interval",
        ),
        (
            lambda r: dataclasses.replace(r, table=pa.concat_tables([r.table, r.table.slice(0, 1)])),
            "an activity is listed once per class and interval",
        ),
        (
            lambda r: with_column(r, "interval", set_first(r.table["interval"][-1].as_py().replace(year=2030))),
            "intervals follow each other",
        ),
        (lambda r: dataclasses.replace(r, extra_tables={}), "columns are the declared ones"),
        (lambda r: dataclasses.replace(r, columns=r.columns[:-1]), "columns are the declared ones"),
        (lambda r: dataclasses.replace(r, records_in=99), "counts agree"),
        (lambda r: with_claim(r, sensitive=()), "the claim is about windows there are"),
        (lambda r: with_claim(r, delta_slots=13), "the claim is about windows there are"),
        (
            lambda r: with_claim(r, gap="away"),
            "k records of a class are observed wherever something is published of it",
        ),
        (lambda r: with_claim(r, slots=10), "intervals make up the slots"),
        (lambda r: with_claim(r, slot=4), "intervals make up the slots"),
        (
            lambda r: dataclasses.replace(
                r, values=pa.table({"column": ["activity"], "value": ["x"], "member": ["y"]})
            ),
            "activities are not generalised",
        ),
    ],
)
def test_damage_shows_in_the_files(damage, check):
    verdict = activity_diversity.verify(damage(GOOD.release))
    assert not verdict.holds
    assert verdict.checks[check] is False


def diverse(epsilon, delta):
    data = sf.Dataset.of("activity", TABLE_1, sensitive=("V",), time_unit=TimeUnit("hour"))
    guarantee = ActivityDiversity(4, delta, epsilon, int(delta[:-1]), 1, slots=168, sensitive=("V",))
    release, rows = publish(data, [[0, 1, 2, 3]], guarantee=guarantee, dated=True)
    return activity_diversity.verify_against(release, data, rows)


def test_table_1_satisfies_72_hours_and_three_quarters():
    verdict = diverse("0.75", "72h")
    assert verdict.holds
    assert verdict.measured["share"] == "3/4"
    assert not diverse("0.74", "72h").holds
    assert not diverse("0.75", "48h").holds
    assert diverse("0.75", "48h").counterexample["people"] == 4


def away_together():
    """Two of three are away all the time, which the shares do not tell from people who take turns."""
    rows = [["away"] * 4, ["away"] * 4, ["home"] * 4]
    turns = [["away", "away", "home", "home"], ["home", "away", "away", "away"], ["away", "home", "away", "away"]]
    return rows, turns


def test_the_class_file_decides_where_shares_do_not():
    together, turns = away_together()
    guarantee = ActivityDiversity(3, "3", "1/2", 3, 1, slots=4, sensitive=("away",))
    for rows, holds in ((together, False), (turns, True)):
        data = people(rows, ["away"])
        release, owner = publish(data, [[0, 1, 2]], guarantee=guarantee)
        alone = activity_diversity.verify(release)
        assert alone.outcome == "unsettled"
        assert alone.measured["diversity"] == "needs the class file"
        assert alone.measured["share_at_most"] == "2/3"
        counted = activity_diversity.verify_against(release, data, owner)
        assert counted.outcome == ("holds" if holds else "broken")
        assert activity_diversity.verify_against(release, data).outcome == "unsettled"
    assert counted.measured["share"] == "1/3"


def test_shares_may_prove_that_the_claim_is_broken():
    data = people([["away"] * 4] * 3 + [["away", "away", "away", "home"]], ["away"])
    guarantee = ActivityDiversity(4, "2", "3/4", 2, 1, slots=4, sensitive=("away",))
    verdict = activity_diversity.verify(publish(data, [[0, 1, 2, 3]], guarantee=guarantee)[0])
    assert not verdict.holds
    assert verdict.measured["diversity"] == "broken"
    assert (verdict.counterexample["people"], verdict.counterexample["from_interval"]) == (4, 1)


def test_a_breach_is_named_by_class_and_interval():
    together, _ = away_together()
    data = people(together, ["away"])
    guarantee = ActivityDiversity(3, "3", "1/2", 3, 1, slots=4, sensitive=("away",))
    release, rows = publish(data, [[0, 1, 2]], guarantee=guarantee)
    counterexample = activity_diversity.verify_against(release, data, rows).counterexample
    assert {name: counterexample[name] for name in ("class", "size", "people", "seen", "from_slot", "activity")} == {
        "class": "c0",
        "size": 3,
        "people": 2,
        "seen": 3,
        "from_slot": 1,
        "activity": "away",
    }


def test_the_claim_must_be_about_what_the_owner_calls_sensitive_and_the_time_asked_for():
    more = dataclasses.replace(DATA, schema=dataclasses.replace(DATA.schema, sensitive=("away", "sleep")))
    asked = "the claim is about the sensitive activities and the time asked for"
    assert activity_diversity.verify_against(GOOD.release, more, GOOD.owner_record.rows).checks[asked] is False
    longer = with_claim(GOOD.release, delta_slots=5)
    assert activity_diversity.verify_against(longer, DATA, GOOD.owner_record.rows).checks[asked] is False
    undated = dataclasses.replace(DATA, time_unit=TimeUnit())
    assert activity_diversity.verify_against(GOOD.release, undated).checks[asked] is False


def test_windows_of_another_length_than_asked_for_are_found(monkeypatch):
    right = _base.count_slots
    monkeypatch.setattr(_base, "count_slots", lambda *given: right(*given) + 1)
    made = sf.anonymize(DATA, METHOD, secret=bytes([1] * 32))
    asked = "the claim is about the sensitive activities and the time asked for"
    assert activity_diversity.verify_against(made.release, DATA, made.owner_record.rows).checks[asked] is False


def test_four_people_away_from_one_past_eight_are_found_out(tmp_path):
    """By the hour they show .983, 1, ..., 1, .983: nobody is away for eight whole hours of the clock."""
    data = people([away_from_one_past_eight()] * 4, ["away"], TimeUnit("minute"))
    guarantee = ActivityDiversity(2, "8h", "1/2", 480, 60, slots=1440, sensitive=("away",))
    release, rows = publish(data, [[0, 1], [2, 3]], 60, guarantee=guarantee, dated=True)
    shares = [row["share"] for row in release.table.to_pylist() if row["activity"] == "away" and row["class"] == "c0"]
    assert shares == [59 / 60, *[1.0] * 7, 59 / 60]
    alone = activity_diversity.verify(release)
    assert alone.outcome == "unsettled"
    assert alone.measured["share_at_most"] == "1"
    counted = activity_diversity.verify_against(release, data, rows)
    assert counted.outcome == "broken"
    assert counted.counterexample["people"] == 2
    assert counted.counterexample["from_slot"] == 482
    assert attack(release, data, rows).max_sensitive_share == 1.0
    assert attack(release, data).max_sensitive_share == 1.0


def test_files_alone_leave_open_what_the_owner_settles(tmp_path):
    rows = [["away"] * 4 + ["home"] * 4, ["home"] * 4 + ["away"] * 4, ["home", "away"] * 4, ["away", "home"] * 4]
    data = sf.Dataset.of("activity", rows, sensitive=("away",), time_unit=TimeUnit("hour"))
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
    data = sf.Dataset.of("activity", rows, sensitive=("away",), time_unit=TimeUnit("hour"))
    result = sf.anonymize(data, sf.methods.LMdav(k=4, delta="3h", epsilon="1/4"), secret=bytes([1] * 32))
    forgotten = dataclasses.replace(result, owner_record=dataclasses.replace(result.owner_record, original=None))
    with pytest.raises(VerificationError):
        sf.write(forgotten, tmp_path / "out", reports=False)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("epsilon", "written"), [("0.6", True), ("0.4", False)])
def test_what_only_the_class_file_can_refute_is_not_written(tmp_path, epsilon, written):
    """Half of a class is away all the time; the shares alone could also come from people who take turns."""
    rows = [["away"] * 4, ["home"] * 4, ["away"] * 4, ["home"] * 4]
    data = sf.Dataset.of("activity", rows, sensitive=("away",))
    result = sf.anonymize(data, sf.methods.LMdav(k=2, delta="2", epsilon="0.5"), secret=bytes([1] * 32))
    guarantee = dataclasses.replace(result.release.guarantee, epsilon=epsilon)
    changed = dataclasses.replace(result, release=dataclasses.replace(result.release, guarantee=guarantee))
    assert activity_diversity.verify(changed.release).outcome == ("holds" if written else "unsettled")
    if written:
        assert sf.write(changed, tmp_path / "out", reports=False).holds
    else:
        with pytest.raises(VerificationError):
            sf.write(changed, tmp_path / "out", reports=False)
        assert not (tmp_path / "out").exists()


def test_the_share_counts_those_who_are_seen():
    """Of four people two are away and one is not observed: two of three, not two of four."""
    data = people([["away"] * 3, ["away", GAP, "away"], ["home"] * 3, [GAP] * 3], ["away"])
    for epsilon, outcome in (("2/3", "holds"), ("0.66", "broken")):
        guarantee = ActivityDiversity(2, "3", epsilon, 3, 1, slots=3, gap=GAP, sensitive=("away",))
        release, rows = publish(data, [[0, 1, 2, 3]], guarantee=guarantee)
        counted = activity_diversity.verify_against(release, data, rows)
        assert counted.outcome == outcome
        assert counted.measured["share"] == "2/3"
        assert attack(release, data, rows).max_sensitive_share == pytest.approx(2 / 3)


@settings(max_examples=60)
@given(gappy_days(), st.integers(1, 3), st.integers(1, 4), st.sampled_from(["1/3", "1/2", "3/4"]))
def test_verifiers_find_every_breach(rows, slot, window, epsilon):
    """A class with everything published, whether it should be or not."""
    window = min(window, len(rows[0]))
    data = people(rows, ["v"], TimeUnit("hour"))
    gap = name_gap(rows)
    guarantee = ActivityDiversity(2, f"{window}h", epsilon, window, slot, slots=len(rows[0]), gap=gap, sensitive=("v",))
    release, owner = publish(data, [list(range(len(rows)))], slot, guarantee=guarantee)
    hidden = hidden_intervals(release, gap)
    shown = [at for at in range(len(rows[0])) if ("c0", at // slot) not in hidden]
    observed = count_least_observed(rows, range(len(rows)), shown, gap)
    share = largest_share(rows, range(len(rows)), shown, "v", window, gap)
    good = observed >= 2 and share <= guarantee.fraction
    assert activity_diversity.verify_against(release, data, owner).outcome == ("holds" if good else "broken")
    alone = activity_diversity.verify(release).outcome
    assert alone in ({"holds", "unsettled"} if good else {"broken", "unsettled"})


@settings(max_examples=60)
@given(small_classes(), st.sampled_from(["1/3", "1/2", "2/3", "3/4"]), st.sampled_from([None, 1, 2]))
def test_verdicts_are_never_wrong(case, epsilon, digits):
    """From files alone: holds only if it does, broken only if it is; with the class file: exactly."""
    rows, length, window = case
    assume(len(rows) > 1 and any("a" in row for row in rows))
    data = people([[{"a": "away", "h": "home"}[cell] for cell in row] for row in rows], ["away"])
    guarantee = ActivityDiversity(2, str(window), epsilon, window, length, slots=len(rows[0]), sensitive=("away",))
    release, owner = publish(data, [list(range(len(rows)))], length, guarantee=guarantee)
    if digits is not None:
        rounded = sf.anonymize(data, sf.methods.Mc(k=len(rows), aggregate=str(length), digits=digits)).release
        release = dataclasses.replace(rounded, guarantee=dataclasses.replace(guarantee, digits=digits))
    truth = largest_share(data.history().lists(), range(len(rows)), range(len(rows[0])), ["away"], window)
    alone = activity_diversity.verify(release)
    if alone.outcome == "holds":
        assert truth <= guarantee.fraction
    if alone.outcome == "broken":
        assert truth > guarantee.fraction
    counted = activity_diversity.verify_against(release, data, owner)
    assert counted.outcome == ("holds" if truth <= guarantee.fraction else "broken")
