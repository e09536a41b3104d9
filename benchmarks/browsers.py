"""Browsers without a screen: they ask for pages as real ones do, and hold a socket to the page they look at."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import time
from pathlib import Path
from typing import NamedTuple

import aiohttp

__all__ = ["Browser", "Use", "View", "list_files", "use_of"]

_NAMED = re.compile(r"""(?:\b(?:src|href)=|\burl\(|\bfrom )"(/(?:_nicegui|assets)/[^"]+)\"""")
_IMPORTED = re.compile(r"""\bimport [^"']+ from "(\w[^"]*)\"""")
_MAP = re.compile(r'"imports": (\{[^}]*\})')
_CLIENT = re.compile(r"'client_id': '([\w-]+)'")
_LINES = 6
"""Connections that a browser opens to one server at a time."""
_LEAVES = 1001
"""What browsers say as they close the socket of a page that they leave."""


def list_files(page: str) -> set[str]:
    """Return the files that a browser fetches for a page: styles, scripts, modules, the icon.

    Modules are named in a map, which also names some that no page imports; those are not fetched.
    """
    named, found = json.loads(_MAP.search(page)[1]), set(_NAMED.findall(page))
    return found | {named[name] for name in _IMPORTED.findall(page)}


class View(NamedTuple):
    """One page that was looked at: how long it took until it could be used, and whether nothing was there before."""

    path: str
    usable: float
    is_first: bool


class Use(NamedTuple):
    """What a process has taken so far: processor seconds, and megabytes of memory now."""

    cpu: float
    megabytes: float


def use_of(pid: int) -> Use:
    """Return what a process has taken so far, without the processes that it started."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return Use(cpu, pages * os.sysconf("SC_PAGE_SIZE") / 1e6)


class Browser:
    """Opens one page after the other, each with a socket of its own; files of the framework are fetched once."""

    def __init__(self, base: str) -> None:
        self._base = base
        # The server closes lines that are idle for five seconds; one that is about to be closed is not used again.
        lines = aiohttp.TCPConnector(keepalive_timeout=1, limit_per_host=_LINES)
        self._session = aiohttp.ClientSession(headers={"Accept-Encoding": "gzip"}, connector=lines)
        self._has: set[str] = set()
        self._tab = secrets.token_hex(8)
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._ping_task: asyncio.Task[None] | None = None

    async def open(self, path: str) -> View:
        """Leave the page that is open, and open another one."""
        await self._leave()
        began = time.perf_counter()
        text = (await self._fetch(path)).decode("latin-1")
        wanted, is_first = list_files(text) - self._has, not self._has
        await asyncio.gather(*(self._fetch(each) for each in wanted))
        self._has |= wanted
        await self._connect(text)
        return View(path, time.perf_counter() - began, is_first)

    async def close(self) -> None:
        """Close the browser."""
        await self._leave()
        await self._session.close()

    async def _fetch(self, path: str) -> bytes:
        async with self._session.get(self._base + path) as answer:
            assert answer.status == 200, f"{path}: {answer.status}"
            return await answer.read()

    async def _connect(self, page: str) -> None:
        """Open the socket of a page, as the framework's own script does."""
        found = _CLIENT.search(page)
        assert found is not None, "not a page"
        query = {"client_id": found[1], "next_message_id": "0", "implicit_handshake": "true", "EIO": "4"}
        query |= {"tab_id": self._tab, "document_id": secrets.token_hex(8), "transport": "websocket"}
        self._socket = await self._session.ws_connect(
            f"{self._base}/_nicegui_ws/socket.io/", params=query, origin=self._base, max_msg_size=0
        )
        assert (await self._socket.receive_str()).startswith("0")
        await self._socket.send_str("40")
        while not (said := await self._socket.receive_str()).startswith("40"):
            assert said[:2] != "44", "the page refused its socket"
        self._ping_task = asyncio.create_task(_answer_pings(self._socket))

    async def _leave(self) -> None:
        if self._ping_task is not None and self._socket is not None:
            self._ping_task.cancel()
            await self._socket.close(code=_LEAVES)


async def _answer_pings(socket: aiohttp.ClientWebSocketResponse) -> None:
    """Answer when the server asks whether anybody is there, and hear whatever else it says."""
    async for message in socket:
        if message.data == "2":
            await socket.send_str("3")
