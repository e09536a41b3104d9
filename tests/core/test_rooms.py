"""Rooms are found by their names, and only those of the kind at hand are entered."""

from __future__ import annotations

import subprocess
import sys

import pytest

import sfumato as sf
from sfumato import registry
from sfumato.core.errors import ParameterError

SCRIPT = """
import sys
from sfumato.cli import run
assert run(["generate", "sets", "--size", "30", "--seed", "1", "--out", sys.argv[1] + "/data.csv"]) == 0
words = ["anonymize", sys.argv[1] + "/data.csv", "--kind", "sets", "--method", "disassociation", "-p", "k=2"]
assert run([*words, "-p", "m=2", "--out", sys.argv[1] + "/out"]) == 0
assert run(["verify", sys.argv[1] + "/out"]) == 0
print(*sorted(name for name in sys.modules if name.startswith("sfumato.kinds.") and name.count(".") > 2))
"""


def test_only_the_rooms_of_the_kind_asked_for_are_imported(tmp_path):
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, check=True)
    entered = done.stdout.splitlines()[-1].split()
    assert {name.split(".")[2] for name in entered} == {"sets"}
    assert {name.split(".")[3] for name in entered} >= {
        "reader",
        "methods",
        "verifiers",
        "attacker",
        "metrics",
        "report",
    }


@pytest.mark.parametrize("kind", registry.all_kinds())
def test_every_kind_says_what_it_is(kind):
    found = registry.find_kind(kind)
    assert found.row and not found.row.endswith(".")
    assert set(found.formats) >= {"csv", "parquet", "jsonl"}
    for room in ("model", "guarantees", "reader", "generator", "methods", "verifiers", "attacker", "metrics", "report"):
        assert registry.has_room(kind, room)


def test_what_is_not_there_is_said():
    with pytest.raises(ParameterError, match="Did you mean 'sets'"):
        registry.find_kind("set")
    with pytest.raises(ParameterError, match="timeline: there is no stream for this kind of data"):
        registry.find_room("timeline", "stream")
    with pytest.raises(ParameterError, match="kind 'set' cannot be read; choose from activity"):
        registry.reader("set")


def test_only_separated_sets_can_be_drawn_again():
    data = sf.Dataset.of("timeline", [{"a": 1, "b": 9}, {"b": 9}], sensitive=("a",))
    release = sf.anonymize(data, sf.methods.Essa(delta="1/2")).release
    with pytest.raises(ParameterError, match="reconstruct: the release publishes records, not chunks"):
        sf.reconstruct(release)


def test_methods_are_found_by_name_and_by_class():
    assert sf.methods.find("seqanon") is sf.methods.SeqAnon is sf.methods.all_methods()["seqanon"]
    assert {"SeqAnon", "find", "all_methods"} <= set(dir(sf.methods))
