"""Connections on which nothing is asked in time are ended: a machine has few of them, and others wait for theirs.

The framework's own server waits for the end of a request's headers for ever, and keeps all of them in memory.
"""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["make_protocol"]

_TIMEOUT = 20.0
"""Seconds in which a request must have come, from its first line to the end of its headers."""
_LONGEST = 1 << 17
"""Bytes that these may have."""


def make_protocol(timeout: float = _TIMEOUT) -> type[asyncio.Protocol]:
    """Return the protocol that the server speaks, with an end to connections that never come to their request.

    Parameters
    ----------
    timeout
        Seconds in which a request must have come.
    """
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class Hurried(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
        """Hangs up on who says nothing, or a letter at a time."""

        _end: asyncio.TimerHandle | None = None
        _received_bytes = 0

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._is_busy():
                self._stop_waiting()
                return
            if self._end is None:
                self._wait()
            # The rest of a file that was refused already is let pass: a browser listens when it has sent it.
            self._received_bytes += 0 if self.cycle is not None and self.cycle.more_body else len(data)
            if self._received_bytes > _LONGEST:
                self.transport.close()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _is_busy(self) -> bool:
            """Whether a request is being answered, or the connection has become a socket."""
            answering = self.cycle is not None and not self.cycle.response_complete
            return answering or self.transport.get_protocol() is not self

        def _wait(self) -> None:
            self._end = asyncio.get_running_loop().call_later(timeout, self.transport.close)

        def _stop_waiting(self) -> None:
            self._received_bytes = 0
            if self._end is not None:
                self._end.cancel()
                self._end = None

    return Hurried
