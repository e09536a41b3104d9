"""The net holds: whatever changes in a release or in an answer is told by the name of what changed."""

import json
import shutil

import pytest

from tests.golden import __main__ as command
from tests.golden.cases import IN_PARTITIONS, WHOLE, list_cases
from tests.golden.comparison import compare_answers, compare_release, is_same
from tests.golden.digests import digest_release, drop_sentences
from tests.golden.production import Golden, choose_items
from tests.golden.storage import combine, load, load_golden, round_numbers, save

CASE = next(case for case in list_cases() if (case.kind, case.method, case.way) == ("sets", "apriori", WHOLE))
PARTITIONED = next(
    case for case in list_cases() if (case.kind, case.method, case.way) == ("sets", "apriori", IN_PARTITIONS)
)
NAME = CASE.name


@pytest.fixture(scope="module")
def published(workplace, tmp_path_factory):
    out = tmp_path_factory.mktemp("net") / "out"
    workplace.publish(CASE, out)
    return out / "release"


@pytest.fixture
def release(published, tmp_path):
    """A copy to be changed."""
    return shutil.copytree(published, tmp_path / "release")


def edit_json(file, change):
    said = json.loads(file.read_text())
    change(said)
    file.write_text(json.dumps(said))


def test_a_copy_in_another_folder_is_the_same(release, stored_releases):
    assert compare_release(NAME, stored_releases[NAME], digest_release(release)) == []


def test_a_changed_byte_of_a_csv_file_is_told(release, stored_releases):
    text = (release / "data.csv").read_bytes()
    (release / "data.csv").write_bytes(text[:-2] + b"x" + text[-1:])
    sentence, advice = compare_release(NAME, stored_releases[NAME], digest_release(release))
    assert sentence.startswith(f"{NAME}: data.csv changed from ")
    assert "- sets/apriori: reason in words" in advice and "python -m tests.golden --only 'sets/apriori *'" in advice


def test_a_changed_key_of_release_json_is_told(release, stored_releases):
    edit_json(release / "release.json", lambda said: said["records"].update(published=1))
    sentence, _ = compare_release(NAME, stored_releases[NAME], digest_release(release))
    assert sentence.startswith(f"{NAME}: release.json (records) changed from ")
    edit_json(release / "release.json", lambda said: said.update(made_by="me"))
    assert f"{NAME}: release.json (made_by) is new." in compare_release(
        NAME, stored_releases[NAME], digest_release(release)
    )


def test_changed_words_are_no_change(release, stored_releases):
    edit_json(release / "release.json", lambda said: said["guarantee"].update(statement="In other words."))
    (release / "README.md").write_text("Something else.")
    assert compare_release(NAME, stored_releases[NAME], digest_release(release)) == []
    reasons = {"withheld_by_reason": {"in some words": 3, "and others": 2}, "notes": ["One."], "sha256": "ab"}
    assert drop_sentences({"records": [reasons]}) == {"records": [{"withheld_by_reason": [3, 2]}]}


def test_changed_cells_and_a_changed_schema_of_a_parquet_file_are_told(release, stored_releases):
    import pyarrow.parquet as pq

    table = pq.read_table(release / "data.parquet")
    pq.write_table(table.slice(1), release / "data.parquet")
    (sentence, _) = compare_release(NAME, stored_releases[NAME], digest_release(release))
    assert sentence.startswith(f"{NAME}: data.parquet (cells) changed from ")
    pq.write_table(table.replace_schema_metadata({"by": "me"}), release / "data.parquet", compression="gzip")
    (sentence, _) = compare_release(NAME, stored_releases[NAME], digest_release(release))
    assert sentence.startswith(f"{NAME}: data.parquet (schema) changed from ")


def test_files_that_come_and_go_are_told(release, stored_releases):
    (release / "data.csv").rename(release / "more.csv")
    found = compare_release(NAME, stored_releases[NAME], digest_release(release))
    assert found[:2] == [f"{NAME}: data.csv is gone.", f"{NAME}: more.csv is new."]


def test_a_changed_file_of_a_part_is_told(workplace, stored_releases, tmp_path):
    workplace.publish(PARTITIONED, tmp_path / "out")
    file = tmp_path / "out" / "release" / "data" / "part-00001" / "values.csv"
    file.write_text(file.read_text() + "\n")
    found = compare_release(
        PARTITIONED.name, stored_releases[PARTITIONED.name], digest_release(tmp_path / "out" / "release")
    )
    assert found[0].startswith(f"{PARTITIONED.name}: data/part-00001/values.csv changed from ")


def copy(answers):
    return json.loads(json.dumps(answers))


