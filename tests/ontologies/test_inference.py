"""What follows is what the rules give, applied until nothing is new, and no more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode, Quad, Store
from tests.examples import settings
from tests.ontologies.naive.inference import TYPE, compete, infer

from sfumato.exceptions import ParameterError
from sfumato.ontologies import graphs
from sfumato.ontologies.definition import Definition, RuleSection
from sfumato.ontologies.inference import infer as infer_fast
from sfumato.ontologies.inference import read_schema
from sfumato.ontologies.terms import COMMON, Prefixes
from sfumato.ontologies.transformation import Rule

NAMES = list("abcde")
PROPERTIES = ["p", "q", "r", TYPE]
pairs = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=4)
triples = st.sets(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(PROPERTIES), st.sampled_from(NAMES)), min_size=1, max_size=12
)


def format_iri(name):
    return f"{COMMON['rdf']}type" if name == TYPE else f"urn:{name}"


def parse_iri(node):
    return TYPE if node.value == f"{COMMON['rdf']}type" else node.value.removeprefix("urn:")


def fill(found):
    store = Store()
    quads = [Quad(*(NamedNode(format_iri(name)) for name in triple), graphs.stated("s")) for triple in found]
    store.extend(quads)
    return store


def read_inferred(store):
    return {
        tuple(map(parse_iri, (quad.subject, quad.predicate, quad.object)))
        for quad in store.quads_for_pattern(None, None, None, graphs.inferred("s"))
    }


def define(**mapping):
    wrapped = {
        name: [tuple(f"<{format_iri(part)}>" for part in pair) for pair in given] for name, given in mapping.items()
    }
    if "restriction" in wrapped:
        keys = ("class", "of", "property", "some")
        wrapped["restriction"] = [dict(zip(keys, entry, strict=True)) for entry in wrapped["restriction"]]
    return read_schema(Definition(source=[{"name": "s", "file": "s"}], mapping=wrapped), [])


@settings(max_examples=60)
@given(
    triples,
    pairs,
    st.lists(st.tuples(st.sampled_from(PROPERTIES[:3]), st.sampled_from(PROPERTIES)), max_size=3),
    pairs,
    st.lists(
        st.tuples(*[st.sampled_from(NAMES)] * 2, st.sampled_from(PROPERTIES[:3]), st.sampled_from(NAMES)), max_size=2
    ),
)
def test_what_follows_is_what_plain_rules_give(found, subclass, subproperty, equivalent, restriction):
    schema = define(subclass=subclass, subproperty=subproperty, equivalent=equivalent, restriction=restriction)
    store = fill(found)
    inferred = infer_fast(store, "s", schema, [])
    expected = infer(found, subclass, subproperty, equivalent, restriction)
    assert read_inferred(store) == expected
    assert inferred.statements == len(expected)


@settings(max_examples=30)
@given(triples, st.lists(st.tuples(st.just("q"), st.just("p")), max_size=1))
def test_a_rule_sees_what_mappings_give(found, subproperty):
    section = RuleSection(
        name="r", where=["?x <urn:p> ?z", "?y <urn:p> ?z"], different=["?x", "?y"], add=["?x <urn:rival> ?y"]
    )
    store = fill(found)
    infer_fast(store, "s", define(subproperty=subproperty), [Rule.read(section, Prefixes())])
    mapped = infer(found, subproperty=subproperty)
    assert read_inferred(store) == (mapped | compete(found | mapped, "p", "rival")) - found


def test_figure_11_a_vessel_is_no_species():
    """Everything is a coded entity; only what has the code of a species is one."""
    store = fill(
        {("tuna", TYPE, "Coded"), ("tuna", "by", "yft"), ("yft", TYPE, "SpeciesCode")}
        | {("ship", TYPE, "Coded"), ("ship", "by", "v289"), ("v289", TYPE, "VesselCode")}
    )
    infer_fast(store, "s", define(restriction=[("Species", "Coded", "by", "SpeciesCode")]), [])
    assert read_inferred(store) == {("tuna", TYPE, "Species")}


def test_a_rule_that_feeds_on_itself_is_refused():
    rule = Rule.read(RuleSection(name="echo", where=["?x <urn:p> ?y"], add=["_:n <urn:p> ?x"]), Prefixes())
    with pytest.raises(ParameterError, match=r"does not end.*echo"):
        infer_fast(fill({("a", "p", "b")}), "s", define(), [rule])


def test_table_1_nodes_in_between_are_the_same_next_time():
    section = RuleSection(
        name="author",
        where=["?x <urn:by> ?text"],
        of="?text",
        pattern="(?P<who>.+), (?P<year>[0-9]{4})",
        add=["?x <urn:attributed> _:n", "_:n <urn:carried> _:p", "_:p <urn:name> ?who", "_:n <urn:date> ?year"],
    )
    results = []
    for _ in range(2):
        store = Store()
        store.update('INSERT DATA { GRAPH <urn:sfumato:source:s> { <urn:x> <urn:by> "Bonnaterre, 1788", "nobody" } }')
        inferred = infer_fast(store, "s", define(), [Rule.read(section, Prefixes())])
        results.append({str(quad) for quad in store.quads_for_pattern(None, None, None, graphs.inferred("s"))})
    assert results[0] == results[1] and len(results[0]) == 4
    assert inferred.not_split == {"author": 1}
    path = "SELECT ?who ?year { ?x <urn:attributed> ?n . ?n <urn:carried>/<urn:name> ?who ; <urn:date> ?year }"
    found = graphs.select(store, path, graphs.whole("s"))
    assert [tuple(term.value for term in row) for row in found] == [("Bonnaterre", "1788")]


def test_a_source_s_own_schema_is_not_reasoned_over():
    store = Store()
    store.update(
        "INSERT DATA { GRAPH <urn:sfumato:source:s> { <urn:a> a <urn:C> . "
        "<urn:C> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:D> } }"
    )
    assert infer_fast(store, "s", define(), []).statements == 0
