"""Bars on a terminal: how far each step is, the time left where that can be known, and the time so far otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, RenderableType
from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TextColumn
from rich.progress import Progress as Rich
from rich.text import Text

__all__ = ["Bars", "format_time_left"]

_BRIEF = 1.0
"""Seconds that a step inside of another one lasts at least before it has a bar of its own."""
_SURE = 0.02
"""Share of a step from which on the time left is estimated from the time so far."""


def format_time_left(task: Task) -> str:
    """Return the time left of a step, or the time so far if its end is unknown.

    Examples
    --------
    >>> from rich.progress import Progress
    >>> moments = [0.0]
    >>> progress = Progress(get_time=lambda: moments[-1])
    >>> step = progress.add_task("read", total=100, completed=25)
    >>> moments.append(30.0)
    >>> format_time_left(progress.tasks[step])
    'about 1:30 left'
    """
    elapsed = task.finished_time if task.finished else task.elapsed
    so_far = f"{_format_seconds(elapsed or 0.0)} so far"
    if task.finished or not task.total or task.completed < _SURE * task.total or not elapsed:
        return so_far
    return f"about {_format_seconds(elapsed * (task.total - task.completed) / task.completed)} left"


def _format_seconds(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class _Time(ProgressColumn):
    """The time left, or so far."""

    def render(self, task: Task) -> Text:
        return Text(format_time_left(task), style="progress.remaining")


class _Share(ProgressColumn):
    """The share that is done, where somebody knows it."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.percentage:>3.0f} %" if task.total else "", style="progress.percentage")


class _Rows(Rich):
    """Shows the step that goes on, and steps inside of it that are not over in a moment."""

    main: TaskID | None = None

    def get_renderables(self) -> Iterable[RenderableType]:
        yield self.make_tasks_table([task for task in self.tasks if self._shows(task)])

    def _shows(self, task: Task) -> bool:
        return task.id == self.main or (not task.finished and (task.elapsed or 0.0) >= _BRIEF)


class Bars:
    """Shows progress: a bar for the step at work, and one for each step inside it.

    Examples
    --------
    >>> bars = Bars("read")
    >>> bars("unpack", 5, 10)
    >>> bars("inspect", 0, 0)
    >>> bars.stop()
    """

    def __init__(self, phase: str = "") -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), _Share(), _Time())
        self._rows = _Rows(*columns, console=Console(stderr=True), transient=True)
        self._steps: dict[str, TaskID] = {}
        if phase:
            self._show_phase(phase)

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` steps of a phase are finished; without a total, that it goes on."""
        if not total:
            self._show_phase(phase)
            return
        if phase not in self._steps:
            self._steps[phase] = self._rows.add_task(phase, total=total)
        elif done == 0:
            self._rows.reset(self._steps[phase], total=total)
        self._rows.update(self._steps[phase], completed=done, total=total)

    def _show_phase(self, phase: str) -> None:
        """Show a phase of unknown length as a moving bar; without a name, show none."""
        rows = self._rows
        main_task = None if rows.main is None else next(task for task in rows.tasks if task.id == rows.main)
        if main_task is not None and main_task.description == phase:
            return
        if rows.main is not None:
            rows.remove_task(rows.main)
        rows.main = rows.add_task(phase, total=None) if phase else None

    def start(self) -> None:
        """Begin to draw."""
        self._rows.start()

    def stop(self) -> None:
        """Take the bars away."""
        self._rows.stop()
