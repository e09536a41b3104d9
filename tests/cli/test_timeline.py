"""Timelines from the command line, end to end."""

import json

SENSITIVE = ["--kind", "timeline", "--sensitive", "event02", "--sensitive", "event04"]


def generated(sfumato):
    sfumato("generate", "timeline", "--size", 300, "--seed", 1, "--out", "sales.csv", "-o", "events=20", "--json")
    return "sales.csv"


def test_generate_inspect_anonymize_verify_attack_measure(sfumato, tmp_path):
    data = generated(sfumato)
    found = sfumato("inspect", data, *SENSITIVE, "--resolution", "hour", "--json").json
    assert found["time_points"] == 300 and found["risk"][0]["knowledge"] == "prefixes"
    asked = ["--method", "essa-joint", "-p", "delta=1/50", "--resolution", "hour", "--out", "out", "--json"]
    done = sfumato("anonymize", data, *SENSITIVE, *asked).json
    assert done["published"] + done["withheld"] == 300
    verdict = sfumato("verify", "out", "--original", data, "--json").json
    assert verdict["holds"] and verdict["claimed"]["delta"] == "1/50"
    after = sfumato("attack", "out", "--original", data, "--json").json
    assert after["prefixes_at_or_above_delta"] == 0 and after["largest_relative_frequency"] < 0.02
    measures = {score["metric"] for score in sfumato("measure", "out", "--original", data, "--json").json["measures"]}
    assert measures >= {"sanitisation-error", "deleted-share", "ghost-events", "untouched-time-points"}
    assert measures >= {"frequent-events", "segment-boundaries"}
    manifest = json.loads((tmp_path / "out" / "release" / "release.json").read_text())
    assert manifest["guarantee"]["parameters"] == {"delta": "1/50", "cover": 1, "events": ["event02", "event04"]}
    for command in ("inspect", "attack"):
        words = [data, *SENSITIVE] if command == "inspect" else ["out", "--original", data]
        assert "prefixes" in sfumato(command, *words).stdout


def test_a_damaged_release_is_found(sfumato, tmp_path):
    data = generated(sfumato)
    sfumato("anonymize", data, *SENSITIVE, "--method", "essa", "-p", "delta=0.02", "--out", "out", "--json")
    path = tmp_path / "out" / "release" / "release.json"
    path.write_text(path.read_text().replace('"delta": "0.02"', '"delta": "0.015"'))
    verdict = sfumato("verify", "out", "--json", expect=1).json
    assert not verdict["holds"] and verdict["witness"]["event"] in {"event02", "event04"}


def test_a_policy_file_may_write_the_threshold_as_a_number(sfumato, tmp_path):
    generated(sfumato)
    (tmp_path / "policy.toml").write_text(
        '[data]\npath = "sales.csv"\nkind = "timeline"\nsensitive = ["event02"]\nresolution = "day"\n\n'
        '[method]\nname = "odesa"\ndelta = 0.05\n\n[release]\nout = "out"\n'
    )
    sfumato("run", "policy.toml")
    assert sfumato("verify", "out", "--json").json["claimed"] == {"delta": "0.05"}


def test_bad_requests_change_nothing(sfumato, tmp_path):
    data = generated(sfumato)
    common = ["anonymize", data, "--kind", "timeline", "--out", "out"]
    for words, message in (
        ([*SENSITIVE[2:], "--method", "essa", "-p", "delta=2"], "delta must be above 0 and at most 1"),
        ([*SENSITIVE[2:], "--method", "essa"], "delta must be given"),
        ([*SENSITIVE[2:], "--method", "odesa", "-p", "delta=0.1"], "one sensitive event"),
        (["--sensitive", "nothing", "--method", "essa", "-p", "delta=0.1"], "does not occur in the data (entry 1)"),
        (["--method", "essa", "-p", "delta=0.1"], "needs sensitive events"),
    ):
        assert message in " ".join(sfumato(*common, *words, expect=2).stderr.split())
    assert not (tmp_path / "out").exists()
