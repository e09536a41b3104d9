"""Chromium of the system, driven by Playwright, on a server of the workbench."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from tests.web.filling import add_release_in_partitions, add_study, fill
from tests.web.running import serving

from sfumato import plugins

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("browser") / "project") as running:
        yield running


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """A server on a project that has something of every kind on every page."""
    folder = tmp_path_factory.mktemp("filled") / "project"
    project = fill(folder, plugins.all_kinds())
    add_release_in_partitions(project, "table-example.csv", 100)
    add_study(project, "table-example.csv", ["mondrian", "cluster", "incognito"], values=(5,))
    with serving(folder) as running:
        yield running


@pytest.fixture(scope="session")
def axe():
    """The script that looks for what keeps people out."""
    path = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
    if not path.is_file():
        pytest.exit("axe-core is missing. Fetch it: npm install --prefix browser --no-package-lock", 2)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.exit("Chromium is missing. Install it: sudo apt-get install chromium (or chromium-browser).", 2)
    with sync_playwright() as driver:
        folder = tmp_path_factory.mktemp("profile")
        context = driver.chromium.launch_persistent_context(
            folder, executable_path=path, args=list(_FLAGS), accept_downloads=True
        )
        context.set_default_timeout(_TIMEOUT)
        yield context
        context.close()


@pytest.fixture
def page(chromium):
    """A tab on which nothing may go wrong."""
    tab = chromium.new_page()
    faults = []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    tab.on("request", lambda asked: faults.append(asked.url) if not asked.url.startswith(_LOCAL) else None)
    yield tab
    tab.close()
    assert faults == []


_TIMEOUT = 180_000
"""Milliseconds to wait for what a page shows: jobs begin late on machines that have other things to do."""
_LOCAL = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")
