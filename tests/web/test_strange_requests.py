"""Requests that no page sends, against a running server: nothing is shown, kept or changed by them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import uvicorn
from starlette.requests import Request
from tests.web.running import names_in, serving, wait_for
from tests.web.tabs import read_page

from sfumato.web.connections import make_protocol
from sfumato.web.files import Uploads
from sfumato.web.project import Project

_SECRET = "Only the owner may know this."
_KEPT = re.compile(r"[a-z0-9][a-z0-9-]*(\.[a-z]+){1,2}")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server on a project with links that lead out of it, a pipe, and names that mean something in an address."""
    folder = tmp_path_factory.mktemp("strange") / "project"
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "data.csv").write_text(_SECRET)
    with serving(folder) as running:
        (folder / "data" / "visits.csv").write_text("person,place\n1,a\n")
        (folder / "data" / "javascript:alert(1).csv").write_text("person,place\n1,a\n")
        (folder / "data" / "link.csv").symlink_to(outside / "data.csv")
        (folder / "hierarchies" / "link.csv").symlink_to(outside / "data.csv")
        (folder / "workloads" / "linked").symlink_to(outside)
        (folder / "releases" / "linked").symlink_to(outside)
        os.mkfifo(folder / "hierarchies" / "pipe.csv")
        release = folder / "releases" / "mine"
        (release / "release").mkdir(parents=True)
        (release / "release" / "data.csv").write_text("person,place\n")
        (release / "release" / "link.csv").symlink_to(outside / "data.csv")
        (release / "release" / "linked").symlink_to(outside)
        (release / "owner").symlink_to(outside)
        yield running


def _begin(server, *lines, method="POST", path="/upload/data"):
    """Return the beginning of a request that passes as a page's."""
    own = (f"Host: 127.0.0.1:{server.port}", f"Origin: {server.base}", "X-Sfumato: upload", "X-File-Name: smuggled.csv")
    return "\r\n".join([f"{method} {path} HTTP/1.1", *own, *lines, "", ""]).encode()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
def test_other_methods_change_nothing(server, method):
    before = {path: path.stat().st_mtime_ns for path in server.folder.glob("data/*.csv")}
    for path in ("/files/data/visits.csv/visits.csv", "/upload/data", "/zip/mine", "/data/visits.csv", "/workbench.js"):
        for headers in ({}, {"Origin": server.base, "X-Sfumato": "upload", "X-File-Name": "visits.csv"}):
            answer = server.request(path, method, b"person,place\n9,z\n", headers)
            assert answer.status in {403, 404, 405, 501} and b"person" not in answer.body
    assert {path: path.stat().st_mtime_ns for path in server.folder.glob("data/*.csv")} == before


def test_a_head_has_no_body(server):
    answer = server.request("/files/data/visits.csv/visits.csv", "HEAD")
    assert answer.status == 200 and answer.body == b""
    assert server.request("/files/data/link.csv/link.csv", "HEAD").status == 404


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 5"),
        ("Content-Length: 5", "Content-Length: 50"),
        ("Content-Length: 5, 50",),
        ("Content-Length: +5",),
        ("Content-Length: -1",),
        ("Transfer-Encoding: identity, chunked, identity",),
        ("Transfer-Encoding : chunked",),
        ("Content-Length: 5\nTransfer-Encoding: chunked",),
        ("X: a\0b", "Content-Length: 5"),
    ],
)
def test_requests_within_requests_are_not_answered(server, lines):
    """Where two readers could see different ends of a request, the second one in it is not served to anybody."""
    hidden = f"GET /files/data/visits.csv/visits.csv HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    answer = server.send(_begin(server, *lines) + b"0\r\n\r\n" + hidden)
    assert b"person,place" not in answer and b" 200 " not in answer
    assert not list((server.folder / "data").glob("smuggled*"))


