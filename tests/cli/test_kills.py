"""A short run of ``tests/cli/kills.py``: killed at any moment, a run leaves the old pair or the new one."""

import pytest
from tests.cli.kills import kill_many


@pytest.mark.slow
def test_killed_runs_leave_the_old_pair_or_the_new_one(tmp_path):
    left = kill_many(["sets", "stream"], 24, 1, tmp_path)
    assert sum(left.values()) == 24
