"""Workbooks: cells as text, sheets by name, and those that are none or do harm."""

from __future__ import annotations

import datetime
import io
import sys
import zipfile

import pytest

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.readers.xlsx import parse_sheet

xlsxwriter = pytest.importorskip("xlsxwriter")
pytest.importorskip("fastexcel")


def make(rows, name="people", **options) -> bytes:
    room = io.BytesIO()
    book = xlsxwriter.Workbook(room, {"default_date_format": "yyyy-mm-dd hh:mm", "in_memory": True, **options})
    sheet = book.add_worksheet(name)
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            if cell is not None:
                sheet.write(row, column, cell)
    book.close()
    return room.getvalue()


def test_cells_are_the_text_they_are():
    moment = datetime.datetime(2024, 1, 31, 18, 0, 9)
    rows = [
        ["id", "n", "x", "when", "flag", "mixed"],
        ["007", 30, 1.5, moment, True, "a"],
        ["008", 31, 2, moment, False, 5],
    ]
    table = parse_sheet("a.xlsx", make(rows))
    assert table.to_pydict() == {
        "id": ["007", "008"],
        "n": ["30", "31"],
        "x": ["1.5", "2"],
        "when": ["2024-01-31 18:00:09"] * 2,
        "flag": ["true", "false"],
        "mixed": ["a", "5"],
    }


def test_rows_and_columns_of_nothing_do_not_count():
    table = parse_sheet("a.xlsx", make([["a", None, "b"], ["1", None, None], [None] * 3, ["2", None, "x"], [None] * 3]))
    assert table.to_pydict() == {"a": ["1", "2"], "b": [None, "x"]}
    named = parse_sheet("a.xlsx", make([["1", "2"], ["3", "4"]]), header=("x", "y"))
    assert named.to_pydict() == {"x": ["1", "3"], "y": ["2", "4"]}


def test_what_is_wrong_is_said():
    good = make([["a"], ["Q7canary"]])
    with pytest.raises(ParameterError, match=r"there is no sheet 'x'. Its sheets are 'people'"):
        parse_sheet("a.xlsx", good, "x")
    with pytest.raises(SchemaError, match="two columns have the same name"):
        parse_sheet("a.xlsx", make([["a", "a"], ["1", "2"]]))
    with pytest.raises(SchemaError, match="is empty or cannot be read"):
        parse_sheet("a.xlsx", make([]))
    for bad in (b"person,place\n", good[:-30], good[:200]):
        with pytest.raises(SchemaError, match="not a workbook, or it is damaged"):
            parse_sheet("a.xlsx", bad)


def test_a_workbook_that_unpacks_to_too_much():
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (1 << 29))
    with pytest.raises(SchemaError, match="expands to more than 268 MB"):
        parse_sheet("a.xlsx", room.getvalue())


def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(ParameterError, match=r"pip install 'sfumato\[excel\]'"):
        parse_sheet("a.xlsx", b"")
