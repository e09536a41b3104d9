"""A program that serves a project, has pages opened and left as browsers do, and prints how many are still there."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import socket
import sys
from pathlib import Path

import aiohttp
import uvicorn
from nicegui import Client
from nicegui.element import Element

from sfumato.web.jobs import Jobs
from sfumato.web.project import Project
from sfumato.web.security import Guard
from sfumato.web.server import build_app, build_front
from sfumato.web.sessions import forget_unseen

_PATHS = ("/data", "/risk", "/hierarchies", "/anonymise", "/compare", "/releases")
_LEAVES, _BREAKS = 1001, 1000


async def _open(session: aiohttp.ClientSession, base: str, path: str) -> aiohttp.ClientWebSocketResponse:
    """Open a page and its socket."""
    async with session.get(base + path) as answer:
        found = re.search(r"'client_id': '([\w-]+)'", await answer.text())
    query = {"client_id": found[1], "next_message_id": "0", "implicit_handshake": "true", "EIO": "4"}
    query |= {"tab_id": "tab", "document_id": found[1], "transport": "websocket"}
    line = await session.ws_connect(f"{base}/_nicegui_ws/socket.io/", params=query, origin=base)
    await line.receive_str()
    await line.send_str("40")
    while not (await line.receive_str()).startswith("40"):
        pass
    return line


async def _wait(test) -> None:
    for _ in range(1200):
        if test():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("waited in vain")


def _count() -> int:
    """Return how many elements are alive, whoever holds them; nobody looks for garbage in this program."""
    return sum(isinstance(each, Element) for each in gc.get_objects())


async def _visit(base: str) -> dict[str, list[int] | int | bool]:
    told: dict[str, list[int] | int | bool] = {"open": [], "left": []}
    async with aiohttp.ClientSession() as session:
        for _ in range(4):
            lines = [await _open(session, base, path) for path in _PATHS]
            assert len(Client.instances) == len(_PATHS)
            told["open"].append(_count())
            for line in lines:
                await line.close(code=_LEAVES)
            await _wait(lambda: not Client.instances)
            told["left"].append(_count())
        broken = await _open(session, base, "/data")
        await broken.close(code=_BREAKS)
        await _wait(lambda: not any(client.has_socket_connection for client in Client.instances.values()))
        await asyncio.sleep(2)
        told["broken"] = len(Client.instances)
        await _wait(lambda: not Client.instances)
        for _ in range(30):
            async with session.get(f"{base}/data") as answer:
                await answer.read()
        newest = list(Client.instances)[-10:]
        forget_unseen(10)
        told["unseen"] = list(Client.instances) == newest
    return told


async def main(folder: Path) -> None:
    """Serve, visit, and print what was counted."""
    gc.disable()
    project = Project.open(folder)
    jobs = Jobs(project)
    app = Guard(build_front(build_app(project, jobs)), "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        await _wait(lambda: server.started)
        told = await _visit(f"http://127.0.0.1:{listener.getsockname()[1]}")
        server.should_exit = True
        await serving
    print(json.dumps(told))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
