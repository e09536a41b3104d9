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
from sfumato.release.exchange import can_exchange, exchange

__all__ = [
    "Stage",
    "check_free",
    "close_stages",
    "find_busy",
    "first_missing",
    "hold_in_passing",
    "leave_nothing",
    "remove_empty",
    "staged",
    "try_lock",
]

_PREFIX = ".sfumato-"
_PARTS = ("owner", "release")
_MARKS = {"owner": ("trace.json", "rows.parquet"), "release": ("release.json", "stream.json")}
"""Files by which a part is known: what has none of them is not ours to replace."""
_open: set[Stage] = set()
_passing: set[Path] = set()
"""Folders with people's data that no run leaves behind."""
"""Stages that are not closed yet."""
_CURRENT, _OLD, _NEW = "current", "old", "new"


class Stage:
    """A hidden place in the final directory, where a release is prepared.

    Attributes
    ----------
    folder
        Holds ``release`` and ``owner`` as they will be.
    aside
        For anything else that is written on the way; it disappears with :meth:`close`, or with the next run if this one
        is killed.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder, staged(Path(folder) / "out") as stage:
    ...     _ = (stage.release / "release.json").write_text("{}")
    ...     stage.commit()
    """

    def __init__(self, out: Path, *, force: bool = False) -> None:
        check_free(out, force=force)
        self.out, self._force = out, force
        self._top = first_missing(out)
        out.mkdir(parents=True, exist_ok=True)
        with _alone(out):
            _sweep(out)
            self.aside = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=out))
            self._lock = os.open(self.aside / "lock", os.O_CREAT | os.O_RDWR, 0o600)
            try_lock(self._lock)
        _open.add(self)
        self.folder = self.aside / _NEW
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
            if can_exchange(self.aside):
                _turn(self.out, self.aside)
            else:
                _move(self.out, self.aside)
            for done in (_OLD, _NEW):
                shutil.rmtree(self.aside / done, ignore_errors=True)
            (self.aside / _CURRENT).unlink(missing_ok=True)

    def close(self) -> None:
        """Leave the disk as it was, or as it was committed."""
        _open.discard(self)
        with _undisturbed(), _alone(self.out):
            _remove(self.out, self.aside)
        os.close(self._lock)
        if self._top is not None and not (self.out / "release").exists():
            remove_empty(self.out, self._top)


def close_stages() -> None:
    """Leave the disk as it was for all runs of this process, which end here."""
    for stage in list(_open):
        stage.close()
    for folder in list(_passing):
        leave_nothing(folder)


def hold_in_passing(folder: Path) -> None:
    """Have a folder removed also where a run is left without cleaning up behind itself."""
    _passing.add(folder)


def leave_nothing(folder: Path) -> None:
    """Remove a folder that was held in passing.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> hold_in_passing(folder)
    >>> close_stages()
    >>> folder.exists()
    False
    """
    shutil.rmtree(folder, ignore_errors=True)
    _passing.discard(folder)


@contextlib.contextmanager
def staged(out: Path, *, force: bool = False) -> Iterator[Stage]:
    """Prepare a release for ``out`` and leave the disk as it was unless it is committed."""
    stage = Stage(out, force=force)
    try:
        yield stage
    finally:
        stage.close()


def check_free(out: Path, *, force: bool = False) -> None:
    """Refuse to overwrite a release unless forced, and anything that is not a release in any case."""
    if out.exists() and not out.is_dir():
        raise SfumatoError(f"{out}: is a file; a release needs a directory.")
    for part in reversed(_PARTS):
        place = out / part
        if not place.exists():
            continue
        if not force:
            what = "a release" if part == "release" else "owner/ of a release"
            raise SfumatoError(f"{out}: {what} is there already; use force=True to replace it.")
        if not place.is_dir() or not (_is_empty(place) or any((place / mark).is_file() for mark in _MARKS[part])):
            raise SfumatoError(
                f"{place}: is in the way and was not written by this program (it has no {_MARKS[part][0]}). Move it, "
                "or choose another directory."
            )


def find_busy(out: Path) -> str | None:
    """Return the name of a folder in which another run is preparing something for a directory, if there is one."""
    return next((folder.name for folder in _asides(out) if _is_held(folder)), None)


def _turn(out: Path, aside: Path) -> None:
    """Change both parts by turning one pointer."""
    (aside / _OLD).mkdir()
    _point(aside, _OLD)
    for part in _PARTS:
        if os.path.lexists(out / part):
            (aside / _OLD / part).symlink_to(_link(aside, part))
            exchange(aside / _OLD / part, out / part)
        else:
            (out / part).symlink_to(_link(aside, part))  # it leads nowhere until the pointer is turned
    for folder in (aside / _OLD, aside, out):
        _sync_directory(folder)
    _point(aside, _NEW)
    _sync_directory(aside)
    _settle(out, aside)


def _link(aside: Path, part: str) -> str:
    return f"{aside.name}/{_CURRENT}/{part}"


def _point(aside: Path, where: str) -> None:
    beside = aside / "next"
    beside.symlink_to(where)
    beside.replace(aside / _CURRENT)


def _settle(out: Path, aside: Path) -> None:
    """Put the folders that the pointer leads to in the place of the links that lead through it."""
    for part in _PARTS:
        place = out / part
        if not place.is_symlink() or str(place.readlink()) != _link(aside, part):
            continue
        target = (aside / _CURRENT).resolve() / part
        if target.exists():
            exchange(place, target)
            _sync_directory(out)
        else:
            place.unlink()


def _move(out: Path, aside: Path) -> None:
    """Change the parts one after another: the release leaves first and arrives last."""
    (aside / _OLD).mkdir()
    for part in reversed(_PARTS):
        if os.path.lexists(out / part):
            (out / part).rename(aside / _OLD / part)
    for part in _PARTS:
        (aside / _NEW / part).rename(out / part)
    _sync_directory(out)


def _move_back(out: Path, aside: Path) -> None:
    """Undo a change that stopped before the new release arrived."""
    if not (aside / _NEW / "release").exists():
        return
    for part in _PARTS:
        if not (aside / _NEW / part).exists() and (out / part).exists():
            (out / part).rename(aside / _NEW / part)
        if (aside / _OLD / part).exists() and not os.path.lexists(out / part):
            (aside / _OLD / part).rename(out / part)
    _sync_directory(out)


def _remove(out: Path, aside: Path) -> None:
    """Remove what lies aside, having put back what is needed; leave it where that fails, as links may lead there."""
    with contextlib.suppress(OSError):
        if (aside / _CURRENT).is_symlink():
            _settle(out, aside)
        elif (aside / _OLD).is_dir():
            _move_back(out, aside)
        shutil.rmtree(aside, ignore_errors=True)


def _asides(out: Path) -> list[Path]:
    return sorted(folder for folder in out.glob(f"{_PREFIX}*") if folder.is_dir() and not folder.is_symlink())


def _sweep(out: Path) -> None:
    """Finish or undo what killed runs left behind, and remove the rest of it."""
    for folder in _asides(out):
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
