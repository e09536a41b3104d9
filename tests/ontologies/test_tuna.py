"""The example of the paper: five sources about tuna, and a question that no one of them answers alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.ontologies.competence import run_suite
from sfumato.ontologies.conflicts import find_conflicts
from sfumato.ontologies.connectivity import measure_connectivity
from sfumato.ontologies.plots import draw_connectivity
from sfumato.ontologies.provenance import explain, find_mentions, find_statements, list_reasons

TABLE_3 = {
    "taxonomy": {"worms", "dbpedia", "fishbase"},
    "names": {"ecoscope", "flod", "worms", "dbpedia", "fishbase"},
    "authorships": {"worms", "dbpedia", "fishbase"},
    "predators": {"ecoscope"},
    "ecosystems": {"ecoscope"},
    "countries": {"fishbase"},
    "water-areas": {"flod", "fishbase"},
    "vessels": {"ecoscope", "flod"},
    "gears": {"ecoscope", "flod"},
    "zones": {"flod"},
    "bibliography": {"ecoscope", "worms", "fishbase"},
    "indicators": {"fishbase"},
}
"""Which sources the paper says can answer what."""


@pytest.fixture(scope="module")
def outcomes(tuna_folder):
    from sfumato.ontologies.warehouse import Warehouse

    with Warehouse(tuna_folder) as warehouse:
        return {found.name: found for found in run_suite(warehouse)}


def test_the_question_is_answered_by_the_warehouse_and_by_no_source_alone(outcomes):
    found = outcomes["predators-classified"]
    assert found.passed and found.rows == 4
    assert set(found.alone.values()) == {0}
    assert set(found.sources) >= {"ecoscope", "flod", "worms"}


def test_table_3_is_that_of_the_paper(outcomes):
    alone = {name: {source for source, rows in outcomes[name].alone.items() if rows} for name in TABLE_3}
    assert alone == TABLE_3
    assert all(found.passed for found in outcomes.values())


def test_what_is_lost_without_a_source(outcomes):
    assert outcomes["predators-classified"].lost == {"ecoscope": 4, "flod": 2, "worms": 3, "dbpedia": 0, "fishbase": 0}


def test_every_row_names_the_smallest_sets_of_sources_that_give_it(tuna):
    query = tuna.read_query(Path(tuna.definition.competence[0].query))
    found = explain(tuna, query)
    by_code = {row[-1].value: sets for row, sets in zip(found.answer.rows, found.sufficient, strict=True)}
    assert by_code["FAL"] == (("ecoscope", "flod", "worms"),)
    assert set(by_code["BUM"]) == {("ecoscope", "flod", other) for other in ("worms", "dbpedia", "fishbase")}
    for row, sets in zip(found.answer.rows, found.sufficient, strict=True):
        for names in sets:
            assert row in tuna.ask(query, names).rows
            for left in names:
                assert row not in tuna.ask(query, [name for name in names if name != left]).rows


@pytest.mark.parametrize(
    ("query", "grounded"),
    [
        ('ASK { ?s ?p "nonexistent" }', False),
        ("SELECT ?x { BIND(1/0 AS ?x) }", False),
        ('SELECT (COUNT(?s) AS ?n) { ?s ?p "nonexistent" }', False),
        ("ASK { tlo:Species rdfs:subClassOf ?x }", True),
    ],
)
def test_what_nobody_says_does_not_rest_on_the_ontology(query, grounded, tuna):
    found = explain(tuna, query)
    assert (found.sufficient, found.grounded) == ((((),),), (grounded,))


def test_what_two_sources_say_counts_once(tuna):
    count = "SELECT (COUNT(?name) AS ?n) { thing:thunnus_albacares tlo:hasCommonName ?name }"
    assert tuna.ask(count).rows[0][0].value == "3"  # yellowfin tuna, albacore, thon albacore
    assert tuna.ask(count, ["worms", "fishbase"]).rows[0][0].value == "2"
    assert explain(tuna, count).sufficient == ((("ecoscope", "worms"),),)
    bag = tuna.ask("SELECT ?name { thing:thunnus_albacares tlo:hasCommonName ?name }")
    assert len(bag.rows) == len(set(bag.rows)) == 3


def test_any_name_of_a_thing_may_be_asked_for(tuna):
    names = ("dbr:Yellowfin_tuna", "<http://www.fishbase.org/entity#thunnus_albacares>", "worms:WoRMS:127027")
    answers = [tuna.ask(f'SELECT ?p ?o {{ {name} ?p ?o . FILTER(?o != "dbr:Yellowfin_tuna") }}').rows for name in names]
    assert answers[0] and sorted(map(str, answers[0])) == sorted(map(str, answers[1])) == sorted(map(str, answers[2]))


def test_a_text_in_a_query_is_left_as_it_is(tuna):
    (row,) = tuna.ask('SELECT ?t { BIND("dbr:Yellowfin_tuna # not a name" AS ?t) }').rows
    assert row[0].value == "dbr:Yellowfin_tuna # not a name"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT ?x {\n ?x nope:a ?y }", "line 2: a prefix is not declared"),
        ("SELECT ?x {\n ?x ! }", r"line 2: '\?x ! }'"),
        ("CONSTRUCT { ?x ?p ?o } WHERE { ?x ?p ?o }", "only SELECT and ASK are supported"),
        ("DELETE WHERE { ?x ?p ?o }", "not SPARQL"),
        ("SELECT * FROM <urn:x> { ?x ?p ?o }", "FROM is not supported"),
        ("SELECT * { graph?g { ?x ?p ?o } }", "GRAPH is not supported"),
    ],
)
def test_a_bad_query_is_told(query, said, tuna):
    with pytest.raises(ParameterError, match=said):
        tuna.ask(query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { SERVICE <http://127.0.0.1:1/> { ?x ?p ?o } }",
        "SELECT * { ?x ?p 1SERVICE <http://127.0.0.1:1/> { ?x ?p ?o } }",
        "SELECT * { ?x ?p trueservicesilent<http://127.0.0.1:1/> { ?x ?p ?o } }",
        "PREFIX : <http://127.0.0.1:1/> SELECT * {SERVICE:x{ ?x ?p ?o }}",
        "SELECT * { ?x ?p ?o.SERVICE?s{ ?x ?p ?o }}",
        "SELECT * { \\u0053ERVICE <http://127.0.0.1:1/> { ?x ?p ?o } }",
        # A remark after a comparison, which looks like a name and a text.
        'SELECT * { ?x ?p ?a FILTER(?a<tlo:#>"""\n) ?x ?p ?z SERVICE <http://127.0.0.1:1/> { ?x ?p ?o } #"""\n}',
    ],
)
def test_no_other_server_is_asked(query, tuna):
    with pytest.raises(ParameterError, match="queries no other servers"):
        tuna.ask(query)


