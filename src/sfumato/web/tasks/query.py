"""Questions put to a release, and to its original where that is chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sfumato.api.query import query_all
from sfumato.release.run import Progress
from sfumato.web.project import Project
from sfumato.web.tasks.verify import read_as_released

__all__ = ["ask"]

_SHOWN = 200
"""Rows of a table of an answer that a page shows."""


def ask(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Answer questions, one per line: certain, possible, expected, and the truth where the original is chosen."""
    release = project.find("releases", arguments["files"]["releases"][0])
    questions = str(arguments["questions"])
    progress("asking the release", 0, 0)
    answers = [answer.to_dict() for answer in query_all(release, questions)]
    for answer in answers:
        answer["table"] = answer.get("table", [])[:_SHOWN]
    given = arguments["files"].get("data", [])
    if given:
        progress("asking the original", 0, 0)
        truths = query_all(read_as_released(project, release, given[0]), questions)
        for answer, truth in zip(answers, truths, strict=True):
            answer["truth"] = truth.certain
    return {"answers": answers}
