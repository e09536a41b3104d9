"""The command that compiles kernels ahead."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli.options import Json
from sfumato.cli.output import Output, print_method, show_progress
from sfumato.data.kind import all_kinds, find_kind

__all__ = ["compile"]


def compile(
    kind: Annotated[str, typer.Option(help=f"Only for this kind of data: {', '.join(all_kinds())}.")] = "",
    as_json: Json = False,
) -> None:
    """Compile numerical kernels ahead of their first use."""
    from sfumato.studies.compilation import compile_kernels

    out = Output(as_json=as_json)
    if kind:
        find_kind(kind)
    with show_progress() as progress:
        done = compile_kernels([kind] if kind else all_kinds(), progress, print_method)
    for heading, names in (("Compiled", done.compiled), ("Already compiled", done.ready)):
        if names:
            out.print_line(f"{heading}: {', '.join(dict.fromkeys(names))}.")
    out.finish({"compiled": list(done.compiled), "ready": list(done.ready), "left_out": done.left_out})
