"""Questions on the command line."""

import json

import pytest

import sfumato as sf
from sfumato.cli import run

VISITS = """person,time,event
ann,2024-02-01,clinic
ann,2024-02-05,"night shift"
bob,2024-02-03,clinic
bob,2024-02-20,"night shift"
cat,2024-03-03,clinic
cat,2024-03-09,pharmacy
dan,2024-03-01,clinic
"""
READ = ["--kind", "sequences", "--monitored", "clinic"]
SOON = 'count person where clinic before 2024-03-01 and then "night shift" within 7d'


@pytest.fixture
def asked(tmp_path, monkeypatch, capsys):
    """Ask in a folder with data, a release of them and a file of questions; returns what is said."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.csv").write_text(VISITS)
    (tmp_path / "questions.txt").write_text(f"# of patients\n{SOON}\n\ncount person where clinic by month\n")
    data = sf.read("visits.csv", kind="sequences", monitored=["clinic"])
    sf.write(sf.anonymize(data, sf.methods.Hi(k=2)), "out", reports=False)

    def ask(*words, expect=0):
        capsys.readouterr()
        assert run(["query", *words]) == expect
        said = capsys.readouterr()
        return json.loads(said.out)["answers"] if "--json" in words else said.out + said.err

    return ask


def test_one_file_of_questions_serves_the_data_and_the_release(asked):
    truth = asked("visits.csv", *READ, "--file", "questions.txt", "--json")
    found = asked("out", "--file", "questions.txt", "--json")
    assert [answer["query"] for answer in truth] == [answer["query"] for answer in found]
    for exact, answer in zip(truth, found, strict=True):
        assert exact["certain"] == exact["possible"] == exact["expected"]
        assert answer["certain"] <= exact["certain"] <= answer["possible"]
    assert [row["from"] for row in truth[1]["table"]] == ["2024-02-01", "2024-03-01"]


def test_people_see_a_table_and_what_the_numbers_rest_on(asked):
    shown = asked("out", "count event where clinic", "first pharmacy")
    assert "any number" in shown
    assert "drawn at random" in shown


def test_what_all_rows_of_a_wide_table_have_in_common_is_told_once(asked):
    data = sf.Dataset.of("sequences", [[("a", 1), ("c", 3), ("c", 15)], [("a", 6)], [("a", 15)]] * 2, monitored=("a",))
    sf.write(sf.anonymize(data, sf.methods.Hi(k=3), max_suppressed_records=1), "few", reports=False)
    (found,) = asked("few", "relation value a and c", "--json")
    shown = asked("few", "relation value a and c")
    assert len(found["table"]) > 1 and all(row["relation"] in shown for row in found["table"])
    assert "The same in all rows" in shown and shown.count("second_possible") == 1
    assert "The same in all rows" not in asked("visits.csv", *READ, "relation value clinic and pharmacy")


def test_errors_point_at_the_column_of_the_question(asked):
    fault = asked("out", "count person where clinc", expect=2)
    lines = fault.splitlines()
    assert "Did you mean 'clinic'?" in lines[0]
    assert lines[1].index("clinc") == lines[2].index("^")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["visits.csv", "count person"], "is not the directory of a release"),
        (["out"], "needs a question"),
        (["out", "count person", "--split", "day"], "does not apply to a release"),
        (["nowhere", "count person"], "does not exist"),
        (["out", "count person where clinic before 2024-02-30"], "no such date"),
        (["out", "count person where clinic during 2024-03..2024-02"], "ends before it begins"),
        (["out", "count person where age = 3"], "no attributes"),
    ],
)
def test_what_cannot_be_asked_is_said_with_exit_code_2(asked, words, said):
    assert said in asked(*words, expect=2)
