"""Kill publishing runs at any moment and look at what they leave: the old pair, the new pair, or what was there before.

``python tests/cli/kills.py --kills 1000`` kills runs of all kinds, half of them replacing a release (``--force``), half
writing the first one. Every third is killed at a moment drawn at random, every third at a line of the code that
changes names, and every third at a system call that names a file. Runs are forked from a process that has imported
everything and made the release already, so that a kill costs no start; one in five is a whole command all the same,
and so are those of a stream.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from sfumato.api import calls
from sfumato.cli import run
from sfumato.release.release import Result

SNAPSHOTS = ["-p", "l=2", "--column", "qi=age,sex", "--sensitive", "condition", "--drop", "area"]
SNAPSHOTS += ["--resolution", "day", "--max-suppressed-records", "1"]
KINDS: dict[str, tuple[int, list[str]]] = {
    "trajectories": (60, ["--method", "seqanon", "-p", "k=2", "-p", "m=1", "-p", "infeasible=suppress"]),
    "sequences": (40, ["--method", "hl", "-p", "k=2", "--monitored", "*"]),
    "sets": (60, ["--method", "disassociation", "-p", "k=2", "-p", "m=2"]),
    "activity": (8, ["--method", "mc", "-p", "k=2"]),
    "timeline": (200, ["--method", "essa", "-p", "delta=0.1", "--sensitive", "event003"]),
    "snapshots": (200, ["--method", "reposition", "-p", "window=6", *SNAPSHOTS]),
    "stream": (200, ["--method", "reposition", "-p", "window=6", *SNAPSHOTS]),
}
OLD, NEW = "01" * 32, "02" * 32
"""Secrets: the same secret gives the same release, so that every run that comes to its end leaves the same files."""

State = tuple[str | None, str | None]


def look(out: Path) -> State:
    """Return a digest of what everybody sees in the release, and of the owner's part that goes with it."""
    release, owner = out / "release", out / "owner"
    return _digest(release, lambda path: True), _digest(owner, _belongs)


def _belongs(path: Path) -> bool:
    """Tell whether a file of the owner's is the same in every run: times and pictures are not."""
    return path.name in {"secret.hex", "rows.parquet"}


def _digest(folder: Path, wanted: Callable[[Path], bool]) -> str | None:
    if not folder.exists():
        return None
    found = hashlib.sha256()
    for path in sorted(folder.resolve().rglob("*")):
        if path.is_file() and wanted(path):
            found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()


def is_begun_stream(out: Path, secret: str) -> bool:
    """Tell whether a stream is going on with both of its parts, every snapshot whole."""
    try:
        summary = json.loads((out / "release" / "stream.json").read_text())
        trace = json.loads((out / "owner" / "trace.json").read_text())
    except OSError:
        return False
    whole = all((part / "release.json").is_file() for part in (out / "release").iterdir() if part.is_dir())
    return summary["kind"] == "snapshots" and secret in json.dumps(trace) and whole


