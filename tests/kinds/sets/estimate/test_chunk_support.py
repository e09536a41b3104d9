"""Supports in chunks, subrecord by subrecord."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from tests.examples import settings
from tests.kinds.sets.drawing import disassociations

from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.estimate.chunk_support import ChunkSupport
from sfumato.kinds.sets.estimate.matching import ChunkMatching


@settings(max_examples=60)
@given(disassociations())
def test_parts_of_restricted_chunks_are_expected_subrecord_by_subrecord(given_release):
    clusters, rows, _ = given_release
    placed = ChunkMatching(Chunks.from_rows(clusters, rows))
    labels = placed.chunks.subrecords.labels
    for chunk, expected_counts in placed.restricted.items():
        leaves = np.arange(expected_counts.first, expected_counts.first + len(expected_counts.sizes))
        subrecords = placed.chunks.subrecords_of(chunk).lists()
        parts = {part for has in subrecords for size in (1, 2) for part in itertools.combinations(has, size)}
        for items in sorted(parts):
            expected = np.zeros(len(leaves))
            for row, subrecord in enumerate(subrecords):
                kind = expected_counts.kind_of_row[row]
                if set(items) <= set(subrecord):
                    expected += expected_counts.expected[kind] / (expected_counts.kind_of_row == kind).sum()
            part = tuple(labels.index(item) for item in items)
            found = ChunkSupport(placed)._chance((part, np.full(len(leaves), chunk)), leaves)
            assert found * expected_counts.sizes == pytest.approx(expected)
