"""Loaded into every pytest run of a tree with a fault: refuses another copy of the package, and notes what failed."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path

import pytest

SOURCE, PACKAGE, OUTCOME = "FAULTS_SOURCE", "FAULTS_PACKAGE", "FAULTS_OUTCOME"
"""Environment: where the package must come from, what it is called, and where the outcome is written."""

_failures: list[dict[str, str]] = []
_counts = {"tests": 0}


def find_foreign(package: str, source: str) -> str:
    """Return the file that a package is imported from, if it lies outside of the source; empty if all is well."""
    file = Path(importlib.import_module(package).__file__ or "").resolve()
    return "" if file.is_relative_to(Path(source).resolve()) else str(file)


def pytest_configure(config):
    if SOURCE in os.environ:
        foreign = find_foreign(os.environ[PACKAGE], os.environ[SOURCE])
        if foreign:
            pytest.exit(f"{os.environ[PACKAGE]} is imported from {foreign}, not from the copy.", returncode=4)


def pytest_runtest_logreport(report):
    _counts["tests"] += report.when == "call"
    _note(report)


def pytest_collectreport(report):
    _note(report)


def _note(report):
    if report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        message = crash.message if crash is not None else str(report.longrepr).strip().rpartition("\n")[2]
        _failures.append({"test": report.nodeid, "when": report.when or "", "message": message[:500]})


def pytest_sessionfinish(session):
    if OUTCOME in os.environ and not hasattr(session.config, "workerinput"):
        text = json.dumps({**_counts, "failures": _failures})
        Path(os.environ[OUTCOME]).write_text(text, encoding="utf-8")
