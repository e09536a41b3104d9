"""The first step on a file nobody prepared: the guess, its reasons, and a policy that runs."""

from __future__ import annotations

import tomllib
import zipfile

import numpy as np
import pytest

from sfumato.api.detect import detect_file
from sfumato.cli.start import format_policy

RNG = np.random.default_rng(7)
CANARY = "Q7canary"


def write_visits(path):
    lines = ["uid,datetime,lat,lng,note"]
    for person in range(40):
        for step in range(4):
            lat, lng = 53 + RNG.integers(0, 3) / 100, 8 + RNG.integers(0, 3) / 100
            lines.append(f"{CANARY}{person},2024-01-01 1{step}:00:00,{lat},{lng},{CANARY}")
    path.write_text("\n".join(lines) + "\n")


def write_log(path):
    lines = ["Case ID;Activity;Complete Timestamp;Resource"]
    for case in range(30):
        lines += [f"{CANARY}{case};{what};2024/01/0{1 + case % 9} 1{at}:00:00.000;A" for at, what in enumerate("abc")]
    path.write_text("\n".join([*lines, ";a;2024/01/01 10:00:00.000;A"]) + "\n")


def write_baskets(path):
    items = ["milk", "rye bread", "tea", "jam", "eggs", "soap"]
    rows = [RNG.choice(items, RNG.integers(1, 6), replace=False) for _ in range(60)]
    path.write_text("".join(",".join(row) + "\n" for row in rows))


def write_numbers(path):
    rows = [sorted(RNG.choice(20, RNG.integers(1, 6), replace=False)) for _ in range(60)]
    path.write_text("".join(" ".join(map(str, row)) + " \n" for row in rows))


def write_sequences(path):
    rows = [RNG.integers(1, 6, RNG.integers(1, 6)) for _ in range(60)]
    path.write_text("".join("".join(f"{item} -1 " for item in row) + "-2\n" for row in rows))


