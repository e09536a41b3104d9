"""U-SEQANON: merging inside utility constraints, suppression up to delta."""

import pytest
from tests.trajectories.examples import in_original_order, six

from sfumato.core.dataset import Dataset
from sfumato.core.errors import InfeasibleError, SchemaError
from sfumato.core.run import Run
from sfumato.kinds.trajectories.methods.u_seqanon import USeqAnon

CONSTRAINTS = (("b", "c"), ("a", "d", "e"))


def test_the_pseudocode_gives_a_finer_result_than_the_one_printed():
    result = USeqAnon(k=2, m=2, delta=5).anonymize(six(constraints=CONSTRAINTS), Run(bytes([1] * 32)))
    assert result.trace.recoding.groups == (("a", "d"), ("b", "c"), ("e",))


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
    assert dict(release.withheld) == {"no place left after suppression": 1}


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
