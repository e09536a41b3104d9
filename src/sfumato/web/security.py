"""Who may talk to the server: the checks that every request and every socket passes before a page sees it.

A page of another site can make a browser send requests here, and a name of its own can be made to point here (DNS
rebinding). So the host must be one that the server was given, requests that change something must come from a page of
this server, and, where others than this machine can connect, a token must have been given once.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import re
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from typing import Any
from urllib.parse import parse_qs

__all__ = ["Guard", "Rate", "is_loopback"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_COOKIE = "sfumato"
_ENTER = "/enter"
_SAFE = {"GET", "HEAD"}
_LONGEST_FORM = 4096
_TIMEOUT = 20.0
"""Seconds that sending the form may take."""
_MOST_REMEMBERED = 1000
"""Addresses whose tries are counted; of more, those that tried last."""
_SCRIPT = re.compile(rb"<script(?=[\s>])")
_EVERYWHERE = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
]
# The framework compiles its components in the browser (unsafe-eval) and styles elements one by one. Scripts in a page
# run only with the number of this very answer: markup that somebody smuggles into a label runs none. Nothing here
# works in the background, so that nothing could be left behind there.
_POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; worker-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'self'"
)
_FORM = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sfumato</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root {{ color-scheme: light dark }} body {{ font: 16px/1.55 system-ui, sans-serif; margin: 3rem auto; max-width: 26rem;
padding: 0 1rem }} input, button {{ font: inherit; padding: .5rem .7rem; width: 100%; box-sizing: border-box;
margin: .3rem 0 1rem }} </style></head><body><main><h1>Sfumato</h1><p>{message}</p>
<form method="post" action="{action}"><label>Token, as the server printed it
<input name="token" type="password" autocomplete="off" required autofocus></label>
<button>Open the workbench</button></form></main></body></html>"""


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to a host.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Rate:
    """Counts how often something was done of late, and says when it is too often.

    Examples
    --------
    >>> rate = Rate(2, seconds=60)
    >>> rate.allows(), rate.allows(), rate.allows()
    (True, True, False)
    """

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._times: deque[float] = deque()

    def allows(self) -> bool:
        """Count one more, unless there were too many."""
        now = time.monotonic()
        while self._times and now - self._times[0] > self._seconds:
            self._times.popleft()
        if len(self._times) >= self._most:
            return False
        self._times.append(now)
        return True


class Guard:
    """Stands before an application and lets in whom it may.

    Parameters
    ----------
    app
        The application behind it.
    host
        Where the server listens.
    names
        Further names that browsers may call the server by.
    token
        What must be given once before anything is shown; None where everybody who can connect may.

    Examples
    --------
    >>> guard = Guard(None, "127.0.0.1")
    >>> guard.knows("localhost:8080"), guard.knows("evil.example:8080"), guard.knows("192.168.1.7")
    (True, False, False)
    >>> Guard(None, "0.0.0.0", token="secret").knows("192.168.1.7:80")
    True
    """

    def __init__(self, app: App | None, host: str, names: Iterable[str] = (), token: str | None = None) -> None:
        self._app = app
        self._open_to_others = not is_loopback(host)
        self._names = {host.lower(), *(name.lower() for name in names)}
        self._token = None if token is None else hashlib.sha256(token.encode()).digest()
        self._session = secrets.token_urlsafe(32)
        self._tries: OrderedDict[str, Rate] = OrderedDict()

    def knows(self, header: str) -> bool:
        """Return whether a Host header names this server: an address, or a name that it was given."""
        bare = re.sub(r":\d+$", "", header.strip().lower())
        if bare in self._names or is_loopback(bare):
            return True
        if not self._open_to_others:
            return False
        try:
            ipaddress.ip_address(bare.strip("[]"))
        except ValueError:
            return False
        return True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._pass(scope, receive, send)
            return
        headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        refused = self._refuse(scope, headers)
        if refused is not None:
            await _answer(scope, receive, send, *refused)
            return
        header_values = dict(headers)
        if self._token is not None and not self._is_in(scope, header_values.get("cookie", "")):
            await self._authenticate(scope, receive, send, header_values.get("origin", ""))
            return
        await self._pass(scope, receive, send)

    def _refuse(self, scope: Scope, headers: list[tuple[str, str]]) -> tuple[int, str] | None:
        """Describe what is wrong with a request, if anything is."""
        named = [value for name, value in headers if name == "host"]
        origins = [value for name, value in headers if name == "origin"]
        if len(named) != 1 or not self.knows(named[0]):
            return 421, "This server is not called so. Open it by the address that it printed."
        if len(origins) > 1 or any(not _same_origin(origin, named[0]) for origin in origins):
            return 403, "Requests of other sites are refused."
        header_values = dict(headers)
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        if changes and not origins:
            return 403, "A request that changes something must say which page it comes from."
        # Links from elsewhere open pages; what other sites fetch, or hide in a frame, would begin work unseen.
        site, mode = header_values.get("sec-fetch-site", "none"), header_values.get("sec-fetch-mode", "navigate")
        opened = mode == "navigate" and header_values.get("sec-fetch-dest", "document") == "document"
        if site in {"cross-site", "same-site"} and (changes or not opened):
            return 403, "Requests of other sites are refused."
        if "x-forwarded-prefix" in header_values:
            return 400, "X-Forwarded-Prefix is not understood here."
        return None

    def _is_in(self, scope: Scope, cookie: str) -> bool:
        expected = self._session.encode()
        cookies = _list_cookies(cookie, _name_cookie(scope))
        return any(hmac.compare_digest(value.encode(), expected) for value in cookies)

    def _may_try(self, scope: Scope) -> bool:
        """Count a try of an address: who guesses keeps himself out, and not everybody else."""
        address = str((scope.get("client") or ("",))[0])
        rate = self._tries.setdefault(address, Rate(10, seconds=60))
        self._tries.move_to_end(address)
        while len(self._tries) > _MOST_REMEMBERED:
            self._tries.popitem(last=False)
        return rate.allows()

    async def _authenticate(self, scope: Scope, receive: Receive, send: Send, origin: str) -> None:
        """Show the form for the token, or let in who has it."""
        if scope["type"] == "websocket" or (scope["method"] not in _SAFE and scope["path"] != _ENTER):
            await _answer(scope, receive, send, 401, "Give the token first.")
            return
        message, status = "This workbench is open to other machines, so it asks who you are.", 401
        if scope["method"] == "POST":
            given = parse_qs(await _read_form(receive)).get("token", [""])[0].strip()
            allowed = self._may_try(scope)
            # Hashes have one length, and comparing them takes the same time wherever they differ.
            right = hmac.compare_digest(hashlib.sha256(given.encode()).digest(), self._token or b"")
            if allowed and right:
                # A browser that came by https says so; over http it would throw a cookie away that is marked Secure.
                secure = "; Secure" if origin.startswith("https:") else ""
                cookie = f"{_name_cookie(scope)}={self._session}; HttpOnly; SameSite=Strict; Path=/{secure}"
                await _answer(scope, receive, send, 303, "", location="/", cookie=cookie)
                return
            message = "That is not the token." if allowed else "Too many tries. Wait a minute."
            status = 401 if allowed else 429
        page = _FORM.format(message=message, action=_ENTER)
        await _answer(scope, receive, send, status, page, html=True)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._app is not None
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Marked(send))


