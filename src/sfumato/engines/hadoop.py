"""Releases put where Spark's file systems are: whole or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sfumato.engines.refusals import explain
from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.messages import Message, option

__all__ = ["ReleasePlace"]

_MARKS = {"release": "release.json", "owner": "trace.json"}
"""Folders of a release, and the files by which they are known."""


class ReleasePlace:
    """A folder on a file system that a session of Spark reaches.

    What is put there is written beside it, in a folder that only its owner reads, and renamed when all of it is there.

    Parameters
    ----------
    session
        A session of Spark that runs beside this program.
    uri
        The folder.
    """

    def __init__(self, session: Any, uri: str) -> None:
        self.uri = uri.rstrip("/")
        try:
            hadoop, settings = session._jvm.org.apache.hadoop.fs, session._jsc.hadoopConfiguration()
        except Exception:
            raise ParameterError(
                f"{uri}: only a session that runs on this machine writes there, not one on the other end of a "
                "connection. Publish into a folder of this machine, and copy it."
            ) from None
        self._path: Callable[..., Any] = hadoop.Path
        self._permission = hadoop.permission.FsPermission
        with _Explained(uri):
            self._target = self._path(self.uri)
            # One of its own: what is set here must not change what others write.
            self._system = hadoop.FileSystem.newInstance(self._target.toUri(), settings)
            self._system.setWriteChecksum(False)

    def check_free(self, *, force: bool) -> None:
        """Refuse to overwrite a release unless forced, and anything that is not a release in any case."""
        with _Explained(self.uri):
            if not self._system.exists(self._target):
                return
            if not self._system.getFileStatus(self._target).isDirectory():
                raise SfumatoError(f"{self.uri} is a file. A release needs a directory.")
            names = {status.getPath().getName() for status in self._system.listStatus(self._target)}
            if names and not force:
                hint = Message("Replace a release: ", option("force", True), ".")
                raise SfumatoError(f"{self.uri} already exists.", option="force", hint=hint)
            is_release = all(
                name in _MARKS and self._system.exists(self._path(f"{self.uri}/{name}/{_MARKS[name]}"))
                for name in names
            )
        if not is_release:
            raise SfumatoError(f"{self.uri}: holds more than a release. Move it, or choose another directory.")

    def write(self, folder: Path, prove: Callable[[str], None], *, force: bool) -> None:
        """Put a release there.

        Parameters
        ----------
        folder
            The folder of this machine that holds it.
        prove
            Is given where it lies before it is in its place, and raises where it is not what was written.
        force
            Whether to replace a release that is there.
        """
        parent = self._target.getParent()
        mark = secrets.token_hex(8)
        temporary, old = (self._path(parent, f".sfumato-{mark}-{part}") for part in ("new", "old"))
        with _Explained(self.uri):
            made = self._first_missing(parent)
            try:
                self._system.mkdirs(parent)
                self._system.mkdirs(temporary, self._permission("700"))
                for part in _MARKS:
                    self._system.copyFromLocalFile(False, True, self._path(f"file://{folder / part}"), temporary)
                self._system.setPermission(self._path(temporary, "owner"), self._permission("700"))
                prove(str(temporary.toString()))
                self.check_free(force=force)
                self._system.setPermission(temporary, self._permission("755"))
                self._rename(temporary, old)
            except BaseException:
                self._system.delete(temporary if made is None else made, True)
                raise

    def _rename(self, temporary: Any, old: Any) -> None:
        """Let the new release take the place of the old one, or leave the old one where it is."""
        replaced = self._system.exists(self._target) and self._system.rename(self._target, old)
        if not self._system.rename(temporary, self._target):
            if replaced:
                self._system.rename(old, self._target)
            raise SchemaError(f"{self.uri}: the release could not be put in its place.")
        if replaced:
            self._system.delete(old, True)

    def _first_missing(self, path: Any) -> Any:
        missing = None
        while path is not None and not self._system.exists(path):
            missing, path = path, path.getParent()
        return missing


class _Explained:
    """What a file system refuses, in plain words."""

    def __init__(self, uri: str) -> None:
        self._uri = uri

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, SfumatoError):
            raise SchemaError(f"{self._uri}: {explain(error)}.") from None
