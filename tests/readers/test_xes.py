"""Event logs read as a stream, also those that somebody made to do harm."""

from __future__ import annotations

import gzip
import tracemalloc
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.exceptions import SchemaError
from sfumato.readers import xes
from sfumato.readers.files import iterate_blocks
from sfumato.readers.xes import parse_xes

KEYS = st.sampled_from(["concept:name", "time:timestamp", "cost"])
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=5)
TRACES = st.lists(
    st.tuples(st.dictionaries(KEYS, TEXTS), st.lists(st.dictionaries(KEYS, TEXTS), max_size=3)), max_size=5
)


def encode_xes(traces) -> bytes:
    def attributes(found):
        return "".join(f"<string key={quoteattr(k)} value={quoteattr(v)}/>" for k, v in found.items())

    inner = "".join(
        f"<trace>{attributes(case)}{''.join(f'<event>{attributes(event)}</event>' for event in events)}</trace>"
        for case, events in traces
    )
    return f"<log>{inner}</log>".encode()


def read_slowly(data: bytes):
    """Build the whole tree, and take what is right below traces and events."""
    rows = []
    for number, trace in enumerate(ElementTree.fromstring(data).iter("trace"), start=1):
        case = {f"case:{a.get('key')}": a.get("value") for a in trace.findall("string")}
        case.setdefault("case:concept:name", str(number))
        rows += [
            case | {a.get("key"): a.get("value") for a in event.findall("string")} for event in trace.iter("event")
        ]
    return rows


@given(TRACES, st.integers(1, 40))
def test_a_stream_gives_what_the_tree_gives(traces, size):
    data = encode_xes(traces)
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    found = [{k: v for k, v in row.items() if v is not None} for row in parse_xes("a.xes", blocks).to_pylist()]
    assert found == read_slowly(data)


def test_parts_are_put_together(monkeypatch):
    monkeypatch.setattr(xes, "_ROWS", 2)
    traces = [({"concept:name": str(n)}, [{"concept:name": "a"}, {"cost": str(n)}]) for n in range(5)]
    table = parse_xes("a.xes", [encode_xes(traces)])
    assert table.num_rows == 10 and table.column_names == ["case:concept:name", "concept:name", "cost"]
    assert table["cost"].to_pylist()[1::2] == ["0", "1", "2", "3", "4"]


BOMB = b"""<?xml version="1.0"?><!DOCTYPE log [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><log><trace><string key="concept:name" value="&c;"/></trace></log>"""


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (BOMB, "line 1 declares a document type"),
        (b'<!DOCTYPE log SYSTEM "file:///etc/passwd"><log/>', "declares a document type"),
        (b"<log><trace>", "is not XML, or the file is truncated"),
        (b"Q7canary <log/>", "is not XML"),
        (b"<html/>", "its first element is not log"),
        (b"<log>" + b"<a>" * 100, "more than 64 deep"),
        (b"<log><trace><string key='k' value='" + b"x" * (1 << 20) + b"y'/></trace></log>", "more than 1,048,576"),
        (b'<log><trace><event><string key="&#0;" value="Q7canary"/></event></trace></log>', "is not XML"),
    ],
)
def test_what_does_harm_is_refused(data, told):
    with pytest.raises(SchemaError, match=told) as caught:
        parse_xes("a.xes", [data])
    assert "Q7canary" not in str(caught.value) and caught.value.__cause__ is None


def test_too_many_attributes():
    event = "".join(f'<string key="k{i}" value="1"/>' for i in range(5_000))
    with pytest.raises(SchemaError, match="more than 4,096 different attributes"):
        parse_xes("a.xes", [f"<log><trace><event>{event}</event></trace></log>".encode()])


def test_memory_does_not_grow_with_the_text():
    trace = encode_xes([({"concept:name": "c"}, [{"concept:name": "a", "time:timestamp": "2024-01-01"}] * 20)])[5:-6]
    padding = b" " * 20_000

    def blocks():
        yield b"<log>"
        for _ in range(2_000):
            yield trace + padding
        yield b"</log>"

    tracemalloc.start()
    table = parse_xes("a.xes", blocks())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.num_rows == 40_000 and peak < 24_000_000  # the text has over 40 MB


def test_other_encodings_are_told_by_the_file(tmp_path):
    trace = '<trace><string key="concept:name" value="é"/><event/></trace>'
    data = f'<?xml version="1.0" encoding="ISO-8859-1"?><log>{trace}</log>'
    assert parse_xes("a.xes", [data.encode("latin-1")])["case:concept:name"].to_pylist() == ["é"]


def test_a_log_that_unpacks_to_too_much(tmp_path):
    (tmp_path / "a.xes.gz").write_bytes(gzip.compress(b" " * (1 << 29)))
    with pytest.raises(SchemaError, match="expands to more than 268 MB"):
        for _ in iterate_blocks(tmp_path / "a.xes.gz"):
            pass
