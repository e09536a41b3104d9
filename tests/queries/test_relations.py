"""The thirteen relations of fuzzy intervals, against the statements about sets of points."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from tests.queries.naive.fuzzy_time import all_relations, allens_relation, overlaps_as_printed

from sfumato.exceptions import ParameterError
from sfumato.queries.intervals import FuzzyInterval, FuzzyIntervals
from sfumato.queries.relations import INVERSE, RELATIONS, relate, relate_columns, transitive_event

INTERVALS = [corners for corners in combinations_with_replacement(range(7), 4) if corners[1] < corners[2]]
PAIRS = list(product(INTERVALS, INTERVALS))


def relate_all(pairs):
    """Return the relation of every pair, found in columns."""
    one, other = (np.array([pair[at] for pair in pairs]).T for at in (0, 1))
    return [RELATIONS[code] for code in relate_columns(FuzzyIntervals(*one), FuzzyIntervals(*other))]


def test_every_pair_with_corners_up_to_6_has_exactly_one_relation_that_of_the_sets():
    assert len(PAIRS) == 15_876
    assert [{found} for found in relate_all(PAIRS)] == [all_relations(*pair) for pair in PAIRS]


def test_exact_intervals_have_allens_relation():
    exact = [pair for pair in PAIRS if all(a == b and c == d for a, b, c, d in pair)]
    assert len(exact) == 441
    found = relate_all(exact)
    assert found == [allens_relation(one[0], one[3], other[0], other[3]) for one, other in exact]
    assert set(found) == set(RELATIONS)


def test_overlaps_as_printed_never_holds():
    assert not any(overlaps_as_printed(*pair) for pair in PAIRS)


def test_the_other_way_round_is_the_inverse():
    found, swapped = relate_all(PAIRS), relate_all([(b, a) for a, b in PAIRS])
    assert [INVERSE[name] for name in found] == swapped


def test_columns_of_different_length_are_refused():
    with pytest.raises(ParameterError, match="1 intervals cannot be compared with 2"):
        relate_columns(
            FuzzyIntervals.of([FuzzyInterval(0, 1, 2, 3)]), FuzzyIntervals.of([FuzzyInterval(0, 1, 2, 3)] * 2)
        )


def test_no_columns_have_no_relations():
    assert relate_columns(FuzzyIntervals.of([]), FuzzyIntervals.of([])).tolist() == []


def test_a_true_meeting_lies_within_the_transitive_event():
    """Figure 2: whenever the first truly gave way to the second, it was within what their boundaries share."""
    meeting = [pair for pair, found in zip(PAIRS, relate_all(PAIRS), strict=True) if found == "meets"]
    for one, other in meeting:
        start, end = transitive_event(FuzzyInterval(*one), FuzzyInterval(*other))
        true_ends = [t / 2 for t in range(13) if one[2] <= t / 2 <= one[3]]
        true_starts = [t / 2 for t in range(13) if other[0] <= t / 2 <= other[1]]
        assert [t for t in true_ends if t in true_starts] == [t / 2 for t in range(13) if start <= t / 2 <= end] != []


def test_a_transitive_event_is_the_same_from_both_sides_and_needs_a_meeting():
    reign, siege = FuzzyInterval(0, 1, 6, 8), FuzzyInterval(5, 7, 9, 9)
    assert transitive_event(reign, siege) == transitive_event(siege, reign) == (6, 7)
    assert transitive_event(reign, FuzzyInterval(9, 9, 10, 10)) is None
    assert relate(reign, FuzzyInterval(9, 9, 10, 10)) == "before"
