"""SD-SEQANON: semantic dissimilarity decides between near places."""

import pytest

from papers.examples import six
from sfumato.core.errors import SchemaError
from sfumato.core.hierarchy import Hierarchy
from sfumato.core.run import Run
from sfumato.methods.sd_seqanon import SdSeqAnon


def test_alike_places_are_preferred_to_near_ones():
    from papers.examples import shops

    result = SdSeqAnon(k=2, m=2).anonymize(six(hierarchy=shops()), Run(seed=1))
    # a's nearest place is b, a coffee shop; c is a restaurant and nearly as near.
    assert any({"a", "c"} <= set(group) and "b" not in group for group in result.trace.recoding.groups)


def test_a_hierarchy_is_needed():
    with pytest.raises(SchemaError, match="needs a hierarchy"):
        SdSeqAnon(k=2, m=2).anonymize(six(), Run())


def test_a_hierarchy_that_misses_a_place_fails_loudly_without_naming_it():
    partial = Hierarchy.from_parents([("a", "*"), ("b", "*")])
    with pytest.raises(SchemaError) as error:
        SdSeqAnon(k=2, m=2).anonymize(six(hierarchy=partial), Run())
    assert "3" in str(error.value)
