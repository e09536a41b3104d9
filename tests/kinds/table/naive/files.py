"""Files of tables for tests: written, read, and refused without a word of the data."""

import traceback

import pytest

from sfumato.exceptions import SchemaError
from sfumato.kinds.table.reader import read
from sfumato.readers.options import ReadOptions

CANARY = "Q7canaryZ"
ROLES = {"identifier": ("name",), "quasi": ("age", "sex"), "sensitive": ("illness",)}
HEADER = "name,age,sex,illness\n"
GOOD = f"{CANARY}1,30,f,{CANARY}\n{CANARY}2,40,m,flu\n{CANARY}3,40,f,flu\n"


def write_and_read(folder, content, name="people.csv", **options):
    """Read a file with this content."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read(folder / name, ReadOptions.of("table", options))


def write_and_refuse(folder, content, name="people.csv", error=SchemaError, **options):
    """Read a bad file; return the message after making sure that no cell shows in it or its traceback."""
    (folder / name).touch()
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(error) as caught:
        write_and_read(folder, content, name, **options)
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert sorted(path.name for path in folder.iterdir()) == before
    return caught.value.text


def plain_cells(rows, empty=()):
    """Trim cells the plain way; None is one without a value."""
    return [["" if cell is None or cell.strip() in ("", *empty) else cell.strip() for cell in row] for row in rows]
