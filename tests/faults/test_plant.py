"""Faults are found, chosen, planted and taken back as they should be, and a run tells caught ones from survivors."""

from __future__ import annotations

import ast
import dataclasses
import json
import shutil
from pathlib import Path

import pytest

from sfumato.base.guarantee import list_guarantees
from sfumato.data.kind import all_kinds
from tests.faults import layout, plant
from tests.faults.results import CAUGHT, INVALID, SURVIVED, Results
from tests.faults.run import Options, run_faults
from tests.faults.stages import list_stages

ROOT = Path(__file__).parent.parent.parent
FOLDER = "src/sfumato/kinds/walks/verify"
TEXTS = '''
_BUDGET = 4_000


def check_sizes(sizes, k):
    """Look for classes with fewer than k people: ``1 < 2``."""
    if min(sizes) < k:
        return {"size": min(sizes), "text": f"{k + 1}"}
    return None


def cut_portion(sizes):
    portion = _BUDGET + 1
    return sizes[:portion]
'''
"""Only the condition is more than text or a budget."""
CHECKERS = {
    "broken": "FEWEST, MOST = 1, 2\nBOUND = {FEWEST: MOST}[min(FEWEST, MOST)]\n",
    "caught": "def is_crowd(size, k):\n    return size >= k\n",
    "harmless": "def is_crowd(size, k):\n    return size > k\n",
    "spare": "def is_nobody(size):\n    return not size\n",
}
"""Modules with one fault each, in the order in which they are chosen."""
TESTS = """import sfumato
from sfumato.kinds.walks.verify import caught, harmless


def test_that_always_fails():
    assert not sfumato


def test_crowds():
    assert caught.is_crowd(3, 3)
    assert harmless.is_crowd(4, 3)
"""


@pytest.fixture(scope="module")
def found():
    return plant.find_faults(ROOT)


@pytest.fixture(scope="module")
def arranged(found):
    return plant.arrange(found)


@pytest.fixture
def tree(tmp_path):
    """Make a small tree whose package is called as the real one, so that only its place tells them apart."""
    files = {"tests/test_crowds.py": TESTS, "pyproject.toml": "[tool.pytest.ini_options]\n"}
    files |= {f"{FOLDER}/{name}.py": text for name, text in CHECKERS.items()}
    files |= {f"src/{package}/__init__.py": "" for package in ("sfumato", "sfumato/kinds", "sfumato/kinds/walks")}
    for name, text in files.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "tree"


@pytest.fixture
def options(tree, tmp_path):
    equivalents = tmp_path / "equivalent.toml"
    equivalents.touch()
    return Options(
        tree=tree,
        out=tmp_path / "out.json",
        copy=tmp_path / "copy",
        count=3,
        seed=1,
        tests=("tests",),
        workers=0,
        equivalents=equivalents,
    )


def test_fifty_different_faults_are_spread_over_files_and_kinds(arranged):
    chosen = plant.choose(arranged, plant.exclude([]))
    assert len(chosen) == len({fault.key for fault in chosen.values()}) == plant.COUNT
    files = [fault.file for fault in chosen.values()]
    assert max(map(files.count, files)) <= plant.MOST_PER_FILE
    assert {layout.find_kind(file) for file in files} == {*layout.list_kinds(ROOT), ""}
    assert len({fault.operator for fault in chosen.values()}) > 10


def test_the_same_source_gives_the_same_faults(found, arranged):
    assert plant.arrange(reversed(found)) == arranged
    assert plant.arrange(found, seed=plant.SEED + 1) != arranged


def test_every_kind_of_fault_leaves_code_that_parses_and_differs(found, arranged):
    one_per_operator = {fault.operator: fault for fault in found}
    for fault in {*arranged[: plant.COUNT], *one_per_operator.values()}:
        content = (ROOT / fault.file).read_bytes()
        changed = ast.parse(plant.change_content(content, fault))
        assert ast.dump(changed) != ast.dump(ast.parse(content)), fault


def test_a_file_gets_its_bytes_and_time_back(tree):
    path = tree / FOLDER / "caught.py"
    content, time = path.read_bytes(), path.stat().st_mtime_ns
    (fault,) = plant.find_faults_of_file(f"{FOLDER}/caught.py", content)
    with plant.planted(tree, fault):
        assert path.read_bytes() == content.replace(b"size >= k", b"(size > k)")
        assert path.stat().st_mtime_ns != time
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (content, time)


