"""Runs the cells of a study in processes of their own; one that fails is an outcome, not the end."""

from __future__ import annotations

import base64
import collections
import contextlib
import dataclasses
import json
import os
import pickle
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.exceptions import SfumatoError
from sfumato.studies.folder import TrialFolder
from sfumato.studies.trials import Job, Trial, TrialResult
from sfumato.studies.worker import ONE_THREAD

__all__ = ["NO_LIMITS", "Limits", "count_cores", "run_trials"]

_CODE = "from sfumato.studies.worker import main; main()"
_GLANCE = 0.05
"""Seconds between two looks at the memory of workers."""
_LONGEST_WAIT = 1.0
_QUICK = 10.0

_Answer = Mapping[str, Any] | None


@dataclasses.dataclass(frozen=True)
class Limits:
    """What one cell may take; None for as much as it likes.

    Parameters
    ----------
    seconds
        From the moment a worker takes the cell.
    memory
        Resident bytes of the whole process that works on it, the data included.

    Examples
    --------
    >>> Limits(seconds=60).exceeded_by({"seconds": 30, "memory": None}), Limits(None).exceeded_by({"seconds": 30})
    (False, False)
    """

    seconds: float | None = None
    memory: int | None = None

    def exceeded_by(self, limits: Mapping[str, float | None]) -> bool:
        """Return whether limits of earlier were at least these, so that another attempt would end the same way."""
        for name, now in (("seconds", self.seconds), ("memory", self.memory)):
            before = limits.get(name)
            if before is not None and (now is None or now > before):
                return False
        return any(limits.get(name) is not None for name in ("seconds", "memory"))


NO_LIMITS = Limits()


def count_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_trials(
    trials: Sequence[Trial],
    job: Job,
    folder: Path,
    *,
    workers: int | None = None,
    limits: Limits = NO_LIMITS,
    retry: bool = False,
    afresh: bool = False,
    on_facts: Callable[[Mapping[str, Any]], None] = lambda facts: None,  # noqa: ARG005
    until: float | None = None,
) -> Generator[tuple[Trial, TrialResult], None, None]:
    """Yield every cell with its outcome, first those that are finished already, the others as they finish.

    Every outcome is on disk before it is yielded. Whoever stops listening (closes the iterator, breaks off with
    Ctrl-C) ends the workers; what is finished stays.

    Parameters
    ----------
    trials, job
        What to do.
    folder
        Where outcomes are kept, one file each in ``cells/``.
    workers
        Number of processes; as many as there are cores if not given. Each uses one thread.
    limits
        What one cell may take.
    retry
        Whether cells that crashed, took too long or too much memory are run again.
    afresh
        Whether all cells are run again.
    on_facts
        Called with what the data are, as soon as a worker has read them.
    until
        Moment (of ``time.monotonic``) at which everything ends, finished or not; cells at work then are not yielded.
    """
    trial_folder, digest = TrialFolder(folder), job.digest
    # The same method under two labels is the same work.
    same: dict[str, list[Trial]] = {}
    for trial in trials:
        same.setdefault(trial.key(digest), []).append(trial)
    waiting: list[_Task] = []
    for key, grouped in same.items():
        outcome = None if afresh else trial_folder.load(key)
        if outcome is None or _wants_another_try(outcome, limits, retry):
            waiting.append(_Task(key, grouped[0]))
        else:
            yield from ((trial, outcome) for trial in grouped)
    if not waiting:
        return
    crew = _Crew(
        waiting, job, trial_folder.clear_work(), min(workers or count_cores(), len(waiting)), limits, on_facts, until
    )
    try:
        for task, outcome in crew.work():
            recorded = dataclasses.replace(outcome, limits=dataclasses.asdict(limits))
            trial_folder.save(task.key, task.trial, recorded)
            yield from ((trial, recorded) for trial in same[task.key])
    finally:
        crew.dismiss()
        trial_folder.remove_work()


def _wants_another_try(outcome: TrialResult, limits: Limits, retry: bool) -> bool:
    if outcome.status in ("overlong", "out of memory"):
        return retry or not limits.exceeded_by(outcome.limits)
    return retry and outcome.status == "crashed"


class _Task(NamedTuple):
    key: str
    trial: Trial


class _Worker:
    """One process at work, seen from outside."""

    def __init__(self, start: bytes, answers: queue.SimpleQueue[tuple[_Worker, _Answer]], folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.task: _Task | None = None
        self.began = 0.0
        self.is_ready = False
        self.met: set[str] = set()
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("SFUMATO_DEBUG") else subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": paths},
            # Ctrl-C on a terminal is for the process that started the study.
            start_new_session=True,
        )
        threading.Thread(target=self._read_answers, args=(answers,), daemon=True).start()
        self._send(start)

    def _read_answers(self, answers: queue.SimpleQueue[tuple[_Worker, _Answer]]) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for line in self.process.stdout:
                answers.put((self, json.loads(line)))
        answers.put((self, None))

    def _send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        # The end of a worker is reported where its answers are read.
        with contextlib.suppress(OSError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def take(self, task: _Task) -> None:
        self.task, self.began = task, time.monotonic()
        self.met.add(task.trial.method)
        self._send(pickle.dumps(task.trial))

    def resident(self) -> int | None:
        """Return the bytes this process has in memory; None if the system does not report it."""
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1])
        except (OSError, IndexError, ValueError):
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")

    def end(self) -> int:
        """End the process, wait until it is gone and clean up after it; return its exit code."""
        self.process.kill()
        code = self.process.wait()
        with contextlib.suppress(OSError):
            assert self.process.stdin is not None
            self.process.stdin.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        return code


