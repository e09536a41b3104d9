"""Sets at the command line: generated, and read in the forms people have."""

import pytest

CANARY = "Q7canaryZ"


@pytest.mark.parametrize("name", ["baskets.csv", "baskets.parquet"])
def test_generated_sets_can_be_inspected(sfumato, tmp_path, name):
    options = ("-o", "items=40", "-o", "mean_length=3", "-o", "patterns=30")
    done = sfumato("generate", "sets", "--size", 50, "--seed", 3, *options, "--out", name, "--json").json
    assert done["size"] == 50
    before = (tmp_path / name).read_bytes()
    sfumato("generate", "sets", "--size", 50, "--seed", 3, *options, "--out", name, "--force")
    assert (tmp_path / name).read_bytes() == before
    facts = sfumato("inspect", name, "--kind", "sets", "--json").json
    assert facts["people"] == 50
    assert facts["entries"] == done["rows"]


def test_every_form_gives_the_same_facts(sfumato, tmp_path):
    (tmp_path / "long.csv").write_text("person,item\na,1\na,2\nb,3\nc,1\n")
    (tmp_path / "lines.dat").write_text("1 2\n3\n1\n")
    (tmp_path / "commas.txt").write_text("1,2,\n3,\n1,\n")
    (tmp_path / "spmf.txt").write_text("1 -1 2 -1 -2\n3 -1 -2\n1 -1 -2\n")
    (tmp_path / "cells.csv").write_text("person,products\na,1+2\nb,3\nc,1\n")
    (tmp_path / "amnesia.txt").write_text("codes\n1|2\n3\n1\n")
    facts = [
        sfumato("inspect", *words, "--kind", "sets", "--json").json
        for words in (
            ("long.csv",),
            ("lines.dat",),
            ("commas.txt",),
            ("spmf.txt",),
            ("cells.csv", "--separator", "+"),
            ("amnesia.txt", "--format", "amnesia"),
        )
    ]
    assert all((f.get("people", f.get("records")), f["entries"], f["distinct_values"]) == (3, 4, 3) for f in facts)


def test_a_form_that_could_be_mistaken_is_asked_for(sfumato, tmp_path):
    (tmp_path / "baskets.csv").write_text(f"whole milk,{CANARY}\nbread\n")
    asked = sfumato("inspect", "baskets.csv", "--kind", "sets", expect=2)
    assert "format" in asked.stderr
    assert CANARY not in asked.stderr + asked.stdout
    told = sfumato(
        "inspect", "baskets.csv", "--kind", "sets", "--format", "transactions", "--separator", "comma", "--json"
    )
    assert told.json["records"] == 2
    sfumato("inspect", "baskets.csv", "--kind", "sets", "--format", "transactions", "--separator", "ab", expect=2)
