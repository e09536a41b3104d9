"""Tables edited by recorded steps, and hierarchies edited from the command line."""

import json

import pytest
from tests.notes import find_notes

import sfumato as sf
from sfumato.cli import run
from sfumato.readers.hierarchies import read_hierarchy

ROWS = [(f"canary{n}", 20 + n % 9, "MF"[n % 2], ("flu", "cold")[n % 2]) for n in range(60)]


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name,years,sex,ill\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS))
    return path


STEPS = ["--rename", "years=age", "--replace", "sex:M=male", "--filter", "age=21..", "--drop", "name"]


def test_steps_are_recorded_replayed_and_kept_with_what_is_published(people, tmp_path):
    once, again = tmp_path / "once.csv", tmp_path / "again.csv"
    assert run(["edit", str(people), *STEPS, "--out", str(once)]) == 0
    assert run(["edit", str(people), "--steps", f"{once}.steps.toml", "--out", str(again)]) == 0
    assert once.read_bytes() == again.read_bytes()
    lines = once.read_text().splitlines()
    assert lines[0] == "age,sex,ill" and "canary" not in once.read_text()
    assert len(lines) - 1 == sum(row[1] >= 21 for row in ROWS)
    read = sf.read(once, "table", quasi=["age", "sex"], sensitive=["ill"])
    assert len(find_notes(read.notes, "table-edited")) == 4
    with once.open("a") as file:
        file.write("33,F,flu\n")
    changed = sf.read(once, "table", quasi=["age", "sex"], sensitive=["ill"])
    assert not find_notes(changed.notes, "table-edited"), "the steps are those of another file"


def test_steps_of_a_policy_are_applied_when_read_and_listed_in_the_trace(people, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[data]\npath = "people.csv"\nkind = "table"\nsteps = ["rename years=age", "drop name"]\n'
        'quasi = ["age", "sex"]\nsensitive = ["ill"]\n[method]\nname = "mondrian"\nk = 3\n[release]\nout = "out"\n'
    )
    assert run(["run", str(policy), "--json"]) == 0
    trace = json.loads((tmp_path / "out" / "owner" / "trace.json").read_text())
    assert trace["reading"]["steps"] == ["rename years=age", "drop name"]
    assert "The table was edited: rename years=age: 1 column renamed." in trace["notes"]
    # The original is read again the same way.
    assert run(["verify", str(tmp_path / "out"), "--original", str(people), "--json"]) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        [], ["--step", "shuffle a"], ["--rename", "years"], ["--rename", "nothing=age"], ["--rename", "years=sex"],
        ["--filter", "years=200.."], ["--filter", "years=a..b"], ["--recode", "sex=no.csv"], ["--replace", "sex=F"],
        ["--drop", "name", "--drop", "years", "--drop", "sex", "--drop", "ill"],
    ],
)  # fmt: skip
def test_wrong_steps_are_refused_and_nothing_is_written(people, tmp_path, wrong, capsys):
    assert run(["edit", str(people), *wrong, "--out", str(tmp_path / "out.csv")]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]
    assert "canary" not in capsys.readouterr().err


def test_values_are_recoded_by_a_file(people, tmp_path):
    (tmp_path / "sex.csv").write_text("M,male\nF,female\n")
    out = tmp_path / "out.csv"
    assert run(["edit", str(people), "--recode", f"sex={tmp_path / 'sex.csv'}", "--out", str(out)]) == 0
    assert {line.split(",")[2] for line in out.read_text().splitlines()[1:]} == {"male", "female"}
    (tmp_path / "sex.csv").write_text("M,male\nM,m\n")
    assert run(["edit", str(people), "--recode", f"sex={tmp_path / 'sex.csv'}", "--out", str(tmp_path / "b.csv")]) == 2


def test_hierarchies_are_derived_edited_and_used(people, tmp_path):
    tree = tmp_path / "ill.csv"
    table = ["--kind", "table", "--identifier", "name", "--quasi", "years,sex,ill"]
    assert (
        run(["hierarchy", "derive", str(people), *table, "--of", "ill", "--rule", "fanout:2", "--out", str(tree)]) == 0
    )
    assert set(read_hierarchy(tree).leaf_labels) == {"flu", "cold"}
    edited = tmp_path / "edited.txt"
    root = read_hierarchy(tree).labels[-1]
    words = ["hierarchy", "edit", str(tree), "--rename", f"{root}=illness", "--add", "cough=illness"]
    assert run([*words, "--as", "indented", "--out", str(edited)]) == 0
    assert read_hierarchy(edited).members("illness") == ("cold", "flu", "cough")
    assert run(["hierarchy", "show", str(edited), "--json"]) == 0
    assert run(["hierarchy", "convert", str(edited), "--as", "parent-child", "--out", str(tmp_path / "p.csv")]) == 0
    assert read_hierarchy(tmp_path / "p.csv") == read_hierarchy(edited)
    for wrong in (
        ["--move", "illness=flu"],
        ["--delete", "illness"],
        ["--add", "flu=illness"],
        ["--rename", "x=y"],
        [],
    ):
        assert run(["hierarchy", "edit", str(edited), *wrong, "--out", str(tmp_path / "no.csv")]) == 2
    assert not (tmp_path / "no.csv").exists()
