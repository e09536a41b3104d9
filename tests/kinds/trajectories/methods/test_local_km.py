"""LocalKm keeps its promise by a plain count, publishes nothing false, and is never worse than one recoding for all."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from tests.examples import settings

import sfumato as sf
from sfumato.engines.local import Local
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.trajectories.knowledge import matching_rows
from sfumato.kinds.trajectories.methods.local_km import LocalKm
from sfumato.kinds.trajectories.methods.select_organize_anonymize import LmAnon
from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
from sfumato.kinds.trajectories.metrics.distance import Distance
from sfumato.kinds.trajectories.verify import faithful, klm_anonymity, km_anonymity
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run

SECRET = bytes([1] * 32)
XY = {name: (3 * i % 7, 5 * i % 11) for i, name in enumerate("abcdefst")}


@st.composite
def datasets(draw, sensitive=()):
    places = "abcdef"[: draw(st.integers(1, 6))] + "".join(sensitive)
    rows = draw(st.lists(st.lists(st.sampled_from(places), min_size=1, max_size=5), min_size=3, max_size=12))
    visited = {place for row in rows for place in row}
    named = tuple(place for place in sensitive if place in visited)
    return sf.Dataset.of("trajectories", rows, {place: XY[place] for place in visited}, sensitive=named)


def anonymize(data, method):
    return sf.anonymize(data, method, secret=SECRET, max_suppressed_records=1.0)


def anonymize_if_possible(data, method):
    """Leave out cases in which nobody could be hidden."""
    try:
        return anonymize(data, method)
    except InfeasibleError:
        reject()


def ordinary(result, data):
    """Published records without sensitive places, and the sensitive places of each."""
    secret = set(data.schema.sensitive)
    rows = result.release.history().lists()
    return [[v for v in row if v not in secret] for row in rows], [secret & set(row) for row in rows]


def distance(data, result):
    return Distance().measure(Comparison(data, result.release, result.owner_record.rows)).value


@given(datasets(), st.integers(2, 3), st.integers(1, 4))
@settings(max_examples=60)
def test_every_sequence_of_labels_is_in_k_records_and_every_label_is_true(data, k, m):
    result = anonymize_if_possible(data, LocalKm(k=k, m=m, infeasible="suppress"))
    rows, _ = ordinary(result, data)
    held = [{s for size in range(1, m + 1) for s in combinations(row, size)} for row in rows]
    assert all(sum(s in other for other in held) >= k for row in held for s in row)
    members, originals = result.release.members(), data.history().lists()
    for row, source in zip(result.release.history().lists(), result.owner_record.rows, strict=True):
        assert len(row) == len(originals[source])
        assert all(p in members.get(v, (v,)) for v, p in zip(row, originals[source], strict=True))
    assert km_anonymity.verify(result.release).holds
    assert km_anonymity.verify_against(result.release, data, result.owner_record.rows).holds
    assert faithful.verify_faithful(result.release, data, result.owner_record.rows).holds


@given(datasets(sensitive=("s", "t")), st.integers(2, 3), st.integers(1, 3), st.integers(2, 3))
@settings(max_examples=60)
def test_both_shares_of_a_sensitive_place_are_kept(data, k, m, l):
    assume(data.schema.sensitive)
    try:
        result = anonymize(data, LocalKm(k=k, m=m, l=l, infeasible="suppress"))
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            anonymize(data, LmAnon(k=k, m=m, l=l, infeasible="suppress"))
        return
    rows, secrets = ordinary(result, data)
    for s in {s for row in rows for size in range(1, m + 1) for s in combinations(row, size)}:
        holders = [i for i, row in enumerate(rows) if s in set(combinations(row, len(s)))]
        assert len(holders) >= k
        assert all(l * sum(p in secrets[i] for i in holders) <= len(holders) for p in data.schema.sensitive)
    places = sorted(set(data.history().labels) - set(data.schema.sensitive))
    for known in (s for size in range(1, min(m, 2) + 1) for s in product(places, repeat=size)):
        matching = matching_rows(result.release, known)
        assert all(l * sum(p in secrets[i] for i in matching) <= len(matching) for p in data.schema.sensitive)
    assert klm_anonymity.verify(result.release).holds
    assert klm_anonymity.verify_against(result.release, data, result.owner_record.rows).holds


@given(datasets(), st.integers(2, 3), st.integers(1, 3))
@settings(max_examples=60)
def test_it_is_never_worse_than_seqanon(data, k, m):
    mine = anonymize_if_possible(data, LocalKm(k=k, m=m, infeasible="suppress"))
    theirs = anonymize(data, SeqAnon(k=k, m=m, infeasible="suppress"))
    assert mine.release.suppressed_records == theirs.release.suppressed_records
    assert distance(data, mine) <= distance(data, theirs) + 1e-6


@given(datasets(sensitive=("s",)), st.integers(2, 3))
@settings(max_examples=30)
def test_the_same_secret_gives_the_same_release(data, k):
    method = LocalKm(k=k, m=2, infeasible="suppress")
    one = anonymize_if_possible(data, method)
    other = method.anonymize(data, Run(SECRET, engine=Local(cores=2)))
    assert one.release.table.equals(other.release.table)
    assert one.release.values.equals(other.release.values)


def test_a_place_is_exact_in_some_records_and_not_in_others():
    data = sf.Dataset.of("trajectories", [["a"], ["b"], ["a", "c"], ["a", "c"]], {p: XY[p] for p in "abc"})
    rows = anonymize(data, LocalKm(k=2, m=2)).release.history().lists()
    assert sorted(rows) == [["a", "c"], ["a", "c"], ["{a|b}"], ["{a|b}"]]


def test_labels_of_a_hierarchy_need_no_coordinates():
    tree = Hierarchy.from_parents({"a": "food", "b": "food", "c": "shop", "d": "shop", "food": "*", "shop": "*"})
    rows = [["a", "c"], ["a", "c"], ["a"], ["b"], ["d"], ["c"]]
    data = sf.Dataset.of("trajectories", rows, hierarchy=tree)
    result = anonymize(data, LocalKm(k=2, m=2, labels="hierarchy"))
    assert {frozenset(members) for members in result.release.members().values()} <= {
        frozenset("ab"),
        frozenset("cd"),
        frozenset("abcd"),
    }
    assert km_anonymity.verify(result.release).holds
    with pytest.raises(SchemaError, match="coordinates"):
        anonymize(data, LocalKm(k=2, m=2))


def test_there_is_no_recoding_to_apply():
    data = sf.Dataset.of("trajectories", [["a"], ["a"]], {"a": (0, 0)})
    result = anonymize(data, LocalKm(k=2, m=1))
    assert result.owner_record.recoding is None
    with pytest.raises(ParameterError, match="no recoding"):
        LocalKm(k=2, m=1).apply(data, None, result.release, "error", None)


def test_an_infeasible_share_is_said():
    data = sf.Dataset.of(
        "trajectories", [["a", "s"], ["a", "s"], ["b"]], {"a": (0, 0), "b": (1, 0), "s": (2, 0)}, sensitive=("s",)
    )
    with pytest.raises(InfeasibleError, match="2 of 3 records"):
        anonymize(data, LocalKm(k=2, m=1, l=2))


def test_many_places_are_put_into_quarters_of_squares():
    from sfumato.kinds.trajectories._kernels import trees

    draw = np.random.default_rng(1)
    points = np.column_stack([draw.integers(0, 40, (60, 2)).astype(float), np.zeros(60)])
    parent = trees._quarter(points, 0.0)
    grown = trees.grow_paths(parent, 60, points, 0.0)
    assert sorted(grown.order.tolist()) == list(range(60))
    children = np.bincount(parent[parent >= 0], minlength=len(parent))
    assert children[:60].max() == 0
    assert children[60:].min() >= 2