class Killing:
    """One kind: its data, an old release to replace, and what the new one will be."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind, self.folder = kind, folder
        folder.mkdir()
        size, words = KINDS[kind]
        data = folder / "data.csv"
        of = "snapshots" if kind == "stream" else kind
        assert run(["generate", of, "--size", str(size), "--seed", "1", "--out", str(data)]) == 0
        for name, key in (("old", OLD), ("new", NEW)):
            (folder / f"{name}.hex").write_text(key + "\n")
        self.data = data
        self.words = ["anonymize", "-" if kind == "stream" else str(data), "--kind", of, *words, "--no-report"]
        self.states: dict[str, State] = {"nothing": (None, None)}
        self.results: dict[str, Result] = {}
        for name in ("old", "new"):
            if kind != "stream":
                self.results[name] = self._make(folder / f"made-{name}", name)
            child = self.start(folder / name, name)
            began = time.monotonic()
            assert os.waitpid(child, 0)[1] == 0, f"{kind}: the undisturbed run failed"
            self.seconds = time.monotonic() - began
            self.states[name] = look(folder / name)
        assert len(set(self.states.values())) == 3, f"{kind}: the old and the new release cannot be told apart"

    def _make(self, out: Path, secret: str) -> Result:
        """Run the command once and return the result that it wrote."""
        found: list[Result] = []
        write = calls.write

        def note(result: Result, *rest, **options):
            found.append(result)
            return write(result, *rest, **options)

        calls.write = note
        try:
            assert run([*self.words, "--out", str(out), "--secret", str(self.folder / f"{secret}.hex"), "--json"]) == 0
        finally:
            calls.write = write
        return found[0]

    def start(
        self, out: Path, secret: str = "new", dies: Callable[[], None] | None = None, *more: str, whole: bool = False
    ) -> int:
        """Fork a run, of the whole command or of its last step; return its process."""
        child = os.fork()
        if child:
            return child
        silent = os.open(os.devnull, os.O_RDWR)
        for handle in (1, 2):
            os.dup2(silent, handle)
        os.dup2(os.open(self.data, os.O_RDONLY), 0)
        sys.stdin = os.fdopen(0)
        warnings.simplefilter("ignore")
        if dies is not None:
            dies()
        if whole or secret not in self.results:
            os._exit(run([*self.words, "--out", str(out), "--secret", str(self.folder / f"{secret}.hex"), *more]))
        calls.write(self.results[secret], out, force="--force" in more, reports=False)
        os._exit(0)

    def kill(self, rng: random.Random, out: Path, replacing: bool) -> str:
        """Kill one run; return what it left, or fail."""
        if replacing:
            shutil.copytree(self.folder / "old", out)
        else:
            out.mkdir()
        (out / "notes.txt").write_text("mine")
        how = rng.choice(("moment", "line", "call"))
        dies = {
            "moment": None,
            "line": _die_at_line(rng.randrange(1, 180)),
            "call": _die_at_call(rng.randrange(1, 120)),
        }
        child = self.start(out, "new", dies[how], *["--force"] * replacing, whole=rng.random() < 0.2)
        if how == "moment":
            time.sleep(rng.random() * self.seconds * 1.1)
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        assert os.WIFSIGNALED(status) or status == 0, f"{self.kind}: the run failed by itself"
        found = look(out)
        left = next((name for name, state in self.states.items() if state == found), None)
        if left is None and self.kind == "stream" and is_begun_stream(out, NEW):
            left = "begun"
        allowed = {"old" if replacing else "nothing", "new"} | ({"begun"} if self.kind == "stream" else set())
        assert left in allowed, f"{self.kind}, killed by {how}, replacing={replacing}: left {left or found} in {out}"
        assert (out / "notes.txt").read_text() == "mine"
        return left

    def mend(self, out: Path) -> None:
        """Run once more without disturbing it: everything is new, and nothing else is left."""
        assert os.waitpid(self.start(out, "new", None, "--force"), 0)[1] == 0, f"{self.kind}: cannot go on in {out}"
        assert look(out) == self.states["new"]
        assert sorted(path.name for path in out.iterdir()) == ["notes.txt", "owner", "release"]


def _die_at_line(number: int) -> Callable[[], None]:
    def prepare() -> None:
        left = number

        def count(frame, event, _):
            nonlocal left
            if not frame.f_code.co_filename.endswith(("release/folder.py", "release/exchange.py")):
                return None
            if event == "line":
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return count

        sys.settrace(count)

    return prepare


def _die_at_call(number: int) -> Callable[[], None]:
    """Die just before the n-th thing the run does to a file system that a name tells of."""
    told = {"open", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.symlink", "os.chmod", "ctypes.dlsym"}

    def prepare() -> None:
        left = number

        def count(event, arguments):
            nonlocal left
            if event in told and (event != "open" or _is_ours(arguments)):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)

    return prepare


def _is_ours(arguments) -> bool:
    return isinstance(arguments[0], str) and ".sfumato-" in arguments[0]


def kill_many(kinds: list[str], kills: int, seed: int, folder: Path) -> collections.Counter:
    """Kill so many runs, by turns of all kinds, with and without replacing; return what was left how often."""
    rng = random.Random(seed)
    about = [Killing(kind, folder / kind) for kind in kinds]
    left: collections.Counter = collections.Counter()
    for number in range(kills):
        killing = about[number % len(about)]
        replacing = number // len(about) % 2 == 0
        out = folder / f"out-{number}"
        left[killing.kind, "--force" if replacing else "first", killing.kill(rng, out, replacing)] += 1
        if rng.random() < 0.1:
            killing.mend(out)
        shutil.rmtree(out)
        if kills > 100 and (number + 1) % 25 == 0:
            print(f"{number + 1} kills", flush=True)
    return left


def main() -> None:
    """Kill as many runs as asked for and say what they left."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--kills", type=int, default=1000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--kinds", default=",".join(KINDS))
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        left = kill_many(given.kinds.split(","), given.kills, given.seed, Path(folder))
    for (kind, how, what), count in sorted(left.items()):
        print(f"{kind:14}{how:10}{what:10}{count:6}")
    print(f"{sum(left.values())} kills; never a mixture, never a half")


if __name__ == "__main__":
    main()