def write_slots(path):
    months = [f"{name}.93" for name in ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug")]
    lines = [",".join(["id", "male", *months])]
    lines += [",".join([f"{n}", "yes", *RNG.choice(["work", "school"], 8)]) for n in range(30)]
    path.write_text("\n".join(lines) + "\n")


def write_people(path):
    lines = ["patient_nbr;age;sex;zip;diagnosis;contact"]
    lines += [
        f"{1000 + n};{20 + n % 9};{'fm'[n % 2]};0106{n % 3};{['flu', 'cold'][n % 2]};{CANARY}{n}@example.org"
        for n in range(120)
    ]
    path.write_text("\n".join(lines) + "\n")


def write_purchases(path):
    lines = [" customer_id  date number  value"]
    lines += [f" {n // 3:05}  1997010{1 + n % 3}  {1 + n % 2}   {n + 0.25:6.2f}" for n in range(90)]
    path.write_text("\r\n".join(lines) + "\r\n")


CASES = {
    "visits.csv": (write_visits, "trajectories", {"person": "uid", "time": "datetime", "y": "lat", "x": "lng"}),
    "log.csv": (write_log, "sequences", {"person": "Case ID", "event": "Activity", "time": "Complete Timestamp"}),
    "baskets.csv": (write_baskets, "sets", None),
    "retail.dat": (write_numbers, "sets", None),
    "clicks.txt": (write_sequences, "trajectories", None),
    "lives.csv": (write_slots, "activity", {"person": "id"}),
    "people.csv": (write_people, "table", None),
    "cds.txt": (write_purchases, "sequences", {"person": "customer_id", "time": "date", "event": "number"}),
}


@pytest.mark.parametrize("name", CASES)
def test_kind_and_columns_are_guessed_and_the_policy_runs(sfumato, tmp_path, name):
    write, kind, columns = CASES[name]
    write(tmp_path / name)
    done = sfumato("start", name, "--yes", "--json")
    assert done.json["kind"] == kind and done.json["options"].get("columns") == columns
    assert done.json["reasons"] and CANARY not in done.stdout + done.stderr
    policy = (tmp_path / "policy.toml").read_text()
    assert CANARY not in policy and tomllib.loads(policy)["data"]["path"] == name
    ran = sfumato("run", "policy.toml", "--json")
    assert ran.json["verify"]["holds"] and CANARY not in ran.stdout


def test_identifiers_are_left_out_and_empty_cells_dropped(sfumato, tmp_path):
    write_people(tmp_path / "people.csv")
    found = sfumato("start", "people.csv", "--yes", "--json").json["options"]
    assert {"contact", "patient_nbr"} <= set(found["identifier"]) and found["sensitive"] == ["diagnosis"]
    assert found["quasi"] == ["age", "sex", "zip"]
    write_log(tmp_path / "log.csv")
    done = sfumato("start", "log.csv", "--yes", "--json", "--policy", "log.toml")
    assert done.json["options"]["missing"] == "drop"
    assert any("`Case ID` (1)" in reason for reason in done.json["reasons"])


def test_archives_and_folders(sfumato, tmp_path):
    write_people(tmp_path / "people.csv")
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.write(tmp_path / "people.csv", "in/people.csv")
        archive.writestr("in/codes.csv", "code,meaning\n1,a\n")
    found = sfumato("start", "data.zip", "--yes", "--json").json
    assert found["kind"] == "table" and found["file"] == "data.zip/in/people.csv"
    assert any("2 files that differ" in reason for reason in found["reasons"])
    assert sfumato("run", "policy.toml", "--json").json["verify"]["holds"]
    (tmp_path / "lines").mkdir()
    for partition in ("a.dat", "b.dat"):
        write_numbers(tmp_path / "lines" / partition)
    found = sfumato("start", "lines", "--yes", "--json", "--force").json
    assert found["kind"] == "sets" and found["inspect"]["records"] == 120


def test_what_is_asked_is_answered(sfumato, tmp_path):
    write_visits(tmp_path / "visits.csv")
    done = sfumato("start", "visits.csv", input="\n7\ny\n")
    assert "Kind of data" in done.stderr
    assert tomllib.loads((tmp_path / "policy.toml").read_text())["method"]["k"] == 7
    sfumato("start", "visits.csv", "--force", input="\n7\nn\n", expect=130)
    (tmp_path / "sales.csv").write_text(
        "day,product,quantity\n" + "".join(f"2024-01-0{1 + n},ab,{n}\n" for n in range(9))
    )
    told = sfumato("start", "sales.csv", "--yes", "--force", expect=2).stderr
    assert "cannot be detected" in told
    assert sfumato("start", "sales.csv", "--yes", "--force", "--json", "--sensitive", "ab").json["kind"] == "timeline"


def test_what_cannot_be_guessed_changes_nothing(sfumato, tmp_path):
    (tmp_path / "notes.txt").write_text(f"Dear {CANARY},\n\nthis is a letter.\n")
    told = sfumato("start", "notes.txt", "--yes", expect=2).stderr
    assert "does not look like any kind of data" in told and CANARY not in told
    assert not (tmp_path / "policy.toml").exists()
    (tmp_path / "policy.toml").write_text("mine")
    write_visits(tmp_path / "visits.csv")
    assert "already exists" in sfumato("start", "visits.csv", "--yes", expect=2).stderr
    assert (tmp_path / "policy.toml").read_text() == "mine"
    assert "there is no such file" in sfumato("start", "nothing.csv", "--yes", "--force", expect=2).stderr


def test_survey_weights_are_found_and_count_in_measures(sfumato, tmp_path):
    lines = ["id,age,sex,illness,wgt,weight"]
    lines += [
        f"{n},{20 + n % 9},{'fm'[n % 2]},{['flu', 'cold'][n % 3 > 0]},{900 + 7.25 * n},{60 + n % 30}"
        for n in range(120)
    ]
    (tmp_path / "survey.csv").write_text("\n".join(lines) + "\n")
    found = sfumato("start", "survey.csv", "--yes", "--json").json
    assert found["options"]["weight"] == "wgt" and "weight" in found["options"]["quasi"]
    ran = sfumato("run", "policy.toml", "--json").json
    assert ran["verify"]["holds"] and {"weighted-queries", "weighted-shares"} <= {m["metric"] for m in ran["measure"]}
    assert "wgt" not in (tmp_path / "survey-release" / "release" / "data.csv").read_text()


def test_columns_of_a_file_without_a_header_are_named_by_what_they_hold(sfumato, tmp_path):
    rows = [f"{17 + n % 50}, {n}, {['Male', 'Female'][n % 2]}, {['<=50K', '>50K'][n % 3 > 1]}" for n in range(90)]
    (tmp_path / "people.data").write_text("\n".join(rows) + "\n")
    found = sfumato("start", "people.data", "--yes", "--json", "--kind", "table").json["options"]
    assert found["header"] == ["age", "column2", "sex", "income"] and found["sensitive"] == ["income"]


def test_many_people_are_published_in_partitions(tmp_path, monkeypatch):
    (tmp_path / "baskets.dat").write_text("1 2\n2\n1 2 3\n" * 130)
    found = detect_file(tmp_path / "baskets.dat")
    assert "engine" not in format_policy(found, tmp_path / "policy.toml")
    monkeypatch.setattr("sfumato.kinds.sets.sort_key.PARTITION_SIZE", 50)
    policy = tomllib.loads(format_policy(found, tmp_path / "policy.toml"))
    assert policy["release"]["engine"] == "local"
