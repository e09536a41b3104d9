"""A server of the workbench in a process of its own, to be talked to as strangers would."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_BEGIN = "import sys; from sfumato.cli import main; sys.argv = ['sfumato', *sys.argv[1:]]; main()"


class Answer(NamedTuple):
    """What a server said."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Running:
    """A server that runs, with its port and the token it printed."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, token: str, folder: Path) -> None:
        self.process, self.port, self.token, self.folder = process, port, token, folder

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def request(
        self,
        path: str,
        method: str = "GET",
        body: object = None,
        headers: Mapping[str, str] | None = None,
        source: str = "127.0.0.1",
    ) -> Answer:
        """Send a request as it is, without anything that a browser would do to its path."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30, source_address=(source, 0))
        try:
            line.putrequest(method, path, skip_host="Host" in (headers or {}), skip_accept_encoding=True)
            for name, value in (headers or {}).items():
                line.putheader(name, value)
            if isinstance(body, bytes) and "Content-Length" not in (headers or {}):
                line.putheader("Content-Length", str(len(body)))
            line.endheaders()
            if isinstance(body, bytes):
                with contextlib.suppress(OSError):  # a server that has heard enough hangs up
                    line.send(body)
            answer = line.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            line.close()

    def send(self, text: bytes) -> bytes:
        """Send bytes that may be no request at all, and return all that is answered until the server hangs up."""
        received = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as line:
            line.sendall(text)
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_WR)
                while block := line.recv(65536):
                    received += block
        return received

    def upload(self, name: str, body: bytes, area: str = "data", **more: str) -> Answer:
        """Send a file as the page does."""
        headers = {"Origin": self.base, "X-Sfumato": "upload", "X-File-Name": name, **more}
        return self.request(f"/upload/{area}", "POST", body, {name: value for name, value in headers.items() if value})


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[Running]:
    """Serve a project on a free port until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", _BEGIN, "serve", str(folder), "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline().decode()
        port = int(re.search(r":(\d+)/", first)[1])
        second = process.stdout.readline().decode()
        token = second.rpartition(": ")[2].strip() if second.startswith("Token") else ""
        running = Running(process, port, token, folder)
        wait_for(lambda: _answers(running))
        yield running
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(30)
        process.stdout.close()


def wait_for(test: object, seconds: float = 60) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not test():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def _answers(running: Running) -> bool:
    try:
        return running.request("/files/data/none/none").status in {404, 401}
    except OSError:
        return False


def names_in(folder: Path) -> list[str]:
    """Return what lies in a folder."""
    return sorted(entry.name for entry in folder.iterdir())
