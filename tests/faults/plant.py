"""Faults in checking code: where they can be planted, which of them are chosen, and how a file is changed and restored.

The same source gives the same faults. Kinds take turns by the number of their places, and so do the files of a kind.
Of a file the next fault is one whose operator was chosen least often so far.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import itertools
import os
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.faults.layout import find_group, list_checked_files
from tests.faults.operators import Change, find_changes

COUNT = 50
SEED = 1
MOST_PER_FILE = 4
OFTEN = {
    "check never fails": 3,
    "check left out": 2,
    "conjunction cut": 2,
    "comparison shifted": 2,
    "and/or swapped": 2,
}
"""How often an operator is chosen, where others are chosen once."""
EQUIVALENT = Path(__file__).parent / "equivalent.toml"

_SECONDS_APART = 100_000


@dataclasses.dataclass(frozen=True)
class Fault:
    """A change of one file that makes its code wrong.

    Parameters
    ----------
    file, line, function
        Where it is planted.
    operator, before, after
        What is done, as people read it.
    start, end, code
        The bytes that are replaced, and the code that replaces them.
    again
        How many faults in the same function look the same and stand before it.
    """

    file: str
    line: int
    function: str
    operator: str
    before: str
    after: str
    start: int
    end: int
    code: str
    again: int = 0

    @property
    def key(self) -> str:
        """What identifies the fault while the code around it changes."""
        return " | ".join((self.file, self.function, self.operator, self.before, self.after, str(self.again)))

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.operator}: {self.before} -> {self.after}"


@dataclasses.dataclass(frozen=True)
class Equivalent:
    """A fault that changes nothing anyone can notice, and why; ``function`` where its text stands in several."""

    file: str
    before: str
    after: str
    reason: str
    function: str | None = None

    def matches(self, fault: Fault) -> bool:
        """Tell whether a fault is this one, wherever in its file it stands."""
        texts = (self.file, self.before, self.after) == (fault.file, fault.before, fault.after)
        return texts and self.function in {None, fault.function}


def load_equivalents(path: Path = EQUIVALENT) -> list[Equivalent]:
    """Read the faults that were judged equivalent; every one has a reason."""
    entries = [Equivalent(**entry) for entry in tomllib.loads(path.read_text("utf-8")).get("equivalent", [])]
    for entry in entries:
        if not entry.reason.strip():
            raise ValueError(f"{path}: {entry.before!r} in {entry.file} has no reason. Write one.")
    return entries


def find_faults(tree: Path) -> list[Fault]:
    """Return every fault that can be planted in the checking code of a tree."""
    files = [file for file, _ in list_checked_files(tree)]
    return [fault for file in files for fault in find_faults_of_file(file, (tree / file).read_bytes())]


def find_faults_of_file(file: str, content: bytes) -> list[Fault]:
    """Return every fault that can be planted in a file."""
    starts = [0, *itertools.accumulate(len(line) for line in content.splitlines(keepends=True))]
    seen: Counter[Hashable] = Counter()
    faults = []
    for change in find_changes(ast.parse(content)):
        start, end = _locate(change, starts)
        same = (change.function, change.operator, change.before, change.after)
        fault = Fault(file, change.node.lineno, change.function, *same[1:], start, end, change.code, again=seen[same])
        seen[same] += 1
        faults.append(fault)
    return faults


def _locate(change: Change, starts: list[int]) -> tuple[int, int]:
    node = change.node
    assert node.end_lineno is not None and node.end_col_offset is not None
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def arrange(faults: Iterable[Fault], seed: int = SEED) -> list[Fault]:
    """Put faults in the order in which they are chosen, with no more than a few of each file."""
    of_file: defaultdict[str, list[Fault]] = defaultdict(list)
    for fault in sorted(faults, key=lambda fault: _draw(seed, fault.key)):
        of_file[fault.file].append(fault)
    arranged: list[Fault] = []
    used: Counter[str] = Counter()
    for file in _take_turns({file: len(several) for file, several in of_file.items()}):
        fault = min(of_file[file], key=lambda fault: used[fault.operator] / OFTEN.get(fault.operator, 1))
        of_file[file].remove(fault)
        used[fault.operator] += 1
        arranged.append(fault)
    return arranged


def _draw(seed: int, text: str) -> str:
    """Return what faults are sorted by: it looks random, and other faults do not change it."""
    return hashlib.sha256(f"{seed}\n{text}".encode()).hexdigest()


def _take_turns(sizes: Mapping[str, int]) -> list[str]:
    """Name files in turn: groups by their sizes but each of them once at first, and so the files of each group."""
    groups: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for file, size in sizes.items():
        groups[find_group(file)] += [((2 * turn + 1) / size, file) for turn in range(min(size, MOST_PER_FILE))]
    turns = []
    for group, files in groups.items():
        total = sum(sizes[file] for file in {file for _, file in files})
        turns += [(turn / total, group, turn, file) for turn, (_, file) in enumerate(sorted(files))]
    return [file for *_, file in sorted(turns)]


def choose(arranged: list[Fault], is_excluded: Callable[[Fault], bool], count: int = COUNT) -> dict[int, Fault]:
    """Return the first faults by their numbers; excluded ones are replaced by later ones, and the others stay."""
    later = (fault for fault in arranged[count:] if not is_excluded(fault))
    chosen = (next(later, None) if is_excluded(fault) else fault for fault in arranged[:count])
    return {number: fault for number, fault in enumerate(chosen, 1) if fault is not None}


def exclude(equivalents: Collection[Equivalent], keys: Collection[str] = ()) -> Callable[[Fault], bool]:
    """Return what tells whether a fault was judged equivalent, or is one of those with the given keys."""
    return lambda fault: fault.key in keys or any(entry.matches(fault) for entry in equivalents)


def change_content(content: bytes, fault: Fault) -> bytes:
    """Return what a file holds while a fault is planted in it."""
    return content[: fault.start] + fault.code.encode() + content[fault.end :]


@contextmanager
def planted(tree: Path, fault: Fault) -> Iterator[None]:
    """Plant a fault in its file, and give the file its content and time back afterwards."""
    path = tree / fault.file
    content, times = path.read_bytes(), path.stat()
    path.write_bytes(change_content(content, fault))
    # Bytecode is taken for that of its source if time and length agree: every fault gets a time of its own.
    apart = 1 + int(_draw(0, fault.key), 16) % _SECONDS_APART
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns + apart * 10**9))
    try:
        yield
    finally:
        path.write_bytes(content)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
