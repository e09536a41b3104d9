"""What the suite itself must keep: how fast a machine is decides no test, and few examples are always the same."""

import re
from pathlib import Path

import hypothesis

from tests import examples

HERE = Path(__file__).parent
OWN = {HERE / "examples.py", Path(__file__)}


def test_no_example_has_a_deadline():
    assert hypothesis.settings.default.deadline is None
    assert [
        path.name for path in HERE.rglob("*.py") if path not in OWN and "deadline=" in path.read_text("utf-8")
    ] == []


def test_few_examples_are_always_the_same():
    assert hypothesis.settings.default.derandomize is not examples.MANY
    direct = re.compile(r"from hypothesis import .*\bsettings\b|hypothesis\.settings\(")
    assert [
        path.name for path in HERE.rglob("*.py") if path not in OWN and direct.search(path.read_text("utf-8"))
    ] == []
