"""Which branches of the source a test run takes: recorded as a plugin of pytest, counted and compared afterwards.

``SFUMATO_BRANCHES=FOLDER python -m pytest -p tests.branches ...`` records, on Python 3.12 or 3.13 (every process of
pytest-xdist writes a file of its own; processes that tests start are not seen, nor is compiled code).
``python -m tests.branches FOLDER`` counts, ``python -m tests.branches BEFORE AFTER`` lists what only BEFORE takes.
A branch is a conditional jump and where it went: file, line, and line of the destination.
"""

from __future__ import annotations

import atexit
import collections
import dis
import json
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parent.parent / "src"
Branch = tuple[str, int, int]


class Recorder:
    """Notes destinations of conditional jumps; one that was seen going both ways is watched no longer."""

    def __init__(self) -> None:
        self.seen: dict[tuple[types.CodeType, int], set[int]] = {}
        self._ours: dict[str, bool] = {}

    def note(self, code: types.CodeType, jump: int, destination: int) -> Any:
        name = code.co_filename
        ours = self._ours.get(name)
        if ours is None:
            ours = self._ours[name] = Path(name).resolve().is_relative_to(SOURCE)
        if not ours:
            return sys.monitoring.DISABLE
        destinations = self.seen.setdefault((code, jump), set())
        destinations.add(destination)
        return sys.monitoring.DISABLE if len(destinations) > 1 else None

    def write(self, folder: Path) -> None:
        branches = set()
        for (code, jump), destinations in self.seen.items():
            lines = {offset: line or 0 for start, end, line in code.co_lines() for offset in range(start, end, 2)}
            name = Path(code.co_filename).resolve().relative_to(SOURCE).as_posix()
            branches |= {(name, lines.get(jump, 0), lines.get(to, 0)) for to in destinations}
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{os.getpid()}.json").write_text(json.dumps(sorted(branches)), encoding="utf-8")


def pytest_configure() -> None:
    """Begin to record, if a folder is named for it."""
    folder = os.environ.get("SFUMATO_BRANCHES")
    if not folder:
        return
    recorder, tool = Recorder(), sys.monitoring.COVERAGE_ID
    sys.monitoring.use_tool_id(tool, "branches")
    sys.monitoring.register_callback(tool, sys.monitoring.events.BRANCH, recorder.note)
    sys.monitoring.set_events(tool, sys.monitoring.events.BRANCH)
    atexit.register(recorder.write, Path(folder))


def read_branches(folder: Path) -> set[Branch]:
    """Unite what the processes of a run recorded."""
    return {tuple(branch) for path in folder.glob("*.json") for branch in json.loads(path.read_text(encoding="utf-8"))}


def count_possible() -> int:
    """Count the ways that all conditional jumps of the source can go."""

    def codes(code: types.CodeType) -> Iterator[types.CodeType]:
        yield code
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                yield from codes(constant)

    jumps = 0
    for path in SOURCE.rglob("*.py"):
        for code in codes(compile(path.read_text(encoding="utf-8"), str(path), "exec")):
            jumps += sum("JUMP_IF" in step.opname or step.opname == "FOR_ITER" for step in dis.get_instructions(code))
    return 2 * jumps


def main() -> None:
    """Count the branches of one run, or compare two runs."""
    runs = [read_branches(Path(folder)) for folder in sys.argv[1:]]
    for folder, branches in zip(sys.argv[1:], runs, strict=True):
        print(f"{folder}: {len(branches):,} branches of at most {count_possible():,}")
    if len(runs) == 2:
        lost = collections.defaultdict(list)
        for name, line, to in sorted(runs[0] - runs[1]):
            lost[name].append(f"{line}->{to}")
        print(f"only the first: {len(runs[0] - runs[1])}, only the second: {len(runs[1] - runs[0])}")
        for name, lines in lost.items():
            print(f"{name}: {', '.join(lines)}")


if __name__ == "__main__":
    main()
