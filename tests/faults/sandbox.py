"""A copy of a tree in which faults are planted, and processes that import the package from there and nowhere else.

The copy lies at a fixed path: Numba finds compiled kernels by the path and the content of their files, so that every
run of the same tree finds them again. No fault is planted in a kernel.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from tests.faults.layout import NOT_COPIED, PACKAGE, SOURCE
from tests.faults.plugin import fault_watch

NOT_SELECTED = 5
"""What pytest answers when no test is selected."""


class Finished(NamedTuple):
    """How a process ended: its answer (None if it was stopped), what it noted, and what it printed at the end."""

    answer: int | None
    tests: int
    failures: list[dict[str, str]]
    output: str


def find_default_place(tree: Path) -> Path:
    """Return the folder for the copy of a tree, always the same one."""
    digest = hashlib.sha256(str(tree.resolve()).encode()).hexdigest()[:8]
    return Path(tempfile.gettempdir()) / f"{PACKAGE}-faults-{digest}"


class Sandbox:
    """A folder with the copy of a tree, compiled kernels, bytecode and temporary files.

    Parameters
    ----------
    place
        The folder. It is made if it is missing.
    """

    def __init__(self, place: Path) -> None:
        self.place = place.resolve()
        self.tree = self.place / "tree"
        self._outcome = self.place / "outcome.json"
        self.place.mkdir(parents=True, exist_ok=True)

    def copy(self, tree: Path) -> str:
        """Copy a tree, with the times of its files, and return its fingerprint."""
        shutil.rmtree(self.tree, ignore_errors=True)
        shutil.copytree(tree, self.tree, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED))
        return self.fingerprint()

    def fingerprint(self) -> str:
        """Return a digest of all source and tests of the copy; empty if there is none."""
        digest = hashlib.sha256()
        files = [path for folder in (SOURCE, "tests") for path in sorted((self.tree / folder).rglob("*.py"))]
        for path in files:
            digest.update(f"{path.relative_to(self.tree)}\n".encode() + path.read_bytes())
        return digest.hexdigest() if files else ""

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Refuse a second run in the same folder while one is under way."""
        with (self.place / "lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise SystemExit(
                    f"Another run uses {self.place}. Wait for it, or name another folder: --copy."
                ) from None
            yield

    def find_broken_import(self, file: str, limit: float) -> str:
        """Import a file of the copy; return why that fails, empty if it does not."""
        module = Path(file).relative_to(SOURCE).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
        lines = [
            "import importlib, fault_watch",
            f"foreign = fault_watch.find_foreign({PACKAGE!r}, {str(self.tree / SOURCE)!r})",
            "assert not foreign, foreign",
            f"importlib.import_module({module!r})",
        ]
        code = "\n".join(lines)
        done = self._start([sys.executable, "-c", code], limit)
        return "" if done.answer == 0 else done.output.strip().rpartition("\n")[2] or "no end"

    def run_tests(self, options: list[str], *, marker: str = "", workers: int = 0, limit: float = 0) -> Finished:
        """Run pytest in the copy up to the first failure."""
        shared = ["-x", "-q", "-n", str(workers), "-p", "fault_watch", "-p", "no:cacheprovider", "--no-header"]
        shared += ["--dist", "worksteal"] if workers else []
        shared += ["-m", marker] if marker else []
        shared += ["--hypothesis-seed=0", f"--basetemp={self.place / 'temporary'}"]
        return self._start([sys.executable, "-m", "pytest", *shared, *options], limit)

    def _start(self, command: list[str], limit: float) -> Finished:
        """Run a command in the copy; end it and what it started after a time limit."""
        self._outcome.unlink(missing_ok=True)
        with tempfile.TemporaryFile(dir=self.place) as output:
            process = subprocess.Popen(
                command, cwd=self.tree, env=self._environment(), stdout=output, stderr=output, start_new_session=True
            )
            _limit_memory(process.pid)
            try:
                answer: int | None = process.wait(limit or None)
            except subprocess.TimeoutExpired:
                answer = None
            finally:
                # Also workers, and after an interruption.
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            noted = json.loads(self._outcome.read_text("utf-8")) if self._outcome.exists() else {}
            return Finished(answer, noted.get("tests", 0), noted.get("failures", []), _read_end(output))

    def _environment(self) -> dict[str, str]:
        plugin = Path(fault_watch.__file__).parent
        paths = [str(self.tree / SOURCE), str(plugin), os.environ.get("PYTHONPATH", "")]
        others = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return {
            **others,
            "PYTHONPATH": os.pathsep.join(path for path in paths if path),
            "PYTHONPYCACHEPREFIX": str(self.place / "bytecode"),
            "NUMBA_CACHE_DIR": str(self.place / "kernels"),
            fault_watch.SOURCE: str(self.tree / SOURCE),
            fault_watch.PACKAGE: PACKAGE,
            fault_watch.OUTCOME: str(self._outcome),
        }


def _limit_memory(pid: int) -> None:
    """Let a process and those it starts have half of the memory each: a fault can make a loop without an end."""
    # Not RLIMIT_AS: what draws plots reserves far more addresses than it uses, and crashes without them.
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    if hasattr(resource, "prlimit"):
        resource.prlimit(pid, resource.RLIMIT_DATA, (half, half))


def _read_end(file: IO[bytes], length: int = 4000) -> str:
    file.seek(0, os.SEEK_END)
    file.seek(max(file.tell() - length, 0))
    return file.read().decode(errors="replace")
