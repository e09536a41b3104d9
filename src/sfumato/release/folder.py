"""Publication in one step: written aside, synced, put in place at once; or nothing at all.

``release/`` and ``owner/`` are two names, and a file system changes one name at a time. So both are led through one
pointer for the moment in which they change::

    release -> .sfumato-X/current/release        .sfumato-X/current -> old, then new
    owner   -> .sfumato-X/current/owner

Each old folder changes places with such a link (one step each, and what stands under its name stays the same), the
pointer is turned from ``old`` to ``new`` (one step: both parts change), and each new folder changes places with its
link. Whoever looks at any moment, or after the program was killed at any moment, sees both old parts or both new ones.
The next run puts folders in the place of links that were left. Nothing else in the directory is touched; the directory
may be the current one, a mount point or a symbolic link.

A file system that cannot exchange two names is given the parts one after another: the release leaves first and arrives
last, so it never stands beside a trace that is not its own; a run killed in between is undone by the next one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from sfumato.exceptions import SfumatoError
from sfumato.messages import Message, option
from sfumato.release.exchange import can_exchange, exchange

__all__ = [
    "StagingFolder",
    "check_free",
    "close_staging",
    "find_busy",
    "first_missing",
    "open_staging",
    "register_temporary",
    "remove_empty",
    "remove_temporary",
    "try_lock",
]

_PREFIX = ".sfumato-"
_PARTS = ("owner", "release")
_MARKS = {"owner": ("trace.json", "rows.parquet"), "release": ("release.json", "stream.json")}
"""Files by which a part is known: what has none of them is not ours to replace."""
_open: set[StagingFolder] = set()
_temporary: set[Path] = set()
"""Folders with people's data that no run leaves behind."""
"""Stages that are not closed yet."""
_CURRENT, _OLD, _NEW = "current", "old", "new"


class StagingFolder:
    """A hidden place in the final directory, where a release is prepared.

    Attributes
    ----------
    folder
        Holds ``release`` and ``owner`` as they will be.
    hidden
        For anything else that is written on the way; it disappears with :meth:`close`, or with the next run if this one
        is killed.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder, open_staging(Path(folder) / "out") as staging:
    ...     _ = (staging.release / "release.json").write_text("{}")
    ...     staging.commit()
    """

    def __init__(self, out: Path, *, force: bool = False) -> None:
        check_free(out, force=force)
        self.out, self._force = out, force
        self._top = first_missing(out)
        out.mkdir(parents=True, exist_ok=True)
        with _alone(out):
            _sweep(out)
            self.hidden = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=out))
            self._lock = os.open(self.hidden / "lock", os.O_CREAT | os.O_RDWR, 0o600)
            try_lock(self._lock)
        _open.add(self)
        self.folder = self.hidden / _NEW
        self.release, self.owner = self.folder / "release", self.folder / "owner"
        self.folder.mkdir()
        self.release.mkdir(mode=0o755)
        self.owner.mkdir(mode=0o700)

    def commit(self) -> None:
        """Put both parts in place at once, synced before; Ctrl-C waits for it."""
        for path in self.owner.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        _sync(self.folder)
        with _undisturbed(), _alone(self.out):
            check_free(self.out, force=self._force)
            if can_exchange(self.hidden):
                _turn(self.out, self.hidden)
            else:
                _move(self.out, self.hidden)
            for done in (_OLD, _NEW):
                shutil.rmtree(self.hidden / done, ignore_errors=True)
            (self.hidden / _CURRENT).unlink(missing_ok=True)

    def close(self) -> None:
        """Leave the disk as it was, or as it was committed."""
        _open.discard(self)
        with _undisturbed(), _alone(self.out):
            _remove(self.out, self.hidden)
        os.close(self._lock)
        if self._top is not None and not (self.out / "release").exists():
            remove_empty(self.out, self._top)


def close_staging() -> None:
    """Leave the disk as it was for all runs of this process, which end here."""
    for staging in list(_open):
        staging.close()
    for folder in list(_temporary):
        remove_temporary(folder)


def register_temporary(folder: Path) -> None:
    """Have a folder removed also where a run is left without cleaning up behind itself."""
    _temporary.add(folder)


def remove_temporary(folder: Path) -> None:
    """Remove a folder that was held in passing.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> register_temporary(folder)
    >>> close_staging()
    >>> folder.exists()
    False
    """
    shutil.rmtree(folder, ignore_errors=True)
    _temporary.discard(folder)


@contextlib.contextmanager
def open_staging(out: Path, *, force: bool = False) -> Iterator[StagingFolder]:
    """Prepare a release for ``out`` and leave the disk as it was unless it is committed."""
    staging = StagingFolder(out, force=force)
    try:
        yield staging
    finally:
        staging.close()


