"""Which tests are run for a fault, those first that are most likely to catch it."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from tests.faults import layout
from tests.faults.plant import Fault

WHOLE_SUITE = "whole suite"


@dataclasses.dataclass(frozen=True)
class Stage:
    """Tests that run together: paths below the tree, a keyword expression, and paths that are left out.

    Parameters
    ----------
    name
        What people read.
    paths
        Files and folders of tests; all that pytest is configured for if there are none.
    keyword
        Which of them, as pytest's option ``-k``.
    ignored
        Files and folders that are passed over.
    """

    name: str
    paths: tuple[str, ...]
    keyword: str = ""
    ignored: tuple[str, ...] = ()

    def options(self) -> list[str]:
        """Return the arguments for pytest."""
        keyword = ["-k", self.keyword] if self.keyword else []
        return [*keyword, *(f"--ignore={path}" for path in self.ignored), *self.paths]


def list_stages(tree: Path, fault: Fault) -> list[Stage]:
    """Return the stages for a fault: those of its kind, or those of shared code. Paths that are missing are left out.

    A tree without any of them was laid out anew, so that nothing could be learned from it.
    """
    kind = layout.find_kind(fault.file)
    stages = _list_of_kind(tree, kind, fault) if kind else _list_of_shared(tree, fault)
    present = [
        dataclasses.replace(stage, paths=tuple(path for path in stage.paths if (tree / path).exists()))
        for stage in stages
    ]
    missing = [path for stage in stages for path in stage.paths if not (tree / path).exists()]
    if missing and missing != [*layout.LAST_TESTS]:
        print(f"Tests not found: {', '.join(missing)}. Correct tests/faults/layout.py.", file=sys.stderr)
    found = [stage for stage in present if stage.paths]
    if not found:
        raise FileNotFoundError(f"{tree} has no tests for {fault.file}. Correct tests/faults/layout.py.")
    return found


def _list_of_kind(tree: Path, kind: str, fault: Fault) -> list[Stage]:
    folder = layout.KIND_TESTS.format(kind=kind)
    first = tuple(
        path.relative_to(tree).as_posix()
        for pattern in layout.KIND_FIRST
        for path in sorted((tree / folder).glob(pattern))
    )
    return [
        Stage("damages of the kind", (layout.DAMAGES,), _select_releases(layout.list_guarantees(tree, kind))),
        Stage("checkers of the kind", (*first, fault.file)),
        Stage("tests of the kind", (folder,), ignored=first),
        Stage("contracts", layout.CONTRACT_TESTS),
        Stage("golden files", layout.LAST_TESTS),
    ]


def _list_of_shared(tree: Path, fault: Fault) -> list[Stage]:
    """Run a sample of the damages early: those of one guarantee of every kind."""
    guarantees = [layout.list_guarantees(tree, kind) for kind in layout.list_kinds(tree)]
    sample = _select_releases([names[0] for names in guarantees if names])
    return [
        Stage("shared checks", (*layout.SHARED_TESTS, fault.file)),
        Stage("damages, a sample", (layout.DAMAGES,), sample),
        Stage("damages, the rest", (layout.DAMAGES,), f"not ({sample})" if sample else ""),
        Stage("files of releases", layout.FILES_TESTS),
        Stage("partitioned releases", layout.DIVIDED_TESTS),
        Stage("contracts", tuple(path for path in layout.CONTRACT_TESTS if path not in layout.SHARED_TESTS)),
        Stage("golden files", layout.LAST_TESTS),
    ]


def _select_releases(guarantees: list[str]) -> str:
    """Return what selects damaged releases by the beginning of their names, which are those of guarantees.

    >>> _select_releases(["km-anonymity", "klm-anonymity"])
    '[km-anonymity or [klm-anonymity'
    """
    return " or ".join(f"[{name}" for name in guarantees)


def select_whole_suite() -> Stage:
    """Return the stage of all tests."""
    return Stage(WHOLE_SUITE, (), ignored=layout.WITHOUT_WHOLE_SUITE)