def test_a_changed_score_is_told_with_both_values(stored_answers):
    stored = stored_answers[NAME]
    found, was = copy(stored), stored["scores"]["item-loss"]["value"]
    found["scores"]["item-loss"]["value"] = was + 1e-9
    sentence, advice = compare_answers(NAME, stored, found)
    assert sentence == f"{NAME}: scores, item-loss, value was {was!r} and is {was + 1e-9!r}."
    assert advice.startswith("If checkers are meant to answer otherwise: Write it with: python -m tests.golden")


def test_what_rounding_leaves_of_equal_numbers_is_none():
    assert round_numbers({"change": 426.0 - (426.0 + 1e-13), "loss": 2.7e-8}) == {"change": 0.0, "loss": 2.7e-8}


def test_digits_that_rounding_decides_are_no_change(stored_answers):
    stored = stored_answers[NAME]
    found = copy(stored)
    found["scores"]["item-loss"]["value"] *= 1 + 1e-13
    assert compare_answers(NAME, stored, found) == []


@pytest.mark.parametrize(
    "section, change",
    [
        ("verdict", lambda found: found["verdict"].update(outcome="broken")),
        ("verdict with original", lambda found: found["verdict with original"].update(unsettled=1)),
        ("checks, verdict", lambda found: found["checks"].update(verdict=1)),
        ("attack", lambda found: found["attack"].update(smallest_anonymity_set=1)),
        ("attack rising", lambda found: found["attack rising"].pop()),
        ("scores", lambda found: found["scores"].pop("item-loss")),
        ("answers", lambda found: next(iter(found["answers"].values())).update(certain=-1)),
        ("exports", lambda found: found["exports"].update({"long csv": "00000000"})),
    ],
)
def test_whatever_changes_is_named_by_its_section(section, change, stored_answers):
    found = copy(stored_answers[NAME])
    change(found)
    sentence, _ = compare_answers(NAME, stored_answers[NAME], found)
    assert sentence.startswith(f"{NAME}: {section}")


def test_many_differences_are_counted(stored_answers):
    found = compare_answers(NAME, stored_answers[NAME], {})
    assert len(found) <= 10
    found = compare_answers(NAME, {"scores": {str(at): at for at in range(30)}}, {"scores": {}})
    assert found[-2] == "There are 22 more differences."


def test_what_was_never_stored_is_told():
    assert "no golden release is stored" in compare_release(NAME, None, {})[0]
    assert "no golden answers are stored" in compare_answers(NAME, None, {})[0]


def test_numbers_are_the_same_whatever_their_type_but_truth_is_no_number():
    assert is_same(1.0, 1) and is_same(0, 1e-13) and is_same(1e20, 1e20 * (1 + 1e-13))
    assert not is_same(1, True) and not is_same(0.0, False) and not is_same(1, 2) and not is_same("1", 1)
    assert not is_same(None, 0)


def test_the_command_writes_some_and_leaves_others(tmp_path, monkeypatch, capsys):
    made = Golden({"data.csv": "ab"}, {"scores": {"loss": {"value": 0.5}}, "checks": {"verdict": 9}})
    monkeypatch.setattr(command, "make_goldens", lambda items: ((item, made) for item in items))
    save(tmp_path / "releases" / "sets.json", {"sets/gone k=1 on x": {}, NAME: {"data.csv": "cd"}})
    assert command.main(["--only", "sets/apriori *", "--out", str(tmp_path)]) == 0
    stored = load(tmp_path / "releases" / "sets.json")
    assert stored[NAME] == made.release and "sets/gone k=1 on x" in stored
    assert len(stored) == len(choose_items("sets/apriori *")) + 1
    assert load_golden("answers", "sets", tmp_path)[NAME] == made.answers
    assert "checks" not in load(tmp_path / "answers" / "sets.json")[NAME]
    assert f"{NAME}: data.csv changed from cd to ab." in capsys.readouterr().out
    assert not (tmp_path / "baseline.json").exists()
    assert command.main(["--baseline", "--out", str(tmp_path)]) == 0
    assert load(tmp_path / "baseline.json")[NAME] == combine(made.release)
    assert command.main(["--out", str(tmp_path)]) == 0
    assert "sets/gone k=1 on x" not in load(tmp_path / "releases" / "sets.json")
    assert load(tmp_path / "baseline.json").keys() >= {"sets/gone k=1 on x"}
    assert command.main(["--only", "nothing", "--out", str(tmp_path)]) == 2


def test_stored_numbers_have_as_many_digits_as_are_compared():
    assert round_numbers({"a": [1 / 3, 2, True, "x", None, float("inf")]}) == {
        "a": [0.3333333333333, 2, True, "x", None, "inf"]
    }
    assert is_same(round_numbers(2 / 3), 2 / 3)
