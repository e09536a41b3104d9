"""Warehouses on the command line."""

import json
import shutil

import pytest
from tests.ontologies.conftest import EXAMPLE


@pytest.fixture
def tuna(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "tuna")
    return tmp_path


def test_from_sources_to_answers_and_a_hierarchy(sfumato, tuna):
    built = sfumato("warehouse", "build", "tuna/tuna.toml", "--out", "w", "--json").json
    assert built["sources"]["worms"] == 77 and built["classes"] == 9
    assert "14 of 14 questions are answered as expected" in sfumato("warehouse", "test", "w").stdout
    asked = sfumato("warehouse", "query", "w", "@tuna/queries/predators-classified.rq", "--json").json
    assert len(asked["rows"]) == 4 and asked["sources"][0] == "ecoscope"
    shown = sfumato("warehouse", "query", "w", "SELECT ?n { dbr:Yellowfin_tuna tlo:hasScientificName ?n }").stdout
    assert "Sources that contribute: ecoscope, worms, dbpedia, fishbase" in shown
    unsaid = sfumato("warehouse", "query", "w", 'ASK { ?s ?p "nonexistent" }').stdout
    assert "the ontology" not in unsaid and "Sources that contribute: none" in unsaid
    assert "the ontology" in sfumato("warehouse", "query", "w", "ASK { tlo:Species rdfs:subClassOf ?x }").stdout
    said = sfumato("warehouse", "provenance", "w", "--value", "YFT", "--json").json
    assert said["mentions"] == {"flod": 1}
    found = sfumato("warehouse", "connectivity", "w", "--plot", "c.svg", "--json").json
    assert found["after"][0]["things"]["common"] == 3
    assert found["conflicts"][0]["values"] == {"Lacepède, 1802": ["worms", "fishbase"], "Lacépède, 1802": ["dbpedia"]}
    assert "<svg" in (tuna / "c.svg").read_text()
    assert "already exists" in sfumato("warehouse", "connectivity", "w", "--plot", "c.svg", expect=2).stderr
    wanted = ("--up", "tlo:usuallyBelongsTo", "--label", "tlo:hasScientificName", "--root", "worms:WoRMS:2")
    (tuna / "catch.csv").write_text("person,item\n1,THUNNUS ALBACARES\n1,cod\n2,Makaira nigricans\n2,=cmd\n")
    values = ("--values", "catch.csv", "--kind", "sets", "--of", "item", "--apply", "lower")
    told = sfumato("warehouse", "hierarchy", "w", "--out", "t.csv", *wanted, *values).stdout
    assert "2 of 4 values have a node" in told and "2 values fit no node and are not in the hierarchy" in told
    assert "cod" not in told and "=cmd" not in told
    report = json.loads((tuna / "t.csv.report.json").read_text())
    assert [entry["value"] for entry in report["unplaced"]] == ["=cmd", "cod"]
    assert "height 6" in sfumato("hierarchy", "show", "t.csv").stdout


def test_a_refresh_and_a_broken_file(sfumato, tuna):
    sfumato("warehouse", "build", "tuna/tuna.toml", "--out", "w")
    assert "nothing was read again" in sfumato("warehouse", "refresh", "w").stdout
    file = tuna / "tuna" / "dbpedia.jsonld"
    good = file.read_text()
    file.write_text(good.replace('"@graph"', "graph"))
    broken = sfumato("warehouse", "refresh", "w", expect=2)
    assert "dbpedia.jsonld, line 12: not JSON-LD" in broken.stderr
    file.write_text(good.replace('"dbp:authority": "Lacépède, 1802",', ""))
    assert sfumato("warehouse", "refresh", "w", "--json").json["refreshed"] == ["dbpedia"]
    failed = sfumato("warehouse", "test", "w", expect=1).stdout
    assert "13 of 14" in failed and "authorships: is missing: Lacépède, 1802" in failed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("build", "no.toml", "--out", "w"), "no.toml: there is no such file"),
        (("refresh", "nowhere"), "is not a warehouse"),
        (("query", "nowhere", "ASK {}"), "is not a warehouse"),
        (("hierarchy", "nowhere", "--out", "t.csv", "--values", "x.csv", "--up", "skos:broader"), "--kind"),
    ],
)
def test_mistakes_leave_nothing(words, said, sfumato, tmp_path):
    assert said in sfumato("warehouse", *words, expect=2).stderr
    assert list(tmp_path.iterdir()) == []
