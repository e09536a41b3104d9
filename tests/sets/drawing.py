"""Sets of items that several tests draw, as Python sets and as arrays, and what every release of them must keep."""

import numpy as np
from hypothesis import strategies as st

from sfumato.core.hierarchy import Hierarchy
from sfumato.kinds.sets.kernels.cluster_terms import index_clusters
from sfumato.kinds.sets.kernels.horizontal_partition import Partition

ITEMS = 7
rows_of_items = st.lists(st.sets(st.integers(0, ITEMS - 1), min_size=1, max_size=5), min_size=1, max_size=14)
crowds = st.integers(2, 4)

TERMS = 9
RECORDS = st.lists(st.frozensets(st.integers(0, TERMS - 1), min_size=1, max_size=5), min_size=1, max_size=40)


@st.composite
def hierarchies(draw):
    """A tree over the items in which every inner node has a child."""
    inner = draw(st.integers(1, 5))
    pairs = [(f"n{node}", f"n{draw(st.integers(0, node - 1))}" if node else None) for node in range(inner)]
    pairs += [(str(item), f"n{draw(st.integers(0, inner - 1))}") for item in range(ITEMS)]
    used = {parent for _, parent in pairs}
    while any(child.startswith("n") and child not in used for child, _ in pairs):
        pairs = [(child, parent) for child, parent in pairs if not child.startswith("n") or child in used]
        used = {parent for _, parent in pairs}
    return Hierarchy.from_parents(pairs)


def as_arrays(rows) -> tuple[np.ndarray, np.ndarray]:
    """Sets as offsets and ascending codes."""
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return offsets, np.array([code for row in rows for code in sorted(row)], np.int32)


def index_of(clusters: list[list[frozenset]], terms: int):
    """The terms of given clusters, with the arrays they come from."""
    offsets, codes = as_arrays([row for cluster in clusters for row in cluster])
    bounds = np.concatenate([[0], np.cumsum([len(cluster) for cluster in clusters])]).astype(np.int64)
    partition = Partition(np.arange(len(offsets) - 1), bounds)
    return offsets, codes, partition, index_clusters(offsets, codes, partition, terms)


def quiet(*_):
    """Take a report of progress and say nothing."""
    return


def published_sets(result):
    """Published rows by original row, and the members of every value."""
    release = result.release
    rows = dict(zip(result.trace.rows.tolist(), map(set, release.history().lists()), strict=True))
    return rows, release.meanings()


def check_truth(data, result):
    """Every item is in a published value of its row or suppressed; no value stands for nothing in its row."""
    rows, meanings = published_sets(result)
    suppressed = set(result.release.suppressed())
    for number, original in enumerate(data.history().lists()):
        left = set(original) - suppressed
        values = rows.get(number, set())
        assert all(any(item in meanings[value] for value in values) for item in left)
        assert all(set(meanings[value]) & left for value in values)
        assert (number in rows) == bool(left)