def check_free(out: Path, *, force: bool = False) -> None:
    """Refuse to overwrite a release unless forced, and anything that is not a release in any case."""
    if out.exists() and not out.is_dir():
        raise SfumatoError(f"{out} is a file. A release needs a directory.", option="out")
    for part in reversed(_PARTS):
        place = out / part
        if not place.exists():
            continue
        if not force:
            what = "a release" if part == "release" else "owner/ of a release"
            hint = Message("Replace it: ", option("force", True), ".")
            raise SfumatoError(f"{out} already holds {what}.", option="force", hint=hint)
        if not place.is_dir() or not (_is_empty(place) or any((place / mark).is_file() for mark in _MARKS[part])):
            raise SfumatoError(
                f"{place} exists and is not of a Sfumato release (it has no {_MARKS[part][0]}).",
                option="out",
                hint="Move it, or choose another directory.",
            )


def find_busy(out: Path) -> str | None:
    """Return the name of a folder in which another run is preparing something for a directory, if there is one."""
    return next((folder.name for folder in _list_hidden(out) if _is_held(folder)), None)


def _turn(out: Path, hidden: Path) -> None:
    """Change both parts by turning one pointer."""
    (hidden / _OLD).mkdir()
    _point(hidden, _OLD)
    for part in _PARTS:
        if os.path.lexists(out / part):
            (hidden / _OLD / part).symlink_to(_link(hidden, part))
            exchange(hidden / _OLD / part, out / part)
        else:
            (out / part).symlink_to(_link(hidden, part))  # it leads nowhere until the pointer is turned
    for folder in (hidden / _OLD, hidden, out):
        _sync_directory(folder)
    _point(hidden, _NEW)
    _sync_directory(hidden)
    _replace_links(out, hidden)


def _link(hidden: Path, part: str) -> str:
    return f"{hidden.name}/{_CURRENT}/{part}"


def _point(hidden: Path, where: str) -> None:
    beside = hidden / "next"
    beside.symlink_to(where)
    beside.replace(hidden / _CURRENT)


def _replace_links(out: Path, hidden: Path) -> None:
    """Put the folders that the pointer leads to in the place of the links that lead through it."""
    for part in _PARTS:
        place = out / part
        if not place.is_symlink() or str(place.readlink()) != _link(hidden, part):
            continue
        target = (hidden / _CURRENT).resolve() / part
        if target.exists():
            exchange(place, target)
            _sync_directory(out)
        else:
            place.unlink()


def _move(out: Path, hidden: Path) -> None:
    """Change the parts one after another: the release leaves first and arrives last."""
    (hidden / _OLD).mkdir()
    for part in reversed(_PARTS):
        if os.path.lexists(out / part):
            (out / part).rename(hidden / _OLD / part)
    for part in _PARTS:
        (hidden / _NEW / part).rename(out / part)
    _sync_directory(out)


def _move_back(out: Path, hidden: Path) -> None:
    """Undo a change that stopped before the new release arrived."""
    if not (hidden / _NEW / "release").exists():
        return
    for part in _PARTS:
        if not (hidden / _NEW / part).exists() and (out / part).exists():
            (out / part).rename(hidden / _NEW / part)
        if (hidden / _OLD / part).exists() and not os.path.lexists(out / part):
            (hidden / _OLD / part).rename(out / part)
    _sync_directory(out)


def _remove(out: Path, hidden: Path) -> None:
    """Remove what lies aside, having put back what is needed; leave it where that fails, as links may lead there."""
    with contextlib.suppress(OSError):
        if (hidden / _CURRENT).is_symlink():
            _replace_links(out, hidden)
        elif (hidden / _OLD).is_dir():
            _move_back(out, hidden)
        shutil.rmtree(hidden, ignore_errors=True)


def _list_hidden(out: Path) -> list[Path]:
    return sorted(folder for folder in out.glob(f"{_PREFIX}*") if folder.is_dir() and not folder.is_symlink())


def _sweep(out: Path) -> None:
    """Finish or undo what killed runs left behind, and remove the rest of it."""
    for folder in _list_hidden(out):
        if not _is_held(folder):
            _remove(out, folder)


def _is_held(folder: Path) -> bool:
    """Tell whether the run that writes there is alive: it holds a lock, which a killed process loses."""
    try:
        handle = os.open(folder / "lock", os.O_RDWR)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        return not try_lock(handle)
    finally:
        os.close(handle)


def try_lock(handle: int) -> bool:
    """Lock an open file for this process, and tell whether nobody else holds it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks: one run at a time is then the caller's business
    return True


@contextlib.contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Let one run at a time change the names in a directory."""
    handle = os.open(out, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Ignore Ctrl-C and termination for the moment in which names change."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _is_empty(folder: Path) -> bool:
    return next(folder.iterdir(), None) is None


def first_missing(path: Path) -> Path | None:
    """Return the uppermost folder on the way to a path that is not there; None where all are."""
    missing = None
    for candidate in (path, *path.parents):
        if candidate.exists():
            break
        missing = candidate
    return missing


def remove_empty(path: Path, top: Path) -> None:
    """Remove a folder and those above it, up to one of them, as long as they are empty."""
    with contextlib.suppress(OSError):
        while True:
            path.rmdir()
            if path == top:
                return
            path = path.parent


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