class _Crew:
    """All workers of a study and the cells that wait for them."""

    def __init__(
        self,
        tasks: Sequence[_Task],
        job: Job,
        folder: Path,
        size: int,
        limits: Limits,
        on_facts: Callable[[Mapping[str, Any]], None],
        until: float | None = None,
    ) -> None:
        self.limits, self.on_facts, self.folder, self.job = limits, on_facts, folder, job
        self.until = float("inf") if until is None else until
        self.waiting: dict[str, collections.deque[_Task]] = {}
        for task in tasks:
            self.waiting.setdefault(task.trial.method, collections.deque()).append(task)
        self.answers: queue.SimpleQueue[tuple[_Worker, _Answer]] = queue.SimpleQueue()
        self.hired = 0
        self.workers: list[_Worker] = []
        for _ in range(size):
            self._hire()

    def _hire(self) -> None:
        quick = _QUICK if self.limits.seconds is None else min(_QUICK, self.limits.seconds / 4)
        folder = self.folder / f"worker-{self.hired}"
        self.hired += 1
        self.workers.append(_Worker(pickle.dumps((self.job, str(folder), quick)), self.answers, folder))

    def dismiss(self) -> None:
        """End all workers at once."""
        for worker in self.workers:
            worker.end()
        self.workers.clear()

    def work(self) -> Iterator[tuple[_Task, TrialResult]]:
        """Yield cells as they finish, one way or the other."""
        while any(self.waiting.values()) or any(worker.task for worker in self.workers):
            if time.monotonic() > self.until:
                return
            self._hand_out()
            try:
                worker, answer = self.answers.get(timeout=self._find_timeout())
            except queue.Empty:
                pass
            else:
                done = self._handle_answer(worker, answer)
                if done is not None:
                    yield done
            yield from self._stop_excess()

    def _hand_out(self) -> None:
        """Give every idle worker a cell, and hire one where nobody is left to take what waits."""
        for worker in self.workers:
            if worker.is_ready and worker.task is None:
                task = self._choose(worker)
                if task is not None:
                    worker.take(task)
        left = sum(map(len, self.waiting.values()))
        if left and not self.workers:
            self._hire()

    def _choose(self, worker: _Worker) -> _Task | None:
        """Choose a method the worker has met, then one that nobody else meets just now: code is compiled only once."""
        meeting = {other.task.trial.method for other in self.workers if other.task is not None and other is not worker}
        methods = [method for method, tasks in self.waiting.items() if tasks]
        if not methods:
            return None
        best = min(methods, key=lambda method: (method not in worker.met, method in meeting))
        return self.waiting[best].popleft()

    def _find_timeout(self) -> float:
        if self.limits.memory is not None:
            return _GLANCE
        if self.limits.seconds is None:
            return _LONGEST_WAIT
        ends = [worker.began + self.limits.seconds for worker in self.workers if worker.task is not None]
        return min(_LONGEST_WAIT, max(0.01, min(ends, default=_LONGEST_WAIT) - time.monotonic()))

    def _handle_answer(self, worker: _Worker, answer: _Answer) -> tuple[_Task, TrialResult] | None:
        if worker not in self.workers:  # ended for its excess, and said something before that
            return None
        if answer is None:
            return self._bury(worker)
        if "unreadable" in answer:
            error: SfumatoError = pickle.loads(base64.b64decode(answer["unreadable"]))
            raise error
        if "ready" in answer:
            worker.is_ready = True
            self.on_facts(answer["ready"])
            return None
        task, worker.task = worker.task, None
        assert task is not None
        return task, TrialResult.from_json(json.dumps(answer["outcome"]))

    def _bury(self, worker: _Worker) -> tuple[_Task, TrialResult] | None:
        """Replace a worker whose process ended by itself; its cell is the reason."""
        code = worker.process.wait()
        if not worker.is_ready:
            raise SfumatoError(
                f"A process ended while reading the data ({_name_exit(code)}).", hint="Use less data or more memory."
            )
        task = worker.task
        self._replace(worker)
        if task is None:
            return None
        hint = " Out of memory is the usual cause." if code == -signal.SIGKILL else ""
        return task, TrialResult("crashed", f"its process ended ({_name_exit(code)}).{hint}")

    def _replace(self, worker: _Worker) -> None:
        worker.end()
        self.workers.remove(worker)
        if sum(map(len, self.waiting.values())) > sum(other.task is None for other in self.workers):
            self._hire()

    def _stop_excess(self) -> Iterator[tuple[_Task, TrialResult]]:
        """End workers that take too long or too much."""
        for worker in [worker for worker in self.workers if worker.task is not None]:
            task = worker.task
            assert task is not None
            seconds, memory = self.limits.seconds, self.limits.memory
            if seconds is not None and time.monotonic() - worker.began > seconds:
                self._replace(worker)
                yield task, TrialResult("overlong", f"took more than the {seconds:g} seconds that a cell may take.")
            elif memory is not None and (worker.resident() or 0) > memory:
                self._replace(worker)
                yield (
                    task,
                    TrialResult("out of memory", f"took more than the {memory / 1e6:,.0f} MB that a cell may take."),
                )


def _name_exit(code: int) -> str:
    """Describe how a process ended.

    Examples
    --------
    >>> _name_exit(-9), _name_exit(3)
    ('SIGKILL', 'exit code 3')
    """
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"
