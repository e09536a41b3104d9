"""Files that never change are fetched and packed once; everything else goes past the shelf."""

from __future__ import annotations

import asyncio
import gzip

import pytest

from sfumato.web import static_files as kept
from sfumato.web.static_files import FOREVER, StaticFiles

_SCRIPT = b"let a = 1;\n" * 500


class _App:
    """Has one script and one font, and counts who asks; it says what it was asked with."""

    def __init__(self, fault=None):
        self.asked, self.fault = [], fault

    async def __call__(self, scope, receive, send):
        self.asked.append(scope)
        await asyncio.sleep(0)
        if self.fault is not None:
            raise self.fault
        script = scope["path"].endswith("a.js")
        kind = b"text/javascript" if script else b"font/woff2"
        status = 200 if script or scope["path"].endswith(".woff2") else 404
        headers = [(b"content-type", kind), (b"set-cookie", b"a=b")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await receive()
        hanging_up = asyncio.create_task(receive())
        await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": _SCRIPT[:3000], "more_body": True})
        await send({"type": "http.response.body", "body": _SCRIPT[3000:], "more_body": False})
        assert not hanging_up.done()
        hanging_up.cancel()


async def _ask(app, path, method="GET", query=b"", **headers):
    told = []

    async def send(message):
        told.append(message)

    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": query, "headers": named}
    sent = [{"type": "http.request"}]

    async def receive():
        return sent.pop() if sent else await asyncio.Future()

    await app(scope, receive, send)
    return told[0]["status"], dict(told[0]["headers"]), b"".join(message.get("body", b"") for message in told[1:])


def test_many_browsers_at_once_cost_one_reading():
    app = _App()
    static_files = StaticFiles(app, ["/assets"])

    async def arrive():
        return await asyncio.gather(
            *(_ask(static_files, "/assets/a.js", accept_encoding="gzip, br") for _ in range(20))
        )

    answers = asyncio.run(arrive())
    assert len(app.asked) == 1
    for status, headers, body in answers:
        assert status == 200 and gzip.decompress(body) == _SCRIPT and len(body) < len(_SCRIPT) // 10
        assert headers[b"content-encoding"] == b"gzip" and headers[b"content-length"] == str(len(body)).encode()
        assert headers[b"cache-control"] == FOREVER.encode() and headers[b"vary"] == b"accept-encoding"
        assert headers[b"content-type"] == b"text/javascript" and b"set-cookie" not in headers


def test_a_file_comes_as_the_browser_takes_it():
    static_files = StaticFiles(_App(), ["/assets"])

    async def arrive():
        for taken in ({}, {"accept_encoding": "identity"}, {"accept_encoding": "br, gzip;q=0"}):
            status, headers, body = await _ask(static_files, "/assets/a.js", **taken)
            assert status == 200 and body == _SCRIPT and b"content-encoding" not in headers
        _, headers, _ = await _ask(static_files, "/assets/b.woff2", accept_encoding="gzip")
        assert b"content-encoding" not in headers
        mark = headers[b"etag"].decode()
        status, headers, body = await _ask(static_files, "/assets/b.woff2", if_none_match=mark)
        assert status == 304 and body == b"" and b"content-length" not in headers

    asyncio.run(arrive())


def test_whoever_asks_first_leaves_no_trace_in_what_others_get():
    """Cookies, tokens and what else a browser sends do not reach the application for a file that all get."""
    app = _App()
    asyncio.run(
        _ask(StaticFiles(app, ["/assets"]), "/assets/a.js", host="here", cookie="sfumato=1", accept_encoding="gzip")
    )
    assert app.asked[0]["headers"] == [(b"host", b"here")]


@pytest.mark.parametrize(
    "path",
    [
        *("/assets/./a.js", "/assets//a.js", "/assets/../assets/a.js", "/assets/x/../a.js", "/assets/.a.js"),
        *("/assets", "/assets/", "/assetsa/a.js", "/x/assets/a.js", "/data/a.js", "/assets/a.js\n", "/assets/ä/a.js"),
    ],
)
def test_other_ways_to_a_file_go_past_the_shelf(path):
    """A file has one path, so that nobody fills the memory with many names of it."""
    app = _App()
    static_files = StaticFiles(app, ["/assets"])
    asyncio.run(_ask(static_files, path))
    asyncio.run(_ask(static_files, path))
    assert len(app.asked) == 2 and not static_files._files


def test_what_is_not_there_is_not_kept():
    app = _App()
    static_files = StaticFiles(app, ["/assets"])
    assert asyncio.run(_ask(static_files, "/assets/none.css"))[0] == 404
    assert not static_files._files and static_files._size == 0
    broken = StaticFiles(_App(OSError("gone")), ["/assets"])
    with pytest.raises(OSError, match="gone"):
        asyncio.run(_ask(broken, "/assets/a.js"))
    assert not broken._files


def test_parts_of_files_and_questions_go_past_the_shelf():
    app = _App()
    static_files = StaticFiles(app, ["/assets"])
    for asked in ({"method": "HEAD"}, {"method": "POST"}, {"range": "bytes=0-9"}, {"query": b"v=1"}):
        asyncio.run(_ask(static_files, "/assets/a.js", **asked))
    assert len(app.asked) == 4 and not static_files._files


def test_the_shelf_is_bounded(monkeypatch):
    monkeypatch.setattr(kept, "_LARGEST", 3 * len(_SCRIPT))
    app = _App()
    static_files = StaticFiles(app, ["/assets"])

    async def arrive():
        return [(await _ask(static_files, f"/assets/{at}/a.js"))[0] for at in range(20)]

    assert asyncio.run(arrive()) == [200] * 20
    assert len(static_files._files) <= 3 and static_files._size < 5 * len(_SCRIPT)
