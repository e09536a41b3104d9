"""SD-SEQANON: semantic dissimilarity decides between near places."""

import pytest
from tests.trajectories.examples import XY, shops, six

from sfumato.core.dataset import Dataset
from sfumato.core.errors import SchemaError
from sfumato.core.hierarchy import Hierarchy
from sfumato.core.run import Run
from sfumato.kinds.trajectories.methods.sd_seqanon import SdSeqAnon
from sfumato.kinds.trajectories.methods.seqanon import SeqAnon


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
