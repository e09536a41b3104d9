"""Every command that says that a guarantee holds also says what remains possible."""

import pytest

TITLE = "What remains possible"
CERTAIN = "10 of 20 people (50 %) match only records with the same value of 'ill'. The guarantee does not cover it."
ROLES = ["--kind", "table", "--quasi", "age", "--sensitive", "ill", "--plain", "team"]

POLICY = """
[data]
path = "people.csv"
kind = "table"
quasi = ["age"]
sensitive = ["ill"]
plain = ["team"]

[method]
name = "mondrian"
k = 10

[release]
out = "run"
report = false
"""


@pytest.fixture
def people(tmp_path):
    """Half of these people have one illness; teams are of two."""
    rows = [f"{20 + n},{'flu' if n < 10 else ('flu', 'cold')[n % 2]},team {n // 2}" for n in range(20)]
    (tmp_path / "people.csv").write_text("\n".join(["age,ill,team", *rows]) + "\n")
    return tmp_path / "people.csv"


@pytest.fixture
def made(sfumato, people):
    """What was said when they were published."""
    return sfumato("anonymize", "people.csv", *ROLES, "--method", "mondrian", "-p", "k=10", "--out", "out")


def test_anonymize_says_it_with_what_would_help(made):
    said = made.stdout
    assert said.index("Verified: the guarantee holds") < said.index(TITLE) < said.index(CERTAIN)
    assert "What helps: l-diversity (-p l=2 or more) or t-closeness (-p t=0.3)." in said
    assert "as well can single out 0 of 20 people (0 %). 20 match fewer than 10 records." in said
    assert "COUNT queries are off by" in said


def test_verify_says_what_the_files_tell_and_what_only_the_original_would(sfumato, made):
    alone = sfumato("verify", "out").stdout
    assert CERTAIN in alone and "Give the original as well, to verify or to attack." in alone
    beside = sfumato("verify", "out", "--original", "people.csv").stdout
    assert CERTAIN in beside and "Someone who knows the plain columns (team) as well" in beside
    assert "was not tested" not in beside
    told = sfumato("verify", "out", "--json").json
    assert told["holds"] and told["remaining"][0]["numbers"] == {"people": 10, "of": 20, "confidence": 1.0}
    assert told["remaining"][0]["severity"] == "warning"


def test_few_words_still_hold_the_warnings(sfumato, made):
    said = sfumato("--quiet", "verify", "out").stdout
    assert CERTAIN in said and "was not tested" not in said


def test_attack_and_measure_say_it(sfumato, made):
    assert CERTAIN in sfumato("attack", "out", "--original", "people.csv").stdout
    found = sfumato("attack", "out", "--original", "people.csv", "--json").json["remaining"]
    assert {(one["topic"], one["about"]) for one in found} == {
        ("inference", "ill"),
        ("uniqueness", "ill"),
        ("uniqueness", "plain"),
    }
    assert TITLE in sfumato("measure", "out", "--original", "people.csv").stdout
    measured = sfumato("measure", "out", "--original", "people.csv", "--json").json["remaining"]
    assert [one["topic"] for one in measured] == ["utility"]


def test_a_policy_says_it_once_and_last(sfumato, people, tmp_path):
    (tmp_path / "policy.toml").write_text(POLICY)
    said = sfumato("run", "policy.toml").stdout
    assert said.count(TITLE) == 1 and said.count(CERTAIN) == 1
    assert said.index("Utility") < said.index(TITLE) and "COUNT queries are off by" in said[said.index(TITLE) :]


def test_a_policy_attacks_once_with_each_knowledge(sfumato, people, tmp_path, monkeypatch):
    from sfumato.kinds.table.attacks import more_known

    calls = []
    attack = more_known.attack
    monkeypatch.setattr(more_known, "attack", lambda *given: calls.append(1) or attack(*given))
    (tmp_path / "policy.toml").write_text(POLICY)
    sfumato("run", "policy.toml")
    # Once before the release appears, and once on what was written.
    assert len(calls) == 2
