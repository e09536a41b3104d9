"""What holds for every test: how examples are drawn, and what is left out where kernels are not compiled.

Tests marked ``slow`` belong to ``make slow``. With ``NUMBA_DISABLE_JIT=1`` kernels run as plain Python, where numbers
do not wrap around; only tests of what has kernels are made then, and none that need many people (marked ``large``).
"""

import os

import pytest

from tests.examples import load_profile

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
collect_ignore_glob = (
    [
        *("attacks", "base", "checks", "cli", "contracts/test_*", "damage", "data", "docs", "engines", "exports"),
        *("faults", "formats", "golden", "hierarchies", "metrics", "ontologies", "queries", "readers", "release"),
        *("reports", "studies", "test_*.py", "verification", "web"),
        *(
            "kinds/*/verify/*",
            "kinds/*/reader/*",
            "kinds/*/test_report.py",
            "*/test_reports.py",
            "*/test_generators.py",
        ),
        *("contracts/kinds/test_measures.py", "contracts/kinds/test_new_kind.py", "contracts/kinds/test_secret.py"),
        *("contracts/kinds/test_sentences.py", "contracts/kinds/test_reports.py"),
    ]
    if PLAIN
    else []
)


def pytest_collection_modifyitems(items):
    if PLAIN:
        for item in items:
            if item.get_closest_marker("large"):
                item.add_marker(pytest.mark.skip(reason="takes long where nothing is compiled"))


load_profile()
