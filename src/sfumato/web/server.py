"""The server: pages on a project folder, on this machine only by default."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option
from sfumato.web.connections import make_protocol
from sfumato.web.jobs import Jobs
from sfumato.web.project import READ_AS_DATA, Project, make_name, split_name
from sfumato.web.security import Guard, is_loopback
from sfumato.web.static_files import StaticFiles

if TYPE_CHECKING:
    from fastapi import FastAPI

    from sfumato.web.sessions import PageSessions

__all__ = ["LARGEST_UPLOAD", "build_app", "open_project", "serve"]

LARGEST_UPLOAD = 1 << 30
"""Bytes of the largest upload by default."""
_FORGOTTEN_AFTER = 60.0
"""Seconds after which the framework forgets what it noted of a tab."""


def serve(
    data: Path | None,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    names: Iterable[str] = (),
    ask_token: bool = False,
    largest: int = LARGEST_UPLOAD,
    announce: Callable[[str], None] = print,
) -> None:
    """Serve the workbench until somebody stops it.

    Parameters
    ----------
    data
        The project folder, or a file to begin a project with; ``sfumato-project`` if not given.
    host, port
        Where to listen. Others than this machine are asked for a token, which is said once.
    names
        Further names that browsers may call the server by.
    ask_token
        Whether to ask for a token on this machine, too.
    largest
        Bytes that an upload may have.
    announce
        Says where the server is.
    """
    try:
        import nicegui  # noqa: F401
        import uvicorn

        from sfumato.web.memory import limit_memory
    except ModuleNotFoundError:
        raise ParameterError(
            "The workbench is not installed.", hint="Install it: pip install 'sfumato[workbench]'"
        ) from None
    token = secrets.token_urlsafe(24) if ask_token or not is_loopback(host) else None
    with _open_socket(host, port) as listener:
        project = open_project(data)
        jobs = Jobs(project, warm=True)
        app = build_app(project, jobs, largest)
        guarded: Any = Guard(build_front(app), host, names, token)
        config = uvicorn.Config(
            guarded,
            http=make_protocol(),
            log_level="critical",
            proxy_headers=False,
            access_log=False,
            server_header=False,
            ws_max_size=1 << 20,
            # Messages are short; packing them would cost every open page memory of its own.
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=3,
        )
        shown = f"[{host}]" if ":" in host else host
        announce(f"Sfumato is at http://{shown}:{listener.getsockname()[1]}/ on the project {project.folder}.")
        if token is not None:
            announce(f"Token, shown this once: {token}")
        announce("Stop it with Ctrl-C.")
        limit_memory()
        try:
            with contextlib.suppress(KeyboardInterrupt):
                uvicorn.Server(config).run(sockets=[listener])
        finally:
            jobs.close()


def open_project(data: Path | None) -> Project:
    """Open a project folder, or begin one with a copy of a file.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "visits.csv").write_text("person,place")
    >>> open_project(folder / "visits.csv").list("data")
    ['visits.csv']
    """
    if data is None:
        return Project.open(Path("sfumato-project"))
    if not data.is_file():
        return Project.open(data)
    stem, extension = split_name(data.name, READ_AS_DATA)
    project = Project.open(data.parent / f"{make_name(stem)}-project")
    target = project.area("data") / f"{stem}{extension}"
    if not target.exists():
        shutil.copyfile(data, target)
    return project


def build_app(project: Project, jobs: Jobs, largest: int = LARGEST_UPLOAD) -> FastAPI:
    """Build the application: files in and out, and the pages."""
    # What the framework keeps of its own belongs to the project, not to the folder somebody happens to be in.
    os.environ.setdefault("NICEGUI_STORAGE_PATH", str(project.hidden("pages")))
    from fastapi import FastAPI
    from nicegui import app as framework
    from nicegui import ui

    from sfumato.web.files import Uploads, list_routes
    from sfumato.web.memory import cache_signatures, free_page, speed_up_escaping
    from sfumato.web.pages import register_pages
    from sfumato.web.pages.assets import list_assets
    from sfumato.web.pages.parts import Workspace
    from sfumato.web.sessions import keep_tidy

    cache_signatures()
    speed_up_escaping()

    @contextlib.asynccontextmanager
    async def live(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001
        tidying = asyncio.create_task(keep_tidy())
        yield
        tidying.cancel()
        await asyncio.to_thread(jobs.close)

    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=live)
    app.router.routes.extend([*list_routes(project, Uploads(project, largest)), *list_assets()])
    register_pages(Workspace(project, jobs))
    ui.run_with(
        app,
        title="Sfumato",
        dark=None,
        language="en-US",
        tailwind=False,
        reconnect_timeout=10,
        show_welcome_message=False,
        binding_refresh_interval=None,
        gzip_middleware_factory=None,
    )
    # What the framework would put around every answer, for files that the shelf keeps and for a header that the guard
    # refuses, costs more than many an answer.
    framework.user_middleware.clear()
    framework.on_delete(free_page)
    framework.storage.max_tab_storage_age = _FORGOTTEN_AFTER
    return app


def build_front(app: FastAPI) -> PageSessions:
    """Put before the application what spares it work: a shelf of files that never change, and an ear for leaving."""
    from nicegui import __version__

    from sfumato.web.pages.assets import FOLDER
    from sfumato.web.sessions import PageSessions

    folders = ("static", "components", "libraries", "esm")
    return PageSessions(StaticFiles(app, [FOLDER, *(f"/_nicegui/{__version__}/{name}" for name in folders)]))


def _open_socket(host: str, port: int) -> socket.socket:
    """Take a port before anything else is done, so that a taken one changes nothing."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise ParameterError(
            f"The workbench cannot listen on {host}, port {port}: {os.strerror(error.errno or 0)}.",
            option="port",
            hint=Message("Choose a free port: ", option("port", 0), "."),
        ) from None
