"""Releases for places that only an engine reaches: made on this machine, and put there when they are whole."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sfumato.exceptions import ParameterError
from sfumato.release.folder import hold_in_passing, leave_nothing
from sfumato.release.run import FileEngine, PartEngine

__all__ = ["put_away"]


@contextlib.contextmanager
def put_away(uri: str, engine: PartEngine, *, force: bool) -> Iterator[Path]:
    """Hand out a folder of this machine for a release, and put what is in it where a URI says; it does not stay."""
    if not isinstance(engine, FileEngine):
        raise ParameterError(f"{uri}: only the engine spark writes to such places. Give a directory of this machine.")
    engine.check_free(uri, force=force)
    folder = Path(tempfile.mkdtemp(prefix="sfumato-"))
    hold_in_passing(folder)
    try:
        yield folder / "out"
        engine.put_release(folder / "out", uri, force=force)
    finally:
        leave_nothing(folder)
