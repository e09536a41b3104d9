"""A box for questions to a release: what is certain, possible and expected."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from sfumato import plugins
from sfumato.exceptions import ParameterError
from sfumato.queries.language import parse_lines
from sfumato.web.pages.parts import Field, Workspace, add_text, press, table, watch

__all__ = ["offer_questions"]

_ATTRIBUTES = "count record where age < 30 and sex = female"
_TIMES = "count record where clinic before 2024-03-01"
_VALUES = "count record where clinic and pharmacy"


def offer_questions(workspace: Workspace, name: str, kind: str, original: str) -> None:
    """Put the box on the page of a release; with the original, the truth stands beside the answers."""
    add_text("Query", "h2")
    data = {"": "(none: from the published files alone)"} | {file: file for file in workspace.project.list("data")}
    with ui.element("div").classes("fields"):
        help_text = f"One question per line, such as: {_find_example(kind)}"
        questions = Field("Questions", "count record", kind="lines", help=help_text)
        chosen = Field("Compare with the original", original, options=data)
    watched = ui.element("div")

    def run() -> None:
        if not parse_lines(questions.value):
            raise ParameterError("Write a question.")
        files = {"releases": [name]} | ({"data": [chosen.value]} if chosen.value else {})
        job = workspace.jobs.request("ask", files=files, questions=questions.value)
        watched.clear()
        with watched:
            watch(workspace, job, _show)

    press("Run query", run, "plain")


def _find_example(kind: str) -> str:
    """Return a question that data of a kind can be asked: about attributes, values at times, or values alone."""
    columns = plugins.find_kind(kind).columns if kind in plugins.all_kinds() else ()
    roles = {column.role for column in columns}
    return _TIMES if {"history", "time"} <= roles else _VALUES if "history" in roles else _ATTRIBUTES


def _show(outcome: dict[str, Any]) -> None:
    answers = outcome["answers"]
    with_truth = any("truth" in answer for answer in answers)
    rows = [
        (
            answer["query"],
            answer["certain"],
            "any number" if answer["possible"] is None else answer["possible"],
            "-" if answer["expected"] is None else answer["expected"],
            *((answer["truth"],) if with_truth else ()),
            answer["counted"],
        )
        for answer in answers
    ]
    head = ["question", "certain", "possible", "expected", *(["truth"] if with_truth else []), "of"]
    table(head, rows, "Answers")
    for answer in answers:
        if answer["table"]:
            cells = [tuple(_format_cell(name, cell) for name, cell in row.items()) for row in answer["table"]]
            table(list(answer["table"][0]), cells, answer["query"])
    for note in dict.fromkeys(note for answer in answers for note in answer["notes"]):
        add_text(note)


def _format_cell(name: str, cell: Any) -> Any:
    """Write a cell of a table; what nothing limits is any number, and other cells may have nothing."""
    if cell is not None:
        return cell
    return "any number" if name == "possible" else "-"
