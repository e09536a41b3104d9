"""Trees out of a warehouse: one parent for each, names of their own, and values where they belong."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode
from tests.examples import settings
from tests.ontologies.naive.trees import choose_parent, has_circle

import sfumato as sf
from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies import derive
from sfumato.ontologies.hierarchies import Wanted, export_hierarchy
from sfumato.ontologies.hierarchies.tree import choose_parents, find_cycle
from sfumato.ontologies.hierarchies.values import count_values
from sfumato.readers.hierarchies import read_hierarchy, write_hierarchy

SKOS = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix e: <urn:e:> .\n"
SHOP = (
    SKOS
    + """
e:food skos:prefLabel "Food"@en, "Essen"@de .
e:drink skos:prefLabel "Drink"@en ; skos:broader e:food .
e:milk skos:prefLabel "Milk"@en, "Milch"@de ; skos:broader e:drink ; skos:notation "M1" .
e:beer skos:prefLabel "Beer"@en ; skos:broader e:drink ; skos:notation "B1" .
e:bread skos:prefLabel "Bread"@en .
e:food skos:narrower e:bread .
e:car skos:prefLabel "Car"@en ; skos:broader e:vehicle .
"""
)
ONE = '[prefixes]\ne = "urn:e:"\n[[source]]\nname = "shop"\nfile = "shop.ttl"\n'
FOOD = Wanted(up=("skos:broader",), down=("skos:narrower",), root="e:food", languages=("en",))


@pytest.fixture
def shop(make):
    return make(ONE, {"shop.ttl": SHOP})


def show(export):
    return [line.strip() for line in str(export.hierarchy).splitlines()[1:]]


def test_up_and_down_lead_to_one_tree_and_what_is_outside_is_named(shop):
    found = export_hierarchy(shop, FOOD)
    assert sorted(show(found)) == ["Beer", "Bread", "Drink", "Food", "Milk"]
    assert found.hierarchy.ancestors("Milk") == ("Drink", "Food")
    assert found.report["outside"] == ["e:car", "e:vehicle"]
    with pytest.raises(SchemaError, match="Things outside the root: 2, such as e:car"):
        export_hierarchy(shop, FOOD._replace(outside="refuse"))


def test_without_a_root_all_tops_stand_below_a_star(shop):
    found = export_hierarchy(shop, FOOD._replace(root=None))
    assert found.hierarchy.ancestors("Car") == ("vehicle", "*")
    assert found.report["without_label"] == ["e:vehicle"]


def test_labels_are_in_the_first_language_there_is(shop):
    found = export_hierarchy(shop, FOOD._replace(languages=("de", "en")))
    assert set(found.hierarchy.labels) == {"Essen", "Drink", "Milch", "Beer", "Bread"}


def test_values_are_matched_by_label_or_code_and_others_are_counted(shop):
    values = {" MILK": 5, "B1": 3, "milk": 2, "wine": 4, "car": 1}
    wanted = FOOD._replace(codes=("skos:notation",), apply=("lower",))
    found = export_hierarchy(shop, wanted, values)
    assert sorted(found.hierarchy.leaf_labels) == [" MILK", "B1", "milk"]
    # Two spellings of one product stand below it; one that has it alone stands in its place.
    assert found.hierarchy.ancestors(" MILK") == ("Milk", "Drink", "Food")
    assert found.hierarchy.ancestors("B1") == ("Drink", "Food")
    assert found.report["unplaced"] == [{"value": "wine", "records": 4}, {"value": "car", "records": 1}]
    assert (found.report["placed"], found.report["values"], found.report["unused_nodes"]) == (3, 5, 1)
    named = export_hierarchy(shop, wanted._replace(unplaced="Other"), values)
    assert named.hierarchy.ancestors("wine") == ("Other", "Food")
    with pytest.raises(ParameterError, match="'Drink' is already a node"):
        export_hierarchy(shop, wanted._replace(unplaced="Drink"), values)


def test_a_value_that_is_a_group_too_stays_a_value(shop):
    found = export_hierarchy(shop, FOOD, {"Drink": 1, "Milk": 2})
    assert set(found.hierarchy.leaf_labels) == {"Drink", "Milk"}
    assert found.hierarchy.ancestors("Milk") == ("Drink (group)", "Food")


def test_a_value_that_is_the_root_stays_a_value(shop):
    found = export_hierarchy(shop, FOOD, {"Food": 1, "Milk": 2, "Beer": 1})
    assert set(found.hierarchy.leaf_labels) == {"Food", "Milk", "Beer"}


def test_the_ontology_itself_has_a_tree(tuna):
    found = export_hierarchy(tuna, Wanted(up=("rdfs:subClassOf",), root="tlo:Taxon"))
    assert "Species" in found.hierarchy.leaf_labels and found.report["nodes"] == 8


def test_a_circle_names_its_members(make):
    warehouse = make(ONE, {"shop.ttl": SKOS + "e:a skos:broader e:b . e:b skos:broader e:c . e:c skos:broader e:a ."})
    for root in (None, "e:a"):
        with pytest.raises(SchemaError, match=r"a cycle: e:a, e:b, e:c|a cycle: e:b, e:c, e:a|e:c, e:a, e:b"):
            export_hierarchy(warehouse, Wanted(up=("skos:broader",), root=root))


def test_several_parents_are_refused_unless_a_choice_is_named(make):
    more = "e:juice skos:prefLabel 'Juice'@en ; skos:broader e:food, e:drink ."
    warehouse = make(ONE, {"shop.ttl": SHOP + more})
    with pytest.raises(SchemaError, match="Things with several parents: 1, such as e:juice: e:drink, e:food"):
        export_hierarchy(warehouse, FOOD)
    first = export_hierarchy(warehouse, FOOD._replace(parents="first"))
    assert first.hierarchy.ancestors("Juice") == ("Drink", "Food")
    assert first.report["several_parents"] == [{"node": "Juice", "chosen": "Drink", "left": ["Food"]}]
    with pytest.raises(
        ParameterError, match=r"parents= must be one of refuse, first, deepest.*Did you mean 'deepest'\?"
    ):
        export_hierarchy(warehouse, FOOD._replace(parents="deepst"))


def test_one_label_for_two_concepts_is_told_apart_and_a_value_that_fits_both_is_placed_nowhere(make):
    more = (
        "e:bar skos:prefLabel 'Bar'@en ; skos:broader e:drink . e:bar2 skos:prefLabel 'Bar'@en ; skos:broader e:food ."
        "e:bar3 skos:prefLabel 'Bar'@en ; skos:broader e:food ."
    )
    warehouse = make(ONE, {"shop.ttl": SHOP + more})
    found = export_hierarchy(warehouse, FOOD)
    assert {"Bar (Drink)", "Bar (bar2)", "Bar (bar3)"} <= set(found.hierarchy.labels)
    assert found.report["same_label"][0]["label"] == "Bar"
    placed = export_hierarchy(warehouse, FOOD, {"Bar": 3, "Beer": 1})
    assert placed.report["ambiguous"] == [{"value": "Bar", "records": 3}]
    assert placed.hierarchy.leaf_labels == ("Beer",)


def test_a_group_called_like_a_member_leaves_the_value_to_the_member(make):
    warehouse = make(ONE, {"shop.ttl": SHOP + "e:ale skos:prefLabel 'Beer'@en ; skos:broader e:beer ."})
    found = export_hierarchy(warehouse, FOOD, {"Beer": 2, "Milk": 1})
    assert found.report["ambiguous"] == [] and found.hierarchy.ancestors("Beer")[-2:] == ("Drink", "Food")


HOSTILE = ["<b>x</b>", '=cmd|"x"', "a\nb", 'say "hi"; now', "  padded ", "ünïcode", "a,b;c\td", "100", "#no remark"]


@pytest.mark.parametrize("format", ["arx", "parent-child", "indented", "amnesia"])
def test_hostile_labels_come_back_from_every_format(format, make, tmp_path):
    lines = [f"e:n{i} skos:prefLabel {json.dumps(text)} ; skos:broader e:food ." for i, text in enumerate(HOSTILE)]
    warehouse = make(ONE, {"shop.ttl": SHOP + "\n".join(lines)})
    found = export_hierarchy(warehouse, FOOD)
    assert {" ".join(text.split()) for text in HOSTILE} <= set(found.hierarchy.labels)
    write_hierarchy(found.hierarchy, tmp_path / "tree", format)
    assert read_hierarchy(tmp_path / "tree", format) == found.hierarchy


def test_relations_to_something_without_a_name_are_counted(make):
    ontology = (
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix e: <urn:e:> .\n"
        "e:cat rdfs:subClassOf e:animal, [ a e:Restriction ] . e:animal rdfs:label 'animal' ."
    )
    found = export_hierarchy(make(ONE, {"shop.ttl": ontology}), Wanted(up=("rdfs:subClassOf",), root="e:animal"))
    assert found.report["without_name"] == 1 and show(found) == ["animal", "cat"]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Wanted(), "needs a relation"),
        (FOOD._replace(root="e:nothing"), "Nothing is below the root e:nothing"),
        (Wanted(up=("skos:broade",)), "No source has the relation skos:broade"),
        (FOOD._replace(up=("x:y",)), "the prefix 'x' is unknown"),
        (FOOD._replace(apply=("lowr",)), "there is no step 'lowr'"),
    ],
)
def test_a_wish_that_cannot_be_met_is_told(wanted, said, shop):
    with pytest.raises((ParameterError, SchemaError), match=said):
        export_hierarchy(shop, wanted, {"milk": 1})


def test_nothing_placed_is_told(shop):
    with pytest.raises(SchemaError, match="has no values"):
        export_hierarchy(shop, FOOD, {"wine": 1})


letters = st.sampled_from("abcdef")
relations = st.dictionaries(letters, st.lists(letters, max_size=3, unique=True), max_size=6)


@settings(max_examples=100)
@given(relations)
def test_a_circle_is_found_where_there_is_one(found):
    above = {NamedNode(f"urn:{low}"): [NamedNode(f"urn:{high}") for high in highs] for low, highs in found.items()}
    cycle = find_cycle(above)
    assert bool(cycle) == has_circle(found)
    for node, following in zip(cycle, [*cycle[1:], *cycle[:1]], strict=True):
        assert following in above[node]


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.integers(0, 7), max_size=3, unique=True), min_size=1, max_size=8),
    st.sampled_from(["first", "deepest"]),
)
def test_the_parent_is_the_one_that_the_choice_says(given_above, choice):
    plain = {i: [high for high in highs if high < i] for i, highs in enumerate(given_above)}
    nodes = [NamedNode(f"urn:{i}") for i in plain]
    parent, several = choose_parents({nodes[i]: [nodes[high] for high in highs] for i, highs in plain.items()}, choice)
    for i, highs in plain.items():
        expected = choose_parent(plain, i, choice)
        assert parent[nodes[i]] == (None if expected is None else nodes[expected])
        assert (nodes[i] in several) == (len(highs) > 1)


def test_values_count_records_not_events():
    visits = Dataset.of("trajectories", [["a", "b", "a"], ["a"]])
    assert count_values(visits, "place") == {"a": 2, "b": 1}
    with pytest.raises(ParameterError, match="no attribute 'colour'"):
        count_values(visits, "colour")


def test_a_release_of_sets_over_the_tree_loses_less_than_over_a_fan_out_one(make):
    """One shelf is hardly bought from: its tree merges that shelf, the alphabet spreads it over all groups."""
    items = [f"{letter}{shelf}" for letter in "abcdef" for shelf in range(4)]
    lines = [f"e:{name} skos:prefLabel '{name}' ; skos:broader e:shelf{name[1]} ." for name in items]
    lines += [f"e:shelf{n} skos:prefLabel 'shelf {n}' ; skos:broader e:food ." for n in range(4)]
    baskets = [[name] for name in items for _ in range(5 if name.endswith("3") else 25)]
    values = count_values(Dataset.of("sets", baskets), "item")
    found = export_hierarchy(make(ONE, {"shop.ttl": SHOP + "\n".join(lines)}), FOOD, values)
    assert not found.report["unplaced"]
    losses = []
    for tree in (found.hierarchy, derive.balanced(sorted(items), 6)):
        ready = Dataset.of("sets", baskets, hierarchy=tree)
        result = sf.anonymize(ready, sf.methods.Apriori(k=25, m=1))
        losses.append(sf.measure(result, ready)["item-loss"].value)
    assert losses[0] < losses[1]


def test_the_languages_that_labels_are_taken_from_are_told(make):
    concepts = """
        @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <urn:food> skos:prefLabel "Food"@en, "Lebensmittel"@de .
        <urn:milk> skos:prefLabel "Milk"@en, "Milch"@de ; skos:broader <urn:food> .
        <urn:tofu> skos:prefLabel "Tofu", " "@en ; skos:broader <urn:food> .
        <urn:soy> skos:prefLabel "Soy milk"@en ; skos:broader <urn:food> .
    """
    warehouse = make('[[source]]\nname = "a"\nfile = "a.ttl"\n', {"a.ttl": concepts})

    def count(*languages: str) -> dict[str, int]:
        return export_hierarchy(warehouse, Wanted(up=("skos:broader",), languages=languages)).report["languages"]

    assert count() == {"de": 2, "": 1, "en": 1}
    assert count("en") == {"en": 3, "": 1}
