"""What strangers try against a running server, one test each."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import socket
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.web.running import names_in, serving, wait_for

_SECRET = "Only the owner may know this."


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench") / "project"
    outside = folder.parent / "outside.csv"
    outside.write_text(_SECRET)
    with serving(folder, "--max-upload", "0.2") as running:
        (folder / "data" / "visits.csv").write_text("person,place\n1,a\n")
        (folder / "data" / "link.csv").symlink_to(outside)
        release = folder / "releases" / "mine"
        for part, name in (("release", "data.csv"), ("owner", "secret.hex"), ("owner", "report.html")):
            (release / part).mkdir(parents=True, exist_ok=True)
            (release / part / name).write_text("<script>alert(1)</script>")
        yield running


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("strict") / "project", "--host", "0.0.0.0") as running:
        yield running


def _try_socket(server, headers):
    """Open a socket by hand and return the first line of the answer."""
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1",
        *(f"{name}: {value}" for name, value in headers.items()),
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
        "",
        "",
    ]
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        line.sendall("\r\n".join(lines).encode())
        return line.recv(200).split(b"\r\n")[0]


def test_listens_on_this_machine_only(server):
    with socket.socket() as line:
        line.settimeout(5)
        others = [address[4][0] for address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
        for address in others:
            if not address.startswith("127."):
                assert line.connect_ex((address, server.port)) != 0


def test_a_name_that_was_made_to_point_here_is_refused(server):
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example", "169.254.1.1", ""):
        assert server.request("/data", headers={"Host": host}).status in {400, 421}
    assert server.request("/data", headers={"Host": f"localhost:{server.port}"}).status == 200
    assert b"101" not in _try_socket(server, {"Host": "evil.example", "Origin": "http://evil.example"})


def test_sockets_of_other_sites_are_refused(server):
    host = f"127.0.0.1:{server.port}"
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port + 1}", f"http://{host}.evil.example"):
        assert b"101" not in _try_socket(server, {"Host": host, "Origin": origin})
    assert b"101" not in _try_socket(server, {"Host": host})
    assert b"101" in _try_socket(server, {"Host": host, "Origin": f"http://{host}"})


def test_uploads_of_other_sites_are_refused(server):
    before = names_in(server.folder / "data")
    sent = b"person,place\n1,a\n"
    assert server.upload("a.csv", sent, Origin="http://evil.example").status == 403
    assert server.upload("a.csv", sent, Origin="").status == 403
    assert server.upload("a.csv", sent, **{"X-Sfumato": ""}).status == 404
    assert server.upload("a.csv", sent, **{"Sec-Fetch-Site": "cross-site"}).status == 403
    assert names_in(server.folder / "data") == before


def test_pages_are_not_to_be_read_by_other_sites(server):
    embedded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert server.request("/data", headers=embedded).status == 403
    framed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert server.request("/data/visits.csv", headers=framed).status == 403
    assert server.request("/data", headers={**framed, "Sec-Fetch-Dest": "document"}).status == 200
    headers = server.request("/data").headers
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/files/data/..%2f..%2foutside.csv/outside.csv",
        "/files/data/visits.csv/../../../outside.csv",
        "/files/releases/mine/release/..%2f..%2f..%2f..%2foutside.csv",
        "/files/releases/..%2f..%2f/outside.csv",
        "/files/.workbench/jobs/x",
        "/files/data/link.csv/link.csv",
        "/files/data/%00/x",
        "/zip/..%2f..",
        "/data/..%2f..%2foutside.csv",
        "/hierarchy/..%2f..%2foutside.csv",
        "/workload/%2fetc%2fpasswd",
        "/run/..%2f..%2foutside",
    ],
)
def test_paths_lead_nowhere_else(server, path):
    answer = server.request(path)
    assert _SECRET.encode() not in answer.body and b"root:" not in answer.body
    if path.startswith(("/files", "/zip")):
        assert answer.status == 404


def test_names_from_the_browser_never_become_paths(server):
    for name in ("../../escaped.csv", "..%2F..%2Fescaped.csv", "/etc/escaped.csv", "C:\\escaped.csv", ".hidden.csv"):
        answer = server.upload(name, b"person,place\n1,a\n")
        assert answer.status == 200
        kept = json.loads(answer.body)["name"]
        assert "/" not in kept and not kept.startswith(".") and (server.folder / "data" / kept).is_file()
    assert not list(server.folder.parent.glob("*escaped*"))
    assert server.upload("run.exe", b"x").status == 415
    assert server.upload("visits.csv.toml", b"x").status == 415
    assert server.upload("a.csv", b"x", area="releases").status == 404
    assert server.upload("a.csv", b"x", area="..%2Fdata").status == 404


def test_uploads_are_bounded_whatever_they_say(server):
    told = server.upload("large.csv", b"x" * 300_000)
    assert told.status == 413 and b"0 MB" in told.body
    block = b"x" * 50_000
    chunks = b"".join(f"{len(block):x}\r\n".encode() + block + b"\r\n" for _ in range(8)) + b"0\r\n\r\n"
    headers = {"Origin": server.base, "X-Sfumato": "upload", "X-File-Name": "chunks.csv"}
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        first = [f"POST /upload/data HTTP/1.1\r\nHost: 127.0.0.1:{server.port}", "Transfer-Encoding: chunked"]
        line.sendall("\r\n".join([*first, *(f"{n}: {v}" for n, v in headers.items()), "", ""]).encode() + chunks)
        assert b"413" in line.recv(100)
    assert not list((server.folder / "data").glob("*large*")) and not list((server.folder / "data").glob("chunks*"))
    wait_for(lambda: not names_in(server.folder / ".workbench" / "incoming"))


def test_labels_are_shown_as_text(server):
    evil = "<img src=x onerror=alert(1)>"
    (server.folder / "data" / f"{evil}.csv").write_text("person,place\n1,a\n")
    body = server.request("/data").body
    (server.folder / "data" / f"{evil}.csv").unlink()
    assert b"<img src=x" not in body and b"img src=x onerror" in body


def test_scripts_run_only_with_the_number_of_the_answer(server):
    first, second = server.request("/data"), server.request("/data")
    policies = [answer.headers["Content-Security-Policy"] for answer in (first, second)]
    assert policies[0] != policies[1]
    for answer, policy in zip((first, second), policies, strict=True):
        scripts = policy.split("script-src")[1].split(";")[0]
        assert "'unsafe-inline'" not in scripts and "default-src 'none'" in policy and "worker-src 'none'" in policy
        nonce = scripts.split("'nonce-")[1].split("'")[0]
        assert answer.body.count(b"<script") == answer.body.count(f'<script nonce="{nonce}"'.encode())


def test_nothing_is_loaded_from_elsewhere(server):
    body = server.request("/data").body.decode()
    assert "//cdn" not in body and 'src="http' not in body and 'href="http' not in body and "url(http" not in body


def test_files_of_releases_run_no_scripts_and_owners_are_marked(server):
    shown = server.request("/files/releases/mine/owner/report.html?show=1")
    assert shown.headers["Content-Security-Policy"].startswith("sandbox;")
    kept = server.request("/files/releases/mine/owner/report.html")
    assert kept.headers["Content-Disposition"].startswith("attachment")
    assert b"not for publishing" in server.request("/releases/mine").body
    packed = server.request("/zip/mine").body
    assert b"release/data.csv" in packed and b"owner/" not in packed


def test_a_forged_prefix_is_refused(server):
    assert server.request("/data", headers={"X-Forwarded-Prefix": "//evil.example"}).status == 400


def test_others_need_the_token(strict):
    assert len(strict.token) >= 32
    for path in ("/", "/data", "/files/data/a/a", "/_nicegui/x", "/workbench.css"):
        answer = strict.request(path)
        assert answer.status == 401 and strict.token.encode() not in answer.body
    host = f"127.0.0.1:{strict.port}"
    assert b"101" not in _try_socket(strict, {"Host": host, "Origin": f"http://{host}"})
    assert strict.upload("a.csv", b"person,place\n").status == 401
    form = {"Origin": strict.base, "Content-Type": "application/x-www-form-urlencoded"}
    wrong = strict.request("/enter", "POST", b"token=guess", form)
    assert wrong.status == 401 and "Set-Cookie" not in wrong.headers
    right = strict.request("/enter", "POST", f"token={strict.token}".encode(), form)
    cookie = right.headers["Set-Cookie"]
    assert right.status == 303 and "HttpOnly" in cookie and "SameSite=Strict" in cookie and strict.token not in cookie
    given = cookie.split(";")[0]
    for sent in (given, f'other={{"of": "another server"}}; {given}', f"{given.split('=')[0]}=guess; {given}"):
        assert strict.request("/data", headers={"Cookie": sent}).status == 200
    for sent in (f"sfumato-{strict.port}=guess", f"sfumato-{strict.port}=", f"sfumato-1={given.partition(chr(61))[2]}"):
        assert strict.request("/data", headers={"Cookie": sent}).status == 401
    forged = strict.request(
        "/enter", "POST", f"token={strict.token}".encode(), {**form, "Origin": "http://evil.example"}
    )
    assert forged.status == 403
    guesses = [strict.request("/enter", "POST", b"token=guess", form).status for _ in range(12)]
    assert guesses[-1] == 429
    assert strict.request("/enter", "POST", f"token={strict.token}".encode(), form).status == 429
    elsewhere = strict.request("/enter", "POST", f"token={strict.token}".encode(), form, source="127.0.0.2")
    assert elsewhere.status == 303


def test_the_token_stands_in_no_address(strict):
    """What is in an address goes into histories, logs and the Referer of the next site; so it is not taken there."""
    for path in (
        f"/?token={strict.token}",
        f"/enter?token={strict.token}",
        f"/data?sfumato-{strict.port}={strict.token}",
    ):
        answer = strict.request(path)
        assert answer.status == 401 and "Set-Cookie" not in answer.headers
        assert answer.headers["Referrer-Policy"] == "same-origin" and strict.token.encode() not in answer.body
    assert b'method="post"' in strict.request("/").body
    assert strict.request("/", headers={"Cookie": f"sfumato-{strict.port}={strict.token}"}).status == 401


def test_the_cookie_is_marked_where_the_browser_came_by_https(strict):
    """Over http a browser would throw it away; behind a proxy that encrypts, the browser says https."""
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for scheme, marked in (("http", False), ("https", True)):
        origin = f"{scheme}://127.0.0.1:{strict.port}"
        body = f"token={strict.token}".encode()
        answer = strict.request("/enter", "POST", body, {**form, "Origin": origin}, source="127.0.0.3")
        assert ("; Secure" in answer.headers["Set-Cookie"]) is marked


def test_uploads_come_at_a_bounded_rate(tmp_path):
    with serving(tmp_path / "project") as running:
        answers = [running.upload("a.csv", b"person,place\n1,a\n").status for _ in range(35)]
    assert answers[0] == 200 and answers[-1] == 429 and 0 < answers.count(200) <= 30


@pytest.mark.slow
def test_files_that_would_fill_the_memory_are_refused(tmp_path):
    """The uploads are small; the jobs that read them say what is wrong, and the server lives on."""
    text = b"person,place\n" + b"1,a\n" * 75_000_000
    zipped, columns = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("visits.csv", text)
    runs = pa.table({"person": pa.nulls(10_000_000, pa.int64()), "place": pa.nulls(10_000_000, pa.int64())})
    with pq.ParquetWriter(columns, runs.schema) as writer:
        for _ in range(5):
            writer.write_table(runs)
    bombs = {"csv.gz": gzip.compress(text, 1), "zip": zipped.getvalue(), "parquet": columns.getvalue()}
    with serving(tmp_path / "project") as running:
        for ending, packed in bombs.items():
            assert len(packed) < 3_000_000
            name = json.loads(running.upload(f"bomb.{ending}", packed).body)["name"]
            running.request(f"/data/{name}")
        jobs = tmp_path / "project" / ".workbench" / "jobs"
        wait_for(lambda: len(list(jobs.glob("*/outcome.json"))) == len(bombs))
        for path in jobs.glob("*/outcome.json"):
            assert "expands to more than" in json.loads(path.read_text())["error"]
        assert running.request("/data").status == 200
