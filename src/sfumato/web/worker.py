"""A process that does one job: it reports progress on standard output, and writes its outcome to a file.

It is a program of its own rather than a fork, since compiled code with threads does not survive a fork. It ends with
the process that started it: its standard input is a pipe that closes then.
"""

from __future__ import annotations

import _thread
import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any, NoReturn

__all__ = ["explain_error", "main"]

_GRACE = 8.0
_NICE = 5
"""How far work steps back: where all want the processor it has a quarter, so that it ends on busy machines, too."""
_TRIES, _PAUSE = 5, 0.15
_OFTEN = 0.2
"""Seconds between two reports on the same phase."""


class _Reporter:
    """Reports progress, but not more often than people can read."""

    def __init__(self, handle: int) -> None:
        self._handle, self._last, self._phase = handle, 0.0, ""

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = time.monotonic()
        if phase == self._phase and now - self._last < _OFTEN:
            return
        self._phase, self._last = phase, now
        line = json.dumps({"phase": phase, "done": int(done), "total": int(total)}) + "\n"
        try:
            os.write(self._handle, line.encode())
        except OSError:
            _thread.interrupt_main()


def main() -> NoReturn:
    """Load the program, wait for the folder that describes a job, and do the job."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    _step_back()
    commands, answers = os.dup(0), os.dup(1)
    # What libraries print goes nowhere near the answers.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        folder = _wait(commands)
    except KeyboardInterrupt:
        os._exit(0)
    threading.Thread(target=_end_with_server, args=(commands,), daemon=True).start()
    try:
        outcome: dict[str, Any] = {"outcome": _work(folder, _Reporter(answers))}
    except KeyboardInterrupt:
        outcome = {"error": "Stopped. Nothing was published.", "stopped": True}
    except BaseException as error:
        outcome = explain_error(error)
    from sfumato.web.project import replace_text

    # A second request to stop must not catch the work of the first.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    replace_text(folder / "outcome.json", json.dumps(outcome, ensure_ascii=False, default=_plain))
    os._exit(0)


def _step_back() -> None:
    """Let pages go first: anyone who looks at one does not wait for work that takes minutes anyway."""
    os.nice(_NICE)
    # Where the system shares processors among sessions first, what counts is the session's own number. It accepts few
    # such wishes a second.
    for _ in range(_TRIES):
        try:
            Path("/proc/self/autogroup").write_text(str(_NICE), encoding="ascii")
        except BlockingIOError:
            time.sleep(_PAUSE)
            continue
        except OSError:
            pass
        return


def _wait(handle: int) -> Path:
    """Return the folder of the job, once there is one; end if nobody is left to send any."""

    line = b""
    while not line.endswith(b"\n"):
        block = os.read(handle, 1)
        if not block:
            os._exit(0)
        line += block
    return Path(os.fsdecode(line[:-1]))


def _work(folder: Path, progress: _Reporter) -> dict[str, Any]:
    from sfumato.web.project import Project
    from sfumato.web.tasks import find_task

    job = json.loads((folder / "job.json").read_bytes())
    progress("loading the program", 0, 0)
    task = find_task(job["task"])
    return task(Project(Path(job["project"])), job["arguments"], folder, progress)


def explain_error(error: BaseException) -> dict[str, Any]:
    """Return an error as plain values with its fields; messages of other errors could hold personal data."""
    from sfumato.exceptions import SfumatoError
    from sfumato.web.form_style import FORMS

    if isinstance(error, SfumatoError):
        return error.to_dict(FORMS)
    if isinstance(error, MemoryError):
        return {"error": "There is not enough memory. Nothing was published; use less data or more memory."}
    if isinstance(error, OSError):
        file = Path(error.filename).name if error.filename else "A file"
        return {"error": f"{file} cannot be used: {error.strerror or type(error).__name__}."}
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f"{frame.tb_frame.f_code.co_name}, line {frame.tb_lineno}" if frame else "unknown place"
    return {"error": f"Unexpected {type(error).__name__} in {where}. Nothing was published; please report the fault."}


def _end_with_server(handle: int) -> None:
    """Stop when the server is gone, as if it had said so; without an answer, at once."""
    while os.read(handle, 4096):
        pass
    _thread.interrupt_main()
    time.sleep(_GRACE)
    os._exit(1)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "items"):
        return dict(value)
    return list(value) if isinstance(value, tuple | set | frozenset) else str(value)


if __name__ == "__main__":
    main()
