"""Whatever the method: the true answer lies between what is certain and what is possible."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.kinds.contract_data import KINDS, required_parameters
from tests.examples import settings
from tests.queries.naive.conditions import about_items, about_labels, about_numbers, join

import sfumato as sf
from sfumato import plugins
from sfumato.data.kind import find_kind
from sfumato.exceptions import InfeasibleError
from sfumato.queries.ask import ask
from sfumato.queries.count import count_bounds
from sfumato.queries.language import parse
from sfumato.queries.plan import Plan

METHODS = [method for method in plugins.all_methods().values() if method.kinds[0] in {"sets", "table", "rt"}]
LABELS = "abcdef"
rows_of_labels = st.lists(st.lists(st.sampled_from(LABELS), min_size=1, max_size=4), min_size=2, max_size=9)


def people_of(data):
    """Return every record as its set of items and its attributes, numbers as numbers."""
    names = [column.name for column in data.schema.columns if column.role not in {"history", "identifier"}]
    numbers = {column.name for column in data.schema.columns if column.scale in {"integer", "decimal"}}
    items = data.history().lists() if data.kind != "table" else [()] * len(data)
    for have, row in zip(items, data.table.select(names).to_pylist(), strict=True):
        told = {name: None if text == "" else float(text) if name in numbers else text for name, text in row.items()}
        yield set(have), told


def questions_for(data):
    """Return questions about whatever a record has."""
    found = list(about_items("abc")) if data.kind != "table" else []
    for column in data.schema.columns:
        if column.scale in {"integer", "decimal"}:
            found += about_numbers(column.name, 1, 12)
        elif column.role not in {"history", "identifier"}:
            found += about_labels(column.name, "ab")
    return found + list(join(found[0], found[-1])) + list(join(found[-2], found[1]))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@settings(max_examples=5)
@given(rows=rows_of_labels)
def test_the_truth_is_certain_at_least_and_possible_at_most(method, rows):
    data = KINDS[method.kinds[0]].build(rows, method)
    room = find_kind(data.kind).query_bounds.load()
    try:
        release = sf.anonymize(
            data, method(**required_parameters(method)), secret=bytes(32), max_suppressed_records=1
        ).release
    except InfeasibleError:
        return
    original, published = room.of_dataset(data), room.of_release(release)
    people = list(people_of(data))
    asked = questions_for(data)
    for text, holds in asked:
        truth = sum(bool(holds(*person)) for person in people)
        assert find_bounds(original, text) == (truth, truth), text
        certain, possible = find_bounds(published, text)
        assert certain <= truth <= possible, text
    found = ask(published, f"count person where {asked[-1][0]}")
    if found.expected is None:
        assert "nothing is published of" in " ".join(found.notes)
    else:
        assert found.certain <= found.expected <= found.possible


def find_bounds(view, text):
    """Return what is certain and possible, without drawing originals for what is expected."""
    query = parse(f"count person where {text}")
    return count_bounds(Plan(view, query.text), query.condition, "record", 0)