class _Marked:
    """Sends answers on with headers that keep browsers strict, and marks the scripts of pages as this server's."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._page = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(pair for pair in _EVERYWHERE if pair[0] not in names)]
            kind = next((value for name, value in message["headers"] if name.lower() == b"content-type"), b"")
            if kind.startswith(b"text/html") and b"content-security-policy" not in names:
                self._start = message
                return
        elif self._start is not None:
            self._page += message.get("body", b"")
            if message.get("more_body"):
                return
            await self._send_page()
            return
        await self._send(message)

    async def _send_page(self) -> None:
        assert self._start is not None
        nonce = secrets.token_urlsafe(16)
        body = _SCRIPT.sub(f'<script nonce="{nonce}"'.encode(), self._page)
        headers = [
            pair for pair in self._start["headers"] if pair[0].lower() not in {b"content-length", b"cache-control"}
        ]
        self._start["headers"] = [
            *headers,
            (b"content-security-policy", _POLICY.format(nonce=nonce).encode()),
            (b"cache-control", b"no-store"),
            (b"content-length", str(len(body)).encode()),
        ]
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})
        self._start = None


def _same_origin(origin: str, host: str) -> bool:
    return origin.lower() in {f"http://{host.lower()}", f"https://{host.lower()}"}


def _name_cookie(scope: Scope) -> str:
    """Name the cookie by the port: browsers keep those of all servers on a machine together."""
    return f"{_COOKIE}-{(scope.get('server') or ('', 0))[1]}"


def _list_cookies(header: str, name: str) -> Iterator[str]:
    """Return the values of a cookie, whatever other servers on the machine have put beside it.

    Examples
    --------
    >>> list(_list_cookies('notes={"a": 1}; sfumato-8080=x', "sfumato-8080"))
    ['x']
    """
    for part in header.split(";"):
        key, _, value = part.strip().partition("=")
        if key == name:
            yield value


async def _read_form(receive: Receive) -> str:
    """Return a short form, or nothing where it is long or never ends."""
    body = b""
    try:
        async with asyncio.timeout(_TIMEOUT):
            while len(body) <= _LONGEST_FORM:
                message = await receive()
                body += bytes(message.get("body", b""))
                if not message.get("more_body"):
                    return body.decode("latin-1")
    except TimeoutError:
        pass
    return ""


async def _answer(
    scope: Scope,
    receive: Receive,
    send: Send,
    status: int,
    text: str,
    *,
    html: bool = False,
    location: str = "",
    cookie: str = "",
) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    body = text.encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8" if html else b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (
            b"content-security-policy",
            b"default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
        ),
        *_EVERYWHERE,
    ]
    if location:
        headers.append((b"location", location.encode()))
    if cookie:
        headers.append((b"set-cookie", cookie.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
