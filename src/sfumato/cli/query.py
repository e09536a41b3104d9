"""The command that asks questions of data and releases."""

from __future__ import annotations

import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import Json, with_read_options
from sfumato.cli.output import Output, show_work
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.queries.answer import Answer

__all__ = ["query"]

_SHOWN = 40
"""Rows of a long table that people are shown; --json prints all."""
_WIDE = 6
"""Columns that fit beside each other."""


@with_read_options
def query(
    source: Annotated[Path, typer.Argument(help="Directory of a release, or a file with data (with --kind).")],
    read_options: dict[str, Any],
    questions: Annotated[
        list[str] | None, typer.Argument(help="Questions, such as 'count person where clinic then pharmacy'.")
    ] = None,
    file: Annotated[Path | None, typer.Option(help="File with one question per line; # starts a comment.")] = None,
    kind: Annotated[str, typer.Option(help="Kind of the data, such as sequences; not for a release.")] = "",
    as_json: Json = False,
) -> None:
    """Query data or a release: lower bound, upper bound and expected value.

    Certain: true in every original that fits the release; possible: true in at least one. Questions such as:

    count person where clinic before 2024-03-01 and then pharmacy within 7d

    count record where age in 20..29 and not diagnosis = flu

    count event where "night shift" during 2024-01..2024-02 by week

    first clinic

    relation value clinic and pharmacy

    Quote names with spaces. A category of a hierarchy stands for all values below it (--hierarchy).
    """
    from sfumato.api.query import query_all

    queries = _collect(questions or [], file)
    source_data, hierarchies = _open(source, kind, read_options)
    with show_work("answer"):
        answers = query_all(source_data, queries, hierarchies)
    out = Output(as_json=as_json)
    _show(out, answers)
    out.finish({"answers": [answer.to_dict() for answer in answers]})


def _collect(questions: list[str], file: Path | None) -> list[Any]:
    """Read the questions of the command line and of a file."""
    from sfumato.queries.language import parse, parse_lines

    queries = [parse(question) for question in questions]
    if file is not None:
        try:
            queries += parse_lines(file.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            raise ParameterError(f"{file} is not UTF-8 text.", option="file", hint="Save it as UTF-8.") from None
    if not queries:
        raise ParameterError(
            "query needs a question or --file.",
            option="file",
            hint=f"For example: {shlex.join(['sfumato', *sys.argv[1:], 'count person where clinic'])}",
        )
    return queries


def _open(source: Path, kind: str, read_options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Read data of a kind; without a kind the source is a release, and hierarchies only name categories."""
    from sfumato.api import calls
    from sfumato.readers.hierarchies import read_hierarchy
    from sfumato.release.storage import find_release

    if kind:
        return calls.read(source, kind, **read_options), {}
    if not source.exists():
        raise ParameterError(f"{source} does not exist.", option="source", hint="Give a release, or data with --kind.")
    if not source.is_dir():
        raise ParameterError(
            f"{source} is not the directory of a release.",
            option="kind",
            hint=Message("To query data, add their kind: ", option("kind", "sequences"), "."),
        )
    find_release(source)
    given = dict(read_options)
    files, root = given.pop("hierarchies", {}), given.pop("hierarchy_root", None)
    if given:
        raise ParameterError(
            Message(option(next(iter(given))), " does not apply to a release."),
            hint=Message("Leave it out, or query data: ", option("kind", "sequences"), "."),
        )
    return source, {column: read_hierarchy(Path(path), root=root) for column, path in files.items()}


def _show(out: Output, answers: list[Answer]) -> None:
    """Print answers: all numbers in one table, then a table for every answer with several rows."""
    rows = [
        (answer.query, answer.certain, _format_cell(answer.possible), answer.expected, answer.counted)
        for answer in answers
    ]
    out.table("Answers", ["question", "certain", "possible", "expected", "of"], rows)
    for answer in answers:
        if answer.table is not None:
            _show_rows(out, answer.query, answer.table)
    for note in dict.fromkeys(note for answer in answers for note in answer.notes):
        out.print_line(f"- {note}")


def _show_rows(out: Output, title: str, table: pa.Table) -> None:
    """Print rows; in a wide table, print columns with one value only once."""
    rows = [{name: _format_cell(cell) for name, cell in row.items()} for row in table.slice(0, _SHOWN).to_pylist()]
    same = {name: cell for name, cell in rows[0].items() if all(row[name] == cell for row in rows)} if rows else {}
    constants = same if table.num_columns > _WIDE and table.num_rows == len(rows) else {}
    names = [name for name in table.column_names if name not in constants]
    if names:
        out.table(title, names, [[row[name] for name in names] for row in rows])
    if constants:
        out.table("The same in all rows" if names else title, ["what", "value"], list(constants.items()))
    if table.num_rows > len(rows):
        out.print_line(f"{table.num_rows - len(rows):,} more rows are not shown. Print all with --json.")


def _format_cell(cell: Any) -> Any:
    if isinstance(cell, float) and math.isinf(cell):
        return "any number"
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell
