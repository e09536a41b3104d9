"""Pages that browsers have left leave nothing behind; those that none looks at are bounded."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What a server says after pages were opened and left."""
    folder = tmp_path_factory.mktemp("visits") / "project"
    run = subprocess.run(
        [sys.executable, "-m", "tests.web.visiting", str(folder)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.slow
def test_pages_that_were_left_leave_no_element_behind(told):
    """However often: what is still alive is a small part of one page, before any look for garbage."""
    assert len(told["left"]) == 4 and max(told["left"]) < told["open"][0] / 6


@pytest.mark.slow
def test_a_page_whose_line_broke_waits_for_its_browser(told):
    assert told["broken"] == 1


def test_pages_that_no_browser_connects_to_are_bounded(told):
    """Whoever only fetches pages, ever again, does not fill the memory; the newest stay."""
    assert told["unseen"]
