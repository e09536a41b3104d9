"""Merging until a bound is kept beside merging that anonymises everything anew to see what it costs."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.rt.drawing import TRANSACTION, datasets, sample
from tests.kinds.rt.naive.bounded import ExhaustiveRumBound, PlainTumBound

import sfumato as sf
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.rt.methods import bounded
from sfumato.kinds.rt.methods.bounded import RumBound, TumBound
from sfumato.kinds.rt.metrics.ncp import Ncp
from sfumato.kinds.rt.metrics.utility_loss import UtilityLoss
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run

SECRET = bytes([1] * 32)


def publish(data: sf.Dataset, method: RumBound | TumBound) -> list[dict[str, object]] | str:
    """What is published of every record in turn, or why nothing is."""
    try:
        result = method.anonymize(data, Run(SECRET))
    except InfeasibleError as error:
        return str(error).partition(": ")[2]
    return result.release.table.take(np.argsort(result.owner_record.rows)).to_pylist()


@settings(max_examples=60)
@given(
    datasets(),
    st.integers(2, 3),
    st.integers(1, 2),
    st.floats(0, 1),
    st.sampled_from(["r", "t", "rt"]),
    st.sampled_from(TRANSACTION),
)
def test_few_clusters_are_merged_as_if_all_were_recoded_every_time(data, k, m, delta, merge, transaction) -> None:
    chosen = {"k": k, "m": m, "delta": delta, "merge": merge, "transaction": transaction}
    assert publish(data, TumBound(**chosen)) == publish(data, PlainTumBound(**chosen))


@pytest.mark.parametrize("merge", ["r", "t", "rt"])
def test_the_first_merge_that_keeps_the_bound_is_found_among_many(merge: str, monkeypatch) -> None:
    """Looking at every tenth merge or so, and then between two of them, finds what looking at all does."""
    monkeypatch.setattr(bounded, "_CHECKPOINTS", 6)
    data = sample(400)
    for delta in (0.9, 0.7):
        found = TumBound(k=10, merge=merge, delta=delta)
        plain = PlainTumBound(k=10, merge=merge, delta=delta)
        assert publish(data, found) == publish(data, plain)


def test_a_cluster_that_grows_is_recoded_a_few_times_only() -> None:
    data = sample(2000)
    result = TumBound(k=10, delta=0.5).anonymize(data, Run(SECRET))
    merges = result.owner_record.counters["clusters_formed"] - result.owner_record.counters["clusters"]
    assert merges > 2 * 64
    assert result.owner_record.counters["recoded"] < merges
    assert UtilityLoss().measure(Comparison(data, result.release, result.owner_record.rows)).value <= 0.5


@settings(max_examples=60)
@given(datasets(), st.integers(2, 3), st.floats(0.2, 1), st.sampled_from(["r", "t", "rt"]))
@pytest.mark.parametrize(("method", "measure"), [(RumBound, Ncp()), (TumBound, UtilityLoss())])
def test_a_bound_is_kept_in_every_digit_that_is_measured(method, measure, data, k, delta, merge) -> None:
    """What is reached can be asked for, and whoever asks for the next smaller number gets it or is refused."""

    def reach(bound: float) -> float | None:
        try:
            result = method(k=k, m=1, delta=bound, merge=merge, transaction="coat").anonymize(data, Run(SECRET))
        except InfeasibleError:
            return None
        return measure.measure(Comparison(data, result.release, result.owner_record.rows)).value

    reached = reach(delta)
    if reached is not None and reached > 0:
        least = math.nextafter(reached, 0)
        again, below = reach(reached), reach(least)
        assert again is not None
        assert again <= reached <= delta
        assert below is None or below <= least


@pytest.mark.parametrize("merge", ["t", "rt"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_bit_vectors_lose_hardly_more_than_anonymising_every_candidate(merge: str, seed: int) -> None:
    """And spare ten of eleven times to anonymise: candidates tried, beside clusters that are left of every way."""
    data = sample(400, seed=seed)
    chosen = {"k": 10, "merge": merge, "delta": 0.75}
    guided = RumBound(**chosen).anonymize(data, Run(SECRET))
    exhaustive = ExhaustiveRumBound(**chosen).anonymize(data, Run(SECRET))
    losses = [UtilityLoss().measure(Comparison(data, result.release)).value for result in (guided, exhaustive)]
    assert losses[0] <= 1.1 * losses[1]
    recoded = len(RumBound(**chosen).ways()) * guided.owner_record.counters["clusters"]
    assert exhaustive.owner_record.counters["tried"] > 10 * recoded


@settings(max_examples=30)
@given(datasets(), st.integers(2, 3), st.floats(0.3, 1), st.sampled_from(["r", "t", "rt"]))
def test_all_records_are_put_together_at_once_where_merging_would_end_there(data, k, delta, merge) -> None:
    method = RumBound(k=k, delta=delta, merge=merge)
    at_once = publish(data, method)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RumBound, "_join_all", lambda *_: SimpleNamespace(rum=np.inf))
        assert publish(data, method) == at_once


def test_of_several_ways_the_one_that_loses_fewest_items_is_kept(monkeypatch) -> None:
    data, method = sample(600), RumBound(k=10, merge="rt", delta=0.75)
    best = UtilityLoss().measure(Comparison(data, method.anonymize(data, Run(SECRET)).release)).value
    alone = []
    for way in method.ways():
        monkeypatch.setattr(RumBound, "ways", lambda _, way=way: [way])
        alone.append(UtilityLoss().measure(Comparison(data, method.anonymize(data, Run(SECRET)).release)).value)
    assert best == min(alone)
    assert len(set(alone)) == 4
