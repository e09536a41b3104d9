"""Classes of equal things are what walking along the links gives, and every link keeps who made it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode
from tests.examples import settings
from tests.ontologies.naive.classes import find_classes, match_all

from sfumato.ontologies.expressions import apply_steps, parse_step
from sfumato.ontologies.linking import Classes, Link, match_things

things = st.sampled_from([f"urn:{letter}" for letter in "abcdefgh"])
pairs = st.lists(st.tuples(things, things), max_size=12)
values = st.dictionaries(st.sampled_from("123"), st.lists(things, min_size=1, max_size=3), max_size=3)


@settings(max_examples=80)
@given(pairs)
def test_classes_are_what_can_be_reached(found):
    links = [Link(NamedNode(a), NamedNode(b), "r", "one", "two") for a, b in found]
    classes = Classes(links, ["one", "two"])
    groups = {frozenset(thing.value for thing in same) for same in classes.groups()}
    assert groups == find_classes(found)
    for same in classes.groups():
        assert {classes.find(thing) for thing in same} == {same[0]}


@settings(max_examples=80)
@given(values, values)
def test_few_links_make_the_classes_of_all(left, right):
    nodes = [{key: [NamedNode(name) for name in names] for key, names in side.items()} for side in (left, right)]
    few = [(a.value, b.value) for a, b in match_things(*nodes).pairs]
    everything = match_all(left, right)
    assert set(few) <= everything
    assert {same for same in find_classes(few) if len(same) > 1} == {
        same for same in find_classes(everything) if len(same) > 1
    }


def test_the_name_of_a_class_is_that_of_its_first_source():
    a, z = NamedNode("urn:a"), NamedNode("urn:z")
    assert Classes([Link(a, z, "r", "second", "first")], ["first", "second"]).find(a) == z


def test_table_2_steps():
    """The examples printed in the paper become equal."""
    worms = "http://www.marinespecies.org/entities/WoRMS:127027/Thunnus_Albacares"
    fish = "http://www.fishbase.org/entity#thunnus_albacares"
    name = ["local-name", "underscores", "lower"]
    cases = [
        ("127027", [], "WoRMS:127027", ["integer"]),
        ("Thunnus albacares", ["lower"], "thunnus albacares", []),
        ("Thunnus albacares", ["lower"], worms, name),
        ('"thunnus albacares"', ["unquote"], fish, name),
        (worms, name, fish, name),
    ]
    for left, left_steps, right, right_steps in cases:
        one, other = (
            apply_steps(text, map(parse_step, steps)) for text, steps in ((left, left_steps), (right, right_steps))
        )
        assert one == other


def test_language_and_class_narrow_a_side_and_links_keep_their_rule(make):
    turtle = (
        "<urn:{0}x> <http://www.w3.org/2000/01/rdf-schema#label> 'fish'@la, 'pez'@es ; a <urn:Species> .\n"
        "<urn:{0}y> <http://www.w3.org/2000/01/rdf-schema#label> 'fish'@en ; a <urn:Ship> .\n"
    )
    sides = [
        '{{ source = "{}", value = "rdfs:label", {} }}'.format(*given)
        for given in (
            ("a", "language = 'LA'"),
            ("b", "language = 'la'"),
            ("a", "class = '<urn:Ship>'"),
            ("b", "class = '<urn:Ship>'"),
        )
    ]
    warehouse = make(
        '[[source]]\nname = "a"\nfile = "a.ttl"\n[[source]]\nname = "b"\nfile = "b.ttl"\n'
        f'[[match]]\nname = "latin"\na = {sides[0]}\nb = {sides[1]}\n'
        f'[[match]]\nname = "ships"\na = {sides[2]}\nb = {sides[3]}\n',
        {
            "a.ttl": turtle.format("a"),
            "b.ttl": turtle.format("b") + "<urn:bx> <http://www.w3.org/2002/07/owl#sameAs> <urn:q> .",
        },
    )
    assert [(link.a.value, link.b.value, link.rule) for link in warehouse.links] == [
        ("urn:ax", "urn:bx", "latin"),
        ("urn:ay", "urn:by", "ships"),
        ("urn:bx", "urn:q", "stated by b"),
    ]
    assert warehouse.classes.find(NamedNode("urn:q")).value == "urn:ax"
