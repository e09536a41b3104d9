"""A process that does one job after another: pickled on standard input, answered on standard output."""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sfumato.exceptions import SfumatoError

__all__ = ["answer", "main", "stream_answers"]

_POLL_SECONDS = 1.0
"""Seconds after which a process looks whether it is still needed."""


def answer(work: Callable[[Any], Any], job: Any) -> tuple[bool, Any]:
    """Return whether a job failed, and its result or what it raised.

    Only errors of this program are known to name no value of anybody's; of others no more than their kind is told.

    Examples
    --------
    >>> answer(abs, -3), answer(abs, "ann")
    ((False, 3), (True, SfumatoError('engine: a partition failed (TypeError).')))
    """
    return next(stream_answers(lambda: iter([work(job)])))


def stream_answers(work: Callable[[], Iterable[Any]]) -> Iterator[tuple[bool, Any]]:
    """Yield the results of work as :func:`answer` does, up to what it raised.

    Examples
    --------
    >>> [failed for failed, _ in stream_answers(lambda: map(int, ["1", "ann"]))]
    [False, True]
    """
    try:
        yield from ((False, result) for result in work())
    except SfumatoError as error:
        yield True, error
    except Exception as error:
        yield True, SfumatoError(f"engine: a partition failed ({type(error).__name__}).")


def main() -> None:
    """Answer jobs until there are no more; what anybody prints goes to standard error."""
    threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            work, job = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            pickle.dump(answer(work, job), answers, protocol=pickle.HIGHEST_PROTOCOL)
            answers.flush()
        except BrokenPipeError:
            return


def _follow(parent: int) -> None:
    """End with the process that hands out jobs: nobody else waits for what is being done, and others need the cores."""
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()
