"""The style and the script of the pages, at addresses that change when they do: browsers keep them for good."""

from __future__ import annotations

import hashlib
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sfumato.web.pages.style import SHEET

__all__ = ["FOLDER", "HEAD", "list_assets"]

FOLDER = "/assets"
"""Where they are."""
_SCRIPT = (resources.files("sfumato.web") / "static" / "workbench.js").read_text("utf-8")


def _address(name: str, text: str) -> str:
    return f"{FOLDER}/{hashlib.sha256(text.encode()).hexdigest()[:16]}/{name}"


_STYLE_AT, _SCRIPT_AT = _address("workbench.css", SHEET), _address("workbench.js", _SCRIPT)
HEAD = f'<link rel="stylesheet" href="{_STYLE_AT}"><script defer src="{_SCRIPT_AT}"></script>'
"""What every page has in its head: nothing is loaded from elsewhere."""


def list_assets() -> list[Route]:
    """Return the routes of the style and the script."""

    async def style(request: Request) -> Response:  # noqa: ARG001
        return Response(SHEET, media_type="text/css")

    async def code(request: Request) -> Response:  # noqa: ARG001
        return Response(_SCRIPT, media_type="text/javascript")

    return [Route(_STYLE_AT, style), Route(_SCRIPT_AT, code)]
