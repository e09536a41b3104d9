"""Files of sequences for tests: written, read, refused without a word of the data, and read the plain way."""

import csv
import io
import traceback

import pytest

from sfumato.exceptions import SchemaError
from sfumato.kinds.sequences.reader import read
from sfumato.readers.options import ReadOptions

CANARY = "Q7canaryZ"
HEADER = "person,time,event\n"
GOOD = f"{CANARY},1,{CANARY}\n{CANARY}b,2,{CANARY}c\n"
AGENT = ' "http://x/?q=\\"y\\"" "Mozilla/5.0 (X11; rv:1)"'


def request(host="h1", user="-", time="01/Jan/1970:00:00:05 +0000", request="GET /a HTTP/1.1", status=200, rest=""):
    """Spell a line of a web log."""
    return f'{host} - {user} [{time}] "{request}" {status} 12{rest}\n'


def write_and_read(folder, content, name="clicks.csv", **options):
    """Read a file with this content."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read(folder / name, ReadOptions.of("sequences", options))


def write_and_refuse(folder, content, name="clicks.csv", error=SchemaError, **options):
    """Read a bad file; return the message after making sure that no cell shows in it or its traceback."""
    (folder / name).touch()
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(error) as caught:
        write_and_read(folder, content, name, **options)
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert sorted(path.name for path in folder.iterdir()) == before
    return str(caught.value)


def people(data):
    """Return each person's (event, time) entries."""
    history, times = data.history(), data.times().tolist()
    rows = zip(history.offsets[:-1], history.offsets[1:], history.lists(), strict=True)
    names = data.table.column("person").to_pylist()
    return {name: list(zip(events, times[a:b], strict=True)) for name, (a, b, events) in zip(names, rows, strict=True)}


def plain_read(text):
    """Sort each person's rows by time and, at the same one, by event; drop exact repeats."""
    rows = {}
    for row in csv.DictReader(io.StringIO(text)):
        rows.setdefault(row["person"], []).append((row["event"], int(row["time"])))
    return {who: sorted(set(entries), key=lambda entry: entry[::-1]) for who, entries in rows.items()}
