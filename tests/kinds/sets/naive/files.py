"""Files of sets for tests: written, read, refused without a word of the data, and read the plain way."""

import csv
import io
import traceback

import pytest

from sfumato.exceptions import SchemaError
from sfumato.kinds.sets.reader import read
from sfumato.readers.options import ReadOptions

CANARY = "Q7canaryZ"
HEADER = "person,item\n"
GOOD = f"{CANARY},{CANARY}\n{CANARY}b,{CANARY}c\n"


def write_and_read(folder, content, name="baskets.csv", **options):
    """Read a file with this content."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read(folder / name, ReadOptions.of("sets", options))


def write_and_refuse(folder, content, name="baskets.csv", error=SchemaError, **options):
    """Read a bad file; return the message after making sure that no cell shows in it or its traceback."""
    (folder / name).touch()
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(error) as caught:
        write_and_read(folder, content, name, **options)
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert sorted(path.name for path in folder.iterdir()) == before
    return str(caught.value)


def people(data):
    """Return each person's items."""
    return dict(zip(data.table.column("person").to_pylist(), data.history().lists(), strict=True))


def plain_rows(text):
    """Collect each person's trimmed items of a table with a row for each, in order of their first appearance."""
    rows = [(row["person"], row["item"].strip()) for row in csv.DictReader(io.StringIO(text))]
    return _as_sets(rows, dict.fromkeys(person for person, _ in rows))


def plain_lines(text, separator):
    """Collect the items of each line, those without any left out; people are numbered by line."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        cells = line.split() if separator == " " else [cell.strip() for cell in line.split(separator)]
        rows += [(str(number), cell) for cell in cells if cell]
    return _as_sets(rows, dict.fromkeys(person for person, _ in rows))


def _as_sets(rows, persons):
    order = {item: code for code, item in enumerate(dict.fromkeys(item for _, item in rows))}
    return {who: sorted({item for person, item in rows if person == who}, key=order.__getitem__) for who in persons}
