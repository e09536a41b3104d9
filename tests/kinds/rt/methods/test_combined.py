"""Every combination of a method for tables and one for sets keeps what it promises, and never exceeds delta."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.rt.drawing import TRANSACTION, datasets, sample

import sfumato as sf
from sfumato.data.kind import find_kind
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.rt.methods._base.combined import Combined, find_method
from sfumato.kinds.rt.methods.bounded import RumBound, TumBound
from sfumato.kinds.rt.methods.lexicographic import RFirst, TFirst
from sfumato.kinds.rt.metrics.ncp import Ncp
from sfumato.kinds.rt.metrics.utility_loss import UtilityLoss
from sfumato.kinds.rt.verify.faithful import verify_faithful
from sfumato.kinds.rt.verify.kkm_anonymity import verify, verify_against
from sfumato.kinds.table.methods._base.relational import Relational
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run
from sfumato.verification.order import verify_order

RELATIONAL = sorted(
    name
    for name, method in find_kind("table").methods.items()
    if issubclass(method.load(), Relational) and name != "mdav"
)
METHODS = (RFirst, TFirst, RumBound, TumBound)
SECRET = bytes([1] * 32)


def check(data: sf.Dataset, method: Combined) -> None:
    """Anonymise and hold the release against everything that can be asked of it."""
    try:
        result = method.anonymize(data, Run(SECRET))
    except InfeasibleError as error:
        _check_answer(data, method, error)
        return
    assert verify(result.release).holds
    assert verify_faithful(result.release, data, result.owner_record.rows).holds
    assert verify_against(result.release, data, result.owner_record.rows).holds
    assert verify_order(result.release).outcome == "holds"
    _check_delta(data, method, result)


def _check_delta(data: sf.Dataset, method: Combined, result) -> None:
    comparison = Comparison(data, result.release, result.owner_record.rows)
    if isinstance(method, RumBound):
        assert Ncp().measure(comparison).value <= method.delta
    if isinstance(method, TumBound):
        assert UtilityLoss().measure(comparison).value <= method.delta


def _check_answer(data: sf.Dataset, method: Combined, error: InfeasibleError) -> None:
    """What is said to be reachable is."""
    found = re.search(r"reaches ([\d.e-]+) at best", str(error))
    if found is None:
        assert re.search(r"records have an item|sensitive item is in|nothing is left to publish|suppress", str(error))
        return
    parameters = method.parameters() | {"delta": min(float(found[1]), 1.0)}
    assert float(found[1]) > method.delta
    result = type(method)(**parameters).anonymize(data, Run(SECRET))
    _check_delta(data, type(method)(**parameters), result)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("sensitive", [False, True])
@settings(max_examples=25)
@given(data=st.data())
def test_any_combination_keeps_its_promise(method, sensitive: bool, data) -> None:
    people = data.draw(datasets(sensitive))
    chosen = {
        "k": data.draw(st.integers(2, 4)),
        "m": data.draw(st.integers(1, 3)),
        "l": data.draw(st.integers(1, 3)) if sensitive else 1,
        "relational": data.draw(st.sampled_from(RELATIONAL)),
        "transaction": data.draw(st.sampled_from(TRANSACTION)),
    }
    if method in (RumBound, TumBound):
        chosen |= {"delta": data.draw(st.floats(0, 1)), "merge": data.draw(st.sampled_from(["r", "t", "rt"]))}
    check(people, method(**chosen))


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        (RFirst, {"transaction": "lra"}),
        (TFirst, {"transaction": "pcta"}),
        (RumBound, {"delta": 0.6, "merge": "t", "transaction": "apriori"}),
        (RumBound, {"delta": 0.6, "merge": "r", "transaction": "vpa", "relational": "mondrian"}),
        (RumBound, {"delta": 0.6, "merge": "rt", "transaction": "coat"}),
        (TumBound, {"delta": 0.8, "merge": "rt", "transaction": "apriori"}),
    ],
)
@pytest.mark.large
def test_two_thousand_patients_keep_their_promise(method, parameters) -> None:
    check(sample(), method(k=10, m=2, **parameters))


@pytest.mark.large
@pytest.mark.parametrize("method", [RFirst(k=10, m=2, l=4), RumBound(k=10, m=2, l=4, delta=0.7, transaction="coat")])
def test_two_thousand_patients_are_diverse(method) -> None:
    data = sample(sensitive=("item001", "item300", "item301"))
    result = method.anonymize(data, Run(SECRET))
    assert verify(result.release).measured["largest_share"] <= 0.25
    assert verify_against(result.release, data, result.owner_record.rows).holds


def test_the_same_secret_gives_the_same_release() -> None:
    one, other = (RumBound(k=5, delta=0.8).anonymize(sample(300), Run(SECRET)).release for _ in range(2))
    assert one.table.equals(other.table)
    assert one.values.equals(other.values)


def test_people_without_items_are_published() -> None:
    data = sf.Dataset.of("rt", [(n,) for n in range(6)], ("age",), [["a"], ["a"], [], [], [], []])
    release = RFirst(k=2, m=1, transaction="coat").anonymize(data, Run(SECRET)).release
    assert len(release) == 6
    assert sorted(map(len, release.history().lists())) == [0, 0, 0, 0, 1, 1]


def test_a_class_with_too_few_items_joins_another() -> None:
    data = sf.Dataset.of("rt", [(1,), (1,), (9,), (9,)], ("age",), [["a"], [], ["a"], []])
    result = RFirst(k=2, m=1, transaction="coat").anonymize(data, Run(SECRET))
    assert result.owner_record.counters["clusters_joined"] == 1
    assert set(map(str, result.release.table["age"].to_pylist())) == {"{'lo': 1, 'hi': 9}"}


def test_forced_merges_count_for_the_smallest_delta() -> None:
    data = sf.Dataset.of("rt", [(1,), (1,), (9,), (9,)], ("age",), [["a"], [], ["a"], []])
    with pytest.raises(InfeasibleError, match="reaches 1 at best"):
        RumBound(k=2, m=1, delta=0.5, transaction="coat").anonymize(data, Run(SECRET))


def test_what_cannot_be_is_refused() -> None:
    few = sf.Dataset.of("rt", [(1,), (1,), (9,)], ("age",), [["a"], [], []])
    with pytest.raises(InfeasibleError, match="at least k=2 are needed"):
        RFirst(k=2, m=1, transaction="coat").anonymize(few, Run(SECRET))
    ill = sf.Dataset.of("rt", [(1,)] * 4, ("age",), [["s", "a"], ["s", "a"], ["s"], ["a"]], sensitive_items=("s",))
    with pytest.raises(InfeasibleError, match="in 3 of 4 records, more than 1 in l=2"):
        RFirst(k=2, m=1, l=2, transaction="coat").anonymize(ill, Run(SECRET))
    some = sf.Dataset.of("rt", [(1,)] * 4, ("age",), [["s", "a"], ["s", "a"], ["a"], []], sensitive_items=("s",))
    with pytest.raises(InfeasibleError, match="in 2 of 3 records with an item that can be known, more than 1 in l="):
        RFirst(k=2, m=1, l=2, transaction="coat").anonymize(some, Run(SECRET))
    with pytest.raises(ParameterError, match="needs sensitive items"):
        RFirst(k=2, l=2, transaction="coat").anonymize(few, Run(SECRET))
    with pytest.raises(SchemaError, match="no quasi-identifier"):
        RFirst(k=2).anonymize(sf.Dataset.of("rt", [(1,)] * 2, ("age",), [["a"]] * 2, plain=("age",)), Run(SECRET))
    with pytest.raises(ParameterError, match="relational must be one of"):
        RFirst(k=2, relational="clusters", transaction="coat").anonymize(
            sf.Dataset.of("rt", [(1,)] * 2, ("age",), [["a"]] * 2), Run(SECRET)
        )


def test_methods_are_found_by_name() -> None:
    assert find_method("table", Relational, "cluster", "X", "relational").name == "cluster"
    assert set(TRANSACTION) <= {"apriori", "lra", "vpa", "coat", "pcta"}


def test_merging_never_makes_attributes_better_nor_items_worse_in_the_end() -> None:
    """The two ends of delta: nothing is merged, and everything."""
    data = sample(600)
    losses = []
    for delta in (None, 1.0):
        method = RFirst(k=10) if delta is None else RumBound(k=10, delta=delta)
        comparison = Comparison(data, method.anonymize(data, Run(SECRET)).release)
        losses.append((Ncp().measure(comparison).value, UtilityLoss().measure(comparison).value))
    assert losses[0][0] < losses[1][0]
    assert losses[0][1] > losses[1][1]
    assert np.isfinite(losses).all()


def test_the_cluster_that_is_merged_keeps_the_bound_although_the_first_in_order_does_not() -> None:
    """RMERGE_RT tests the cluster it found, C', and not C_i, the i-th by attributes."""
    rows = [(0,), (0,), (1,), (1,), (100,), (100,)]
    data = sf.Dataset.of("rt", rows, ("age",), [["a"], ["a"], ["b"], ["b"], ["a"], ["a"]])
    for merge in ("t", "rt"):
        release = RumBound(k=2, m=1, delta=0.3, merge=merge, transaction="coat").anonymize(data, Run(SECRET)).release
        ages = sorted({(cell["lo"], cell["hi"]) for cell in release.table["age"].to_pylist()})
        assert ages == [(0, 1), (100, 100)]
