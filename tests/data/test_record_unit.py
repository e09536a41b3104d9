"""What one record is: told by the file or its owner, carried into everything that is said about the data."""

import json
import re

import numpy as np
import pytest
from tests.notes import find_note, list_sentences

import sfumato as sf
from sfumato.data.record_unit import PERSON, RECORD, RecordUnit, parse_unit
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.plugins import find_kind
from sfumato.readers.options import ReadOptions
from sfumato.release.storage import read_release
from sfumato.verification.people import verify_people


@pytest.fixture
def reader(tmp_path):
    def write_and_read(kind, text, name="data.csv", **options):
        (tmp_path / name).write_text(text)
        return find_kind(kind).reader.load().read(tmp_path / name, ReadOptions.of(kind, options))

    return write_and_read


def owners(data):
    return None if data.people is None else data.people.to_pylist()


VISITS = "uid,time,place\n7,2024-01-01T09:00Z,a\n7,2024-01-02T09:00Z,b\n8,2024-01-01T09:00Z,a\n"


def test_days_of_people_are_days_and_it_is_known_whose(reader):
    days = reader("trajectories", VISITS, split="day")
    assert days.unit == RecordUnit("day", "days", "person")
    assert owners(days) == ["7", "7", "8"]
    assert "3 days of 2 people" in repr(days)
    assert {"days": 3, "people": 2, "most_of_one": 2}.items() <= days.describe().items()
    assert reader("trajectories", VISITS).unit == PERSON


def test_trips_of_people_are_trips(reader):
    trips = reader("trajectories", "uid,tid,time,place\n1,1,1,a\n1,2,2,b\n2,1,3,c\n")
    assert (trips.unit.many, owners(trips)) == ("trips", ["1", "1", "2"])
    alone = reader("trajectories", "tid,time,place\n1,1,a\n2,2,b\n")
    assert (alone.unit.many, owners(alone)) == ("trips", None)
    weeks = reader("trajectories", "uid,tid,time,place\n1,1,2024-01-01,a\n1,1,2024-01-09,b\n", split="week")
    assert (weeks.unit.many, owners(weeks)) == ("weeks of trips", ["1", "1"])


BASKETS = "household_id,basket_id,item\nh1,b1,wine\nh1,b2,bread\nh2,b3,wine\nh1,b1,bread\n"


def test_baskets_of_households_are_told_apart_by_the_owner_column(reader):
    whole = reader("sets", BASKETS)
    assert (len(whole), whole.unit) == (2, PERSON)
    baskets = reader("sets", BASKETS, columns={"owner": "household_id"}, unit="basket of household")
    assert baskets.unit == RecordUnit("basket", "baskets", "household")
    assert owners(baskets) == ["h1", "h1", "h2"]
    owned = find_note(baskets.notes, "owners")
    assert owned.counts == {"records": 3, "owners": 2, "most": 2}
    assert "3 baskets of 2 households, up to 2 of one household" in str(owned)
    guessed = reader("sets", BASKETS, columns={"owner": "household_id"})
    assert guessed.unit == RecordUnit("basket", "baskets", "person")


def test_a_record_of_two_people_is_refused_by_row(reader):
    with pytest.raises(SchemaError, match=r"every record must be of one person.*'household_id'.*row 5"):
        reader("sets", BASKETS + "h2,b1,milk\n", columns={"owner": "household_id"})


def test_lines_of_a_file_are_records_unless_the_owner_says_what_they_are(reader):
    lines = reader("sets", "1 2\n2 3\n2 5\n", "baskets.dat", format="transactions")
    assert (lines.unit, owners(lines)) == (RECORD, None)
    assert (
        reader(
            "sets", "1 2\n2 3\n2 5\n", "baskets.dat", format="transactions", unit="session of visitor"
        ).unit.record_of_person
        == "a session of a visitor"
    )
    assert reader("sets", "1 2\n2 3\n2 5\n", "baskets.dat", format="transactions", unit="person").unit == PERSON
    assert reader("trajectories", "1 -1 2 -1 -2\n", "s.txt").unit == RECORD
    assert reader("sequences", "<1> 1 -1 <2> 2 -1 -2\n", "s.txt").unit == RECORD


