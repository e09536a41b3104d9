"""Independent partitions on the cores of this machine."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import Any, TypeVar

from sfumato.exceptions import StoppedError

__all__ = ["Local"]

A = TypeVar("A")
B = TypeVar("B")

_ALONE = {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
"""What keeps libraries to one core: the others have processes of their own."""


class Local:
    """Runs steps of a method in threads, and partitions of a release in processes.

    Kernels release the interpreter's lock, so that threads use cores. Results of steps come in their order, and what
    is done with a partition depends on nothing else, so nothing depends on the number of cores.

    Parameters
    ----------
    cores
        How many to use; all of them if not given.

    Examples
    --------
    >>> Local(cores=2).map(lambda part: part * 2, [1, 2, 3])
    [2, 4, 6]
    >>> sorted(Local(cores=1).stream(abs, [-1, 2]))
    [1, 2]
    """

    def __init__(self, cores: int | None = None) -> None:
        self.cores = cores or os.cpu_count() or 1
        self.stopping = False

    def map(self, work: Callable[[A], B], parts: Iterable[A]) -> list[B]:
        """Return the results in the order of the parts."""
        waiting = list(parts)
        if self.cores == 1 or len(waiting) < 2:
            return [work(part) for part in waiting]
        pool = ThreadPoolExecutor(min(self.cores, len(waiting)))
        patient = True
        try:
            return list(pool.map(work, waiting))
        except BaseException as error:
            self.stopping = True
            # Partitions stop when they next show how far they are; whoever pressed Ctrl-C does not wait for that.
            patient = not isinstance(error, KeyboardInterrupt)
            raise
        finally:
            pool.shutdown(wait=patient, cancel_futures=True)

    def stream(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[B]:
        """Yield results as they come, each from a process of its own.

        One job more is in memory than there are cores: nobody waits while a result is dealt with here. With one core,
        everything is done here.
        """
        if self.cores == 1:
            yield from map(work, jobs)
            return
        workers = [_Worker() for _ in range(self.cores)]
        free: SimpleQueue[_Worker] = SimpleQueue()
        for worker in workers:
            free.put(worker)

        def run_job(job: A) -> B:
            worker = free.get()
            try:
                answer: B = worker.run_job(work, job)
                return answer
            finally:
                free.put(worker)

        pool = ThreadPoolExecutor(self.cores)
        try:
            running: set[Future[B]] = set()
            for job in jobs:
                running.add(pool.submit(run_job, job))
                if len(running) > self.cores:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:
            # Whatever still runs is of no use to anybody: its process ends, and with it the thread that waits for it.
            for worker in workers:
                worker.stop()
            pool.shutdown(cancel_futures=True)


class _Worker:
    """A process that is handed one job after another."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run_job(self, work: Callable[[A], B], job: A) -> Any:
        """Hand over a job and wait for its result; what is raised there is raised here."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "sfumato.engines.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**_ALONE, **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,
            )
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            pickle.dump((work, job), process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            failed, answer = pickle.load(process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise StoppedError(
                f"engine local: a process ended in the middle of a partition (exit code {process.wait()}), perhaps for "
                "want of memory. Run it again with fewer cores or a smaller partition size; partitions that are "
                "ready are kept."
            ) from None
        if failed:
            raise answer
        return answer

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
