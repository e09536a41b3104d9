"""Somebody is left out of a release that is made again, and nothing is said of whom."""

from __future__ import annotations

import sfumato as sf
from sfumato.release import owner

METHOD = ("--method", "seqanon", "-p", "k=3", "-p", "m=1", "--no-report")


def test_a_person_is_left_out_of_the_release(sfumato, checkins, tmp_path):
    licence = tmp_path / "LICENSE"
    licence.write_text("free")
    sfumato("anonymize", checkins, "--kind", "trajectories", *METHOD, "--include", licence, "--out", "out")
    before = sf.read_release(tmp_path / "out")
    done = sfumato("erase", "out", "canary-0007", "--original", checkins, "--no-report", "--json")
    assert "canary" not in done.stdout + done.stderr
    found = done.json
    assert found["records_in"] == [120, 119] and found["people"] == 1
    assert found["rows"] == checkins.read_text().count("canary-0007")
    assert found["same"] + found["gone"] == len(before) and found["gone"] >= 1
    after = sf.read_release(tmp_path / "out")
    assert len(after) == found["published"][1] and [file.name for file in after.included] == ["LICENSE"]
    assert "canary-0007" not in owner._read_row_map(tmp_path / "out").column("person").to_pylist()

    lines = [line for line in checkins.read_text().splitlines() if "canary-0007" not in line]
    checkins.write_text("\n".join(lines) + "\n")
    assert sfumato("verify", "out", "--original", checkins, "--json").json["outcome"] == "holds"


def test_what_cannot_be_done_changes_nothing(sfumato, checkins, tmp_path):
    sfumato("anonymize", checkins, "--kind", "trajectories", *METHOD, "--out", "out")
    kept = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    nobody = sfumato("erase", "out", "canary-9999", "--original", checkins, expect=2)
    assert "1 of 1 are not in column 'person'" in nobody.stderr and "canary" not in nobody.stderr
    assert "no column 'who'" in sfumato(
        "erase", "out", "canary-0001", "--original", checkins, "--column", "who", expect=2
    ).stderr  # fmt: skip
    everybody = tmp_path / "everybody.txt"
    everybody.write_text("\n".join(f"canary-{person:04}" for person in range(119)))
    sfumato("erase", "out", "@everybody.txt", "--original", checkins, expect=2)
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == kept


def test_people_of_a_table_are_known_by_an_identifier(sfumato, tmp_path):
    rows = [f"canary-{number};{20 + number % 4};{'flu' if number % 2 else 'cold'}" for number in range(24)]
    file = tmp_path / "people.txt"
    file.write_text("\n".join(rows) + "\n")
    roles = ("--identifier", "name", "--quasi", "age", "--sensitive", "ill", "--header", "name,age,ill")
    sfumato(
        "anonymize", file, "--kind", "table", *roles, "--method", "mondrian", "-p", "k=3", "--no-report", "--out", "o"
    )
    (tmp_path / "who.txt").write_text("canary-3\ncanary-5\n")
    done = sfumato("erase", "o", "@who.txt", "--original", file, "--out", "o2", "--no-report")
    assert "Copies of the earlier release" in done.stdout and "That is fewer than 3" in done.stdout
    assert "canary" not in done.stdout
    assert sf.read_release(tmp_path / "o2").records_in == 22 and sf.read_release(tmp_path / "o").records_in == 24
    file.write_text("\n".join(row for row in rows if not row.startswith(("canary-3;", "canary-5;"))) + "\n")
    assert sfumato("verify", "o2", "--original", file, "--json").json["outcome"] == "holds"
