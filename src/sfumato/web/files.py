"""Files in and out: uploads streamed to disk within bounds, downloads of what is the project's."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from sfumato.exceptions import SfumatoError
from sfumato.web.project import READ_AS_DATA, READ_AS_TEXT, Project, make_name, split_name
from sfumato.web.security import Rate

__all__ = ["Uploads", "list_routes"]

_TAKES = {"data": READ_AS_DATA, "hierarchies": READ_AS_TEXT, "constraints": READ_AS_TEXT, "workloads": READ_AS_TEXT}
_MAX_UPLOADS = 2
_RESERVED_BYTES = 1 << 28
"""Bytes that uploads leave free on the disk."""
_TIMEOUT = 30.0
"""Seconds that an upload may stand still."""
_SLOWEST = 10_000
"""Bytes a second that an upload has on the whole, so that nobody takes the place of others by trickling."""
_NO_SCRIPTS = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'"
)
# Pages of studies bring the scripts of their plots along. Without an origin of their own they reach nothing.
_OWN_SCRIPTS = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'self'"
)
_SHOWN = {".html": "text/html", ".svg": "image/svg+xml", ".png": "image/png"}


class Uploads:
    """Takes files from browsers: a few at a time, of bounded size, each whole or not at all.

    Parameters
    ----------
    project
        Where they go.
    largest
        Bytes that a file may have.
    per_minute
        How many are taken in a minute.
    timeout
        Seconds that one may stand still.
    """

    def __init__(self, project: Project, largest: int, per_minute: int = 30, timeout: float = _TIMEOUT) -> None:
        self._project, self._largest, self._timeout = project, largest, timeout
        self._rate, self._now = Rate(per_minute, seconds=60), 0

    async def take(self, request: Request) -> Response:
        """Take one file, whose name and purpose are only looked at, never followed."""
        extensions = _TAKES.get(request.path_params["area"])
        if extensions is None or request.headers.get("x-sfumato") != "upload":
            return _refuse(404, "Files are not taken here.")
        if self._now >= _MAX_UPLOADS or not self._rate.allows():
            return _refuse(429, "Too many uploads at a time. Wait a little.")
        self._now += 1
        try:
            return await self._take(request, extensions)
        finally:
            self._now -= 1

    async def _take(self, request: Request, extensions: tuple[str, ...]) -> Response:
        area = request.path_params["area"]
        try:
            stem, extension = split_name(unquote(request.headers.get("x-file-name", "")), extensions)
        except SfumatoError as error:
            return _refuse(415, str(error))
        max_bytes = min(self._largest, shutil.disk_usage(self._project.folder).free - _RESERVED_BYTES)
        declared = request.headers.get("content-length", "")
        if declared.isdigit() and int(declared) > max_bytes:
            return _refuse(413, self._explain_limit())
        temporary = self._project.hidden("incoming") / secrets.token_hex(8)
        try:
            size = await self._stream(request, temporary, max_bytes)
            if not size:
                return _refuse(413, self._explain_limit()) if size is None else _refuse(400, "The file is empty.")
            target = self._project.free(area, stem, extension)
            temporary.replace(target)
        except TimeoutError:
            return _refuse(408, "The file came too slowly, or not at all. Nothing was kept; send it again.")
        except (ClientDisconnect, OSError) as error:
            why = getattr(error, "strerror", None) or "it was broken off"
            return _refuse(507, f"The file could not be kept ({why}).")
        finally:
            temporary.unlink(missing_ok=True)
        return JSONResponse({"name": target.name, "bytes": size})

    async def _stream(self, request: Request, temporary: Path, max_bytes: int) -> int | None:
        """Write what comes to disk, and stop as soon as it is too much or too slow."""
        size, now = 0, asyncio.get_running_loop().time
        begun = now() + self._timeout
        with temporary.open("wb") as file:
            async with asyncio.timeout_at(begun) as limit:
                async for block in request.stream():
                    size += len(block)
                    if size > max_bytes:
                        return None
                    await asyncio.to_thread(file.write, block)
                    limit.reschedule(min(now() + self._timeout, begun + size / _SLOWEST))
            file.flush()
            await asyncio.to_thread(os.fsync, file.fileno())
        return size

    def _explain_limit(self) -> str:
        return (
            f"The file is too large: at most {self._largest / 1e6:,.0f} MB are taken, and only what the disk has room "
            "for. Copy it into the folder data of the project, or start the server with a larger --max-upload."
        )


def list_routes(project: Project, uploads: Uploads) -> list[Any]:
    """Return the routes by which files come in and go out."""

    async def download(request: Request) -> Response:
        parameters = request.path_params
        try:
            path = project.files(parameters["area"], parameters["name"]).get(parameters["inner"])
        except SfumatoError:
            path = None
        if path is None:
            return _refuse(404, "The project has no such file.")
        return _send(path, shown="show" in request.query_params)

    async def pack(request: Request) -> Response:
        try:
            files = project.files("releases", request.path_params["name"])
        except SfumatoError:
            return _refuse(404, "The project has no such release.")
        try:
            packed = await asyncio.to_thread(_pack, project, files)
        except OSError as error:
            return _refuse(507, f"The release could not be packed ({error.strerror}).")
        name = f"{make_name(request.path_params['name'])}.zip"
        done = BackgroundTask(packed.unlink, missing_ok=True)
        return FileResponse(packed, media_type="application/zip", filename=name, background=done)

    return [
        Route("/zip/{name}", pack, methods=["GET"]),
        Route("/upload/{area}", uploads.take, methods=["POST"]),
        Route("/files/{area}/{name}/{inner:path}", download, methods=["GET"]),
    ]


def _pack(project: Project, files: dict[str, Path]) -> Path:
    """Pack what is for publishing, and nothing else, into an archive on disk."""
    target = project.hidden("incoming") / f"{secrets.token_hex(8)}.zip"
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for inner, path in files.items():
                if inner.startswith("release/"):
                    archive.write(path, inner)
    except OSError:
        target.unlink(missing_ok=True)
        raise
    return target


def _send(path: Path, *, shown: bool) -> Response:
    """Send a file to be kept, or a page or picture to be looked at, which then reaches nothing else."""
    kind = _SHOWN.get(path.suffix) if shown else None
    policy = _OWN_SCRIPTS if path.name == "study.html" else _NO_SCRIPTS
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
    if kind is not None:
        return FileResponse(path, media_type=kind, headers=headers)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name, headers=headers)


def _refuse(status: int, text: str) -> Response:
    return PlainTextResponse(text, status_code=status)
