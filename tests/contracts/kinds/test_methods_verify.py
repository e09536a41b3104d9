"""Whatever a method of places builds, its verifier accepts; what cannot be built is infeasible, with numbers."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato import plugins
from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.trajectories.verify.faithful import verify_faithful
from sfumato.plugins import all_methods
from sfumato.release.run import Run

METHODS = [method for method in all_methods().values() if method.kinds == ("trajectories",)]
DIVERSE = [method for method in METHODS if "sensitive places" in method.needs]
ORDINARY, SENSITIVE = "bcdef", "ast"


def judge(dataset, method):
    """Return the release and whether it was verified; infeasible must come with numbers, before anything is built."""
    try:
        result = method.anonymize(dataset, Run(bytes(32)))
    except InfeasibleError as error:
        assert re.search(r"\d", str(error))
        assert str(error).startswith(type(method).__name__)
        return None
    release, rows = result.release, result.owner_record.rows
    verifier = plugins.find_verifier(release.guarantee)
    verdict = (
        verifier.verify(release)
        & verifier.verify_against(release, dataset, rows)
        & verify_faithful(release, dataset, rows)
    )
    assert bool(verdict), verdict.counterexample
    assert len(release) + sum(release.suppressed_records.values()) == len(dataset)
    return release


@pytest.mark.parametrize("method", DIVERSE, ids=lambda m: m.name)
@settings(max_examples=150)
@given(
    rows=st.lists(st.lists(st.sampled_from(ORDINARY + SENSITIVE), min_size=1, max_size=5), min_size=1, max_size=12),
    sensitive=st.sets(st.sampled_from(SENSITIVE), min_size=1),
    k=st.integers(2, 4),
    m=st.integers(1, 3),
    l=st.integers(2, 4),
    infeasible=st.sampled_from(["error", "suppress"]),
    clusters=st.integers(1, 4),
)
@example([["b"], ["a"]], {"a"}, 2, 1, 2, "suppress", 1)
@example([["b"], ["a"]], {"a"}, 2, 1, 2, "error", 1)
@example([["b"], ["a"], ["a"]], {"a"}, 2, 1, 2, "suppress", 2)
def test_a_diverse_release_is_verified_or_infeasible(method, rows, sensitive, k, m, l, infeasible, clusters):
    present = tuple(sorted(place for place in sensitive if any(place in row for row in rows)))
    xy = {place: (i % 3, i // 3) for i, place in enumerate(ORDINARY + SENSITIVE)}
    dataset = Dataset.of("trajectories", rows, xy, sensitive=present)
    if len(dataset) < k:
        return
    parameters = {"k": k, "m": m, "l": l, "infeasible": infeasible}
    if "clusters" in method.__dataclass_fields__:
        parameters["clusters"] = clusters
    judge(dataset, method(**parameters))


@pytest.mark.parametrize("method", [m for m in METHODS if m.needs == ("coordinates",)], ids=lambda m: m.name)
@settings(max_examples=100)
@given(
    rows=st.lists(st.lists(st.sampled_from(ORDINARY), min_size=1, max_size=5), min_size=4, max_size=12),
    k=st.integers(2, 4),
    m=st.integers(1, 3),
    infeasible=st.sampled_from(["error", "suppress"]),
)
def test_a_release_without_sensitive_places_is_verified_or_infeasible(method, rows, k, m, infeasible):
    xy = {place: (i % 3, i // 3) for i, place in enumerate(ORDINARY)}
    judge(Dataset.of("trajectories", rows, xy), method(k=k, m=m, infeasible=infeasible))


@pytest.mark.parametrize("method", DIVERSE, ids=lambda m: m.name)
def test_one_record_of_a_sensitive_place_alone_is_too_few_to_publish(method):
    dataset = Dataset.of("trajectories", [["b"], ["a"]], {"a": (0, 0), "b": (1, 0)}, sensitive=("a",))
    with pytest.raises(InfeasibleError, match=r"1 of 2 records .* k=2"):
        method(k=2, m=1, infeasible="suppress").anonymize(dataset, Run(bytes(32)))
