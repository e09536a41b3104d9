"""The parts that pages are made of: a frame, texts, tables, fields, and a job that is watched."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from sfumato.escape import escape_html, make_visible
from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.reports.numbers import show_number
from sfumato.web.form_style import FORMS, write_text
from sfumato.web.jobs import Job
from sfumato.web.pages.assets import HEAD
from sfumato.web.project import Project

__all__ = [
    "Field",
    "Workspace",
    "add_text",
    "facts",
    "figures",
    "format_value",
    "frame",
    "link",
    "more",
    "open_page",
    "page",
    "press",
    "table",
    "watch",
]

_PAGES = {
    "data": "Data",
    "risk": "Risk",
    "hierarchies": "Hierarchies",
    "queries": "Queries",
    "anonymise": "Anonymise",
    "compare": "Compare",
    "releases": "Releases",
}
_OF_DATA = {"data", "risk", "anonymise", "compare", "queries", "hierarchies"}
_FEW = 3
"""Columns of a table that fit on a small screen."""
_LONG = 90
"""Characters of a cell that needs room for sentences."""
_SHARE = re.compile(r"[\d.,]+ %")
_POLL_INTERVAL = 0.5
"""Seconds between two looks at a job."""


class Workspace:
    """What all pages have in common: the project and its jobs."""

    def __init__(self, project: Project, jobs: Any) -> None:
        self.project, self.jobs = project, jobs


def path_to(*parts: str, **query: str) -> str:
    """Return the address of a page.

    Examples
    --------
    >>> path_to("data", "a b.csv", page="2")
    '/data/a%20b.csv?page=2'
    """
    query_string = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items() if value)
    return "/" + "/".join(quote(part, safe="") for part in parts if part) + (f"?{query_string}" if query_string else "")


def add_text(text: str, tag: str = "p", classes: str = "") -> TextElement:
    """Put a text on the page, as text whatever it holds; a message is written in the words of the forms."""
    element = TextElement(tag=tag, text=make_visible(write_text(text)))
    return element.classes(classes) if classes else element


def link(text: str, target: str, classes: str = "", *, download: bool = False) -> None:
    """Put a link on the page."""
    element = TextElement(tag="a", text=make_visible(text))
    element._props["href"] = target
    if download:
        element._props["download"] = ""
    element.classes(classes)


def open_page(*parts: str, **query: str) -> None:
    """Open another page."""
    ui.navigate.to(path_to(*parts, **query))


@contextlib.contextmanager
def frame(title: str, here: str, data: str = "") -> Iterator[None]:
    """Put the way around on a page, and what the block makes below it."""
    ui.page_title(f"{title} · Sfumato")
    ui.add_head_html(HEAD)
    with TextElement(tag="a", text="Skip to the content").classes("skip") as skip:
        skip._props["href"] = "#content"
    with ui.element("header").classes("top"), ui.element("nav").props('aria-label="Pages"'):
        add_text("Sfumato", "b")
        for name, label in _PAGES.items():
            element = TextElement(tag="a", text=label)
            element._props["href"] = path_to(name, data if name in _OF_DATA else "")
            if name == here:
                element._props["aria-current"] = "page"
    with ui.element("div").classes("sheet").props('id="content" tabindex="-1"'):
        add_text(title, "h1")
        yield


def page(route: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function a page, which shows errors as sentences."""

    def decorate(build: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(build)
        def shown(*arguments: Any, **named: Any) -> None:
            try:
                build(*arguments, **named)
            except Exception as error:
                ui.context.client.content.clear()
                with frame("Request failed", ""):
                    add_text(explain(error), classes="failed").props('role="alert"')

        made: Callable[..., Any] = ui.page(route)(shown)
        return made

    return decorate


def explain(error: Exception) -> str:
    """Return the text of an error; messages of other errors could hold personal data and are not shown.

    Examples
    --------
    >>> explain(SfumatoError("k must be at least 2.")), explain(KeyError("Ann"))
    ('k must be at least 2.', 'Unexpected KeyError. Please report the fault.')
    """
    if isinstance(error, SfumatoError):
        return error.write(FORMS)
    return f"Unexpected {type(error).__name__}. Please report the fault."


def press(text: str, act: Callable[[], Any], classes: str = "", **more: str) -> ui.element:
    """Put a button on the page; errors when it is pressed are shown."""

    def run() -> None:
        try:
            act()
        except Exception as error:
            ui.notify(explain(error), type="negative", multi_line=True, close_button="Close", timeout=15_000)

    button = TextElement(tag="button", text=text).classes(classes).mark(text.lower().replace(" ", "-"))
    button._props["type"] = "button"
    for name, value in more.items():
        button._props[name.replace("_", "-")] = value
    button.on("click", run)
    return button


def more(title: str) -> ui.element:
    """Put something behind a line that opens it."""
    box = ui.element("details")
    with box:
        add_text(title, "summary")
    return box


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> None:
    """Put a table of texts and numbers on the page; every cell is shown as text."""
    rows = list(rows)
    columns = [[row[at] for row in rows if at < len(row) and row[at] is not None] for at in range(len(head))]
    numeric = [bool(column) and all(map(_is_number, column)) for column in columns]
    long = any(isinstance(cell, str) and len(cell) > _LONG for column in columns for cell in column)
    kinds = " ".join(["broad"] * (len(head) > _FEW) + ["prose"] * long)
    titles = "".join(
        f"<th scope='col'{' class=number' * number}>{escape_html(title)}</th>"
        for title, number in zip(head, numeric, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{' class=number' * (at < len(numeric) and numeric[at])}>{escape_html(format_value(cell))}</td>"
            for at, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    caption_html = f"<caption>{escape_html(caption)}</caption>" if caption else ""
    label = escape_html(caption or "Table")
    ui.html(
        f"<div class='scroll' tabindex='0' role='region' aria-label='{label}'>"
        f"<table class='{kinds}'>{caption_html}"
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>",
        sanitize=False,
    )


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return bool(_SHARE.fullmatch(value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def facts(values: Mapping[str, Any], caption: str) -> None:
    """Put names with what they stand for on the page."""
    rows = [(name.replace("_", " "), format_value(value)) for name, value in values.items() if value is not None]
    table(["what", "value"], rows, caption)


def format_value(value: Any) -> str:
    """Write a value for people.

    Examples
    --------
    >>> format_value({"mean": 2.5, "max": 4}), format_value(True), format_value(None), format_value(12345)
    ('mean: 2.5, max: 4', 'yes', '-', '12,345')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return show_number(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{make_visible(str(name))}: {format_value(entry)}" for name, entry in value.items()) or "-"
    if isinstance(value, list | tuple):
        return ", ".join(map(format_value, value)) or "-"
    return make_visible(str(value))


def figures(drawn: Iterable[str]) -> None:
    """Put pictures on the page that jobs have drawn, each in its escaped markup."""
    with ui.element("div").classes("figures"):
        for markup in drawn:
            ui.html(markup, sanitize=False)


def _quote(value: str) -> str:
    """Write a value into markup so that exactly this value comes back."""
    return escape(value).replace("\r", "&#13;").replace("\n", "&#10;")


class Field:
    """A labelled field of a form, with help below it.

    Parameters
    ----------
    label, help
        What is asked.
    value
        What it holds at first.
    options
        Values to choose from, by what they are called; without them anything may be typed.
    kind
        ``text``, ``number``, ``check``, ``lines`` or ``slider``.
    bounds
        Least and greatest number, where there are any.
    step
        Between two numbers of a slider.
    placeholder
        What it could hold, shown while it is empty.
    """

    def __init__(
        self,
        label: str,
        value: str = "",
        *,
        help: str = "",
        options: Mapping[str, str] | None = None,
        kind: str = "text",
        bounds: tuple[float | None, float | None] = (None, None),
        step: str = "any",
        placeholder: str = "",
        on_change: Callable[[], Any] | None = None,
    ) -> None:
        self.value, self._on_change = value, on_change
        self._label, self._bounds = label, bounds
        wide = " wide" if kind == "lines" else ""
        with ui.element("label").classes(f"field{' check' * (kind == 'check')}{wide}"):
            if kind == "check":
                self._add("input", type="checkbox", defaultChecked=value == "true")
            add_text(label, "span")
            if options is not None:
                self._choose(options)
            elif kind == "lines":
                self._add("textarea", defaultValue=value, spellcheck="false")
            elif kind == "slider":
                self._slide(label, bounds, step)
            elif kind != "check":
                limits = {
                    name: f"{bound:g}" for name, bound in zip(("min", "max"), bounds, strict=True) if bound is not None
                }
                if placeholder:
                    limits["placeholder"] = placeholder
                self._add("input", type=kind, defaultValue=value, step=step, **limits)
            # Its name is what it is called alone; screen readers read choices and help after it.
            self._control._props["aria-label"] = make_visible(label)
            if help:
                self._control._props["aria-describedby"] = f"c{add_text(help, 'small').id}"

    def read_whole(self) -> int:
        """Return the whole number that was typed; refuse others with the allowed range."""
        low, high = self._bounds
        text = self.value.strip()
        number = int(text) if text.isdecimal() else -1
        if number < (low or 0) or (high is not None and number > high):
            upto = f"from {low or 0:,.0f} to {high:,.0f}" if high is not None else f"of at least {low or 0:,.0f}"
            raise ParameterError(f"{self._label} must be a whole number {upto}.", option=self._label)
        return number

    def _add(self, tag: str, **props: Any) -> ui.element:
        element = ui.element(tag)
        element._props.update(props)
        check = props.get("type") == "checkbox"
        emit = "(event) => emit(String(event.target.checked))" if check else "(event) => emit(event.target.value)"
        self._control = element
        element.on("change", self._take, js_handler=emit)
        if not check:
            element.on("input", self._take, js_handler=emit, throttle=0.2)
        return element

    def _choose(self, options: Mapping[str, str]) -> None:
        # As markup: an element for each of a thousand files would cost more than the rest of the page.
        self._add("select")._props["innerHTML"] = "".join(
            f'<option value="{_quote(value)}"{" selected" * (value == self.value)}>{escape_html(label)}</option>'
            for value, label in options.items()
        )

    def _slide(self, label: str, bounds: tuple[float | None, float | None], step: str) -> None:
        limits = {"min": f"{bounds[0]:g}", "max": f"{bounds[1]:g}", "step": step, "defaultValue": self.value}
        with ui.element("div").classes("twins").props("data-twins=1"):
            self._add("input", type="number", **(limits | {"max": ""}))
            slider = ui.element("input")
            slider._props.update({"type": "range", "aria-label": f"{label}, slider", **limits})

    def _take(self, event: Any) -> None:
        given = event.args
        self.value = str(given[0] if isinstance(given, list) and given else given)
        if self._on_change is not None:
            self._on_change()


def watch(
    workspace: Workspace, job: Job, show: Callable[[dict[str, Any]], Any], *, live: Callable[[Job], Any] | None = None
) -> None:
    """Show the progress of a job with a button that stops it, and its outcome once it is done.

    ``live`` shows what is ready while the job runs; it is called every few seconds.
    """
    box = ui.element("section").props('aria-live="polite"')
    early = ui.element("div")
    state: dict[str, Any] = {"turn": 0}

    def show_result() -> None:
        box.clear()
        with box:
            if job.state == "done":
                early.clear()
                show(job.outcome)
                return
            add_text(job.error or "The job ended without a result.", classes="failed").props('role="alert"')
            press("Try again", again, "plain")

    def again() -> None:
        nonlocal job
        job = workspace.jobs.again(job)
        begin()

    def begin() -> None:
        box.clear()
        with box, ui.element("div").classes("working"):
            status = add_text(job.describe_progress())
            bar = ui.element("progress").props('aria-label="Progress"')
            press("Stop", lambda: workspace.jobs.stop(job), "stop")
        state["timer"] = ui.timer(_POLL_INTERVAL, lambda: tick(status, bar))

    def tick(status: TextElement, bar: ui.element) -> None:
        state["turn"] += 1
        if job.is_over:
            state["timer"].cancel()
            show_result()
            return
        status.set_text(make_visible(job.describe_progress()))
        if job.share is not None:
            bar._props["value"] = f"{job.share:.3f}"
            bar.update()
        if live is not None and state["turn"] % 4 == 1:
            early.clear()
            with early:
                live(job)

    if job.is_over:
        show_result()
    else:
        begin()
