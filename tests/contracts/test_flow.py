"""The way of a command through the source gets no longer than it is."""

from __future__ import annotations

import json
import sys

import pytest
from tests.contracts import flow
from tests.contracts.flow import Call, Figures, count, describe_growth, describe_way, lower_baseline
from tests.contracts.samples import SAMPLES
from tests.contracts.tracing import Tracer

QUICK = ("table", "trajectories")


@pytest.mark.parametrize(
    "kind", [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.slow) for kind in SAMPLES]
)
def test_the_way_gets_no_longer(kind):
    baseline = flow.read_baseline()[kind]
    grown = describe_growth(kind, baseline, flow.measure(kind, baseline))
    assert not grown, "\n".join([*grown, f"Where it goes: python -m tests.contracts --trace {kind}"])


def test_a_longer_way_is_named():
    baseline = flow.read_baseline()["table"]
    verify = baseline["verify"]
    longer = {**baseline, "verify": verify._replace(changes=verify.changes + 1, modules=verify.modules - 1)}
    assert describe_growth("table", baseline, longer) == [
        f"table, verify: {verify.changes + 1} changes of area, and the baseline is {verify.changes}. It may only fall."
    ]
    assert describe_growth("table", baseline, baseline) == []


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """A baseline of one kind of data, and what is measured of it next."""
    figures = {"verify": Figures(10, 20, 5)}
    monkeypatch.setattr(flow, "SAMPLES", {"table": None})
    monkeypatch.setattr(flow, "measure", lambda kind, baseline: dict(figures))
    path = tmp_path / "flow.json"
    assert lower_baseline(path=path) == []
    return path, figures


def test_the_baseline_falls(measured):
    path, figures = measured
    figures["verify"] = Figures(9, 20, 5)
    assert lower_baseline(path=path) == []
    assert json.loads(path.read_text()) == {"table": {"verify": {"modules": 9, "functions": 20, "changes": 5}}}


def test_the_baseline_rises_only_when_it_may(measured):
    path, figures = measured
    figures["verify"] = Figures(9, 21, 5)
    assert lower_baseline(path=path) == [
        "table, verify: 21 functions, and the baseline is 20. It may only fall.",
    ]
    assert flow.read_baseline(path)["table"]["verify"].functions == 20
    lower_baseline(path=path, may_rise=True)
    assert flow.read_baseline(path)["table"]["verify"].functions == 21


def test_kernels_that_were_compiled_on_the_way_do_not_count(monkeypatch):
    ways = iter([[Call("a", "compile", "core"), Call("a", "f", "core")], [Call("a", "f", "core")]])
    monkeypatch.setattr(flow, "trace_kind", lambda kind: {"verify": next(ways)})
    assert flow.measure("table", {"verify": Figures(1, 1, 1)}) == {"verify": Figures(1, 1, 1)}


SOURCE = """
class Place:
    name = str("here")
    def walk(self): return [step(n) for n in range(3)]

def step(n): return (lambda: n)()
def never(): return 0
start = (lambda: 1)()
"""


def test_functions_are_recorded_once_in_the_order_of_their_first_calls(tmp_path):
    (tmp_path / "house").mkdir()
    file = tmp_path / "house" / "rooms.py"
    file.write_text(SOURCE)
    tracer, names = Tracer(), {}
    sys.setprofile(tracer.note)
    exec(compile(SOURCE, str(file), "exec"), names)
    names["Place"]().walk()
    names["Place"]().walk()
    sys.setprofile(None)
    assert tracer.list_functions(tmp_path / "house") == [("house.rooms", "Place.walk"), ("house.rooms", "step")]


def test_a_way_is_shown_stretch_by_stretch():
    way = [Call(f"sfumato.{area}", name, area) for area, name in (("readers", "f"), ("data", "g"), ("readers", "h"))]
    assert count(way) == Figures(2, 3, 3)
    assert [line.split() for line in describe_way(way)] == [
        ["1", "readers", "1", "readers"],
        ["2", "data", "1", "data"],
        ["3", "readers", "1", "readers"],
    ]
