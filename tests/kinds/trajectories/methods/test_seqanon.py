"""SEQANON, SD-SEQANON and U-SEQANON: the printed examples, and what the papers leave open."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.examples import XY, in_original_order, shops, six

from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.trajectories.methods.seqanon import SdSeqAnon, SeqAnon, USeqAnon
from sfumato.kinds.trajectories.metrics.distance import Distance
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run


def test_example_4_gives_the_printed_release():
    result = SeqAnon(k=2, m=2).anonymize(six(), Run(bytes([3] * 32)))
    abc = "{a|b|c}"
    assert in_original_order(result) == [
        ["d", abc, abc, "e"],
        [abc, abc, "e", abc],
        [abc, "d", "e"],
        [abc, "d", "e", abc],
        ["d", abc],
        ["d", "e"],
    ]
    assert result.release.members() == {abc: ("a", "b", "c")}
    assert result.owner_record.recoding.groups == (("a", "b", "c"), ("d",), ("e",))


def test_nothing_is_merged_where_nothing_is_rare():
    assert SeqAnon(k=2, m=1).anonymize(six(), Run(bytes([3] * 32))).release.members() == {}


def test_without_apriori_short_records_are_protected_too():
    # Only the last person is shorter than m; size-m sequences alone would leave that person unique.
    xy = {"a": (0, 0), "b": (1, 0), "z": (5, 5)}
    data = Dataset.of("trajectories", [["a", "b"], ["a", "b"], ["z"]], xy)
    result = SeqAnon(k=2, m=2, apriori=False).anonymize(data, Run(bytes([3] * 32)))
    assert len(result.release.history().labels) < 3


def test_too_few_long_records_are_infeasible_and_say_so():
    data = Dataset.of("trajectories", [["a", "b"], ["a"], ["b"]], {"a": (0, 0), "b": (1, 1)})
    with pytest.raises(InfeasibleError, match="1 of 3 records have 2 or more places, fewer than k=2"):
        SeqAnon(k=2, m=2).anonymize(data, Run())


def test_too_long_records_can_be_withheld_and_are_counted():
    data = Dataset.of("trajectories", [["a", "b"], ["a"], ["b"]], {"a": (0, 0), "b": (1, 1)})
    release = SeqAnon(k=2, m=2, infeasible="suppress").anonymize(data, Run()).release
    assert len(release) == 2
    assert sum(release.suppressed_records.values()) == 1
    assert release.records_in == 3


def test_withholding_everybody_is_infeasible():
    data = Dataset.of("trajectories", [["a", "b"], ["a"], ["a"]], {"a": (0, 0), "b": (1, 1)})
    with pytest.raises(InfeasibleError, match=r"0 of 3 records are left.*fewer than k=3"):
        SeqAnon(k=3, m=2, infeasible="suppress").anonymize(data, Run())


def test_more_k_than_people_is_a_parameter_error():
    with pytest.raises(ParameterError, match="k must be at most the number of people, got 7 for 6 people"):
        SeqAnon(k=7, m=2).anonymize(six(), Run())


def test_sensitive_places_are_refused():
    with pytest.raises(ParameterError, match="Use the method local-km, lm-anon, zga or sga"):
        SeqAnon(k=2, m=2).anonymize(six(sensitive=("c",)), Run())


def test_places_without_coordinates_are_refused():
    with pytest.raises(SchemaError, match="no coordinates"):
        SeqAnon(k=2, m=1).anonymize(Dataset.of("trajectories", [["a"], ["b"]]), Run())


def test_an_m_beyond_the_longest_record_asks_for_no_more_than_its_length():
    long, beyond = (SeqAnon(k=2, m=m).anonymize(six(), Run(bytes([1] * 32))) for m in (4, 50))
    assert long.owner_record.recoding == beyond.owner_record.recoding


def test_sequences_too_many_to_tell_apart_are_a_parameter_error():
    rows = [[f"p{9 * j + i}" for i in range(9)] for j in range(33)]
    data = Dataset.of("trajectories", [*rows, *rows], {place: (i, 0) for row in rows for i, place in enumerate(row)})
    with pytest.raises(ParameterError, match=r"SeqAnon: .*the largest m possible is"):
        SeqAnon(k=2, m=9).anonymize(data, Run(bytes([1] * 32)))


def loss_of(method, data):
    result = method.anonymize(data, Run(bytes([1] * 32)))
    return float(Distance().measure(Comparison(data, result.release, result.owner_record.rows)).value), result


@given(
    rows=st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5), min_size=5, max_size=16),
    k=st.integers(2, 4),
    m=st.integers(1, 3),
    apriori=st.booleans(),
)
def test_a_refined_recoding_is_one_recoding_that_loses_no_more(rows, k, m, apriori):
    data = Dataset.of("trajectories", rows, {**XY, "f": (4.0, 0.5)})
    try:
        plain, _ = loss_of(SeqAnon(k=k, m=m, apriori=apriori, infeasible="suppress"), data)
    except InfeasibleError:
        return
    method = SeqAnon(k=k, m=m, apriori=apriori, infeasible="suppress", refine=True)
    refined, result = loss_of(method, data)
    assert refined <= plain + 1e-12
    assert loss_of(method, data)[1].release.table == result.release.table
    if not sum(result.release.suppressed_records.values()):
        again = method.apply(data, result.owner_record.recoding, result.release, "error", Run(bytes([1] * 32)))
        assert in_original_order(again) == in_original_order(result)


def test_refining_takes_back_what_later_merges_made_needless():
    # The rare b goes to its nearest, a; c, then the rarest, goes to both. But b and c are enough for each other.
    xy = {"a": (0, 0), "b": (1, 0), "c": (3, 0)}
    data = Dataset.of("trajectories", [["a"], ["b"], ["a"], ["c"], ["a"]], xy)
    plain, refined = (
        SeqAnon(k=2, m=2, refine=refine).anonymize(data, Run(bytes([1] * 32))) for refine in (False, True)
    )
    assert plain.owner_record.recoding.groups == (("a", "b", "c"),)
    assert refined.owner_record.recoding.groups == (("a",), ("b", "c"))
    assert (refined.owner_record.counters["splits"], refined.owner_record.counters["places_moved"]) == (1, 0)


def test_refining_refuses_sequences_too_many_to_tell_apart():
    places = [f"p{i}" for i in range(118)]
    rows = [places[i : i + 9] for i in range(110)] * 2
    data = Dataset.of("trajectories", rows, {place: (i, 0) for i, place in enumerate(places)})
    with pytest.raises(ParameterError, match="too many for refine=true; use a smaller m or refine=false"):
        SeqAnon(k=2, m=9, refine=True).anonymize(data, Run(bytes([1] * 32)))


def test_alike_places_are_preferred_to_nearer_ones():
    # a's nearest place is b, a coffee shop; c is a restaurant and nearly as near: 1.26 * 3/5 < 1 * 5/5.
    rows = [["a", "d"], ["b", "d"], ["b", "c"], ["c", "e"], ["e", "d"]]
    near = SeqAnon(k=2, m=1).anonymize(Dataset.of("trajectories", rows, XY), Run(bytes([1] * 32)))
    alike = SdSeqAnon(k=2, m=1).anonymize(Dataset.of("trajectories", rows, XY, hierarchy=shops()), Run(bytes([1] * 32)))
    assert near.release.members() == {"{a|b}": ("a", "b")}
    assert alike.release.members() == {"{a|c}": ("a", "c")}


def test_a_hierarchy_is_needed():
    with pytest.raises(SchemaError, match="needs a hierarchy"):
        SdSeqAnon(k=2, m=2).anonymize(six(), Run())


def test_a_hierarchy_that_misses_a_place_fails_loudly_without_naming_it():
    partial = Hierarchy.from_parents([("a", "*"), ("b", "*")])
    with pytest.raises(SchemaError) as error:
        SdSeqAnon(k=2, m=2).anonymize(six(hierarchy=partial), Run())
    assert "3" in str(error.value)


CONSTRAINTS = (("b", "c"), ("a", "d", "e"))


def test_the_pseudocode_gives_a_finer_result_than_the_one_printed():
    result = USeqAnon(k=2, m=2, delta=5).anonymize(six(constraints=CONSTRAINTS), Run(bytes([1] * 32)))
    assert result.owner_record.recoding.groups == (("a", "d"), ("b", "c"), ("e",))


def test_a_used_up_constraint_is_suppressed_everywhere():
    xy = {"a": (0, 0), "b": (1, 0), "z": (2, 0)}
    rows = [["a", "b"], ["a", "b"], ["a", "z"]]
    data = Dataset.of("trajectories", rows, xy, constraints=(("a", "b"), ("z",)))
    result = USeqAnon(k=2, m=1, delta=34).anonymize(data, Run(bytes([1] * 32)))
    assert in_original_order(result) == [["a", "b"], ["a", "b"], ["a"]]
    assert result.release.suppressed() == ("z",)


def test_records_left_empty_are_withheld_and_reported():
    xy = {"a": (0, 0), "z": (2, 0)}
    data = Dataset.of("trajectories", [["a"], ["a"], ["z"]], xy, constraints=(("a",), ("z",)))
    release = USeqAnon(k=2, m=1, delta=50).anonymize(data, Run(bytes([1] * 32))).release
    assert len(release) == 2
    assert dict(release.suppressed_records) == {"no place left after suppression": 1}


def test_more_suppression_than_delta_is_infeasible():
    xy = {"a": (0, 0), "z": (2, 0)}
    data = Dataset.of("trajectories", [["a"], ["a"], ["z"]], xy, constraints=(("a",), ("z",)))
    with pytest.raises(InfeasibleError, match="delta=5 %"):
        USeqAnon(k=2, m=1).anonymize(data, Run())


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ((), "needs utility constraints"),
        ((("a", "b"), ("c", "d")), "1 of 5 places are in no utility constraint"),
        ((("a", "b"), ("c", "d", "e", "a")), "constraint 2 repeats a place of constraint 1"),
    ],
)
def test_constraints_must_be_a_partition(constraints, message):
    with pytest.raises(SchemaError, match=message):
        USeqAnon(k=2, m=1).anonymize(six(constraints=constraints), Run())
