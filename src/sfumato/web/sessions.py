"""Pages that browsers have left are forgotten soon, and those that none ever looked at are bounded.

The framework keeps every page that it has sent for as long as its browser might come back, with hundreds of elements.
A browser that leaves a page says so when it closes the socket, unlike a line that broke, and does not come back to it.
"""

from __future__ import annotations

import asyncio
import copy
import itertools
from urllib.parse import parse_qs

from nicegui import Client

from sfumato.web.memory import give_back
from sfumato.web.security import App, Message, Receive, Scope, Send

__all__ = ["PageSessions", "forget_unseen", "keep_tidy"]

_LEFT = 1001
"""What a browser says as it closes the socket of a page that it leaves."""
_SOON = 0.5
"""Seconds for which a page is kept that its browser has left."""
_MOST_UNSEEN = 200
"""Pages that are kept while no browser has connected to them; real ones do so at once."""
_OFTEN, _SELDOM = 1.0, 10


class PageSessions:
    """Wraps an application and notices when a browser leaves a page.

    Parameters
    ----------
    app
        The application behind it.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return

        async def receive_message() -> Message:
            message = await receive()
            if message["type"] == "websocket.disconnect" and message.get("code") == _LEFT:
                _part_with(parse_qs(scope["query_string"].decode("latin-1")).get("client_id", [""])[0])
            return message

        await self._app(scope, receive_message, send)


async def keep_tidy() -> None:
    """Forget pages that nobody looks at and give back their memory, again and again."""
    for turn in itertools.count(1):
        await asyncio.sleep(_OFTEN)
        forget_unseen()
        if turn % _SELDOM == 0:
            give_back()


def _part_with(name: str) -> None:
    """Have the framework wait no longer for the browser of a page, which has left it."""
    client = Client.instances.get(name)
    if client is not None:
        client.page = copy.copy(client.page)
        client.page.reconnect_timeout = _SOON


def forget_unseen(most: int = _MOST_UNSEEN) -> None:
    """Forget the oldest of the pages to which no browser has connected, where there are too many."""
    # Those that a browser has gone from are forgotten by themselves.
    unseen = [
        client for client in Client.instances.values() if not (client.has_socket_connection or client._delete_tasks)
    ]
    for client in unseen[: max(len(unseen) - most, 0)]:
        client.delete()
