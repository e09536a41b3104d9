"""Publication in one step: written aside, synced, renamed; or nothing at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sfumato.core.errors import SfumatoError

__all__ = ["Stage", "staged"]

_PREFIX = ".sfumato-"


class Stage:
    """A hidden place beside the final one, where a release is prepared.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder, staged(Path(folder) / "out") as stage:
    ...     _ = (stage.release / "release.json").write_text("{}")
    ...     stage.commit()
    """

    def __init__(self, out: Path, folder: Path) -> None:
        self.out = out
        self.folder = folder
        self.release = folder / "release"
        self.owner = folder / "owner"
        self.release.mkdir(mode=0o755)
        self.owner.mkdir(mode=0o700)

    def commit(self) -> None:
        """Move both parts into place. The owner's part goes first: no release without its trace."""
        for path in self.owner.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        _sync(self.folder)
        for part in (self.owner, self.release):
            final = self.out / part.name
            if final.exists():
                final.rename(self.folder / f"replaced-{part.name}")
            part.rename(final)
        _sync_directory(self.out)


@contextlib.contextmanager
def staged(out: Path, *, force: bool = False) -> Iterator[Stage]:
    """Prepare a release for ``out`` and leave the disk as it was unless it is committed."""
    check_free(out, force=force)
    top = _first_missing(out)
    out.mkdir(parents=True, exist_ok=True)
    _sweep(out)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=out))
    try:
        yield Stage(out, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if top is not None and not (out / "release").exists():
            _remove_empty(out, top)


def check_free(out: Path, *, force: bool = False) -> None:
    """Refuse to overwrite a release, or to write where a file stands."""
    if out.exists() and not out.is_dir():
        raise SfumatoError(f"{out}: is a file; a release needs a directory.")
    if (out / "release").exists() and not force:
        raise SfumatoError(f"{out}: a release is there already; use --force to replace it.")


def _first_missing(path: Path) -> Path | None:
    missing = None
    for candidate in (path, *path.parents):
        if candidate.exists():
            break
        missing = candidate
    return missing


def _remove_empty(path: Path, top: Path) -> None:
    with contextlib.suppress(OSError):
        while True:
            path.rmdir()
            if path == top:
                return
            path = path.parent


def _sweep(out: Path) -> None:
    """Remove what killed runs left behind."""
    for folder in out.glob(f"{_PREFIX}*"):
        owner = folder.name.removeprefix(_PREFIX).split("-")[0]
        if owner.isdigit() and not _alive(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _sync(folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            _sync_directory(path)
        else:
            with path.open("rb") as file:
                os.fsync(file.fileno())
    _sync_directory(folder)


def _sync_directory(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