CASES = "case_id;patient;timestamp;activity\n1;p;2024-01-01;admit\n2;p;2024-02-01;admit\n3;q;2024-01-05;admit\n"


def test_cases_of_an_event_log_are_stays_of_patients(reader):
    cases = reader("sequences", CASES, drop=["patient"])
    assert (cases.unit.record_of_person, owners(cases)) == ("a case of a person", None)
    assert "Reading `case_id` as identifier of cases." in list_sentences(cases.notes)
    stays = reader("sequences", CASES, columns={"owner": "patient"}, unit="stay of patient")
    assert (stays.unit.record_of_person, owners(stays)) == ("a stay of a patient", ["p", "p", "q"])


DIARY = (
    "person,start,end,activity\n7,2024-01-01T00:00Z,2024-01-02T12:00Z,rest\n8,2024-01-01T00:00Z,2024-01-01T20:00Z,eat\n"
)


def test_days_of_diaries_are_days_of_people(reader):
    days = reader("activity", DIARY, split="day", resolution="hour")
    assert (days.unit.many, sorted(owners(days))) == ("days", ["7", "7", "8"])
    rows = reader("activity", "child,h1,h2\n7,a,b\n7,b,b\n", slots="h1:h2", columns={"owner": "child"})
    assert (rows.unit, owners(rows)) == (RECORD, ["7", "7"])


def test_other_kinds_have_units_of_their_own(reader):
    assert sf.Dataset.of("timeline", [{"a": 1}]).unit.count(1) == "1 time point"
    assert sf.Dataset.of("snapshots", [(1, "30", "flu")], ("age",), "ill").unit == RECORD
    with pytest.raises(ParameterError, match="unit= does not apply to timeline"):
        reader("timeline", "time,event\n1,a\n", unit="day")


@pytest.mark.parametrize("text", ["", " of patient", "stay of ", "d4y", "<b>", "x" * 60])
def test_a_unit_is_made_of_nouns(text):
    with pytest.raises(ParameterError, match="unit"):
        parse_unit(text)


def test_records_of_known_people_are_not_people(reader):
    with pytest.raises(ParameterError, match="unit= must name one of several records"):
        reader("trajectories", VISITS, split="day", unit="person")


def one_resident(days=12):
    rows = [["sleep" if (hour + day) % 3 else "eat" for hour in range(6)] for day in range(days)]
    return sf.Dataset.of("activity", rows).of_people(["me"] * days, RecordUnit("day", "days", "person"))


def test_a_release_of_one_resident_says_that_classes_are_of_days(tmp_path):
    verdict = sf.write(sf.anonymize(one_resident(), sf.methods.Mc(k=5)), tmp_path / "out")
    assert verdict.measured["fewest_people"] == 1
    manifest = json.loads((tmp_path / "out/release/release.json").read_text())
    assert manifest["unit"] == {"one": "day", "many": "days", "owner": "person"}
    statement = manifest["guarantee"]["statement"]
    assert statement.startswith("Every published day is in a class of at least 5 days")
    assert statement.endswith("a person may have several: the guarantee counts days, not people.")
    assert read_release(tmp_path / "out").unit == one_resident().unit
    assert sf.verify(tmp_path / "out", one_resident()).measured["fewest_people"] == 1


def test_five_people_are_not_found_in_one_resident():
    with pytest.raises(InfeasibleError, match="k=5 asks for 5 people, but the 12 days are of 1 person"):
        sf.anonymize(one_resident(), sf.methods.Mc(k=5), protect="people")