def test_names_may_hold_the_words_of_the_language(tuna):
    query = "PREFIX g: <urn:graph/from/> SELECT ?service ?from { ?service <urn:from/service> g:graph, ?from }"
    assert tuna.ask(query).rows == ()


def test_who_says_a_statement_and_a_value(tuna):
    said = find_statements(tuna, "dbr:Yellowfin_tuna", "tlo:hasCommonName", "yellowfin tuna")
    assert {(found.source, found.inferred) for found in said} == {
        ("ecoscope", True),
        ("worms", False),
        ("fishbase", False),
    }
    assert find_mentions(tuna, "YFT") == {"flod": 1}
    assert set(find_mentions(tuna, "yellowfin tuna")) == {"ecoscope", "flod", "worms", "fishbase"}
    with pytest.raises(ParameterError, match="Provenance needs"):
        find_statements(tuna)


def test_why_things_are_one_names_the_rules(tuna):
    rules = {link.rule for link in list_reasons(tuna, NamedNode("http://dbpedia.org/resource/Yellowfin_tuna"))}
    assert rules == {"worms-id", "latin-name", "binomial", "fishbase-iri", "worms-fishbase", "taxa-dbpedia"}


def test_connectivity_grows_with_links(tuna):
    found = measure_connectivity(tuna)
    pair = ("ecoscope", "worms")
    assert found.before[pair]["things"].common == 0
    assert found.after[pair]["things"] == (4, 4, 13)
    assert found.after[pair]["statements"].common == 26
    assert found.before[pair]["properties"] == found.after[pair]["properties"]
    for pair, shared in found.after.items():
        first = next(entry for entry in found.contributions if entry.source == pair[0])
        assert shared["statements"].common + shared["statements"].only_a == first.statements
    figure = draw_connectivity(found)
    assert "<svg" in figure.to_svg() and figure.rows[0][:3] == ["ecoscope and flod", "0", "3"]


