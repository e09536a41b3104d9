"""Long work in processes of its own: started, watched, stopped; what it found is kept in the project.

A job is a task with its arguments. The same question is asked once: anyone who opens a page again, or in another tab,
finds the job that is running or what it found. A job ends with the server, however the server ends.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.exceptions import SfumatoError
from sfumato.web.policies import list_files, read_recipe
from sfumato.web.project import Project

__all__ = ["Job", "Jobs"]

_MAX_RUNNING = 2
_MOST_WAITING = 50
_MAX_FINISHED = 200
"""Finished jobs that are kept; older ones are forgotten."""
_GRACE = 8.0
"""Seconds a job has to clean up after it was asked to stop."""
_KILLED = (
    "The process was ended from outside, most likely because the memory ran out. Nothing was published. Take less "
    "data, or a machine with more memory."
)
_STOPPED = "Stopped. Nothing was published."


class Job:
    """One piece of work, and how far it is.

    Attributes
    ----------
    key
        Its name, which says what was asked.
    task, arguments
        What is done, with what.
    state
        ``waiting``, ``running``, ``done``, ``failed`` or ``stopped``.
    outcome
        What was found, once it is done.
    error
        Why there is nothing, in a sentence.
    """

    def __init__(self, key: str, task: str, arguments: Mapping[str, Any], folder: Path) -> None:
        self.key, self.task, self.arguments, self.folder = key, task, dict(arguments), folder
        self.state, self.error = "waiting", ""
        self.fields: dict[str, Any] = {}
        self.outcome: dict[str, Any] = {}
        self.phase, self.done, self.total = "", 0, 0
        self.requested_at, self.began, self.phase_began = time.time(), 0.0, 0.0
        self.stop_wanted = False
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in {"done", "failed", "stopped"}

    @property
    def share(self) -> float | None:
        """How much of the present phase is done; None where nobody knows."""
        return min(self.done / self.total, 1.0) if self.total else None

    def describe_progress(self) -> str:
        """Describe in a line how far the job is and how long it may take."""
        if self.state == "waiting":
            return "Waiting for another job to end."
        seconds = int(time.monotonic() - self.began) if self.began else 0
        status = f"{self.phase or 'starting'}, {seconds} s so far"
        if self.share and self.share > 0.02:
            gone = time.monotonic() - self.phase_began
            status += f", about {max(round(gone / self.share - gone), 1)} s left for this step"
        return status + "."

    def read_progress(self, line: bytes) -> None:
        """Take in a line of what the process says."""
        with contextlib.suppress(ValueError, KeyError, TypeError):
            message = json.loads(line)
            if message["phase"] != self.phase:
                self.phase_began = time.monotonic()
            self.phase, self.done, self.total = str(message["phase"]), int(message["done"]), int(message["total"])


class Jobs:
    """All jobs of a project; a few run at a time, the others wait.

    Parameters
    ----------
    project
        Whose jobs they are.
    max_running
        How many run at a time.
    warm
        Whether a process that has the program loaded waits for the next job, so that people do not.
    """

    def __init__(self, project: Project, max_running: int = _MAX_RUNNING, *, warm: bool = False) -> None:
        self._project, self._max_running = project, max_running
        self._lock = threading.RLock()
        self._jobs: dict[str, Job] = {}
        self._queue: collections.deque[Job] = collections.deque()
        self._running: set[Job] = set()
        self._closed = False
        self._folder = project.hidden("jobs")
        self._forget()
        self._warm = warm
        self._spare = _start() if warm else None

    def request(self, task: str, *, fresh: bool = False, **arguments: Any) -> Job:
        """Return the job that answers a question, begun now if nobody asked before; fresh work is always begun."""
        key = self._name(task, arguments, secrets.token_hex(8) if fresh else "")
        with self._lock:
            job = self._jobs.get(key) or self._recall(key)
            if job is not None and not job.folder.is_dir():
                job = None
            if job is not None and not (job.state in {"failed", "stopped"} and not self._has_stored_failure(job)):
                return job
            return self._begin(Job(key, task, arguments, self._folder / key))

    def _name(self, task: str, arguments: Mapping[str, Any], fresh: str = "") -> str:
        plain = {"task": task, "arguments": arguments, "inputs": self._date_inputs(arguments), "fresh": fresh}
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:32]

    def again(self, job: Job) -> Job:
        """Begin a job anew that failed or was stopped."""
        with self._lock:
            return self._begin(Job(job.key, job.task, job.arguments, job.folder))

    def find(self, key: str) -> Job:
        """Return a job by its name."""
        with self._lock:
            job = self._jobs.get(key) or (self._recall(key) if key.isalnum() else None)
        if job is None:
            raise SfumatoError("This job does not exist any more.", hint="Run it again.")
        return job

    def current(self, task: str = "") -> list[Job]:
        """Return the jobs that this server began, the latest first."""
        with self._lock:
            jobs = [job for job in self._jobs.values() if not task or job.task == task]
        return sorted(jobs, key=lambda job: -job.requested_at)

    def stop(self, job: Job) -> None:
        """Stop a job: it cleans up after itself, and is ended if it does not.

        It is asked as a system asks, not as a keyboard does: anyone who starts the server in the background has Ctrl-C
        ignored, also by processes that are just beginning.
        """
        with self._lock:
            job.stop_wanted = True
            if job in self._queue:
                self._queue.remove(job)
                job.state, job.error = "stopped", _STOPPED
                return
            process = job.process
        if process is not None and process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            threading.Timer(_GRACE, _end, (process,)).start()

    def close(self) -> None:
        """End everything that runs; nothing half is left."""
        with self._lock:
            self._closed = True
            for job in self._queue:
                job.state, job.error = "stopped", _STOPPED
            self._queue.clear()
            processes = [job.process for job in self._running if job.process is not None]
            processes += [self._spare] if self._spare is not None else []
            self._spare = None
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        until = time.monotonic() + _GRACE
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(until - time.monotonic(), 0.1))
            _end(process)

    def _begin(self, job: Job) -> Job:
        if self._closed:
            raise SfumatoError("The server is shutting down.")
        if len(self._queue) >= _MOST_WAITING:
            raise SfumatoError("Too many jobs are waiting.", hint="Stop some of them, or wait.")
        self._forget()
        shutil.rmtree(job.folder, ignore_errors=True)
        job.folder.mkdir(parents=True)
        description = {"task": job.task, "arguments": job.arguments, "project": str(self._project.folder)}
        # Not waited for until the disk has it, as others wait meanwhile: a job without it is forgotten.
        (job.folder / "job.json").write_text(json.dumps(description), encoding="utf-8")
        self._jobs[job.key] = job
        self._queue.append(job)
        self._hand_out()
        return job

    def _hand_out(self) -> None:
        with self._lock:
            while self._queue and len(self._running) < self._max_running and not self._closed:
                job = self._queue.popleft()
                self._running.add(job)
                job.state, job.began, job.phase_began = "running", time.monotonic(), time.monotonic()
                job.process = self._hire(job.folder)
                threading.Thread(target=self._watch, args=(job, job.process), daemon=True).start()

    def _hire(self, folder: Path) -> subprocess.Popen[bytes]:
        """Give a job to the process that waits for one, or to a new one."""
        spare, self._spare = self._spare, None
        process = spare if spare is not None and spare.poll() is None else _start()
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # a process that is gone is noticed by its watcher
            process.stdin.write(f"{folder}\n".encode())
            process.stdin.flush()
        return process

    def _watch(self, job: Job, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            job.read_progress(line)
        code = process.wait()
        _end(process)
        with self._lock:
            self._running.discard(job)
            self._conclude(job, code)
            if job.outcome.get("reasons"):
                # Looking settled how the file is read, which makes it another question; this is its answer, too.
                self._jobs.setdefault(self._name(job.task, job.arguments), job)
            job.process = None
            if self._warm and self._spare is None and not self._closed:
                self._spare = _start()
        self._hand_out()

    def _conclude(self, job: Job, code: int) -> None:
        outcome = _read_json(job.folder / "outcome.json")
        if outcome is not None and "outcome" in outcome:
            job.outcome, job.state = outcome["outcome"], "done"
        elif outcome is not None:
            job.error = str(outcome.get("error", ""))
            job.fields = {name: outcome[name] for name in ("option", "column", "rows", "hint") if name in outcome}
            job.state = "stopped" if outcome.get("stopped") else "failed"
        elif job.stop_wanted or self._closed:
            job.state, job.error = "stopped", _STOPPED
        else:
            job.state = "failed"
            job.error = _KILLED if code < 0 else f"The process ended without an answer (exit code {code})."

    def _recall(self, key: str) -> Job | None:
        """Return a finished job of an earlier server."""
        folder = self._folder / key
        description, outcome = _read_json(folder / "job.json"), _read_json(folder / "outcome.json")
        if description is None or outcome is None:
            return None
        job = Job(key, description["task"], description["arguments"], folder)
        self._conclude(job, 0)
        self._jobs[key] = job
        return job

    def _has_stored_failure(self, job: Job) -> bool:
        """Whether a job that found nothing would find nothing again: it said so itself, and was not stopped."""
        return job.state == "failed" and (job.folder / "outcome.json").is_file()

    def _date_inputs(self, arguments: Mapping[str, Any]) -> list[list[Any]]:
        """Describe how the files are that a question is about: when they change, it is another question."""
        inputs: list[list[Any]] = []
        files = {area: list(names) for area, names in arguments.get("files", {}).items()}
        for area, names in sorted(files.items()):
            for name in sorted(names):
                paths = [self._project.find(area, name)]
                paths += [self._project.policy_of(name), *self._read_with(name)] if area == "data" else []
                paths += [paths[0] / "release" / "release.json"] if area == "releases" else []
                for path in paths:
                    with contextlib.suppress(OSError):
                        stat = path.stat()
                        inputs.append([area, path.name, stat.st_mtime_ns, stat.st_size])
        return inputs

    def _read_with(self, data: str) -> list[Path]:
        """Return the files that data are read with: hierarchies, constraints and others."""
        with contextlib.suppress(SfumatoError):
            recipe = read_recipe(self._project, data)
            return [] if recipe is None else list_files(recipe.options)
        return []

    def _forget(self) -> None:
        """Forget the oldest jobs where there are too many, and what earlier servers left unfinished."""
        active = {job.key for job in (*self._queue, *self._running)}
        folders = sorted(self._folder.iterdir(), key=lambda folder: -folder.stat().st_mtime)
        for at, folder in enumerate(folders):
            unfinished = folder.name not in self._jobs and not (folder / "outcome.json").is_file()
            if folder.name not in active and (at >= _MAX_FINISHED or unfinished):
                shutil.rmtree(folder, ignore_errors=True)
                # A job may answer more than one question.
                self._jobs = {key: job for key, job in self._jobs.items() if job.folder != folder}


def _start() -> subprocess.Popen[bytes]:
    """Start a process that loads the program and waits for a job."""
    return subprocess.Popen(
        [sys.executable, "-m", "sfumato.web.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and whatever it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin,):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