@pytest.mark.parametrize(
    "request_line",
    [
        "GET http://evil.example/data HTTP/1.1",
        "GET //evil.example/data HTTP/1.1",
        "GET /data HTTP/0.9",
        "GET /\0 HTTP/1.1",
    ],
)
def test_odd_first_lines_open_nothing_elsewhere(server, request_line):
    answer = server.send(f"{request_line}\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
    assert b"location:" not in answer.lower() and b"evil.example" not in answer


def test_two_hosts_are_one_too_many(server):
    own = f"Host: 127.0.0.1:{server.port}"
    for lines in ((own, "Host: evil.example"), ("Host: evil.example", own), (f"{own}\r\n\tevil.example",), ()):
        answer = server.send("\r\n".join(["GET /data HTTP/1.1", *lines, "Connection: close", "", ""]).encode())
        assert answer[9:12] in {b"400", b"421"}


@pytest.mark.parametrize(
    "name",
    [
        "visits.csv%00.exe.csv",
        "..%2f..%2fvisits.csv",
        "%2e%2e%2fvisits.csv",
        "..%5c..%5cvisits.csv",
        "%E2%80%AEvsc.evil.csv",
        "..%EF%BC%8F..%EF%BC%8Fvisits.csv",
        "visits.csv%0d%0aSet-Cookie: x.csv",
        "n" * 6000 + ".csv",
        "%F0%9F%99%82.csv",
        "v%C3%AFsits.csv",
        "%D0%B0%D0%B5.csv",
        "-rf.csv",
        "~root.csv",
        "%3Cscript%3E.csv",
        *(f"{device}.csv" for device in ("CON", "nul", "Com1", "lpt9", "aux")),
    ],
)
def test_odd_names_become_plain_ones(server, name):
    """In a row they would be too many for a minute, so every one has its own count of uploads, on the same project."""
    project = Project(server.folder)
    taken = asyncio.run(Uploads(project, 1000).take(_make_request(name, b"person,place\n1,a\n")))
    kept = json.loads(taken.body)["name"]
    assert taken.status_code == 200 and _KEPT.fullmatch(kept) and len(kept) < 80
    assert kept.split(".")[0] not in {"con", "nul", "com1", "lpt9", "aux"}
    assert (server.folder / "data" / kept).read_bytes() == b"person,place\n1,a\n"
    (server.folder / "data" / kept).unlink()


@pytest.mark.parametrize("name", ["visits%E2%80%A4csv", "visits.%EF%BD%83%EF%BD%93%EF%BD%96", "visits.csv%00", ""])
def test_endings_that_only_look_right_are_refused(server, name):
    before = names_in(server.folder / "data")
    assert server.upload(name, b"x").status == 415
    assert names_in(server.folder / "data") == before


def _make_request(name, *blocks, area="data", then=None):
    """Make a request for an upload that comes block by block, and ends unless something else is to happen then."""
    messages = [{"type": "http.request", "body": block, "more_body": True} for block in blocks]

    async def receive():
        if messages:
            return messages.pop(0)
        if then is not None:
            return await then()
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"x-sfumato", b"upload"), (b"x-file-name", name.encode("latin-1"))]
    scope = {"type": "http", "method": "POST", "path": f"/upload/{area}", "headers": headers, "query_string": b""}
    return Request({**scope, "path_params": {"area": area}}, receive)


def test_links_and_pipes_are_not_of_the_project(server):
    for area, name, inner in (
        ("data", "link.csv", "link.csv"),
        ("hierarchies", "link.csv", "link.csv"),
        ("hierarchies", "pipe.csv", "pipe.csv"),
        ("workloads", "linked", "data.csv"),
        ("releases", "linked", "data.csv"),
        ("releases", "mine", "release/link.csv"),
        ("releases", "mine", "release/linked/data.csv"),
        ("releases", "mine", "owner/data.csv"),
    ):
        answer = server.request(f"/files/{area}/{name}/{inner}")
        assert answer.status == 404 and _SECRET.encode() not in answer.body
    for path in ("/data", "/hierarchies", "/queries", "/releases", "/releases/mine"):
        body = server.request(path).body
        assert b"link.csv" not in body and b"linked" not in body and b"pipe.csv" not in body
    for path in ("/data/link.csv", "/hierarchy/link.csv", "/hierarchy/pipe.csv", "/releases/linked"):
        assert b"no such file" in server.request(path).body
    packed = server.request("/zip/mine").body
    assert b"release/data.csv" in packed and b"link" not in packed and _SECRET.encode() not in packed


def test_links_of_pages_stay_on_the_server(server):
    """Whatever a file is called, it is part of an address here and never the whole of one."""
    seen = []
    for path in ("/data", "/risk", "/hierarchies", "/queries", "/anonymise", "/compare", "/releases", "/releases/mine"):
        elements = read_page(server.request(path).body)[1].values()
        seen += [
            props[name] for each in elements for name in ("href", "src") if name in (props := each.get("props", {}))
        ]
    assert any("javascript%3Aalert" in link for link in seen)
    assert all(re.match(r"/(?![/\\])|#", link) for link in seen)


