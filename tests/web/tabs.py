"""A tab that no browser holds: it opens a page, types what no form offers, and sends what it likes."""

from __future__ import annotations

import contextlib
import html
import json
import re
import time
import uuid
from collections.abc import Iterator
from typing import Any

from tests.web.running import Running
from websockets.sync.client import ClientConnection, connect

_ELEMENTS = re.compile(r"parseElements\(String\.raw`(.*?)`\)", re.DOTALL)
_CLIENT = re.compile(r"'client_id': '([0-9a-f-]+)'")


class Tab:
    """A page of a running server with its socket; what is typed and pressed is found by what people read."""

    def __init__(self, line: ClientConnection, client: str, elements: dict[str, Any]) -> None:
        self.line, self.client, self.elements = line, client, elements

    def type(self, label: str, value: Any, at: int = -1) -> None:
        """Give a field a value, whether it offers it or not."""
        found = [key for key, each in self.elements.items() if each.get("props", {}).get("aria-label") == label]
        assert found, f"there is no field {label}"
        self.send(found[at], "change", value)

    def press(self, text: str, at: int = -1) -> tuple[str, Any]:
        """Press a button, and return what came of it: what was said, or which page is opened."""
        buttons = [key for key, each in self.elements.items() if each["tag"] == "button" and each.get("text") == text]
        assert buttons, f"there is no button {text}"
        self.send(buttons[at], "click", {})
        end = time.monotonic() + 60
        while time.monotonic() < end:
            name, told = self.receive()
            if name in {"notify", "open"}:
                return name, told["message"] if name == "notify" else told["path"]
        raise AssertionError(f"nothing came of {text}")

    def send(self, key: str, event: str, value: Any) -> None:
        """Send an event of an element."""
        listeners = {each["type"]: each["listener_id"] for each in self.elements[key]["events"]}
        asked = {"id": int(key), "client_id": self.client, "listener_id": listeners[event], "args": [json.dumps(value)]}
        self.emit("event", asked)

    def emit(self, name: str, told: Any) -> None:
        """Send a message, however odd."""
        self.line.send("42" + json.dumps([name, told]))

    def receive(self) -> tuple[str, Any]:
        """Return the next message of the server, and keep the line open meanwhile."""
        said = self.line.recv(timeout=60)
        if said == "2":
            self.line.send("3")
        if not said.startswith("42"):
            return "", None
        name, *told = json.loads(said[2:])
        return name, told[0] if told else None


def read_page(body: bytes) -> tuple[str, dict[str, Any]]:
    """Return the name of a page's client, and its elements."""
    text = body.decode()
    elements = json.loads(html.unescape(_ELEMENTS.search(text)[1]))
    return _CLIENT.search(text)[1], elements


@contextlib.contextmanager
def opened(server: Running, path: str) -> Iterator[Tab]:
    """Open a page of a server as a browser does, until the block ends."""
    client, elements = read_page(server.request(path).body)
    with join(server, client) as line:
        yield Tab(line, client, elements)


@contextlib.contextmanager
def join(server: Running, client: str) -> Iterator[ClientConnection]:
    """Open the socket of a page."""
    asked = f"EIO=4&transport=websocket&client_id={client}&next_message_id=0&implicit_handshake=true"
    asked += f"&tab_id={uuid.uuid4()}&document_id={uuid.uuid4()}"
    address = f"ws://127.0.0.1:{server.port}/_nicegui_ws/socket.io/?{asked}"
    with connect(address, origin=server.base, max_size=None, compression=None) as line:
        assert line.recv(timeout=30).startswith("0")
        line.send("40")
        yield line
