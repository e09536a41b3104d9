"""A warehouse is whole or as it was: refreshed, broken, killed and contended ones."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.ontologies.conftest import EXAMPLE

from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.ontologies import graphs
from sfumato.ontologies.building import build, refresh
from sfumato.ontologies.competence import run_suite
from sfumato.ontologies.place import describe, write_next
from sfumato.ontologies.warehouse import Warehouse


def read_graphs(folder: Path) -> dict[str, frozenset[str]]:
    """Return every graph of a warehouse with what it holds."""
    with Warehouse(folder) as warehouse:
        return {
            graph.value: frozenset(
                f"{quad.subject} {quad.predicate} {quad.object}"
                for quad in warehouse.store.quads_for_pattern(None, None, None, graph)
            )
            for graph in warehouse.store.named_graphs()
        }


def test_building_twice_gives_the_same(tuna_folder, tmp_path):
    build(EXAMPLE / "tuna.toml", tmp_path / "again")
    assert read_graphs(tmp_path / "again") == read_graphs(tuna_folder)


def test_a_refreshed_source_changes_only_what_rests_on_it(own_tuna, tmp_path):
    folder = tmp_path / "w"
    build(own_tuna, folder)
    before = read_graphs(folder)
    file = own_tuna.parent / "fishbase.csv"
    file.write_text(file.read_text().replace("Seychelles;", "Kenya;Seychelles;"))
    assert refresh(folder)["refreshed"] == ["fishbase"]
    after = read_graphs(folder)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {graphs.stated("fishbase").value, graphs.merged("fishbase").value}
    # Without its names it is linked to nothing, so that links and what they merge change, but no other source.
    file.write_text(file.read_text().replace("thunnus albacares", "thunnus thynnus"))
    refresh(folder, ["fishbase"])
    last = read_graphs(folder)
    for source in ("ecoscope", "flod", "worms", "dbpedia"):
        for graph in (graphs.stated(source), graphs.inferred(source)):
            assert last[graph.value] == before[graph.value]
    assert last[graphs.links("fishbase-iri").value] < before[graphs.links("fishbase-iri").value]
    build(own_tuna, tmp_path / "anew")
    assert last == read_graphs(tmp_path / "anew")


def test_links_that_vanish_with_a_refresh_rename_things_in_other_sources(make, tmp_path):
    source = '[[source]]\nname = "{0}"\nfile = "{0}.ttl"\n'
    match = '[[match]]\nname = "m"\na = { source = "a", value = "<urn:c>" }\nb = { source = "b", value = "<urn:c>" }\n'
    files = {"a.ttl": "<urn:a> <urn:c> '1' .", "b.ttl": "<urn:b> <urn:c> '1' .", "c.ttl": "<urn:d> <urn:of> <urn:b> ."}
    make("".join(map(source.format, "abc")) + match, files).close()
    query = "SELECT ?x { ?y <urn:of> ?x }"
    with Warehouse(tmp_path / "w") as warehouse:
        assert [row[0].value for row in warehouse.ask(query).rows] == ["urn:a"]
        assert len(warehouse.ask("SELECT ?y { ?y <urn:of> <urn:b> }").rows) == 1  # by any of its names
    (tmp_path / "a.ttl").write_text("<urn:a> <urn:c> '2' .")
    refresh(tmp_path / "w")
    with Warehouse(tmp_path / "w") as warehouse:
        assert [row[0].value for row in warehouse.ask(query).rows] == ["urn:b"]
    (tmp_path / "a.ttl").write_text("<urn:a> <urn:c> '1' .")
    refresh(tmp_path / "w")
    with Warehouse(tmp_path / "w") as warehouse:
        assert [row[0].value for row in warehouse.ask(query).rows] == ["urn:a"]


def test_nothing_changed_nothing_is_read(own_tuna, tmp_path):
    build(own_tuna, tmp_path / "w")
    store = describe(tmp_path / "w")["store"]
    assert refresh(tmp_path / "w")["refreshed"] == []
    assert describe(tmp_path / "w")["store"] == store


BREAK = {
    "ecoscope.ttl": ("skos:altLabel", "skos:altLabel <a b> .", r"ecoscope.ttl, line 8: not Turtle"),
    "flod.rdf": ("</flod:CodedEntity>", "</flod:Coded>", r"flod.rdf, line 16: not RDF/XML"),
    "dbpedia.jsonld": ('"@graph": [', '"@graph": [[}', r"dbpedia.jsonld, line 12: not JSON-LD"),
    "fishbase.csv": ("thunnus albacares,", "thunnus albacares,,", r"fishbase.csv: row 1 has 10 cells"),
    "worms/taxon.txt": ("WoRMS:127018\t", "\t", r"worms/taxon.txt: row 4 has no value"),
}


@pytest.mark.parametrize("name", BREAK)
def test_a_broken_source_changes_nothing(name, own_tuna, tmp_path, tuna_folder):
    folder = tmp_path / "w"
    folder.symlink_to(tuna_folder, target_is_directory=True)
    before, names = describe(folder), sorted(path.name for path in tuna_folder.iterdir())
    old, new, said = BREAK[name]
    file = own_tuna.parent / name
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(SchemaError, match=said):
        build(own_tuna, folder)
    assert describe(folder) == before
    assert sorted(path.name for path in tuna_folder.iterdir()) == names, "what failed is cleared away"
    with pytest.raises(SchemaError, match=said):
        build(own_tuna, tmp_path / "fresh")
    assert not (tmp_path / "fresh").exists()


def test_a_second_writer_is_refused_at_once_and_readers_are_not(tuna_folder):
    with write_next(tuna_folder):
        with pytest.raises(SfumatoError, match="another process is writing this warehouse"):
            build(EXAMPLE / "tuna.toml", tuna_folder)
        with Warehouse(tuna_folder) as warehouse:
            assert warehouse.ask("ASK { ?x a tlo:Species }").rows == ((True,),)


def test_a_reader_keeps_its_state_while_a_new_one_comes_into_force(own_tuna, tmp_path):
    build(own_tuna, tmp_path / "w")
    with Warehouse(tmp_path / "w") as warehouse:
        build(own_tuna, tmp_path / "w")
        assert len(list((tmp_path / "w").glob("store-*"))) == 2
        assert all(found.passed for found in run_suite(warehouse))
    refresh(tmp_path / "w", ["flod"])
    assert len(list((tmp_path / "w").glob("store-*"))) == 1


KILLED = """
import sys, time
from pathlib import Path
from sfumato.ontologies import building
def wait(*_):
    print("ready", flush=True)
    time.sleep(60)
