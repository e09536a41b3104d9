"""Disassociation: the paper's figures, where its algorithm would not keep its guarantee, and random data."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.examples import QUERIES
from tests.kinds.sets.naive import disassociation as naive
from tests.kinds.sets.naive.reconstructions import Published, broken_knowledge, most_candidates
from tests.kinds.sets.releases import disassociated

import sfumato as sf
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
from sfumato.kinds.sets._kernels.horizontal_partition import Partition
from sfumato.kinds.sets._kernels.joint_clusters import Rules
from sfumato.kinds.sets._kernels.refinement import join_clusters
from sfumato.kinds.sets._kernels.vertical_partition import partition_terms
from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.sets.knowledge.sources import Sources
from sfumato.kinds.sets.methods.disassociation import NO_ITEM, Disassociation
from sfumato.kinds.sets.verify.km_items import verify
from sfumato.release.run import Run


def disassociate(clusters: list[list[list[str]]], k: int, m: int, *, refine: bool, order: str = "") -> dict:
    """Chunks of given clusters, by (cluster, number of the chunk); joint clusters come after the leaves.

    Items are numbered as in ``order``, then as they come.
    """
    rows = ListColumn.from_lists([list(order), *(row for cluster in clusters for row in cluster)]).distinct()
    rows = rows.take(np.arange(1, len(rows)))
    bounds = np.concatenate([[0], np.cumsum([len(cluster) for cluster in clusters])]).astype(np.int64)
    index = index_clusters(rows.offsets, rows.codes, Partition(np.arange(len(rows)), bounds), len(rows.labels))
    nothing = np.zeros(len(rows.labels), np.bool_)
    chunk = partition_terms(index, nothing, k, m).chunk
    node = index.cluster
    if refine:
        forest = join_clusters(index, chunk, nothing, Rules(k, m, False))
        node, chunk = forest.node, forest.chunk
    found: dict = {}
    for entry, term in enumerate(index.term.tolist()):
        found.setdefault((int(node[entry]), int(chunk[entry])), set()).add(rows.labels[term])
    return found


def plain_leaf(rows: list) -> naive.Cluster:
    """A leaf as the plain version makes it, for k=3 and m=2."""
    records = list(map(frozenset, rows))
    return naive.Cluster(records, *naive.verpart(records, 3, 2))


def test_figure_2_record_chunks_and_term_chunks():
    assert disassociate([QUERIES[:5], QUERIES[5:]], k=3, m=2, refine=False) == {
        (0, 1): {"itunes", "flu", "madonna"},
        (0, 2): {"audi", "sony"},
        (0, 0): {"ikea", "viagra", "ruby"},
        (1, 1): {"madonna", "camera", "iphone"},
        (1, 0): {"panic", "playboy", "ikea", "ruby"},
    }


def test_figure_3_ikea_and_ruby_are_shared():
    found = disassociate([QUERIES[:5], QUERIES[5:]], k=3, m=2, refine=True)
    assert found[2, 1] == {"ikea", "ruby"}
    assert found[0, 0] == {"viagra"} and found[1, 0] == {"panic", "playboy"}
    leaves = [plain_leaf(part) for part in (QUERIES[:5], QUERIES[5:])]
    assert naive.shared_domains(tuple(leaves), naive.Asked(3, 2)) == [("ikea", "ruby")]
    assert naive.pays(tuple(leaves), [("ikea", "ruby")])  # 8/10 against 4/10


def test_the_query_log_end_to_end():
    result = Disassociation(k=3, m=2, max_cluster=5).anonymize(sf.Dataset.of("sets", QUERIES), Run(bytes([4] * 32)))
    release = result.release
    assert len(release) == release.records_in == 10
    chunks = Chunks.of(release)
    assert chunks.sizes[chunks.is_leaf].sum() == 10
    published = Published.of(release)
    for cluster, number in published.chunks():
        if number > 0:
            assert naive.is_km_anonymous(published.chunks()[cluster, number], 3, 2)
    assert {item for row in QUERIES for item in row} == {item for _, _, items in published.rows for item in items}


FIGURE_4 = [["a"], ["a"], ["b", "c"], ["b", "c"], ["a", "b", "c"]]


def test_figure_4_as_printed_lets_nobody_hide_and_is_repaired():
    printed = Published([("p", None, 5)], [("p", 1, ["a"])] * 3 + [("p", 2, ["b", "c"])] * 3)
    assert ("a", "b") in broken_knowledge(printed, 3, 2)
    found = disassociate([FIGURE_4], k=3, m=2, refine=False)
    assert found == {(0, 1): {"a"}, (0, 2): {"b"}, (0, 0): {"c"}}
    repaired = Published([("p", None, 5)], [("p", 1, ["a"])] * 3 + [("p", 2, ["b"])] * 3 + [("p", 0, ["c"])])
    assert broken_knowledge(repaired, 3, 2) == []


def figure_5(shared: list[tuple[int, list[str]]]) -> Published:
    """Leaf 1 has a and x in a record chunk, so that nothing with an a above it can be one of its records."""
    clusters = [("j", None, 9), ("i", "j", 6), ("1", "i", 3), ("2", "i", 3), ("3", "j", 3)]
    rows = [("1", 1, ["a", "x"])] * 3 + [("2", 1, ["q"])] * 3 + [("3", 1, ["r"])] * 3 + [("i", 1, ["z"])] * 3
    return Published(clusters, rows + [("j", number, items) for number, items in shared])


def test_figure_5_a_shared_chunk_with_a_term_from_below_must_be_k_anonymous():
    unsafe = figure_5([(1, ["a", "o"])] * 3 + [(1, ["o"])])
    assert most_candidates(unsafe, ("o", "x")) == 1
    assert ("o", "x") in broken_knowledge(unsafe, 3, 2)
    assert broken_knowledge(figure_5([(1, ["o"])] * 4 + [(2, ["a"])] * 3), 3, 2) == []


def test_records_that_lead_to_figure_5_are_shared_in_two_chunks():
    leaves = [
        [{"a", "x", "o", "z"}, {"a", "x"}, {"a", "x", "z"}],
        [{"q", "a", "o", "z"}, {"q"}, {"q"}],
        [{"r", "a", "o"}, {"r", "a", "o"}, {"r"}],
    ]
    one, two, three = map(plain_leaf, leaves)
    joint = naive.Cluster([], naive.shared_domains((one, two), naive.Asked(3, 2)), children=(one, two))
    assert joint.domains == [("z",)]
    for leaf in (one, two):
        leaf.terms -= {"z"}
    assert naive.shared_domains((joint, three), naive.Asked(3, 2)) == [("o",), ("a",)]


# t and u are frequent in the second and the fourth cluster and rare in the others. The third has one record more than
# t and u together would fill in the first and the third.
NO_ROOM = [
    [["p", "t", "x"], ["p", "u"]],
    [["t", "u", "o"], ["t", "u", "x"]],
    [["q", "t", "y"], ["q", "u"], ["q"]],
    [["t", "u", "o"], ["t", "u", "y"]],
]


def test_lemma_3_needs_room_for_what_does_not_fit_everywhere():
    leaves = [("0", "h", 2), ("1", "h", 2), ("2", "i", 3), ("3", "i", 2)]
    clusters = [("j", None, 9), ("h", "j", 4), ("i", "j", 5), *leaves]
    below = [("0", 1, ["p"])] * 2 + [("1", 1, ["t", "u"])] * 2 + [("2", 1, ["q"])] * 3 + [("3", 1, ["t", "u"])] * 2
    below += [("h", 1, ["x"])] * 2 + [("i", 1, ["y"])] * 2
    k_anonymous = Published(clusters, below + [("j", 1, [item]) for item in "ttuuoo"])
    assert most_candidates(k_anonymous, ("o", "q")) == 1
    assert ("o", "q") in broken_knowledge(k_anonymous, 2, 2)
    repaired = Published(clusters, below + [("j", 1, [i]) for i in "ttoo"] + [("j", 2, ["u"])] * 2)
    assert broken_knowledge(repaired, 2, 2) == []


def test_shared_chunks_leave_room():
    found = disassociate(NO_ROOM, k=2, m=2, refine=True, order="xytuopq")
    assert found[4, 1] == {"x"} and found[5, 1] == {"y"}
    assert found[6, 1] == {"t", "o"} and found[6, 2] == {"u"}


# t, u and v are frequent in one cluster each. Together with k more they are as many as eight records, and u fits seven;
# but they do not all have to be there.
HALL = [
    [["p", "t", "x"], ["p", "u"], ["p", "v"]],
    [["t", "o"], ["t", "x"]],
    [["v", "t", "y"], ["v", "u"]],
    [["u", "v"], ["u", "y"], ["u", "o"]],
]


def test_shared_chunks_need_no_more_room_than_hall_says():
    asked = naive.Asked(2, 2)
    leaves = [
        naive.Cluster(records, *naive.verpart(records, 2, 2)) for records in (list(map(frozenset, c)) for c in HALL)
    ]
    trees = []
    for pair in (tuple(leaves[:2]), tuple(leaves[2:])):
        trees.append(naive.Cluster([], naive.shared_domains(pair, asked), children=pair))
        for leaf in pair:
            leaf.terms -= {"x", "y"}
    assert [tree.domains for tree in trees] == [[("x",)], [("y",)]]
    top = naive.Cluster([], naive.shared_domains(tuple(trees), asked), children=tuple(trees))
    assert top.domains == [("o", "t", "u", "v")]
    for leaf in leaves:
        leaf.terms.clear()
    published = naive.publish([top])
    assert broken_knowledge(published, 2, 2) == []
    found = Sources(Chunks.from_rows(published.clusters, published.rows))
    (chunk,) = found.restricted_chunks.tolist()
    assert found.restriction(chunk).slack == 5
    assert verify(disassociated(published.clusters, published.rows, KmItems(2, 2))).holds


def test_refine_leaves_the_last_term_where_lemma_2_needs_it():
    # Both clusters publish nothing but their term chunks: without them records could be empty.
    found = disassociate([[["a"], ["b"], ["c"]], [["a"], ["b"], ["d"]]], k=2, m=2, refine=True)
    assert found[0, 0] == {"c"} and found[1, 0] == {"d"}
    assert {item for (node, _), terms in found.items() if node == 2 for item in terms} == {"a", "b"}
    found = disassociate([[["a"], ["b"]], [["a"], ["b"]]], k=2, m=2, refine=True)
    assert found[0, 0] == found[1, 0] == {"b"} and found[2, 1] == {"a"}


def test_people_without_items_are_withheld_and_counted():
    release = Disassociation(k=2, m=2).anonymize(sf.Dataset.of("sets", [["a"], [], ["a"]]), Run()).release
    assert dict(release.suppressed_records) == {NO_ITEM: 1} and len(release) == 2
    with pytest.raises(InfeasibleError, match="only 1 of 3 records have an item; a cluster needs 2"):
        Disassociation(k=2, m=2).anonymize(sf.Dataset.of("sets", [["a"], [], []]), Run())


def test_requests_that_make_no_sense_are_refused():
    with pytest.raises(ParameterError, match="max_cluster must be above k=5 and l=1, got 5"):
        Disassociation(k=5, m=2, max_cluster=5)
    with pytest.raises(ParameterError, match="l=3 needs sensitive items"):
        Disassociation(k=2, m=2, l=3).anonymize(sf.Dataset.of("sets", [["a"]] * 3), Run())
    with pytest.raises(SchemaError, match="works on sets"):
        Disassociation(k=2, m=2).anonymize(sf.Dataset.of("trajectories", [["a"]] * 3), Run())


def test_a_bound_that_cannot_be_kept_gives_way_and_is_counted():
    result = Disassociation(k=3, m=2, max_cluster=4).anonymize(sf.Dataset.of("sets", [["a"]] * 5), Run(bytes([1] * 32)))
    assert result.owner_record.counters["clusters_above_max"] == 1
    assert result.release.extra_tables["clusters"].table["size"].to_pylist() == [5]


ROW = st.frozensets(st.sampled_from("abcdefgh"), min_size=1, max_size=4)
ROWS = st.lists(ROW, min_size=4, max_size=30)
MOST_RECORDS = 10
"""Trees of more records have too many reconstructions to try them all."""


def plain(rows: list, method: Disassociation, sensitive: frozenset = frozenset()) -> Published:
    """What the plain version publishes, with the items back in place of their numbers."""
    support = Counter(item for row in rows for item in row)
    items = sorted(support, key=lambda item: (-support[item], item))
    number = {item: i for i, item in enumerate(items)}
    asked = naive.Asked(method.k, method.m, method.safe, frozenset(number[i] for i in sensitive & set(number)))
    trees = naive.disassociate(
        [frozenset(number[item] for item in row) for row in rows],
        asked,
        method.smallest,
        method.largest,
        join=method.refine,
        bands=method.bands,
    )
    found = naive.publish(trees)
    return Published(found.clusters, [(c, n, sorted(items[i] for i in row)) for c, n, row in found.rows])


def anonymize(rows, method: Disassociation, *, seed: int = 1, sensitive: tuple[str, ...] = ()):
    return method.anonymize(
        Dataset.of("sets", [sorted(row) for row in rows], sensitive=sensitive), Run(bytes([seed] * 32))
    )


@pytest.mark.parametrize("safe", [False, True])
@settings(max_examples=80)
@given(
    rows=ROWS,
    k=st.integers(2, 4),
    m=st.integers(1, 3),
    more=st.integers(1, 4),
    refine=st.booleans(),
    bands=st.booleans(),
)
def test_chunks_and_trees_are_those_of_the_plain_version(safe, rows, k, m, more, refine, bands):
    method = Disassociation(k=k, m=m, max_cluster=k + more, refine=refine, safe=safe, bands=bands)
    assert Published.of(anonymize(rows, method).release).forms() == plain(rows, method).forms()


def clustered(rng: random.Random, k: int) -> list:
    """Records of a few clusters that hold some of the same rare items, so that they are joined and joined again."""
    rows = []
    for cluster in range(rng.randint(4, 5) if k == 2 else 3):
        rare = rng.sample("uvwxyz"[: rng.randint(3, 4)], 2)
        for _ in range(rng.randint(k, k + 1)):
            row = {f"{cluster}"} if rng.random() < 0.9 else set()
            row |= {item for item in rare if rng.random() < 0.6}
            rows.append(row or {rng.choice(rare)})
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("safe", [False, True])
def test_every_knowledge_fits_k_records_of_some_reconstruction(safe):
    rng = random.Random(20)
    nested = joint = 0
    for _ in range(160):
        k = rng.choice([2, 3, 3])
        m = rng.choice([1, 2, 3]) if k == 2 else 2
        rows = clustered(rng, k)
        method = Disassociation(k=k, m=m, max_cluster=k + 1, safe=safe, bands=False)
        result = anonymize(rows, method)
        found = Published.of(result.release)
        assert found.forms() == plain(rows, method).forms()
        for tree in trees_of(found):
            if tree.clusters[0][2] <= MOST_RECORDS:
                joint += len(tree.clusters) > 1
                nested += len(tree.clusters) > 3
                assert broken_knowledge(tree, k, m) == []
    assert joint >= 60 and nested >= 5


def trees_of(found: Published) -> list[Published]:
    """One release for every tree: what one tree publishes says nothing about the others."""
    split = []
    for root in (name for name, parent, _ in found.clusters if parent is None):
        clusters = [entry for entry in found.clusters if root in found.line(entry[0])]
        clusters.sort(key=lambda entry: entry[1] is not None)
        names = {name for name, _, _ in clusters}
        split.append(Published(clusters, [row for row in found.rows if row[0] in names]))
    return split


@settings(max_examples=60)
@given(rows=ROWS, k=st.integers(2, 3), more=st.integers(1, 6))
def test_safe_releases_have_no_covers(rows, k, more):
    found = Published.of(anonymize(rows, Disassociation(k=k, m=2, max_cluster=k + more, safe=True)).release)
    size = {name: size for name, _, size in found.clusters}
    chunks = found.chunks()
    for owner, number in (at for at in chunks if at[1] > 0):
        alone = found.parent[owner] is None and sum(name == owner for name, _ in chunks) == 1
        if alone and owner in found.leaves():
            continue
        for term in frozenset().union(*chunks[owner, number]):
            room = sum(size[leaf] for leaf in found.leaves(owner) if term not in closed_terms(found, owner, leaf))
            assert sum(term in subrecord for subrecord in chunks[owner, number]) < room


def closed_terms(found: Published, owner: str, leaf: str) -> set:
    """Terms that records of a leaf have from chunks below a cluster."""
    line = found.line(leaf)
    under = line[: line.index(owner)]
    return {item for cluster, number, items in found.rows if number > 0 and cluster in under for item in items}


@settings(max_examples=60)
@given(rows=ROWS, data=st.data())
def test_the_order_of_the_rows_does_not_matter_and_a_seed_repeats_a_release(rows, data):
    method = Disassociation(k=2, m=2, max_cluster=data.draw(st.integers(3, 8)), safe=data.draw(st.booleans()))
    shuffled = data.draw(st.permutations(rows))
    one, other = anonymize(rows, method), anonymize(shuffled, method)
    assert Published.of(one.release).forms() == Published.of(other.release).forms()
    again = anonymize(rows, method)
    assert again.release.table.equals(one.release.table)
    assert again.release.extra_tables["clusters"].table.equals(one.release.extra_tables["clusters"].table)


@settings(max_examples=80)
@given(rows=ROWS, l=st.integers(1, 4), seed=st.integers(0, 5), safe=st.booleans())
def test_sensitive_items_are_in_term_chunks_only_and_the_trace_tells_who_is_where(rows, l, seed, safe):
    sensitive = ("a", "b")
    method = Disassociation(k=2, m=2, l=l, max_cluster=max(2, l) + 2, safe=safe)
    result = anonymize(rows, method, seed=seed, sensitive=sensitive)
    found = Published.of(result.release)
    assert all(number == 0 for _, number, items in found.rows if set(items) & set(sensitive))
    leaves = found.leaves()
    sizes = [size for name, _, size in found.clusters if name in leaves]
    assert min(sizes) >= max(2, l) and sum(sizes) == len(rows) == len(result.release)
    assert sorted(result.owner_record.rows.tolist()) == list(range(len(rows)))
    chunks = found.chunks()
    for name, part in zip(
        [name for name, _, _ in found.clusters if name in leaves],
        np.split(result.owner_record.rows, np.cumsum(sizes)[:-1]),
        strict=True,
    ):
        own = [rows[row] for row in part]
        domains = {number: frozenset().union(*chunks[name, number]) for owner, number in chunks if owner == name}
        for number, domain in domains.items():
            if number > 0:
                assert Counter(naive.project(own, domain)) == Counter(chunks[name, number])
            else:
                assert domain <= frozenset().union(*own)
        line = found.line(name)
        published_items = {i for owner, number, items in found.rows if owner in line for i in items}
        assert frozenset().union(*own) <= published_items
