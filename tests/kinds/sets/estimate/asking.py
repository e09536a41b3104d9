"""Expected supports of itemsets, whatever form a release has."""

import numpy as np

from sfumato.kinds.sets.decode import Chunks, is_disassociated
from sfumato.kinds.sets.estimate.chunk_support import ChunkSupport
from sfumato.kinds.sets.estimate.matching import ChunkMatching
from sfumato.kinds.sets.estimate.supports import expect_supports


def estimate(release, itemsets):
    """Return how many records are expected to hold each itemset; none where an item is published nowhere."""
    if not is_disassociated(release):
        return expect_supports(release, [list(itemset) for itemset in itemsets])
    chunks = Chunks.of(release)
    support = ChunkSupport(ChunkMatching(chunks))
    asked = [chunks.encode(sorted(set(itemset))).tolist() for itemset in itemsets]
    return np.array([support.expected(sorted(codes)) if min(codes) >= 0 else 0.0 for codes in asked])
