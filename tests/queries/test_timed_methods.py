"""Whatever the method: the true answer of every form of question lies between certain and possible.

The truth is counted here by plain loops over the original, and the evidence of the original must give it exactly.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.kinds.contract_data import KINDS, required_parameters
from tests.examples import settings
from tests.queries.naive.originals import Step, count_events, find_first, follows

import sfumato as sf
from sfumato import plugins
from sfumato.data.kind import find_kind
from sfumato.exceptions import InfeasibleError
from sfumato.queries.ask import ask

TIMED = ("trajectories", "sequences", "activity", "timeline", "snapshots")
PLAIN = [(method, {}) for kind in TIMED for method in plugins.methods_for(kind).values()]
SPECIAL = [
    (plugins.find_method("seqanon"), {"infeasible": "suppress", "k": 3}),
    (plugins.find_method("hi"), {"blur": 30}),
    (plugins.find_method("hl"), {"blur": 60}),
    (plugins.find_method("l-mdav", "activity"), {"digits": 1, "interval": "2h"}),
    (plugins.find_method("reposition"), {"window": 3}),
    (plugins.find_method("reposition"), {"window": 2, "then": "none", "delays": "hidden"}),
]
"""Where something is removed, rounded, late or told otherwise."""
CASES = [*PLAIN, *SPECIAL]


def name_case(case):
    method, chosen = case
    return "-".join([method.name, *map(str, chosen.values())])


LABELS = "abcdef"
rows_of_labels = st.lists(st.lists(st.sampled_from(LABELS), min_size=2, max_size=4), min_size=3, max_size=9)
HOUR = 3_600_000_000


def list_records(data):
    """The original as plain lists of (value, time); visits are timed by their position."""
    if data.kind == "trajectories":
        return [[(place, at) for at, place in enumerate(row)] for row in data.history().lists()]
    if data.kind == "sequences":
        times = data.table.column("times").to_pylist()
        return [list(zip(row, when, strict=True)) for row, when in zip(data.history().lists(), times, strict=True)]
    if data.kind == "activity":
        return [[(what, slot * HOUR) for slot, what in enumerate(row)] for row in data.history().lists()]
    if data.kind == "timeline":
        rows = data.table.to_pylist()
        return [
            [(event, row["time"]) for event, n in zip(row["events"], row["counts"], strict=True) for _ in range(n)]
            for row in rows
        ]
    return [[(row["illness"], row["time"])] for row in data.table.to_pylist()]


def format_step(step, kind, *, follows=False):
    """A step in the words of the language."""
    names = " | ".join(f"'{label}'" for label in sorted(step.wanted))
    words = [names]
    show = (
        (lambda time: f"1970-01-01T{int(time // HOUR):02}:00:00")
        if kind == "activity"
        else (lambda time: str(int(time)))
    )
    if step.first > -np.inf:
        words.append(f"during {show(step.first)}..{show(step.last)}")
    if follows and step.within < np.inf:
        words.append(f"within {int(step.within // HOUR)}h" if kind == "activity" else f"within {int(step.within)}")
    return " ".join(words)


@st.composite
def forms(draw, kind, top):
    """Conditions with their plain meaning: one event, two in a row, several conditions, and their opposites."""
    unit = HOUR if kind == "activity" else 1

    def step(*, within=False):
        wanted = frozenset(draw(st.sets(st.sampled_from(LABELS), min_size=1, max_size=2)))
        first, last = -np.inf, np.inf
        if kind != "trajectories" and draw(st.booleans()):
            first = draw(st.integers(0, top)) * unit
            last = first + draw(st.integers(0, top)) * unit
        soon = draw(st.integers(1, top + 1)) * unit if within and kind != "trajectories" else np.inf
        return Step(wanted, first, last, soon)

    one, other, third = step(), step(within=draw(st.booleans())), step()
    found = [
        (format_step(one, kind), lambda record: follows(record, [one])),
        (f"not {format_step(one, kind)}", lambda record: not follows(record, [one])),
        (
            f"{format_step(one, kind)} and {format_step(third, kind)}",
            lambda r: follows(r, [one]) and follows(r, [third]),
        ),
        (
            f"{format_step(one, kind)} or not {format_step(third, kind)}",
            lambda r: follows(r, [one]) or not follows(r, [third]),
        ),
    ]
    if kind not in {"timeline", "snapshots"}:
        found.append(
            (
                f"{format_step(one, kind)} and then {format_step(other, kind, follows=True)}",
                lambda r: follows(r, [one, other]),
            )
        )
        text = f"{format_step(one, kind)} then {format_step(other, kind, follows=True)} then {format_step(third, kind)}"
        found.append((text, lambda r: follows(r, [one, other, third])))
    return one, found


def publish(data, case):
    method, chosen = case
    try:
        return sf.anonymize(
            data, method(**required_parameters(method) | chosen), secret=bytes(32), max_suppressed_records=1
        )
    except InfeasibleError:
        return None


@pytest.mark.parametrize("case", CASES, ids=name_case)
@settings(max_examples=4)
@given(rows=rows_of_labels, data=st.data())
def test_the_truth_is_certain_at_least_and_possible_at_most(case, rows, data):
    kind = case[0].kinds[0]
    made = KINDS[kind].build(rows, case[0])
    result = publish(made, case)
    if result is None:
        return
    room = find_kind(kind).query_bounds.load()
    original, published, records = room.of_dataset(made), room.of_release(result.release), list_records(made)
    top = 200 if kind == "sequences" else 4
    one, found = data.draw(forms(kind, top))
    for text, holds in found:
        truth = sum(holds(record) for record in records)
        exact, answer = (ask(side, f"count record where {text}") for side in (original, published))
        assert (exact.certain, exact.possible, exact.expected) == (truth, truth, truth), text
        assert answer.certain <= truth <= answer.possible, text
        if answer.expected is None:
            assert "nothing is published of" in " ".join(answer.notes), text
        else:
            assert answer.certain <= answer.expected <= answer.possible, text
    text = f"count event where {format_step(one, kind)}"
    truth = sum(count_events(record, one) for record in records)
    assert ask(original, text).certain == truth == ask(original, text).possible
    assert ask(published, text).certain <= truth <= ask(published, text).possible


@pytest.mark.parametrize("case", [case for case in CASES if case[0].kinds[0] != "trajectories"], ids=name_case)
@settings(max_examples=2)
@given(rows=rows_of_labels, label=st.sampled_from(LABELS), noun=st.sampled_from(["record", "event"]))
def test_every_bar_holds_the_truth(case, rows, label, noun):
    kind = case[0].kinds[0]
    made = KINDS[kind].build(rows, case[0])
    result = publish(made, case)
    if result is None:
        return
    room = find_kind(kind).query_bounds.load()
    length = {"activity": "2h", "sequences": "50"}.get(kind, "2")
    text = f"count {noun} where '{label}' by {length}"
    original, published = ask(room.of_dataset(made), text), ask(room.of_release(result.release), text)
    width = 2 * HOUR if kind == "activity" else int(length)
    records = list_records(made)

    def count(begin):
        step = Step(frozenset(label), begin, begin + width - 1)
        return sum(count_events(r, step) if noun == "event" else follows(r, [step]) for r in records)

    def begin_of(bar):
        return int(np.datetime64(bar["from"], "us").astype(np.int64)) if kind == "activity" else bar["from"]

    for bar in original.table.to_pylist():
        assert bar["certain"] == bar["possible"] == bar["expected"] == count(begin_of(bar))
    assert sum(bar["certain"] for bar in original.table.to_pylist()) >= (original.certain if noun == "record" else 0)
    for bar in published.table.to_pylist():
        assert bar["certain"] <= count(begin_of(bar)) <= bar["possible"]
        if bar["expected"] is None:
            assert "nothing is published of" in " ".join(published.notes)
        else:
            assert bar["certain"] <= bar["expected"] <= bar["possible"]


@pytest.mark.parametrize("case", [case for case in CASES if case[0].kinds[0] == "sequences"], ids=name_case)
@settings(max_examples=3)
@given(rows=rows_of_labels, label=st.sampled_from(LABELS), verb=st.sampled_from(["first", "last"]))
def test_first_and_last_times_hold_the_true_ones(case, rows, label, verb):
    made = KINDS["sequences"].build(rows, case[0])
    result = publish(made, case)
    if result is None:
        return
    room, step = find_kind("sequences").query_bounds.load(), Step(frozenset(label))
    records = [list_records(made)[row] for row in result.owner_record.rows]
    table = {row["record"]: row for row in ask(room.of_release(result.release), f"{verb} '{label}'").table.to_pylist()}
    for number, record in enumerate(records, start=1):
        truth = find_first(record, step, last=verb == "last")
        found = table.get(number)
        if truth is None:
            assert found is None or not found["certain"]
            continue
        assert found["earliest"] is None or found["earliest"] <= truth
        assert found["latest"] is None or found["latest"] >= truth
