"""The commands of the product, end to end."""

import json
import subprocess
import sys

import pytest

from sfumato.base.guarantee import NOTE_LABEL

KM = ["-p", "k=5", "-p", "m=2"]


def anonymize(sfumato, checkins, *more, report="--no-report"):
    words = ["anonymize", checkins, "--kind", "trajectories", "--method", "seqanon", *KM, "--out", "out", "--json"]
    return sfumato(*words, report, *more)


def test_every_command_has_help(sfumato):
    listing = sfumato("--help").stdout
    for command in (
        "demo",
        "methods",
        "inspect",
        "anonymize",
        "apply",
        "verify",
        "attack",
        "measure",
        "plot",
        "run",
        "generate",
    ):
        assert command in listing
        assert "Usage" in sfumato(command, "--help").stdout


def test_methods_lists_parameters_with_ranges_and_papers(sfumato):
    found = {m["name"]: m for m in sfumato("methods", "--json").json["methods"]}
    assert set(found) >= {"seqanon", "sd-seqanon", "u-seqanon", "zga", "sga", "lm-anon"}
    k = next(p for p in found["seqanon"]["parameters"] if p["name"] == "k")
    assert k["range"] == "at least 2" and k["required"]
    assert "Poulis" in found["seqanon"]["paper"]
    of_sets = {m["name"] for m in sfumato("methods", "--kind", "sets", "--json").json["methods"]}
    assert "disassociation" in of_sets and "seqanon" not in of_sets
    assert sfumato("methods", "--kind", "set", "--json", expect=2).json["error"].endswith("Did you mean --kind sets?")
    assert "seqanon" in sfumato("methods").stdout


def test_inspect_tells_how_identifying_the_data_are(sfumato, checkins):
    found = sfumato("inspect", checkins, "--kind", "trajectories", "--json").json
    assert found["people"] == 120
    assert [r["smallest_anonymity_set"] for r in found["risk"]][-1] >= 1
    assert "singled out" in sfumato("inspect", checkins, "--kind", "trajectories").stdout


def test_anonymize_verify_attack_measure(sfumato, checkins):
    done = anonymize(sfumato, checkins, report="--report").json
    assert set(done) >= {"published", "withheld", "guarantee", "seconds", "out"}
    assert done["published"] + done["withheld"] == 120
    verdict = sfumato("verify", "out", "--json").json
    assert set(verdict) >= {"holds", "claimed", "measured", "witness"}
    assert verdict["holds"] and verdict["measured"]["k"] >= 5
    assert sfumato("verify", "out", "--original", checkins, "--json").json["holds"]
    risk = sfumato("attack", "out", "--original", checkins, "--json").json
    assert set(risk) >= {"smallest_anonymity_set", "mean_success", "max_success", "knowledge"}
    assert risk["smallest_anonymity_set"] >= 5
    scores = sfumato("measure", "out", "--original", checkins, "--json").json["measures"]
    assert len(scores) >= 6 and all({"metric", "value"} <= set(score) for score in scores)


def test_a_note_about_the_method_is_said_where_the_release_is_described(sfumato, checkins, tmp_path):
    note = "k records match what is known. They need not be equally likely: a record with several"
    said = f"{NOTE_LABEL}: {note}"
    words = ["anonymize", checkins, "--kind", "trajectories", "--method", "seqanon", "--no-report"]
    done = " ".join(sfumato(*words, *KM, "--out", "out").stdout.split())
    assert f"published records. {said}" in done
    assert said in " ".join(sfumato("verify", "out").stdout.split())
    assert sfumato("verify", "out", "--json").json["method_note"].startswith(note)
    assert f"{NOTE_LABEL}:\n\n> {note}" in (tmp_path / "out/release/README.md").read_text()


def test_plots_are_saved_for_the_owner(sfumato, checkins, tmp_path):
    anonymize(sfumato, checkins)
    words = ("plot", "out", "--original", checkins, "--as", "svg", "--out")
    saved = sfumato(*words, "plots", "--json").json["plots"]
    assert len(saved) >= 5 and all((tmp_path / path).read_text().startswith("<svg") for path in saved)
    assert "already exists" in sfumato(*words, "plots", expect=2).stderr
    assert "do not belong in release/" in sfumato(*words, "out/release/plots", expect=2).stderr
    assert not (tmp_path / "out" / "release" / "plots").exists()


