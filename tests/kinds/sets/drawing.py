"""Sets of items that several tests draw, as Python sets and as arrays, and what every release of them must keep."""

import itertools

import numpy as np
from hypothesis import strategies as st

from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
from sfumato.kinds.sets._kernels.horizontal_partition import Partition

ITEMS = 7
rows_of_items = st.lists(st.sets(st.integers(0, ITEMS - 1), min_size=1, max_size=5), min_size=1, max_size=14)
sizes = st.integers(2, 4)

LABELS = "abcdefg"
baskets = st.lists(st.lists(st.sampled_from(LABELS), max_size=6, unique=True), min_size=1, max_size=12)

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


def published_sets(result):
    """Published rows by original row, and the members of every value."""
    release = result.release
    rows = dict(zip(result.owner_record.rows.tolist(), map(set, release.history().lists()), strict=True))
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


TREES = [
    [("p", None)],
    [("p", None), ("q", None)],
    [("j", None), ("p", "j"), ("q", "j")],
    [("top", None), ("j", "top"), ("p", "j"), ("q", "j"), ("r", "top")],
    [("top", None), ("only", "top"), ("j", "only"), ("p", "j"), ("q", "j"), ("r", "top"), ("s", None)],
]


@st.composite
def disassociations(draw):
    """Draw records and a way to disassociate them: a tree, and the chunk of every item at every cluster."""
    tree = draw(st.sampled_from(TREES))
    above = dict(tree)
    parents = set(above.values())
    leaves = [name for name, _ in tree if name not in parents]
    chunk_at = {
        name: {item: draw(st.integers(0, 2)) for item in LABELS[:6]} for name, _ in tree
    }  # 0 says: published further up, or in the term chunk
    rows, sizes, records = [], {}, []
    shared = {}
    for leaf in leaves:
        found = draw(st.lists(st.sets(st.sampled_from(LABELS[:6]), min_size=1), min_size=1, max_size=5))
        own, terms = {}, set()
        for record in found:
            parts = {}
            for item in sorted(record):
                node = leaf
                while node is not None and not chunk_at[node][item]:
                    node = above[node]
                if node is None:
                    terms.add(item)
                else:
                    parts.setdefault((node, chunk_at[node][item]), []).append(item)
            for (node, chunk), items in parts.items():
                (own if node == leaf else shared).setdefault((node, chunk), []).append(items)
        if sum(map(len, own.values())) < len(found):
            # Every cluster fills its own records, or has a term chunk that does.
            terms.add(f"z{leaf}")
            found[0] = found[0] | {f"z{leaf}"}
        rows += [(node, chunk, items) for (node, chunk), bag in own.items() for items in bag]
        rows += [(leaf, 0, sorted(terms))] if terms else []
        sizes[leaf] = len(found)
        records += found
    rows += [(node, chunk, items) for (node, chunk), bag in shared.items() for items in bag]

    def size_of(name):
        return sizes[name] if name in sizes else sum(size_of(child) for child, parent in tree if parent == name)

    clusters = [(name, parent, size_of(name)) for name, parent in tree]
    return clusters, draw(st.permutations(rows)), [sorted(record) for record in records]


def itemsets_of(records):
    items = sorted({item for record in records for item in record})
    return [list(chosen) for size in (1, 2, 3) for chosen in itertools.combinations(items, size)]
