"""Releases for places that only an engine reaches: made on this machine, and put there when they are whole."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sfumato.exceptions import ParameterError
from sfumato.release.folder import register_temporary, remove_temporary
from sfumato.release.run import FileEngine, PartitionEngine

__all__ = ["open_upload"]


@contextlib.contextmanager
def open_upload(uri: str, engine: PartitionEngine, *, force: bool) -> Iterator[Path]:
    """Hand out a folder of this machine for a release, and put what is in it where a URI says; it does not stay."""
    if not isinstance(engine, FileEngine):
        raise ParameterError(f"{uri}: only the engine spark writes to such places. Give a directory of this machine.")
    engine.check_free(uri, force=force)
    folder = Path(tempfile.mkdtemp(prefix="sfumato-"))
    register_temporary(folder)
    try:
        yield folder / "out"
        engine.upload_release(folder / "out", uri, force=force)
    finally:
        remove_temporary(folder)
