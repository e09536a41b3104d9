"""What makes pages cheap changes nothing of what they say: the framework's own code is the plain twin."""

from __future__ import annotations

import functools
import gc
import json as plain

from hypothesis import given
from hypothesis import strategies as st
from nicegui import client, helpers, json
from nicegui.client import HTML_ESCAPE_TABLE

from sfumato.web.memory import _Json, cache_signatures, limit_memory, remember_methods, speed_up_escaping

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def _read_in_browser(text):
    """Read what a page holds as the framework's script does."""
    for written, meant in (("&#36;", "$"), ("&#96;", "`"), ("&gt;", ">"), ("&lt;", "<"), ("&amp;", "&")):
        text = text.replace(written, meant)
    return plain.loads(text)


@given(_VALUES)
def test_a_page_reads_as_the_framework_wrote_it(value):
    written = _Json.dumps(value)
    assert written.isascii() and not set("&<>`$") & set(written)
    assert written.translate(HTML_ESCAPE_TABLE) == written
    assert _read_in_browser(written) == _read_in_browser(json.dumps(value).translate(HTML_ESCAPE_TABLE)) == value
    assert _Json.loads(written) == value


def test_nothing_breaks_out_of_the_script_of_a_page():
    evil = "</script><script>alert(1)</script> `+alert(2)+` ${alert(3)} &lt;img src=x> \u2028 \U0001f600 \\u003c"
    written = _Json.dumps({"text": evil})
    assert "<" not in written and "`" not in written and "$" not in written
    assert _read_in_browser(written) == {"text": evil}


class _Asked:
    def __init__(self, wants):
        self.act = functools.partial(wants) if wants else None

    def nothing(self):
        pass

    def one(self, event):
        pass

    def perhaps(self, event=None, *more, **named):
        pass

    @classmethod
    def of_the_class(cls, event):
        pass

    @staticmethod
    def alone(event):
        pass


def test_methods_want_what_the_framework_says():
    asked = []

    def look(function):
        asked.append(function)
        return _PLAIN(function)

    remembered = remember_methods(look)
    for _ in range(3):
        each = _Asked(print)
        functions = [each.nothing, each.one, each.perhaps, each.of_the_class, each.alone, lambda: 1, lambda event: 1]
        for function in (*functions, functools.partial(each.one, 1), functools.partial(each.one)):
            assert remembered(function) == _PLAIN(function)
    assert [function.__name__ for function in asked if hasattr(function, "__self__")] == [
        *("nothing", "one", "perhaps", "of_the_class")
    ]


_PLAIN = getattr(helpers.expects_arguments, "__wrapped__", helpers.expects_arguments)


def test_the_framework_is_changed_once(monkeypatch):
    monkeypatch.setattr(helpers, "expects_arguments", _PLAIN)
    monkeypatch.setattr(client, "json", json)
    for _ in range(2):
        cache_signatures()
        speed_up_escaping()
    assert helpers.expects_arguments.__wrapped__ is _PLAIN and client.json is _Json


def test_garbage_is_still_looked_for():
    before = gc.get_threshold()
    try:
        limit_memory()
        assert gc.isenabled() and all(gc.get_threshold())
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
