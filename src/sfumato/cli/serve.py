"""The command that serves the workbench."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["serve"]


def serve(
    data: Annotated[
        Path | None,
        typer.Argument(help="Project folder, or a data file to start a project with; ./sfumato-project if not given."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other than this machine's own needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for a free one.", min=0, max=65535)] = 8080,
    allow_name: Annotated[list[str], typer.Option(help="Further host name that browsers may use. Repeatable.")] = [],  # noqa: B006
    ask_token: Annotated[bool, typer.Option("--ask-token", help="Require a token on this machine, too.")] = False,
    max_upload: Annotated[float, typer.Option(help="Largest upload in megabytes.", min=0.001)] = 1073.0,
) -> None:
    """Start the workbench: Sfumato in the browser."""
    from sfumato.web.server import serve

    serve(
        data,
        host=host,
        port=port,
        names=allow_name,
        ask_token=ask_token,
        largest=int(max_upload * 1_000_000),
        announce=typer.echo,
    )