def test_nothing_of_the_project_works_in_the_background(server):
    """A service worker would answer for the server later on: files that were uploaded are no scripts."""
    for path in ("/files/data/visits.csv/visits.csv", "/files/data/visits.csv/visits.csv?show=1"):
        answer = server.request(path, headers={"Service-Worker": "script", "Sec-Fetch-Dest": "serviceworker"})
        assert answer.headers["Content-Type"] == "application/octet-stream"
        assert answer.headers["X-Content-Type-Options"] == "nosniff" and "Service-Worker-Allowed" not in answer.headers
        assert answer.headers["Content-Security-Policy"].startswith("sandbox;")


def test_an_upload_that_is_broken_off_leaves_nothing(server):
    before = names_in(server.folder / "data")
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        line.sendall(_begin(server, "Content-Length: 1000000") + b"person,place\n1,a\n")
        wait_for(lambda: names_in(server.folder / ".workbench" / "incoming"))
    wait_for(lambda: not names_in(server.folder / ".workbench" / "incoming"))
    assert names_in(server.folder / "data") == before


def test_uploads_of_one_name_at_once_are_all_kept(server):
    texts = [f"person,place\n{at},{'a' * 60_000}\n".encode() for at in range(2)]
    with ThreadPoolExecutor(2) as people:
        answers = list(people.map(lambda text: server.upload("same.csv", text), texts))
    names = [json.loads(answer.body)["name"] for answer in answers]
    assert sorted(names) == ["same-2.csv", "same.csv"]
    assert [(server.folder / "data" / name).read_bytes() for name in names] == texts


@pytest.mark.parametrize("blocks", [(), (b"person,place\n",)])
def test_an_upload_that_stands_still_gives_up_its_place(tmp_path, blocks):
    """Two uploads go at a time: who sends nothing must not keep others out."""

    async def run():
        uploads = Uploads(Project.open(tmp_path / "project"), 1000, timeout=0.1)
        never = asyncio.Event().wait
        slow = await asyncio.gather(*(uploads.take(_make_request("a.csv", *blocks, then=never)) for _ in range(2)))
        assert [answer.status_code for answer in slow] == [408, 408]
        assert (await uploads.take(_make_request("b.csv", b"person,place\n1,a\n"))).status_code == 200

    asyncio.run(run())
    assert names_in(tmp_path / "project" / "data") == ["b.csv"]
    assert names_in(tmp_path / "project" / ".workbench" / "incoming") == []


def test_an_upload_that_trickles_gives_up_its_place(tmp_path):
    async def run():
        async def trickle():
            await asyncio.sleep(0.02)
            return {"type": "http.request", "body": b"x", "more_body": True}

        uploads = Uploads(Project.open(tmp_path / "project"), 1000, timeout=0.1)
        assert (await uploads.take(_make_request("a.csv", then=trickle))).status_code == 408

    asyncio.run(run())
    assert names_in(tmp_path / "project" / "data") == []


@contextlib.contextmanager
def _answering_slowly(timeout):
    """Serve a page that takes longer than the server waits for requests."""

    async def answer(scope, receive, send):
        await asyncio.sleep(0.6)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(answer, http=make_protocol(timeout), log_level="critical", lifespan="off")
        server = uvicorn.Server(config)
        running = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        running.start()
        try:
            yield listener.getsockname()
        finally:
            server.should_exit = True
            running.join(30)


def test_connections_without_a_request_are_ended():
    """Half a request is none; whoever has sent one is answered however long the answer takes."""
    with _answering_slowly(timeout=0.3) as address:
        for begun in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n"):
            with socket.create_connection(address, timeout=30) as line:
                line.sendall(begun)
                assert line.recv(100) == b""
        with socket.create_connection(address, timeout=30) as line:
            for _ in range(2):
                line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                assert b"200 OK" in line.recv(1000)
            line.sendall(b"GET / HTTP/1.1\r\n")
            wait_for(lambda: line.recv(1000) == b"")


def test_headers_without_end_are_not_listened_to():
    with _answering_slowly(timeout=60) as address, socket.create_connection(address, timeout=30) as line:
        line.sendall(b"GET / HTTP/1.1\r\nX: ")
        with pytest.raises(OSError):
            for _ in range(1000):
                line.sendall(b"x" * 100_000)
