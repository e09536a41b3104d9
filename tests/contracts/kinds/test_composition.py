"""People split into partitions, each published so that it keeps a promise: together the partitions keep it too."""

import dataclasses

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.contracts.kinds.contract_data import KINDS, required_parameters
from tests.contracts.kinds.test_contract import ordinary_rows
from tests.contracts.kinds.union import unite
from tests.examples import settings

import sfumato as sf
from sfumato import plugins
from sfumato.base.guarantee import list_guarantees
from sfumato.data.select import take_rows
from sfumato.kinds.table.guarantees import KAnonymity

COMPOSING = [
    method for method in plugins.all_methods().values() if all(guarantee.composes for guarantee in method.guarantees)
]
SECRET = bytes([1] * 32)


@pytest.mark.parametrize("method", COMPOSING, ids=lambda method: f"{method.kinds[0]}-{method.name}")
@settings(max_examples=2)
@given(st.integers(0, 2**32), st.integers(2, 3))
@example(33717, 2)  # two partitions in which one name stands for different places
def test_what_every_partition_keeps_all_of_them_keep_together(method, seed, partitions):
    chosen = method(**required_parameters(method))
    data = KINDS[method.kinds[0]].build(ordinary_rows(seed, 30 * partitions), method)
    order = np.random.default_rng(seed).permutation(len(data))
    releases = [
        sf.anonymize(take_rows(data, np.sort(rows)), chosen, secret=SECRET, max_suppressed_records=1).release
        for rows in np.array_split(order, partitions)
    ]
    together = unite(releases)
    assert len(together) == sum(map(len, releases))
    assert together.guarantee.bound_to_whole == ""
    verdict = plugins.find_verifier(together.guarantee).verify(together)
    assert verdict.holds, verdict.counterexample


def test_every_guarantee_says_whether_it_composes():
    said = {kind: {guarantee.composes for guarantee in list_guarantees(kind).values()} for kind in plugins.all_kinds()}
    assert said.pop("timeline") == said.pop("snapshots") == {False}
    assert set(map(frozenset, said.values())) == {frozenset({True})}


def test_a_verifier_would_see_that_partitions_are_not_close_to_the_whole():
    """Two classes, each just as its own partition is: in one release they are as far from the whole as can be."""
    people = [(20, "ill")] * 4 + [(50, "well")] * 4
    data = sf.Dataset.of("table", people, ("age", "state"), sensitive=("state",))
    method = sf.methods.Mondrian(k=2, t=0.1)
    releases = [
        sf.anonymize(take_rows(data, np.arange(first, first + 4)), method, secret=SECRET).release for first in (0, 4)
    ]
    assert releases[0].guarantee.bound_to_whole
    together = unite(releases)
    assert not plugins.find_verifier(together.guarantee).verify(together).holds


def test_a_share_of_a_population_is_not_one_of_a_partition():
    guarantee = KAnonymity(k=2, quasi=("age",))
    assert guarantee.bound_to_whole == ""
    assert "population" in dataclasses.replace(guarantee, presence=0.5).bound_to_whole
