"""Commands run in the process of the tests, which saves starting an interpreter for each."""

from __future__ import annotations

import contextlib
import contextvars
import io
import subprocess
from collections.abc import Sequence
from pathlib import Path

from sfumato.cli import run


class _Stream(io.TextIOWrapper):
    """Text whose bytes are kept, as a pipe would keep them."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)

    def text(self) -> str:
        return self.buffer.getvalue().decode("utf-8", errors="backslashreplace")


def run_command(words: Sequence[object], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder and return exit code, output and errors, as `subprocess.run` does."""
    out, err = _Stream(), _Stream()
    arguments = [str(word) for word in words]
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        # Settings of one command (how much is printed, how far files may expand) end with it.
        code = contextvars.copy_context().run(run, arguments)
    return subprocess.CompletedProcess(arguments, code, out.text(), err.text())
