"""SEQANON: Example 4 of the paper, and what it leaves open."""

import pytest
from tests.trajectories.examples import in_original_order, six

from sfumato.core.dataset import Dataset
from sfumato.core.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.core.run import Run
from sfumato.kinds.trajectories.methods.seqanon import SeqAnon


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
    assert result.trace.recoding.groups == (("a", "b", "c"), ("d",), ("e",))


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
    with pytest.raises(InfeasibleError, match="only 1 of 3 records have 2 or more places, and k is 2"):
        SeqAnon(k=2, m=2).anonymize(data, Run())


def test_too_long_records_can_be_withheld_and_are_counted():
    data = Dataset.of("trajectories", [["a", "b"], ["a"], ["b"]], {"a": (0, 0), "b": (1, 1)})
    release = SeqAnon(k=2, m=2, infeasible="suppress").anonymize(data, Run()).release
    assert len(release) == 2
    assert sum(release.withheld.values()) == 1
    assert release.records_in == 3


def test_withholding_everybody_is_infeasible():
    data = Dataset.of("trajectories", [["a", "b"], ["a"], ["a"]], {"a": (0, 0), "b": (1, 1)})
    with pytest.raises(InfeasibleError, match="0 of 3 records are left, and k is 3"):
        SeqAnon(k=3, m=2, infeasible="suppress").anonymize(data, Run())


def test_more_k_than_people_is_a_parameter_error():
    with pytest.raises(ParameterError, match="k must be at most the number of people, got k=7 for 6 people"):
        SeqAnon(k=7, m=2).anonymize(six(), Run())


def test_sensitive_places_are_refused():
    with pytest.raises(ParameterError, match="Use lm-anon, zga or sga"):
        SeqAnon(k=2, m=2).anonymize(six(sensitive=("c",)), Run())


def test_places_without_coordinates_are_refused():
    with pytest.raises(SchemaError, match="needs coordinates"):
        SeqAnon(k=2, m=1).anonymize(Dataset.of("trajectories", [["a"], ["b"]]), Run())


def test_an_m_beyond_the_longest_record_asks_for_no_more_than_its_length():
    long, beyond = (SeqAnon(k=2, m=m).anonymize(six(), Run(bytes([1] * 32))) for m in (4, 50))
    assert long.trace.recoding == beyond.trace.recoding


def test_sequences_too_many_to_tell_apart_are_a_parameter_error():
    rows = [[f"p{9 * j + i}" for i in range(9)] for j in range(33)]
    data = Dataset.of("trajectories", [*rows, *rows], {place: (i, 0) for row in rows for i, place in enumerate(row)})
    with pytest.raises(ParameterError, match=r"SeqAnon: .*the largest m possible is"):
        SeqAnon(k=2, m=9).anonymize(data, Run(bytes([1] * 32)))
