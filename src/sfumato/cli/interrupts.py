"""Ctrl-C is answered within a second, also while compiled code blocks the main thread.

Python delivers a signal to the main thread when it is back from the call it is in, which may be minutes of counting.
The system reports it at once: it writes to a pipe, which a thread of its own reads. If the main thread goes on working
without having noticed the signal, that thread leaves in its place, with the disk as it was. One that waits, or that
other processes keep from working, is left its time.

Compiled code that hands named tuples over calls Python to make them, and takes it that this never fails: an exception
there ends the process by a fault of memory. LLVM calls Python to keep what it has compiled, and would go on without. A
signal that is noticed there is postponed and repeated. So is one that was noticed where Python ignores exceptions, as
when objects are thrown away or a library calls back.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

__all__ = ["answer_signals"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_WAIT = 0.5
"""Seconds of work in which the main thread notices a signal unless it is in one long call."""
_UNFAILING = frozenset({"numba.core.serialize", "llvmlite.binding.executionengine", __name__})
"""Modules whose functions are called where an exception does harm."""
_IGNORED = 0
"""Stands for a signal in the pipe: the exception that was raised for one was ignored."""


class _Stopped(KeyboardInterrupt):
    """Raised for a signal."""


class _Watch:
    """Two threads that agree on who answers."""

    def __init__(self, leave: Callable[[], NoReturn]) -> None:
        self.leave = leave
        self.received = threading.Event()
        self.answer = threading.RLock()  # a second signal may come while the first is answered
        self.stopping = self.deferred = False
        self.begins, self.ends = os.pipe()
        os.set_blocking(self.ends, False)
        self.report = sys.unraisablehook

    def handle_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Answer in the main thread: whatever is at work is left and cleans up behind itself."""
        if _must_not_fail(frame):
            self.deferred = True
            return
        with self.answer:  # never to be had again once the other thread leaves
            self.received.set()
            self.stopping, self.deferred = True, False
        raise _Stopped

    def notice_ignored(self, ignored: Any) -> None:
        """Repeat a signal whose exception was ignored; report others, but not those of half-made objects."""
        if ignored.exc_type is not _Stopped:
            if not self.stopping:
                self.report(ignored)
            return
        with self.answer:
            self.received.clear()
            self.deferred = True
        os.write(self.ends, bytes([_IGNORED]))

    def wait(self) -> None:
        """Answer in the place of the main thread where that does not."""
        clock, given_again = _find_clock(), 0
        last, begun = signal.SIGTERM, clock()
        while True:
            for number in os.read(self.begins, 64):
                if number == _IGNORED:
                    if not self.deferred:
                        continue
                elif number not in _SIGNALS or signal.getsignal(number) != self.handle_signal:
                    continue
                elif given_again:
                    given_again -= 1
                    continue
                else:
                    last, begun = signal.Signals(number), clock()
                # An exception that is ignored every time is no answer, however often the signal is given again.
                answered = False
                while clock() - begun < _WAIT and not (answered := self.received.wait(_WAIT / 5)):
                    if self.deferred and _give_again(last):
                        self.deferred = False
                        given_again += 1
                with self.answer:
                    if not answered and not self.received.is_set():
                        self.leave()
                    self.received.clear()


def _must_not_fail(frame: FrameType | None) -> bool:
    """Return whether Python was called by what takes it that this never fails, or answers a signal already.

    Compiled code that makes what it returns looks a class up by its name and calls it; LLVM hands over what it made.
    """
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("namedtuple_") or module in _UNFAILING:
            return True
        frame = frame.f_back
    return False


def _give_again(number: int) -> bool:
    """Send a signal to the main thread once more, where that can be done."""
    main = threading.main_thread().ident
    if main is None or not hasattr(signal, "pthread_kill"):
        return False
    signal.pthread_kill(main, number)
    return True


def _find_clock() -> Callable[[], float]:
    """Return a clock of the main thread's work, or of time where there is none."""
    main = threading.main_thread().ident
    if main is None or not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(main)
    return lambda: time.clock_gettime(clock)


def answer_signals(leave: Callable[[], NoReturn]) -> None:
    """Let Ctrl-C and termination stop what is at work, and have the process left where they cannot.

    Parameters
    ----------
    leave
        Cleans up and ends the process; called in another thread than the main one.
    """
    watch = _Watch(leave)
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # by the parent process, in the background
            signal.signal(number, watch.handle_signal)
    sys.unraisablehook = watch.notice_ignored
    signal.set_wakeup_fd(watch.ends, warn_on_full_buffer=False)
    threading.Thread(target=watch.wait, name="signals", daemon=True).start()
