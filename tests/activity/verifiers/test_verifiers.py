"""Verifiers of activity data find every damage done to a good release."""

import dataclasses
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from tests.activity.naive.releases import people, publish

import sfumato as sf
from sfumato.core.clock import Clock
from sfumato.core.errors import ParameterError, SchemaError, VerificationError
from sfumato.core.release import Part
from sfumato.kinds.activity.attacker.known_slots import attack, attack_original
from sfumato.kinds.activity.guarantees.activity_diversity import ActivityDiversity
from sfumato.kinds.activity.guarantees.class_anonymity import ClassAnonymity
from sfumato.kinds.activity.verifiers import activity_diversity, class_anonymity
from sfumato.kinds.activity.verifiers.faithful import verify_faithful


def days(count=24, slots=12, seed=3):
    """Two kinds of days, a third of the people away for a while."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(count):
        row = [["sleep", "work", "eat"][(slot // 3 + person % 2 + int(rng.integers(2))) % 3] for slot in range(slots)]
        if person % 3 == 0:
            begin = int(rng.integers(0, slots - 5))
            row[begin : begin + 6] = ["away"] * 6
        rows.append(row)
    return rows


DATA = sf.Dataset.of("activity", days(), sensitive=("away",), clock=Clock("hour"), start=72)
METHOD = sf.methods.McLMdavWd(k=3, delta="4h", epsilon="0.5", aggregate="6h,2h", fanout=2)
GOOD = sf.anonymize(DATA, METHOD, secret=bytes([1] * 32))
ROUNDED = sf.anonymize(DATA, dataclasses.replace(METHOD, digits=2), secret=bytes([1] * 32))
PLAIN = sf.anonymize(DATA, sf.methods.Mc(k=3, aggregate="6h,2h"), secret=bytes([1] * 32))


def with_column(release, name, change):
    """The release with one column changed."""
    column = release.table.column(name).to_pylist()
    change(column)
    at = release.table.column_names.index(name)
    kind = release.table.schema.field(name).type
    array = (
        pa.array(column, pa.string()).dictionary_encode() if pa.types.is_dictionary(kind) else pa.array(column, kind)
    )
    return dataclasses.replace(release, table=release.table.set_column(at, name, array))


def with_part(release, name, change):
    part = release.parts["classes"]
    column = part.table.column(name).to_pylist()
    change(column)
    at = part.table.column_names.index(name)
    table = part.table.set_column(at, name, pa.array(column, part.table.schema.field(name).type))
    return dataclasses.replace(release, parts={"classes": Part(part.columns, table)})


def with_claim(release, **changed):
    return dataclasses.replace(release, guarantee=dataclasses.replace(release.guarantee, **changed))


def set_first(value):
    def change(column):
        column[0] = value

    return change


def move_share(column):
    """Time goes from one share of an interval to another, so that sums stay."""
    first = next(i for i, share in enumerate(column) if 0 < share < 1)
    column[first] += 0.03
    column[first + 1] -= 0.03


def swap_names(column):
    column[0], column[1] = column[1], column[0]


@pytest.mark.parametrize("good", [GOOD, ROUNDED], ids=["exact", "rounded"])
def test_good_releases_hold(good):
    assert activity_diversity.verify(good.release).outcome in ("holds", "unsettled")
    verdict = activity_diversity.verify_against(good.release, DATA, good.trace.rows)
    assert verdict.holds, verdict.witness
    assert verdict.measured["diversity"] == "counted"
    assert verify_faithful(good.release, DATA, good.trace.rows).holds


def test_a_good_release_without_diversity_holds():
    assert class_anonymity.verify(PLAIN.release).holds
    assert class_anonymity.verify_against(PLAIN.release, DATA, PLAIN.trace.rows).holds
    assert class_anonymity.verify_against(PLAIN.release, DATA).holds
    with pytest.raises(VerificationError, match="judges class-anonymity"):
        class_anonymity.verify(GOOD.release)
    with pytest.raises(VerificationError, match="judges activity-diversity"):
        activity_diversity.verify(PLAIN.release)


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
        (lambda r: dataclasses.replace(r, parts={}), "columns are the declared ones"),
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


@pytest.mark.parametrize("good", [GOOD, ROUNDED], ids=["exact", "rounded"])
def test_shares_of_other_people_show_against_the_original(good):
    step = 0.5 / 3 if good is GOOD else 0.01

    def shift(column):
        first = next(i for i, share in enumerate(column) if step < share < 1 - step)
        column[first] += 5 * step / (1 if good is ROUNDED else 5)

    damaged = with_column(good.release, "share", shift)
    assert not verify_faithful(damaged, DATA, good.trace.rows).holds
    assert not activity_diversity.verify_against(damaged, DATA, good.trace.rows).holds


def test_swapped_people_and_classes_show_against_the_original():
    rows = GOOD.trace.rows.copy()
    rows[[0, -1]] = rows[[-1, 0]]
    verdict = verify_faithful(GOOD.release, DATA, rows)
    assert verdict.witness["check"] == "shares are those of the records of the class"
    assert not activity_diversity.verify_against(GOOD.release, DATA, rows).holds
    assert not verify_faithful(with_part(GOOD.release, "class", swap_names), DATA, GOOD.trace.rows).holds
    assert not class_anonymity.verify_against(with_part(PLAIN.release, "class", swap_names), DATA, PLAIN.trace.rows)


@pytest.mark.parametrize("change", [lambda r: r[:-1], lambda r: np.append(r[:-1], r[0]), lambda r: r + 99])
def test_a_class_file_of_others_is_refused(change):
    verdict = verify_faithful(GOOD.release, DATA, change(GOOD.trace.rows))
    assert verdict.checks["every record is in one class at most"] is False


def test_an_invented_activity_and_other_days_show_against_the_original():
    renamed = with_column(GOOD.release, "activity", lambda c: c.__setitem__(slice(None), ["x" + name for name in c]))
    assert not verify_faithful(renamed, DATA, GOOD.trace.rows).holds
    later = dataclasses.replace(DATA, clock=Clock("hour", 96))
    verdict = verify_faithful(GOOD.release, later, GOOD.trace.rows)
    assert verdict.witness["check"] == "intervals are those of the original"
    undated = dataclasses.replace(DATA, clock=Clock())
    assert not verify_faithful(GOOD.release, undated, GOOD.trace.rows).holds


def away_together():
    """Two of three are away all the time, which the shares do not tell from people who take turns."""
    rows = [["away"] * 4, ["away"] * 4, ["home"] * 4]
    turns = [["away", "away", "home", "home"], ["home", "away", "away", "away"], ["away", "home", "away", "away"]]
    return rows, turns


def test_the_class_file_decides_where_shares_do_not():
    together, turns = away_together()
    claim = ActivityDiversity(3, "3", "1/2", 3, 1, slots=4, sensitive=("away",))
    for rows, holds in ((together, False), (turns, True)):
        data = people(rows, ["away"])
        release, owner = publish(data, [[0, 1, 2]], claim=claim)
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
    claim = ActivityDiversity(4, "2", "3/4", 2, 1, slots=4, sensitive=("away",))
    verdict = activity_diversity.verify(publish(data, [[0, 1, 2, 3]], claim=claim)[0])
    assert not verdict.holds
    assert verdict.measured["diversity"] == "broken"
    assert (verdict.witness["people"], verdict.witness["from_interval"]) == (4, 1)


def test_a_breach_is_named_by_class_and_interval():
    together, _ = away_together()
    data = people(together, ["away"])
    claim = ActivityDiversity(3, "3", "1/2", 3, 1, slots=4, sensitive=("away",))
    release, rows = publish(data, [[0, 1, 2]], claim=claim)
    witness = activity_diversity.verify_against(release, data, rows).witness
    assert {name: witness[name] for name in ("class", "size", "people", "seen", "from_slot", "activity")} == {
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
    assert activity_diversity.verify_against(GOOD.release, more, GOOD.trace.rows).checks[asked] is False
    longer = with_claim(GOOD.release, delta_slots=5)
    assert activity_diversity.verify_against(longer, DATA, GOOD.trace.rows).checks[asked] is False
    undated = dataclasses.replace(DATA, clock=Clock())
    assert activity_diversity.verify_against(GOOD.release, undated).checks[asked] is False


def test_suppressed_people_are_counted_and_safe():
    rows = [["home"] * 4] * 2 + [["away"] * 4] * 2
    data = sf.Dataset.of("activity", rows, sensitive=("away",), clock=Clock("hour"))
    result = sf.anonymize(
        data, sf.methods.LVmdav(k=2, delta="2h", epsilon="1/2"), secret=bytes([1] * 32), withhold_at_most=1
    )
    assert result.release.withheld == {"fits into no class": 2}
    assert activity_diversity.verify_against(result.release, data, result.trace.rows).holds
    risk = attack(result.release, data, result.trace.rows)
    assert sorted(risk.set_sizes.tolist()) == [0, 0, 2, 2]
    assert risk.mean_success == 0.25


def test_attackers_agree_with_the_claim():
    risk = attack(GOOD.release, DATA, GOOD.trace.rows)
    counted = activity_diversity.verify_against(GOOD.release, DATA, GOOD.trace.rows)
    assert risk.smallest_anonymity_set >= METHOD.k
    assert risk.max_sensitive_share <= 0.5
    assert risk.max_sensitive_share == pytest.approx(float(Fraction(counted.measured["share"])))
    assert attack(GOOD.release, DATA).max_sensitive_share >= risk.max_sensitive_share
    assert attack(PLAIN.release, DATA, PLAIN.trace.rows).max_sensitive_share is None
    one, two = attack_original(DATA, 2)
    assert (one.set_sizes >= two.set_sizes).all()
    assert two.max_sensitive_share == 1.0
    assert attack(ROUNDED.release, DATA, ROUNDED.trace.rows).smallest_anonymity_set >= METHOD.k
    with pytest.raises(SchemaError, match="other intervals"):
        attack(GOOD.release, sf.Dataset.of("activity", days(slots=9), clock=Clock("hour")))


def test_an_activity_that_rounds_to_nothing_excludes_nobody():
    rows = [["home"] * 300] * 2 + [["home"] * 299 + ["out"]]
    data = sf.Dataset.of("activity", rows, clock=Clock("minute"))
    result = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="300", digits=2), secret=bytes([1] * 32))
    assert result.release.table.column("activity").to_pylist() == ["home"]
    assert attack(result.release, data, result.trace.rows).set_sizes.tolist() == [3, 3, 3]
    assert class_anonymity.verify_against(result.release, data, result.trace.rows).holds


GIVEN = {"k": 2, "delta": "2h", "epsilon": "0.5"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": "soon"}, "delta must be a length of time"),
        ({"delta": "0h"}, "delta must be a length of time"),
        ({"delta": ""}, "delta must be a length of time"),
        ({"delta": 3}, "delta must be text"),
        ({"epsilon": "1.5"}, "epsilon must be above 0 and below 1"),
        ({"epsilon": "1/0"}, "epsilon must be a fraction with a denominator above 0"),
        ({"epsilon": "half"}, "epsilon must be a"),
        ({"aggregate": "week,,hour"}, "aggregate must be a length of time"),
        ({"aggregate": "hour", "levels": 2}, "levels must be as many as aggregate names"),
        ({"k": 1}, "k must be at least 2"),
        ({"digits": 10}, "digits must be at most 9"),
        ({"fanout": 0}, "fanout must be at least 1"),
    ],
)
def test_parameters_are_refused_with_the_reason(change, message):
    with pytest.raises(ParameterError, match=f"McLMdav: {message}"):
        sf.methods.McLMdav(**{**GIVEN, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": "2d"}, "delta must be at most the time that the data cover"),
        ({"delta": "90min"}, "delta must be a whole number of slots"),
        ({"aggregate": "hour,day"}, "aggregate must go from coarse to fine"),
        ({"aggregate": "30min"}, "aggregate must be a whole number of slots"),
    ],
)
def test_parameters_that_do_not_fit_the_data_are_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        sf.anonymize(DATA, dataclasses.replace(METHOD, **change))


def test_data_without_what_a_method_needs_are_refused():
    nothing = dataclasses.replace(DATA, schema=dataclasses.replace(DATA.schema, sensitive=()))
    with pytest.raises(SchemaError, match="needs sensitive activities"):
        sf.anonymize(nothing, METHOD)
    unknown = dataclasses.replace(DATA, schema=dataclasses.replace(DATA.schema, sensitive=("abroad",)))
    with pytest.raises(SchemaError, match="1 of the 1 sensitive activities do not occur"):
        sf.anonymize(unknown, METHOD)
    with pytest.raises(SchemaError, match="same number of slots"):
        sf.Dataset.of("activity", [["a"], ["a", "b"]])
    with pytest.raises(SchemaError, match="there is no slot"):
        sf.anonymize(sf.Dataset.of("activity", [[], []]), sf.methods.Mc(k=2))
    with pytest.raises(ParameterError, match="nobody said how long a slot is"):
        sf.anonymize(dataclasses.replace(DATA, clock=Clock()), METHOD)


@pytest.mark.parametrize("delta", ["1h", "3h", "5h", "12h"])
def test_delta_need_not_be_whole_intervals(delta):
    release = sf.anonymize(DATA, dataclasses.replace(METHOD, delta=delta), secret=bytes([1] * 32)).release
    assert (release.guarantee.delta, release.guarantee.delta_slots) == (delta, int(delta[:-1]))
    assert f"throughout any {delta}, whenever it begins" in release.guarantee.statement()


def test_what_is_claimed_is_what_is_stated():
    claim = ClassAnonymity(k=3, slot=60, digits=1)
    assert claim.statement().endswith("are published, rounded to 1 digit.")
    several = ActivityDiversity(3, "4", "1/2", 4, 1, slots=4, sensitive=("a", "b"))
    assert (
        "any one of the sensitive activities throughout any 4 slots in a row, whenever it begins" in several.statement()
    )
    with pytest.raises(ParameterError, match="sensitive must be names"):
        ActivityDiversity(3, "4", "1/2", 4, 1, sensitive=(3,))


@pytest.mark.parametrize("method", [METHOD, sf.methods.Mc(k=3, aggregate="6h,2h")], ids=lambda method: method.name)
def test_data_that_are_too_large_to_compare_are_refused_with_the_reason(method, monkeypatch):
    def overflow(*_):
        raise OverflowError

    monkeypatch.setattr(type(method), "classify", overflow)
    with pytest.raises(ParameterError, match=f"{type(method).__name__}: records, slots .* coarser resolution"):
        sf.anonymize(DATA, method)


@pytest.mark.parametrize(("epsilon", "written"), [("0.6", True), ("0.4", False)])
def test_what_only_the_class_file_can_refute_is_not_written(tmp_path, epsilon, written):
    """Half of a class is away all the time; the shares alone could also come from people who take turns."""
    rows = [["away"] * 4, ["home"] * 4, ["away"] * 4, ["home"] * 4]
    data = sf.Dataset.of("activity", rows, sensitive=("away",))
    result = sf.anonymize(data, sf.methods.LMdav(k=2, delta="2", epsilon="0.5"), secret=bytes([1] * 32))
    claim = dataclasses.replace(result.release.guarantee, epsilon=epsilon)
    changed = dataclasses.replace(result, release=dataclasses.replace(result.release, guarantee=claim))
    assert activity_diversity.verify(changed.release).outcome == ("holds" if written else "unsettled")
    if written:
        assert sf.write(changed, tmp_path / "out", reports=False).holds
    else:
        with pytest.raises(VerificationError):
            sf.write(changed, tmp_path / "out", reports=False)
        assert not (tmp_path / "out").exists()
