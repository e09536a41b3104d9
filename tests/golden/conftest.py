"""What the golden tests of a process share: a workplace, so that data are read once, and the goldens as stored.

Tests that compare need nothing of each other: they may run in any order, alone, or dealt out among processes, each of
which has a workplace of its own.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.golden.cases import KINDS, Workplace
from tests.golden.storage import SECTIONS, load_all

Goldens = dict[str, dict[str, Any]]


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """Data that cases share, and room for releases; where that is must not be seen in any golden."""
    return Workplace(tmp_path_factory.mktemp("golden"))


@pytest.fixture(scope="session")
def stored() -> dict[str, Goldens]:
    """What is stored, by section and by the name of the case."""
    return {section: load_all(section, KINDS) for section in SECTIONS}


@pytest.fixture(scope="session")
def stored_releases(stored: dict[str, Goldens]) -> Goldens:
    """Digests of the files of every release."""
    return stored["releases"]


@pytest.fixture(scope="session")
def stored_answers(stored: dict[str, Goldens]) -> Goldens:
    """Verdicts, risks, scores and answers of every case, and what is known of its originals."""
    return stored["answers"]
