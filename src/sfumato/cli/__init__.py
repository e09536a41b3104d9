"""The command line: one command per step, for what the kinds of data offer."""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import os
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from sfumato.cli.interrupts import answer_signals

__all__ = ["main", "run"]

_GARBAGE = 100_000
"""Objects made before Python looks for those that only know each other."""
_PROGRAM = 1_000_000
"""Objects made before it does so for the first time: short commands make no more, and most of them are the program."""
_SYSTEM_FAULT = re.compile(r"\b(?:os error|errno) (\d+)", re.IGNORECASE)


def main() -> NoReturn:
    """Run the command line and leave with its exit code.

    0: done, or holds; 1: a broken release; 2: an error people can act on; 3: a release with something that is not
    declared; 130: stopped; 70: a fault of this program.
    """
    sys.stdout, sys.stderr = _open_for_people(1), _open_for_people(2)
    warnings.showwarning = functools.partial(_show_warning, warnings.showwarning)
    # What is imported stays: looking through it for garbage again and again takes a tenth of a short command.
    gc.set_threshold(_PROGRAM)
    gc.callbacks.append(_tune_garbage_collection)
    # A terminated run cleans up like one stopped by Ctrl-C.
    answer_signals(_exit_immediately)
    try:
        code = run()
    except KeyboardInterrupt:  # a second one, while the first was being reported
        from sfumato.cli.output import STOPPED

        code = STOPPED
    leave(code)


def run(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code; with `arguments` instead of those of the process."""
    if arguments is not None:
        saved_argv, sys.argv = sys.argv, ["sfumato", *arguments]
        try:
            return run()
        finally:
            sys.argv = saved_argv
    try:
        return _run_command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)


def _run_command() -> int:
    from sfumato.cli.output import STOPPED, fail
    from sfumato.exceptions import SfumatoError, VerificationError

    try:
        from sfumato.cli.app import app

        code = app(_move_global_options_first(sys.argv[1:]), standalone_mode=False)
    except KeyboardInterrupt:
        code = STOPPED
    except VerificationError as error:
        fail(error, 1)
    except SfumatoError as error:
        fail(error, 2)
    except MemoryError:
        fail("There is not enough memory. Nothing was published; use less data or more memory.", 2)
    except OSError as error:
        fail(_describe_fault(error), 2)
    except Exception as error:
        _fail_unexpectedly(error)
    if code == STOPPED:
        fail("Stopped. Nothing was published.", STOPPED)
    return code if isinstance(code, int) else 0


def _show_warning(show: Callable[..., None], message: Warning | str, category: type[Warning], *place: Any) -> None:
    """Print warnings that are meant for people as lines of this program; others as Python does."""
    if issubclass(category, FutureWarning) and category.__module__.startswith("sfumato."):
        sys.stderr.write(f"sfumato: {message}\n")
    else:
        show(message, category, *place)


def _tune_garbage_collection(phase: str, _: dict[str, int]) -> None:
    """Freeze what the first collection leaves, which is the program, and collect among what comes after."""
    if phase == "stop":
        gc.callbacks.remove(_tune_garbage_collection)
        gc.freeze()
        gc.set_threshold(_GARBAGE)


def _move_global_options_first(arguments: list[str]) -> list[str]:
    """Move what is meant for all commands before the command: people write it anywhere."""
    anywhere = {"--quiet", "--verbose"}
    first = [word for word in arguments if word in anywhere]
    return first + [word for word in arguments if word not in anywhere]


def _exit_immediately() -> NoReturn:
    """Leave in the place of a main thread that is busy and does not react, with the disk as it was."""
    from sfumato.cli.output import STOPPED, fail
    from sfumato.release.folder import close_staging

    close_staging()
    with contextlib.suppress(SystemExit):
        fail("Stopped. Nothing was published.", STOPPED)
    leave(STOPPED)


def leave(code: int) -> NoReturn:
    """Leave at once, with everything printed.

    The interpreter is not taken down: reading leaves threads of Arrow behind that may be about to release memory of
    Python's, and a thread that does so while the interpreter is going down aborts the process (exit code 134).
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            code = code or 2
            with contextlib.suppress(OSError):
                os.write(2, f"sfumato: {_describe_fault(error, 'standard output')}\n".encode())
    os._exit(code)


def _describe_fault(error: OSError, where: str = "writing or reading a file") -> str:
    """Return the file and the reason of a system error; libraries hide both in a text that may hold other things."""
    reason = error.strerror if error.errno is not None else None
    match = _SYSTEM_FAULT.search(str(error))
    if match is not None:
        reason = os.strerror(int(match[1]))
    return f"{error.filename or where}: {reason or type(error).__name__}."


class _Pipe(io.FileIO):
    """A pipe whose reader may close it: work continues, and its exit code counts."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            return len(memoryview(data).cast("B"))


def _open_for_people(handle: int) -> io.TextIOWrapper:
    """Open standard output or error: what its encoding does not have is written by number."""
    standard = sys.stdout if handle == 1 else sys.stderr
    try:
        pipe = _Pipe(handle, "wb", closefd=False)
    except OSError:  # closed by the parent process
        pipe = _Pipe(os.devnull, "wb")
    return io.TextIOWrapper(
        io.BufferedWriter(pipe),
        encoding=getattr(standard, "encoding", None) or "utf-8",
        errors="backslashreplace",
        line_buffering=handle == 2 or pipe.isatty(),
    )


def _fail_unexpectedly(error: Exception) -> NoReturn:
    """Report usage errors as such, and anything else without its message, which could hold personal data."""
    from typer import Abort

    from sfumato.cli.output import STOPPED, fail

    show, code = getattr(error, "show", None), getattr(error, "exit_code", None)
    if show is not None and isinstance(code, int):
        from sfumato.cli.usage import explain_usage

        explanation = explain_usage(error)
        if explanation is not None:
            fail(explanation, code)
        show()
        sys.exit(code)
    if isinstance(error, Abort):
        fail("Stopped. Nothing was published.", STOPPED)
    if os.environ.get("SFUMATO_DEBUG"):
        raise error
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f"{frame.tb_frame.f_code.co_name}, line {frame.tb_lineno}" if frame else "unknown place"
    fail(
        f"Unexpected {type(error).__name__} in {where}. The message may hold personal data; "
        "set SFUMATO_DEBUG=1 to see it, and please report the fault.",
        70,
    )
