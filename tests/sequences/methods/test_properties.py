"""Random event sequences through every method: a plain receiver finds nobody and predicts nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sequences.naive import attack as naive

from sfumato.core.dataset import Dataset
from sfumato.core.derive import balanced
from sfumato.core.errors import InfeasibleError
from sfumato.core.params import declared
from sfumato.core.run import Run
from sfumato.registry import all_methods

METHODS = [method for method in all_methods().values() if method.kinds == ("sequences",)]
ASKED = [{"k": 2}, {"k": 3}, {"g": 4, "l": 2}, {"k": 3, "g": 2, "l": 2}, {"g": 0, "l": 3}]


def records_of(release) -> list:
    """The published records as plain pairs and events."""
    found = []
    for row in release.table.to_pylist():
        pairs = [(c, t["lo"], t["hi"]) for c, t in zip(row["monitored"], row["monitored_times"], strict=True)]
        found.append(naive.Record(pairs, list(zip(row["events"], row["times"], strict=True))))
    return found


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
@settings(max_examples=60)
@given(data=st.data(), seed=st.integers(0, 9))
def test_no_receiver_finds_fewer_than_k_records_nor_predicts_an_event(method, data, seed):
    row = st.lists(st.tuples(st.sampled_from("mnxyz"), st.integers(0, 25)), min_size=1, max_size=5)
    rows = data.draw(st.lists(row, min_size=4, max_size=14))
    monitored = data.draw(st.sampled_from([("m",), ("m", "n"), ("m", "n", "x", "y", "z")]))
    dataset = Dataset.of("sequences", rows, monitored=monitored, hierarchy=balanced(list("mnxyz"), 2))
    known = {p.name for p in declared(method)}
    asked = data.draw(st.sampled_from([wish for wish in ASKED if set(wish) <= known]))
    try:
        result = method(**asked).anonymize(dataset, Run(bytes([seed] * 32)))
    except InfeasibleError:
        return
    release, members = result.release, result.release.members()
    records = records_of(release)
    k, l, g = asked.get("k", 1), asked.get("l", 1), asked.get("g", 0)
    assert min(len(group) for group in naive.classes(records)) >= k
    if l > 1:
        assert all(l * naive.most_in_window(group, g) <= len(group) for group in naive.classes(records))
    fits = naive.matches_with_gaps if getattr(release.guarantee, "suppressing", False) else naive.matches_all
    for number, person in enumerate(rows):
        knowledge = naive.known_of(person, monitored)
        matching = [record for record in records if fits(record, knowledge, members)]
        assert len(matching) >= k if number in result.trace.rows else len(matching) == 0 or len(matching) >= k
        if l > 1 and matching:
            assert l * naive.most_in_window(matching, g) <= len(matching)
    if not getattr(release.guarantee, "suppressing", False):
        for record, number in zip(records, result.trace.rows, strict=True):
            assert naive.is_faithful(record, rows[number], monitored, members)
    assert len(records) + sum(release.withheld.values()) == len(rows)
