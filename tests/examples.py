"""How many examples property tests draw: few and the same every time, or many and new ones.

``make test`` draws few, so that it is quick and either always fails or never. ``make slow`` sets
``SFUMATO_EXAMPLES=many``: every test draws as many as it names, from a seed that differs from run to run.
"""

from __future__ import annotations

import os

import hypothesis
from hypothesis import HealthCheck

MANY = os.environ.get("SFUMATO_EXAMPLES") == "many"
FEW = 25
"""Examples a test draws at most where few are drawn."""


def settings(*, max_examples: int) -> hypothesis.settings:
    """Return settings for a test that draws so many examples where many are drawn."""
    return hypothesis.settings(max_examples=max_examples if MANY else min(max_examples, FEW))


def load_profile() -> None:
    """Load what holds for all tests: how fast the machine is decides nothing."""
    hypothesis.settings.register_profile(
        "sfumato",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
        max_examples=100 if MANY else FEW,
        derandomize=not MANY,
    )
    hypothesis.settings.load_profile("sfumato")