def test_no_fault_is_planted_in_texts_and_budgets():
    faults = plant.find_faults_of_file("crowds.py", TEXTS.encode())
    assert {TEXTS.splitlines()[fault.line - 1].strip() for fault in faults} == {"if min(sizes) < k:"}


def test_excluded_faults_are_replaced_and_the_others_keep_their_numbers(arranged):
    first = plant.choose(arranged, plant.exclude([]))
    entry = plant.Equivalent(first[7].file, first[7].before, first[7].after, "Nobody can notice it.")
    second = plant.choose(arranged, plant.exclude([entry], keys={first[4].key}))
    assert second.keys() == first.keys()
    assert [number for number in first if first[number] != second[number]] == [4, 7]
    assert not {second[4], second[7]} & {*first.values()}


def test_faults_judged_equivalent_are_still_there(found):
    for entry in plant.load_equivalents():
        assert any(entry.matches(fault) for fault in found), entry


def test_an_equivalent_fault_needs_a_reason(tmp_path):
    path = tmp_path / "equivalent.toml"
    path.write_text('[[equivalent]]\nfile = "a.py"\nbefore = "a"\nafter = "b"\nreason = " "\n', "utf-8")
    with pytest.raises(ValueError, match="has no reason"):
        plant.load_equivalents(path)


def test_releases_are_selected_by_the_guarantees_of_a_kind(arranged):
    for kind in all_kinds():
        assert layout.list_guarantees(ROOT, kind) == sorted(list_guarantees(kind))
    for fault in plant.choose(arranged, plant.exclude([])).values():
        paths = [path for stage in list_stages(ROOT, fault) for path in stage.paths]
        assert layout.DAMAGES in paths and "tests/checks" in paths and fault.file in paths


def test_missing_tests_are_named(tree, capsys):
    fault = plant.find_faults(tree)[0]
    assert [stage.paths for stage in list_stages(tree, fault)] == [(fault.file,)]
    assert "Tests not found: tests/damage, tests/kinds/walks" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_tells_caught_faults_from_survivors_and_goes_on_where_it_stopped(tree, options, capsys):
    run_faults(dataclasses.replace(options, only=(2,)))
    before = options.out.read_text("utf-8")
    results = run_faults(options)
    outcomes = {Path(record.fault.file).stem: record.outcome for record in results.records.values()}
    assert outcomes == {"broken": INVALID, "caught": CAUGHT, "harmless": SURVIVED, "spare": SURVIVED}
    assert results.failing_anyway == ["tests/test_crowds.py::test_that_always_fails"]
    assert json.loads(before)["faults"][0] in json.loads(options.out.read_text("utf-8"))["faults"]
    printed = capsys.readouterr().out
    assert "2 caught" in printed and "by tests/test_crowds.py::test_crowds" in printed
    assert "-    return size > k\n+    return (size >= k)\n" in printed
    assert "Caught 1 of 3 faults" in printed
    for name, text in CHECKERS.items():
        assert (options.copy / "tree" / FOLDER / f"{name}.py").read_text("utf-8") == text

    # What is printed of a survivor can be pasted: only the reason is missing.
    entry = printed[printed.index("[[equivalent]]") :].split("\n\n")[0].partition("\nSurvivor")[0]
    options.equivalents.write_text(entry.replace('reason = ""', 'reason = "It is untested."'), "utf-8")
    assert [known.file for known in plant.load_equivalents(options.equivalents)] == [f"{FOLDER}/spare.py"]


def test_results_of_another_tree_or_of_other_options_are_refused(tree, options):
    Results(options.out, options.settings()).write()
    with pytest.raises(SystemExit, match="Use the same options"):
        run_faults(dataclasses.replace(options, marker="not slow"))
    run_faults(dataclasses.replace(options, only=(99,)))
    (tree / FOLDER / "caught.py").write_text("", "utf-8")
    run_faults(dataclasses.replace(options, only=(99,)))
    shutil.rmtree(options.copy)
    with pytest.raises(SystemExit, match="changed since"):
        run_faults(options)
