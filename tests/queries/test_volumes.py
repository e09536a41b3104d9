"""Relations of volumes: at shared places, by total times without one, and what is answered where statements fail."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.queries.naive.fuzzy_time import all_relations, thirteen_as_printed, thirteen_both_ways

from sfumato.exceptions import ParameterError
from sfumato.queries.intervals import FuzzyInterval
from sfumato.queries.relations import INVERSE, RELATIONS
from sfumato.queries.spatio_temporal import PREVALENCE, Volume, find_prevailing, hold_over_places, relate_volumes

EXAMPLES = {
    "before": (0, 1), "meets": (0, 2), "overlaps": (0, 3), "finished_by": (0, 5), "contains": (1, 6),
    "starts": (2, 3), "equals": (2, 5), "started_by": (2, 6), "during": (3, 4), "finishes": (3, 5),
    "overlapped_by": (3, 6), "met_by": (5, 6), "after": (6, 7),
}  # fmt: skip
"""For every relation an exact interval that has it to the one from 2 to 5."""

CASES = list(product(RELATIONS, repeat=2))


def corners(start, end):
    """Return the four corners of an exact interval."""
    return (start, start, end, end)


def build(case):
    """Return two volumes of two places whose local relations are those of the case, as places and corners."""
    one = {place: corners(*EXAMPLES[name]) for place, name in zip("st", case, strict=True)}
    return one, dict.fromkeys("st", corners(2, 5))


def as_volume(places):
    """Return the volume with these corners."""
    return Volume({place: FuzzyInterval(*four) for place, four in places.items()})


def count_holding(statements):
    """Return how many of the 169 cases have no relation, and how many have two."""
    numbers = Counter(len(statements(*build(case))) for case in CASES)
    assert sum(numbers.values()) == 169 and set(numbers) == {0, 1, 2}
    return numbers[0], numbers[2]


def test_the_examples_have_their_relations():
    assert all(all_relations(corners(*ends), corners(2, 5)) == {name} for name, ends in EXAMPLES.items())


def test_as_printed_22_of_169_cases_have_no_relation_and_30_have_two():
    assert count_holding(thirteen_as_printed) == (22, 30)


def test_with_equality_both_ways_20_have_none_and_32_have_two():
    assert count_holding(thirteen_both_ways) == (20, 32)


def test_a_meeting_in_both_directions_read_as_none_gives_22_and_30_as_well():
    def without_both(one, other):
        found = thirteen_both_ways(one, other)
        return set() if found == {"meets", "met_by"} else found

    assert count_holding(without_both) == (22, 30)


def test_what_holds_is_what_the_statements_say_with_equality_both_ways():
    for case in CASES:
        assert set(hold_over_places(case)) == thirteen_both_ways(*build(case)), case


def level(name):
    """Return how strong a relation is; 0 is the strongest."""
    return next(at for at, names in enumerate(PREVALENCE) if {name, INVERSE[name]} & set(names))


def test_every_case_has_one_of_three_answers():
    answers = Counter()
    for case in CASES:
        one, other = build(case)
        found = relate_volumes(as_volume(one), as_volume(other))
        assert dict(found.local) == dict(zip("st", case, strict=True))
        holding = thirteen_both_ways(one, other)
        strongest = {name for name in holding if level(name) == min(map(level, holding))}
        assert found.relation == (strongest.pop() if len(strongest) == 1 else None)
        answers[
            "none holds" if not holding else "one holds" if len(holding) == 1 else "several hold", bool(found.relation)
        ] += 1
    assert answers == {
        ("one holds", True): 117,
        ("several hold", True): 20,
        ("several hold", False): 12,
        ("none holds", False): 20,
    }


def test_printed_and_chosen_reading_answer_alike_but_where_the_second_starts_and_finishes_the_first():
    differ = {
        frozenset(case) for case in CASES
        if find_prevailing(thirteen_as_printed(*build(case))) != find_prevailing(thirteen_both_ways(*build(case)))
    }  # fmt: skip
    assert differ == {frozenset({"started_by", "finished_by"})}


@pytest.mark.parametrize("case", [("before", "during"), ("before", "after"), ("meets", "during")])
def test_where_no_relation_holds_the_local_ones_are_the_answer(case):
    found = relate_volumes(*map(as_volume, build(case)))
    assert found.relation is None and found.holding == ()
    assert tuple(found.local.values()) == case


def test_overlaps_prevails_over_starts():
    found = relate_volumes(*map(as_volume, build(("overlaps", "starts"))))
    assert found.relation == "overlaps" and found.holding == ("overlaps", "starts") and found.manner is None


def test_one_start_and_one_finish_are_equality_from_both_sides():
    assert relate_volumes(*map(as_volume, build(("starts", "finishes")))).relation == "equals"
    assert relate_volumes(*map(as_volume, build(("started_by", "finished_by")))).relation == "equals"


@pytest.mark.parametrize("name", ["starts", "finishes", "started_by", "finished_by"])
def test_starts_and_finishes_are_causal_everywhere_and_incidental_somewhere(name):
    causal = relate_volumes(*map(as_volume, build((name, name))))
    assert (causal.relation, causal.manner) == (name, "causal")
    incidental = relate_volumes(*map(as_volume, build((name, "before"))))
    assert (incidental.relation, incidental.manner) == (name, "incidental")


def test_figure_3_total_overlap_but_local_before():
    """A moves away from places before B comes to them; seen as a whole, they go on at the same time."""
    front = {place: FuzzyInterval(4 * at, 4 * at + 1, 4 * at + 3, 4 * at + 4) for at, place in enumerate("pqr")}
    followers = {place: FuzzyInterval(4 * at + 5, 4 * at + 6, 4 * at + 8, 4 * at + 9) for at, place in enumerate("pqr")}
    found = relate_volumes(Volume(front), Volume(followers))
    assert found.total == "overlaps"
    assert set(found.local.values()) == {"before"} and found.relation == "before"


def test_without_a_shared_place_total_times_are_compared():
    one, other = Volume({"p": FuzzyInterval.crisp(0, 4)}), Volume({"q": FuzzyInterval.crisp(2, 6)})
    found = relate_volumes(one, other)
    assert (found.relation, found.basis, dict(found.local)) == ("overlaps", "total", {})


def test_a_volume_has_a_place():
    with pytest.raises(ParameterError, match="at least one place"):
        Volume({})


fuzzy = st.tuples(*[st.integers(0, 6)] * 4).map(lambda four: tuple(sorted(four))).filter(lambda four: four[1] < four[2])
volumes = st.dictionaries(st.sampled_from("stu"), fuzzy, min_size=1)


@given(volumes, volumes)
def test_volumes_follow_the_statements_about_sets(one, other):
    found, swapped = (relate_volumes(*map(as_volume, pair)) for pair in ((one, other), (other, one)))
    assert swapped.relation == (INVERSE[found.relation] if found.relation else None)
    assert {place: INVERSE[name] for place, name in found.local.items()} == dict(swapped.local)
    if one.keys() & other.keys():
        assert {place: {name} for place, name in found.local.items()} == {
            place: all_relations(one[place], other[place]) for place in one.keys() & other.keys()
        }
        assert set(found.holding) == thirteen_both_ways(one, other)
