"""What is published is what was disassociated, as the checkers read it."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import disassociations
from tests.kinds.sets.naive.itemsets import leaves_of, source_of
from tests.kinds.sets.naive.reconstructions import Published

from sfumato.data.dataset import Dataset
from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.encode import Separated, publish_disassociation
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.sets.methods.disassociation import Disassociation
from sfumato.kinds.sets.verify.faithful import verify_faithful
from sfumato.release.run import Run


def renumber(rows):
    """Number the chunks of every cluster from 1; those that were drawn may have gaps."""
    used = sorted({(cluster, number) for cluster, number, _ in rows if number})
    new = {(c, n): sum(other == c and number <= n for other, number in used) for c, n in used}
    return [(cluster, new.get((cluster, number), 0), items) for cluster, number, items in rows]


def separate(clusters, rows, records, order) -> Separated:
    """Say of every item of every record which chunk publishes it; ``order`` has the original row of every record."""
    leaves = leaves_of(clusters)
    names = [name for name, _ in leaves]
    # Leaves come first, and what joins them after what it joins: the clusters are given from the roots downwards.
    names += [name for name, _, _ in reversed(clusters) if name not in names]
    parent = {name: -1 if above is None else names.index(above) for name, above, _ in clusters}
    labels = sorted({item for record in records for item in record})
    leaf_of_seat = [leaf for leaf, size in leaves for _ in range(size)]
    found = [
        (seat, labels.index(item), names.index(cluster), chunk)
        for seat, (leaf, record) in enumerate(zip(leaf_of_seat, records, strict=True))
        for item in record
        for cluster, chunk in [source_of(clusters, rows, leaf, item)]
    ]
    seat, code, node, chunk = np.array(found, dtype=np.int64).T
    bounds = np.array([0, *itertools.accumulate(size for _, size in leaves)])
    parents = np.array([parent[name] for name in names])
    return Separated(np.array(order), bounds, parents, seat, code, node, chunk, tuple(labels))


@settings(max_examples=60)
@given(disassociations(), st.randoms(use_true_random=False))
def test_checkers_read_the_chunks_that_were_made(drawn, rng):
    clusters, rows, records = drawn
    rows = renumber(rows)
    method, guarantee = Disassociation(k=2, m=2), KmItems(2, 2)
    order = list(range(len(records)))
    rng.shuffle(order)
    original = [records[order.index(row)] for row in range(len(records))]
    data = Dataset.of("sets", original)
    result = publish_disassociation(data, method, guarantee, separate(clusters, rows, records, order), Run(bytes(32)))
    assert Published.of(result.release).forms() == Published(clusters, rows).forms()
    chunks = Chunks.of(result.release)
    assert chunks.sizes[chunks.leaves].sum() == len(result.release) == len(records)
    assert verify_faithful(result.release, data, result.owner_record.rows).holds
