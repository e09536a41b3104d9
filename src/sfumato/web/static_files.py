"""Files that never change, kept in memory and packed once: every new browser fetches all scripts and styles at once.

The application behind it finds a file the first time somebody asks; anyone who asks later waits neither for the disk
nor for the processor. What a path names never changes, since it holds the version of the framework or a hash of the
file.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
from typing import Any

from sfumato.web.security import App, Message, Receive, Scope, Send

__all__ = ["FOREVER", "StaticFiles"]

FOREVER = "public, max-age=31536000, immutable"
"""Headers of a file that browsers may keep."""
_LARGEST = 1 << 24
"""Bytes after which no more files are kept; all that pages need are a tenth of it."""
_WORTH_PACKING = ("text/", "application/json", "image/svg+xml", "image/vnd.microsoft.icon", "image/x-icon")
_TAKES_GZIP = re.compile(rb"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")
# A file has one path only: no name begins with a dot, so that none leads around.
_NAMES = r"(?:/\w[\w.-]*)+"


class StaticFiles:
    """Stands before an application and answers for files of it that never change.

    Parameters
    ----------
    app
        The application behind it.
    folders
        Paths below which files never change.

    Examples
    --------
    >>> static_files = StaticFiles(None, ["/assets"])
    >>> static_files.holds("/assets/1f/a.css"), static_files.holds("/assets/../data"), static_files.holds("/data/a.csv")
    (True, False, False)
    """

    def __init__(self, app: Any, folders: list[str]) -> None:
        self._app: App = app
        self._path_pattern = re.compile(f"(?:{'|'.join(map(re.escape, folders))}){_NAMES}", re.ASCII)
        self._files: dict[str, asyncio.Task[_File | None]] = {}
        self._size = 0

    def holds(self, path: str) -> bool:
        """Return whether a path is that of a file which never changes, if there is one."""
        return self._path_pattern.fullmatch(path) is not None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "GET" and self.holds(scope["path"]):
            request_headers = dict(scope["headers"])
            file = None if b"range" in request_headers or scope["query_string"] else await self._find(scope)
            if file is not None:
                await file.send(request_headers, send)
                return
        await self._app(scope, receive, send)

    async def _find(self, scope: Scope) -> _File | None:
        """Return a file, which is fetched and packed once however many ask for it at a time."""
        path = scope["path"]
        if path not in self._files:
            if self._size >= _LARGEST:
                return None
            self._files[path] = asyncio.create_task(self._fetch(scope))
        try:
            file = await asyncio.shield(self._files[path])
        except Exception:
            file = None
        if file is None:
            self._files.pop(path, None)
        return file

    async def _fetch(self, scope: Scope) -> _File | None:
        """Ask the application for a file, as a browser does that has nothing yet."""
        messages: list[Message] = []
        requests = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> Message:
            # After the request nothing more comes: nobody hangs up.
            return requests.pop() if requests else await asyncio.Future()

        async def collect(message: Message) -> None:
            messages.append(message)

        hosts = [pair for pair in scope["headers"] if pair[0] == b"host"]
        await self._app({**scope, "headers": hosts}, receive, collect)
        if messages[0]["status"] != 200:
            return None
        kind = next((value for name, value in messages[0]["headers"] if name.lower() == b"content-type"), b"")
        file = await asyncio.to_thread(_File, kind, b"".join(message.get("body", b"") for message in messages[1:]))
        self._size += len(file.body) + len(file.packed)
        return file


class _File:
    """A file as it is and packed, with what identifies it."""

    def __init__(self, kind: bytes, body: bytes) -> None:
        self._kind, self.body = kind, body
        packed = gzip.compress(body, 9, mtime=0) if kind.decode("latin-1").startswith(_WORTH_PACKING) else b""
        self.packed = packed if len(packed) < len(body) else b""
        self._mark = f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode()

    async def send(self, request_headers: dict[bytes, bytes], send: Send) -> None:
        """Send the file as a browser takes it, or say that it has it already."""
        headers = [(b"etag", self._mark), (b"cache-control", FOREVER.encode()), (b"vary", b"accept-encoding")]
        if self._mark in request_headers.get(b"if-none-match", b""):
            await send({"type": "http.response.start", "status": 304, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        body = self.body
        if self.packed and _TAKES_GZIP.search(request_headers.get(b"accept-encoding", b"")):
            body = self.packed
            headers.append((b"content-encoding", b"gzip"))
        headers += [(b"content-type", self._kind), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})
