"""A kind of data names what it offers; every target exists, is what its field says, and is imported when it is used."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

import sfumato as sf
from sfumato import plugins
from sfumato.base import components
from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.kind import KindSpec, Lazy
from sfumato.exceptions import ParameterError
from sfumato.metrics.metric import Metric
from sfumato.readers.partitioned.reading import PartitionedReading
from sfumato.readers.roles import Vocabulary
from sfumato.reports.text import ReportWords
from sfumato.verification.release_checks import ReleaseChecks

SCRIPT = """
import sys
from sfumato.cli import run
assert run(["generate", "sets", "--size", "30", "--seed", "1", "--out", sys.argv[1] + "/data.csv"]) == 0
words = ["anonymize", sys.argv[1] + "/data.csv", "--kind", "sets", "--method", "disassociation", "-p", "k=2"]
assert run([*words, "-p", "m=2", "--out", sys.argv[1] + "/out"]) == 0
assert run(["verify", sys.argv[1] + "/out"]) == 0
print(*sorted(name for name in sys.modules if name.startswith("sfumato.kinds.") and name.count(".") > 2))
"""
MODULES = {
    "reader": components.Reader,
    "query_bounds": components.QueryBounds,
    "report": components.Report,
    "generator": components.Generator,
    "sort_key": components.SortKey,
    "partitions_report": components.PartitionsReport,
    "folder": components.Folder,
    "stream": components.Stream,
}
"""What a module must have, by the field that names it."""
OBJECTS = {
    "release_checks": ReleaseChecks,
    "vocabulary": Vocabulary,
    "partitioned_reading": PartitionedReading,
    "report_words": ReportWords,
}
"""What an object must be, by the field that names it."""


def run_script(script: str, *words: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


def test_only_components_of_the_kind_asked_for_are_imported(tmp_path):
    entered = run_script(SCRIPT, str(tmp_path))
    assert {name.split(".")[2] for name in entered} == {"sets"}
    expected = {"reader", "methods", "verify", "attacks", "metrics", "report"}
    assert {name.split(".")[3] for name in entered} >= expected


def test_a_method_is_imported_without_the_others():
    script = "import sys, sfumato as sf; sf.methods.SeqAnon; print(*sys.modules)"
    found = [name for name in run_script(script) if name.startswith("sfumato.kinds.") and ".methods." in name]
    assert set(found) == {"sfumato.kinds.trajectories.methods.seqanon", "sfumato.kinds.trajectories.methods._base"}


@pytest.mark.parametrize("kind", plugins.all_kinds())
def test_every_kind_says_what_it_is(kind):
    spec = plugins.find_kind(kind)
    assert spec.name == kind
    assert spec.row and not spec.row.endswith(".")
    assert set(spec.formats) >= {"csv", "parquet", "jsonl"}
    assert {*spec.recommended} <= {*spec.methods}
    assert {*spec.primary_metrics} <= {metric.name for metric in plugins.metrics_for(kind)}


@pytest.mark.parametrize("kind", plugins.all_kinds())
def test_components_are_what_their_fields_say(kind):
    spec = plugins.find_kind(kind)
    for name, expected in {**MODULES, **OBJECTS}.items():
        component = getattr(spec, name)
        assert component is None or isinstance(component.load(), expected), name
    for name, method in spec.methods.items():
        assert issubclass(method.load(), Method) and method.load().name == name
    for metric in spec.metrics:
        assert issubclass(metric.load(), Metric)
    for name, entry in spec.guarantees.items():
        guarantee = entry.guarantee.load()
        assert issubclass(guarantee, Guarantee) and guarantee.name == name
        assert isinstance(entry.verifier.load(), components.Verifier)
        assert guarantee.knowledge in spec.attackers
    for knowledge, attackers in spec.attackers.items():
        assert isinstance(attackers.attacker.load(), components.Attacker)
        assert knowledge == attackers.attacker.load().KNOWLEDGE
        assert all(isinstance(each.load(), components.StrongerAttacker) for each in attackers.stronger)


@pytest.mark.parametrize("kind", plugins.all_kinds())
def test_every_target_exists(kind):
    fields = [field.name for field in dataclasses.fields(KindSpec)]
    found = [target for _, target in plugins.list_components(kind)]
    assert len(found) > len(fields) / 2
    for target in found:
        assert target.startswith((f"sfumato.kinds.{kind}.", "sfumato.metrics."))
        assert Lazy(target).load() is not None


def _list_modules(package: str) -> Iterator[object]:
    root = importlib.import_module(package)
    for module in pkgutil.walk_packages(root.__path__, f"{package}."):
        yield importlib.import_module(module.name)


@pytest.mark.parametrize("kind", plugins.all_kinds())
@pytest.mark.parametrize(("base", "field"), [(Method, "methods"), (Metric, "metrics"), (Guarantee, "guarantees")])
def test_nothing_that_is_written_is_left_out(kind, base, field):
    listed = {target for name, target in plugins.list_components(kind) if name.split(":")[0].split(",")[0] == field}
    for module in _list_modules(f"sfumato.kinds.{kind}"):
        for value in vars(module).values():
            own = isinstance(value, type) and issubclass(value, base) and value.__module__ == module.__name__
            if own and "name" in vars(value):
                assert f"{value.__module__}:{value.__name__}" in listed


def test_what_is_not_there_is_said():
    with pytest.raises(ParameterError, match="Did you mean kind='sets'"):
        plugins.find_kind("set")
    with pytest.raises(AttributeError, match="has no attribute 'Seqanom'"):
        sf.methods.Seqanom  # noqa: B018


def test_only_separated_sets_can_be_drawn_again():
    data = sf.Dataset.of("timeline", [{"a": 1, "b": 9}, {"b": 9}], sensitive=("a",))
    release = sf.anonymize(data, sf.methods.Essa(delta="1/2")).release
    with pytest.raises(ParameterError, match="reconstruct: the release publishes records, not chunks"):
        sf.reconstruct(release)


def test_methods_are_found_by_name_and_by_class():
    assert sf.methods.find("seqanon") is sf.methods.SeqAnon is sf.methods.all_methods()["seqanon"]
    assert {"SeqAnon", "find", "all_methods"} <= set(dir(sf.methods))


def test_what_every_kind_offers_is_listed():
    done = subprocess.run([sys.executable, "-m", "sfumato.plugins"], capture_output=True, text=True, check=True)
    assert "sets: a row is the items of a person\n" in done.stdout
    assert "  guarantees: km-items, verifier: sfumato.kinds.sets.verify.km_items\n" in done.stdout