def test_measure_takes_a_workload(sfumato, checkins, tmp_path):
    anonymize(sfumato, checkins)
    (tmp_path / "queries.csv").write_text("spot0\nspot0>spot1\n")
    scores = sfumato("measure", "out", "--original", checkins, "--workload", "queries.csv", "--json").json["measures"]
    assert any(score["metric"] == "average-relative-error" for score in scores)


def test_a_damaged_release_is_broken_with_a_witness(sfumato, checkins, tmp_path):
    anonymize(sfumato, checkins)
    manifest = tmp_path / "out" / "release" / "release.json"
    manifest_data = json.loads(manifest.read_text())
    manifest_data["guarantee"]["parameters"]["k"] = 100
    manifest.write_text(json.dumps(manifest_data))
    verdict = sfumato("verify", "out", "--json", expect=1).json
    assert not verdict["holds"] and verdict["witness"]


def test_data_csv_is_checked_too(sfumato, checkins, tmp_path):
    anonymize(sfumato, checkins)
    path = tmp_path / "out" / "release" / "data.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1] + ";spot0", *lines[2:]]) + "\n")
    verdict = sfumato("verify", "out", "--json", expect=1).json
    assert not verdict["checks"]["data.csv equals data.parquet"]


def test_a_stray_file_is_named(sfumato, checkins, tmp_path):
    anonymize(sfumato, checkins)
    (tmp_path / "out" / "release" / "names.txt").write_text("who is who")
    verdict = sfumato("verify", "out", "--json", expect=3).json
    assert verdict["outcome"] == "undeclared" and verdict["holds"]
    assert verdict["undeclared"] == ["names.txt: a file that is not declared"]
    said = sfumato("verify", "out", expect=3).stdout
    assert said.startswith("Incomplete: the guarantee holds for the declared data") and "names.txt" in said


def test_values_that_look_the_same_are_a_warning_beside_the_verdict(sfumato, tmp_path):
    rows = [f"{20 + number % 4},{('flu', 'flu' + chr(0x200B))[number % 2]}\n" for number in range(8)]
    (tmp_path / "people.csv").write_text("".join(["age,ill\n", *rows]), encoding="utf-8")
    roles = ["--kind", "table", "--quasi", "age", "--sensitive", "ill"]
    made = sfumato("anonymize", "people.csv", *roles, "--method", "mondrian", "-p", "k=2", "--out", "out")
    assert "2 values of column 'ill' look like others and count as different" in made.stdout
    told = "2 values of column 'ill' look like others and count as different: 'flu' and 'flu\\u{200b}'."
    said = sfumato("verify", "out").stdout
    assert (
        "WARNING" in said
        and told in said
        and said.startswith("Verified: the guarantee holds and every file is declared.")
    )
    verdict = sfumato("verify", "out", "--json").json
    assert verdict["outcome"] == "holds" and [text.startswith(told) for text in verdict["warnings"]] == [True]


def test_a_licence_is_included_when_it_is_named(sfumato, checkins, tmp_path):
    (tmp_path / "LICENSE").write_text("CC0\n")
    anonymize(sfumato, checkins, "--include", "LICENSE")
    assert (tmp_path / "out" / "release" / "LICENSE").read_text() == "CC0\n"
    verdict = sfumato("verify", "out", "--json").json
    assert verdict["measured"]["included_not_judged"] == ["LICENSE"]
    refused = sfumato(
        *("anonymize", checkins, "--kind", "trajectories", "--method", "seqanon", "-p", "k=5", "-p", "m=2"),
        *("--out", "other", "--include", "nothing.txt"),
        expect=2,
    )
    assert "nothing.txt" in refused.stderr and not (tmp_path / "other").exists()


@pytest.mark.parametrize("file", ["data.parquet", "release.json", "values.csv", "data.csv"])
def test_a_release_that_cannot_be_read_cannot_be_judged(sfumato, checkins, tmp_path, file):
    anonymize(sfumato, checkins)
    path = tmp_path / "out" / "release" / file
    path.write_bytes(path.read_bytes()[:10] if file != "values.csv" else b"")
    sfumato("verify", "out", "--json", expect=2)


