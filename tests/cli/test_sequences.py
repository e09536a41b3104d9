"""Events next to monitored ones, from the command line: the warning, the remedies, and people withheld."""

import datetime
import json

import pytest

READ = ["--kind", "sequences", "--monitored", "mail"]


@pytest.fixture
def log(tmp_path):
    """Forty people with mail at all times of a day, and news a minute after it."""
    lines = ["person,time,event"]
    for person in range(40):
        start = datetime.datetime(2024, 3, 4, tzinfo=datetime.UTC) + datetime.timedelta(seconds=2000 * person)
        for event, later in (("mail", 0), ("news", 60), ("shop", 90_000 + 7 * person)):
            lines.append(f"canary-{person},{(start + datetime.timedelta(seconds=later)).isoformat()},{event}")
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_it_is_said_loudly_everywhere_that_people_are_found(sfumato, log, tmp_path):
    seen = sfumato("inspect", log, *READ)
    assert "WARNING" in seen.stdout and "finds 40 of 40 people (100 %)" in seen.stdout
    asked = ["anonymize", log, *READ, "--method", "hi", "-p", "k=5", "--out", "out"]
    told = sfumato(*asked).stdout
    assert "WARNING" in told and "finds 40 of 40 people" in told and "-p blur=60" in told and "--monitored '*'" in told
    assert "Not covered: other events keep their exact times" in told
    done = sfumato(*asked, "--force", "--no-report", "--json").json
    assert "finds 40 of 40 people" in done["warnings"][0]
    attacked = sfumato("attack", "out", "--original", log)
    assert "WARNING" in attacked.stdout
    found = sfumato("attack", "out", "--original", log, "--json").json["beyond"][0]
    assert (found["knowledge"], found["found"], found["wins"]) == ("neighbouring-events", 40, True)
    assert found["by_guessing"] <= 0.2
    sfumato(*asked, "--force", "--json")
    page = (tmp_path / "out" / "owner" / "report.html").read_text()
    assert page.count("finds 40 of 40 people") == 2 and "If the receiver also uses other events" in page


@pytest.mark.parametrize("remedy", [["--monitored", "mail", "-p", "blur=60"], ["--monitored", "*"]])
def test_either_remedy_stops_it(sfumato, log, tmp_path, remedy):
    words = ["anonymize", log, "--kind", "sequences", *remedy, "--method", "hi", "-p", "k=5", "--out", "out", "--json"]
    done = sfumato(*words).json
    assert not [one for one in done["remaining"] if one["topic"] == "uniqueness" and one["severity"] == "warning"]
    assert done["published"] == 40
    assert sfumato("verify", "out", "--original", log, "--json").json["outcome"] == "holds"
    (found,) = sfumato("attack", "out", "--original", log, "--json").json["beyond"]
    assert not found["wins"] and found["success"] <= 0.2 + 1e-9
    statement = json.loads((tmp_path / "out" / "release" / "release.json").read_text())["guarantee"]["statement"]
    assert (
        "Up to 60 seconds from the monitored" if "mail" in remedy else "No other events are published."
    ) in statement
    assert "finds 40" not in (tmp_path / "out" / "owner" / "report.html").read_text()


def test_what_blurring_takes_away_is_counted(sfumato, log):
    words = ["--method", "hi", "-p", "k=5", "-p", "blur=60", "--out", "out"]
    assert "40 are published as something the whole group did" in sfumato("anonymize", log, *READ, *words).stdout


def test_an_original_in_another_order_is_known_again(sfumato, log, tmp_path):
    sfumato("anonymize", log, *READ, "--method", "hi", "-p", "k=5", "--out", "out", "--json")
    head, *lines = log.read_text().splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([head, *reversed(lines)]) + "\n")
    attacks = [sfumato("attack", "out", "--original", path, "--json").json for path in (log, other)]
    assert attacks[0] == attacks[1]


def test_only_as_many_without_monitored_events_are_withheld_as_needed(sfumato, tmp_path):
    lines = ["person,time,event"]
    lines += [f"m{i},{1000 * i},mail" for i in range(8)]
    lines += [f"a{i},500,news" for i in range(6)] + [f"b{i},{900 + 100 * i},shop{i}" for i in range(4)]
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n")
    words = ["--method", "hi", "-p", "g=10", "-p", "l=2", "--max-suppressed-records", "0.5", "--out", "out"]
    told = sfumato("anonymize", "log.csv", *READ, *words).stdout
    assert "2 of the 10 people without a monitored event are suppressed" in told
    done = sfumato("anonymize", "log.csv", *READ, *words, "--force", "--json").json
    reason = "no monitored event, and too many such records have the same at about the same time"
    assert done["withheld_by_reason"] == {reason: 2} and done["published"] == 16
