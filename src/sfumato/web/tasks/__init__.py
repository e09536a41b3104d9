"""What jobs do, one function each: it takes the project, plain arguments and a folder, and returns plain values."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sfumato.exceptions import ParameterError
from sfumato.progress import Progress, watch
from sfumato.web.project import Project

__all__ = ["TASKS", "Task", "find_task"]

Task = Callable[[Project, dict[str, Any], Path, Progress], dict[str, Any]]

TASKS = {
    "example": "inspect",
    "look": "inspect",
    "risk": "inspect",
    "publish": "publish",
    "apply": "publish",
    "export": "publish",
    "verify": "verify",
    "attack": "verify",
    "measure": "verify",
    "together": "verify",
    "ask": "query",
    "study": "study",
    "derive": "configure",
    "queries": "configure",
    "constraints": "constraints",
}
"""Tasks by name, and the module that each is in."""


def find_task(name: str) -> Task:
    """Return the task of a name.

    Examples
    --------
    >>> find_task("look").__name__
    'look'
    """
    if name not in TASKS:
        raise ParameterError(f"There is no task {name!r}.")
    task: Task = getattr(importlib.import_module(f"{__name__}.{TASKS[name]}"), name)

    @functools.wraps(task)
    def work(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:
        def follow(phase: str, done: int, total: int) -> None:
            if phase:
                progress(phase, done, total)

        # Reading, verifying and measuring are not handed the progress; they report to watchers.
        with watch(follow):
            return task(project, arguments, folder, progress)

    return work