def test_connectivity_is_what_sets_of_statements_give(tuna):
    from sfumato.ontologies import graphs
    from sfumato.ontologies.linking import SAME

    by_source = {
        source: {
            (str(renamed.subject), str(renamed.predicate), str(renamed.object))
            for graph in graphs.whole(source)
            for quad in tuna.store.quads_for_pattern(None, None, None, graph)
            if quad.predicate != SAME
            for renamed in [tuna.classes.rename(quad)]
        }
        for source in tuna.sources
    }
    found = measure_connectivity(tuna)
    for (a, b), shared in found.after.items():
        assert shared["statements"] == (
            len(by_source[a] & by_source[b]),
            len(by_source[a] - by_source[b]),
            len(by_source[b] - by_source[a]),
        )
    for entry in found.contributions:
        rest = set().union(*(said for name, said in by_source.items() if name != entry.source))
        assert entry.only_statements == len(by_source[entry.source] - rest)


def test_what_contradicts_when_sources_meet_is_listed(tuna):
    (found,) = find_conflicts(tuna)
    assert found.what == "two values" and found.about.value.endswith("makaira_nigricans")
    assert dict(found.values) == {"Lacepède, 1802": ("worms", "fishbase"), "Lacépède, 1802": ("dbpedia",)}


def test_one_code_for_two_things_and_doubtful_links_are_listed(make):
    warehouse = make(
        '[[source]]\nname = "a"\nfile = "a.ttl"\n[[source]]\nname = "b"\nfile = "b.ttl"\n'
        '[[match]]\nname = "m"\na = { source = "a", value = "<urn:n>" }\nb = { source = "b", value = "<urn:n>" }\n'
        '[checks]\nkey = ["<urn:code>"]\n',
        {
            "a.ttl": "<urn:a1> <urn:n> 'x' . <urn:a2> <urn:n> 'x' . <urn:a3> <urn:code> '7' .",
            "b.ttl": "<urn:b1> <urn:n> 'x' . <urn:b2> <urn:code> '7' .",
        },
    )
    code, doubtful = find_conflicts(warehouse)
    assert (code.what, code.about) == ("one code for two things", "7")
    assert doubtful.what == "several things of one source are linked"
    assert [thing.value for thing, _ in doubtful.values] == ["urn:a1", "urn:a2", "urn:b1"]


@pytest.mark.parametrize(
    ("expected", "said"),
    [("", "is empty"), ("y\n", "has the columns y"), ('x\n"a', "not closed"), ("x\na,b\n", "row 1")],
)
def test_expected_answers_that_cannot_be_read_are_named(expected, said, make):
    warehouse = make(
        '[[source]]\nname = "a"\nfile = "a.ttl"\n[[competence]]\nname = "q"\nquery = "q.rq"\nexpected = "e.csv"\n',
        {"a.ttl": "<urn:a> <urn:p> 'v' .", "q.rq": "SELECT ?x { ?y <urn:p> ?x }", "e.csv": expected},
    )
    with pytest.raises(SchemaError, match=said):
        run_suite(warehouse)


def test_a_wrong_answer_says_what_is_missing_and_what_was_not_expected(make):
    warehouse = make(
        '[[source]]\nname = "a"\nfile = "a.ttl"\n[[competence]]\nname = "q"\nquery = "q.rq"\nexpected = "e.csv"\n',
        {"a.ttl": "<urn:a> <urn:p> 'v', 'w' .", "q.rq": "SELECT ?x { ?y <urn:p> ?x }", "e.csv": "x\nv\nu\n"},
    )
    (found,) = run_suite(warehouse)
    assert (found.passed, found.missing, found.unexpected) == (False, (("u",),), (("w",),))