building.find_links = wait
building.{call}
"""


@pytest.mark.parametrize(
    ("is_new", "call"),
    [
        (False, "build(Path(sys.argv[1]), Path(sys.argv[2]))"),
        (True, "build(Path(sys.argv[1]), Path(sys.argv[2]))"),
        (False, "refresh(Path(sys.argv[2]), ['worms'])"),
    ],
)
def test_a_killed_writer_leaves_the_old_warehouse(is_new, call, own_tuna, tmp_path):
    folder = tmp_path / "w"
    if not is_new:
        build(own_tuna, folder)
        before = read_graphs(folder)
    command = [sys.executable, "-c", KILLED.format(call=call), own_tuna, folder]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    with pytest.raises(SfumatoError, match="another process is writing"):
        build(own_tuna, folder)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    if not is_new:
        assert read_graphs(folder) == before
    build(own_tuna, folder)
    assert len(list(folder.glob("store-*"))) == 1


def test_a_folder_of_others_is_not_touched(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "lock").write_text("mine")
    (tmp_path / "thesis" / "chapter.tex").write_text("mine")
    with pytest.raises(SchemaError, match="is not a warehouse"):
        build(EXAMPLE / "tuna.toml", tmp_path / "thesis")
    assert sorted(path.name for path in (tmp_path / "thesis").iterdir()) == ["chapter.tex", "lock"]


def test_a_refresh_does_not_take_other_mappings_with_it(own_tuna, tmp_path):
    build(own_tuna, tmp_path / "w")
    own_tuna.write_text(own_tuna.read_text().replace('["eco:shark", "tlo:Species"],', ""))
    with pytest.raises(ParameterError, match=r"\[mapping\] changed after"):
        refresh(tmp_path / "w", ["flod"])
    shutil.copy(EXAMPLE / "tuna.toml", own_tuna)
    ontology = own_tuna.parent / "tlo.ttl"
    ontology.write_text(ontology.read_text().replace("tlo:Phylum rdfs", "tlo:Tribe rdfs"))
    with pytest.raises(ParameterError, match="the ontology changed"):
        refresh(tmp_path / "w", ["flod"])
    with pytest.raises(SchemaError, match="nowhere is not a warehouse"):
        refresh(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("text", ["", "{}", '{"format": 1, "store": "../../etc"}', '{"format": 1, "store": "store-9"}'])
def test_a_damaged_description_is_told(text, tmp_path):
    (tmp_path / "warehouse.json").write_text(text)
    with pytest.raises(SchemaError, match="Build the warehouse again"):
        Warehouse(tmp_path)


def test_what_an_ontology_says_about_classes_without_a_name_is_counted(make):
    ontology = "@prefix r: <http://www.w3.org/2000/01/rdf-schema#> . <urn:A> r:subClassOf [ a <urn:R> ], <urn:B> ."
    definition = '[ontology]\nfile = "o.ttl"\n[[source]]\nname = "a"\nfile = "a.ttl"\n'
    warehouse = make(definition, {"o.ttl": ontology, "a.ttl": "<urn:x> a <urn:A> ."})
    assert warehouse.description["report"]["ontology_unused"] == 1
    assert warehouse.ask("ASK { <urn:x> a <urn:B> }").rows == ((True,),)


PARTS = (
    "<urn:{0}1> <urn:c> '1' ; <urn:says> 01, 1.50, 'one'@en .",
    "<urn:{0}2> <urn:c> '2' ; <urn:says> 'both'@EN, '2' .",
    "<urn:{0}3> <urn:c> '1' ; <urn:says> <urn:a1>, <urn:b2> .",
    "<urn:same> <urn:says> <urn:{0}1>, 7 . <urn:c1> <urn:of> [ <urn:says> 'nameless' ] .",
    "<urn:{0}2> <http://www.w3.org/2002/07/owl#sameAs> <urn:same> .",
    "<urn:{0}9> <urn:says> 'alone' .",
)
LINKED = """
{sources}
[mapping]
subproperty = [["<urn:says>", "<urn:tells>"]]
[[match]]
name = "ab"
a = {{ source = "a", value = "<urn:c>" }}
b = {{ source = "b", value = "<urn:c>" }}
[[match]]
name = "cb"
a = {{ source = "c", value = "<urn:c>" }}
b = {{ source = "b", value = "<urn:c>" }}
"""


@pytest.mark.slow
@settings(max_examples=12)
@given(
    before=st.tuples(*[st.sets(st.sampled_from(PARTS), min_size=1)] * 3),
    after=st.tuples(*[st.sets(st.sampled_from(PARTS), min_size=1)] * 3),
)
def test_whatever_changes_a_refresh_is_a_build(before, after):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        sources = "".join(f'[[source]]\nname = "{name}"\nfile = "{name}.ttl"\n' for name in "abc")
        (folder / "w.toml").write_text(LINKED.format(sources=sources))

        def write(name: str, parts: set[str]) -> None:
            (folder / f"{name}.ttl").write_text("\n".join(part.format(name) for part in sorted(parts)))

        for name, parts in zip("abc", before, strict=True):
            write(name, parts)
        build(folder / "w.toml", folder / "w")
        for name, parts in zip("abc", after, strict=True):
            write(name, parts)
            refresh(folder / "w", [name])
        build(folder / "w.toml", folder / "anew")
        assert read_graphs(folder / "w") == read_graphs(folder / "anew")
        reports = [
            {key: value for key, value in describe(folder / made).items() if key not in ("store", "file")}
            for made in ("w", "anew")
        ]
        assert reports[0] == reports[1]
