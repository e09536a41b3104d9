"""Tables with sets at the command line: generated, read in two forms, published, verified, attacked, measured."""

from __future__ import annotations

QUASI = "birth_month,birth_year,race,education,income"


def test_from_generated_patients_to_a_verified_release(sfumato, tmp_path):
    sfumato("generate", "rt", "--size", 120, "--seed", 3, "--out", "patients.csv")
    read_options = ("--identifier", "person", "--quasi", QUASI, "--hierarchy", "item=fanout:5")
    done = sfumato(
        *("anonymize", "patients.csv", "--kind", "rt", "--method", "rum-bound", "-p", "k=4", "-p", "delta=0.9"),
        *(*read_options, "--out", "out", "--no-report", "--json"),
    ).json
    assert done["published"] == 120
    assert sfumato("verify", "out", "--original", "patients.csv", "--json").json["outcome"] == "holds"
    risk = sfumato("attack", "out", "--original", "patients.csv", "--json").json
    assert "attributes and items" in str(risk)
    scores = sfumato("measure", "out", "--original", "patients.csv", "--json").json
    assert {"ncp", "queries", "utility-loss"} <= {score["metric"] for score in scores["measures"]}


def test_a_bound_that_cannot_be_kept_is_answered(sfumato):
    sfumato("generate", "rt", "--size", 60, "--seed", 3, "--out", "patients.csv")
    answer = sfumato(
        *("anonymize", "patients.csv", "--kind", "rt", "--method", "rum-bound", "-p", "k=5", "-p", "delta=0.01"),
        *("--identifier", "person", "--quasi", QUASI, "--hierarchy", "item=fanout:5", "--out", "out"),
        expect=2,
    )
    assert "at best; delta=" in answer.stderr