def test_a_policy_file_says_the_same(sfumato, checkins, tmp_path):
    (tmp_path / "policy.toml").write_text(
        '[data]\npath = "checkins.csv"\nkind = "trajectories"\n\n[method]\nname = "seqanon"\nk = 5\nm = 2\n\n'
        '[release]\nout = "out"\nsecret = "mine.hex"\n'
    )
    (tmp_path / "mine.hex").write_text("5a" * 32 + "\n")
    done = sfumato("run", "policy.toml", "--json").json
    assert done["verify"]["holds"] and done["attack"]["smallest_anonymity_set"] >= 5
    assert len(done["measure"]) >= 6
    by_policy = (tmp_path / "out" / "release" / "data.csv").read_text()
    anonymize(sfumato, checkins, "--secret", "mine.hex", "--force")
    assert (tmp_path / "out" / "release" / "data.csv").read_text() == by_policy


def test_apply_publishes_a_later_batch_or_says_that_it_breaks_the_guarantee(sfumato, checkins, tmp_path):
    anonymize(sfumato, checkins)
    done = sfumato("apply", "out", checkins, "--out", "again", "--no-report", "--json").json
    assert done["published"] == 120
    assert sfumato("verify", "again", "--original", checkins, "--json").json["holds"]
    lines = checkins.read_text().splitlines(keepends=True)
    few = "".join(line for line in lines if not line.startswith("canary") or line < "canary-0003")
    (tmp_path / "few.csv").write_text(few)
    failed = sfumato("apply", "out", "few.csv", "--out", "broken", expect=1)
    assert "does not keep its guarantee" in failed.stderr
    assert not (tmp_path / "broken").exists()


def test_apply_names_rows_with_places_it_does_not_know(sfumato, checkins, tmp_path):
    anonymize(sfumato, checkins)
    text = checkins.read_text() + "newcomer,2024-03-04T09:00:00,elsewhere,3,3\n"
    (tmp_path / "more.csv").write_text(text)
    failed = sfumato("apply", "out", "more.csv", "--out", "again", expect=2)
    assert "121" in failed.stderr and "elsewhere" not in failed.stderr
    sfumato("apply", "out", "more.csv", "--out", "again", "--unknown", "suppress", "--no-report")


def test_apply_takes_a_batch_that_visits_no_sensitive_place(sfumato, checkins, tmp_path):
    first = checkins.read_text() + "visitor,2024-03-04T09:00:00,clinic,3,3\nvisitor,2024-03-04T10:00:00,spot0,0,0\n"
    (tmp_path / "first.csv").write_text(first)
    words = ["anonymize", "first.csv", "--kind", "trajectories", "--method", "lm-anon", "--sensitive", "clinic", *KM]
    sfumato(*words, "--out", "out", "--no-report")
    lines = checkins.read_text().splitlines(keepends=True)
    later = tmp_path / "later.csv"
    later.write_text("".join(line for line in lines if not line.startswith("canary") or line < "canary-0110"))
    sfumato("apply", "out", later, "--out", "again", "--no-report")
    verdict = sfumato("verify", "again", "--original", later, "--json").json
    assert verdict["holds"] and verdict["claimed"]["l"] == 2


def test_apply_refuses_an_answer_it_does_not_know(sfumato, checkins, tmp_path):
    anonymize(sfumato, checkins)
    failed = sfumato("apply", "out", checkins, "--out", "again", "--unknown", "maybe", expect=2)
    assert "must be error or suppress" in failed.stderr
    assert not (tmp_path / "again").exists()


def test_generate_writes_what_the_readers_read(sfumato, tmp_path):
    for name in ("a.csv", "a.parquet", "a.jsonl"):
        sfumato("generate", "trajectories", "--size", 50, "--seed", 1, "--out", name, "-o", "places=20")
        found = sfumato("inspect", name, "--kind", "trajectories", "--json").json
        assert found["people"] == 50
    sfumato("generate", "trajectories", "--size", 50, "--seed", 1, "--out", "a.csv", expect=2)
    sfumato("generate", "trajectories", "--size", 50, "--seed", 1, "--out", "r.csv", "--model", "roads")


