"""Which subrecords of shared chunks may go to which leaves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.examples import settings
from tests.kinds.sets.drawing import disassociations

from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.estimate import matching
from sfumato.kinds.sets.estimate.matching import ChunkMatching


@settings(max_examples=60)
@given(disassociations())
def test_items_told_apart_a_few_at_a_time_restrict_the_same_subrecords(given_release):
    clusters, rows, _ = given_release
    at_once = ChunkMatching(Chunks.from_rows(clusters, rows))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(matching, "_BITS", 1)
        one_by_one = ChunkMatching(Chunks.from_rows(clusters, rows)).restricted
    assert list(one_by_one) == list(at_once.restricted)
    for chunk, found in at_once.restricted.items():
        other = one_by_one[chunk]
        assert other.is_open[other.kind_of_row].tolist() == found.is_open[found.kind_of_row].tolist()
        leaves = np.arange(found.first, found.first + len(found.sizes))
        for row, items in enumerate(at_once.chunks.subrecords_of(chunk).lists()):
            codes = [at_once.chunks.subrecords.labels.index(item) for item in items]
            from_here = [all(at_once.sources(code)[leaf] == chunk for code in codes) for leaf in leaves]
            assert found.is_open[found.kind_of_row[row]].tolist() == from_here
