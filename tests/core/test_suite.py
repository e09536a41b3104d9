"""What the suite itself must keep: how fast a machine is decides no test."""

from pathlib import Path

from hypothesis import settings

HERE = Path(__file__).parent.parent


def test_no_example_has_a_deadline():
    assert settings.default.deadline is None
    own = {HERE / "conftest.py", Path(__file__)}
    said = [path.name for path in HERE.rglob("*.py") if path not in own and "deadline" in path.read_text("utf-8")]
    assert said == []