def test_demo_goes_end_to_end(sfumato, tmp_path):
    done = sfumato("demo", "--json").json
    assert done["verify"]["holds"] and done["attack"]["smallest_anonymity_set"] >= 5
    assert (tmp_path / "sfumato-demo" / "owner" / "report.html").stat().st_size > 10_000
    assert done["remaining"] == done["anonymize"]["remaining"] != []
    again = sfumato("demo").stdout
    assert "3. Verified: the guarantee holds" in again and "What remains possible" in again
    assert "report.html" in again


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "seqanom", *KM], "Did you mean 'seqanon'"),
        (["--method", "seqanon", "-p", "kk=5", "-p", "m=2"], "Did you mean 'k'"),
        (["--method", "seqanon", "-p", "k=1", "-p", "m=2"], "seqanon: k must be at least 2, got 1"),
        (["--method", "seqanon", "-p", "k=five", "-p", "m=2"], "seqanon: k must be a whole number"),
        (["--method", "seqanon", "-p", "k=5"], "seqanon: m must be given"),
        (["--method", "seqanon", "-p", "k=500", "-p", "m=2"], "k must be at most the number of people"),
        (["--method", "seqanon", "-p", "k=5", "-p", "k=6", "-p", "m=2"], "gives k twice"),
        (["--method", "seqanon", *KM, "--column", "place"], "must be name=value"),
        (["--method", "lm-anon", *KM, "--sensitive", "nowhere"], "sensitive"),
        (["--method", "sd-seqanon", *KM], "hierarchy"),
        (["--method", "u-seqanon", *KM], "constraints"),
    ],
)  # fmt: skip
def test_bad_requests_end_with_code_2_and_change_nothing(sfumato, checkins, tmp_path, words, message):
    done = sfumato("anonymize", checkins, "--kind", "trajectories", *words, "--out", "out", expect=2)
    assert message in done.stderr
    assert done.stdout == ""
    assert [p.name for p in tmp_path.iterdir()] == ["checkins.csv"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["anonymize"], "anonymize needs DATA"),
        (["verify", "out", "--colour"], "is not an option"),
        (["paint"], "is not a command"),
        (["inspect", "checkins.csv"], "needs --kind"),
    ],
)
def test_commands_that_cannot_be_understood_end_with_code_2(sfumato, checkins, words, told):
    done = sfumato(*words, expect=2)
    assert told in done.stderr and done.stdout == ""


@pytest.mark.parametrize("command", ["attack", "measure"])
def test_another_original_is_refused(sfumato, checkins, tmp_path, command):
    anonymize(sfumato, checkins)
    (tmp_path / "other.csv").write_text("\n".join(checkins.read_text().splitlines()[:50]) + "\n")
    assert "Give the same original" in sfumato(command, "out", "--original", "other.csv", expect=2).stderr


def test_a_place_that_cannot_be_written_is_an_error(sfumato, checkins, tmp_path):
    (tmp_path / "file").write_text("mine")
    words = ["anonymize", checkins, "--kind", "trajectories", "--method", "seqanon", *KM]
    assert "file" in sfumato(*words, "--out", "file/out", expect=2).stderr


def test_errors_are_json_where_json_was_asked_for(sfumato, checkins):
    done = sfumato("inspect", checkins, "--kind", "parcels", "--json", expect=2)
    assert "error" in done.json


def test_an_unexpected_fault_shows_no_values(sfumato, checkins, tmp_path):
    program = (
        "import sys; sys.argv = ['sfumato', 'inspect', 'checkins.csv', '--kind', 'trajectories'];"
        "import sfumato.api.calls as p; p.inspect = lambda *a: {}['canary-secret'];"
        "from sfumato.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "canary" not in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("where", ["Run.report", "StagingFolder.commit"])
def test_a_stopped_run_leaves_nothing(checkins, tmp_path, name, where):
    # The signal comes from inside, so that it always hits the same step, however fast the machine is.
    program = (
        "import os, signal, sys\n"
        "from sfumato.release.run import Run\n"
        "from sfumato.release.folder import StagingFolder\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"{where} = lambda *_: os.kill(os.getpid(), signal.{name})\n"
        "from sfumato.cli import main\n"
        "main()\n"
    )
    words = ["anonymize", "checkins.csv", "--kind", "trajectories", "--method", "seqanon", *KM, "--out", "new/out"]
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 130, done.stderr
    assert "Nothing was published" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["checkins.csv"]


def test_attack_shows_ever_more_knowledge_before_and_after(sfumato, checkins):
    anonymize(sfumato, checkins)
    found = sfumato("attack", "out", "--original", checkins, "-m", "2", "--json").json["rising"]
    assert [risk["m"] for risk in found["after"]] == [1, 2] == [risk["m"] for risk in found["before"]]
    assert found["after"][-1]["smallest_anonymity_set"] >= 5 > found["before"][-1]["smallest_anonymity_set"]
    assert "by number of matching records" in sfumato("attack", "out", "--original", checkins, "-m", "1").stdout