def test_counting_people_is_claimed_and_left_open_without_the_original(tmp_path):
    days = sf.Dataset.of(
        "sets", [["a"], ["a"], ["a"], ["b"], ["b"], ["b"]], utility=(("a", "b"),), privacy=(("a",), ("b",))
    )
    days = days.of_people(["x", "x", "y", "x", "x", "x"], RecordUnit("day", "days", "person"))
    plain = sf.anonymize(days, sf.methods.Coat(k=2))
    assert sf.write(plain, tmp_path / "plain").measured["fewest_people"] == 1
    result = sf.anonymize(days, sf.methods.Coat(k=2), protect="people")
    assert sf.write(result, tmp_path / "out")
    manifest = json.loads((tmp_path / "out/release/release.json").read_text())
    assert (manifest["guarantee"]["count"], manifest["guarantee"]["parameters"]["k"]) == ("people", 2)
    assert "those of at least 2 different people" in manifest["guarantee"]["statement"]
    alone = sf.verify(tmp_path / "out")
    assert alone.outcome == "unsettled" and "do not link days to people" in alone.unsettled[0]
    assert sf.verify(tmp_path / "out", days).outcome == "holds"
    unknown = sf.Dataset.of("sets", days.history().lists())
    unowned = sf.verify(tmp_path / "out", sf.Dataset(unknown.schema, unknown.table, unit=RECORD))
    assert any("columns=" in reason for reason in unowned.unsettled)
    strangers = days.of_people(["x"] * 6, days.unit)
    assert sf.verify(tmp_path / "out", strangers).outcome == "unsettled"
    broken = verify_people(read_release(tmp_path / "out/release"), strangers, np.arange(6))
    assert broken.outcome == "broken" and broken.counterexample == {"people": 1, "records": 6}


def test_a_claim_about_people_that_was_written_into_a_release_of_records_is_broken(tmp_path):
    days = sf.Dataset.of(
        "sets", [["a"], ["a"], ["a"], ["b"], ["b"], ["b"]], utility=(("a", "b"),), privacy=(("a",), ("b",))
    )
    days = days.of_people(["x", "x", "x", "y", "y", "y"], RecordUnit("day", "days", "person"))
    sf.write(sf.anonymize(days, sf.methods.Coat(k=2)), tmp_path / "out")
    for path, name in (("release/release.json", "guarantee"), ("owner/trace.json", "claim")):
        said = json.loads((tmp_path / "out" / path).read_text())
        said[name]["count"] = "people"
        (tmp_path / "out" / path).write_text(json.dumps(said))
    assert sf.verify(tmp_path / "out").outcome != "holds"
    assert sf.verify(tmp_path / "out", days).outcome == "broken"


def test_counting_people_needs_to_know_people():
    data = sf.Dataset.of("sets", [["a"], ["a"]])
    lines = sf.Dataset(data.schema, data.table, unit=RECORD)
    with pytest.raises(ParameterError, match="needs a column that links records to people"):
        sf.anonymize(lines, sf.methods.Disassociation(k=2, m=1), protect="people")
    with pytest.raises(ParameterError, match="protect= must be one of records, people"):
        sf.anonymize(data, sf.methods.Disassociation(k=2, m=1), protect="days")
    with pytest.raises(ParameterError, match="is not available for timeline data"):
        sf.anonymize(
            sf.Dataset.of("timeline", [{"a": 1, "b": 5}], sensitive=("a",)),
            sf.methods.Odesa(delta="1/2"),
            protect="people",
        )
    assert (
        sf.anonymize(data, sf.methods.Disassociation(k=2, m=1), protect="people").release.guarantee.count == "records"
    )


def test_too_few_of_anything_is_said_in_its_own_words():
    days = one_resident(3)
    with pytest.raises(ParameterError, match=re.escape("at most the number of days, got 5 for 3 days")):
        sf.anonymize(days, sf.methods.Mc(k=5))
    with pytest.raises(ParameterError, match=re.escape("at most the number of people, got 5 for 1 person")):
        sf.anonymize(sf.Dataset.of("sets", [["a"]]), sf.methods.Disassociation(k=5, m=1))
