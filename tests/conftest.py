"""One Hypothesis profile for the whole suite: how fast the machine is decides nothing.

With ``NUMBA_DISABLE_JIT=1`` kernels run as plain Python, which finds an index out of bounds that compiled code passes
over. Then only tests of what has kernels are made, and none that need many people (marked ``large``).
"""

import os

import pytest
from hypothesis import HealthCheck, settings

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
collect_ignore_glob = (
    [
        *("checking", "cli", "core", "damages", "docs", "engines", "io", "query", "study", "warehouse", "workbench"),
        *("test_*.py", "*/verifiers/*", "*/reader/*", "*/test_report.py", "*/test_reports.py", "*/test_generator*.py"),
        *("kinds/test_measures.py", "kinds/test_new_kind.py", "kinds/test_secret.py", "kinds/test_sentences.py"),
    ]
    if PLAIN
    else []
)


def pytest_collection_modifyitems(items):
    if PLAIN:
        for item in items:
            if item.get_closest_marker("large"):
                item.add_marker(pytest.mark.skip(reason="takes long where nothing is compiled"))


settings.register_profile("sfumato", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("sfumato")
