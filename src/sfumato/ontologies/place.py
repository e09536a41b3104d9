"""The folder of a warehouse: one writer at a time, a new state whole or not at all, readers undisturbed.

Every build and refresh writes a store of its own aside. When it is done, ``warehouse.json`` is replaced, which is the
moment in which the warehouse changes. What is killed before leaves the old state in force; the next writer clears away
what lies around. The store that is in force is never written to.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyoxigraph import Store

from sfumato.exceptions import SchemaError, SfumatoError
from sfumato.messages import Message, call

__all__ = ["Next", "describe", "open_to_read", "write_next"]

_MARK = "warehouse.json"
_LOCK = "lock"
_FORMAT = 1


class Next:
    """The state that is being made: its store, and how it comes into force."""

    def __init__(self, folder: Path, number: int) -> None:
        self.name = f"store-{number:06}"
        self._folder = folder
        self.path = folder / self.name
        self.path.mkdir()
        (self.path / "readers").touch()

    def begin(self) -> Store:
        """Return an empty store."""
        return Store(str(self.path / "data"))

    def begin_from(self, former: dict[str, Any]) -> Store:
        """Return a copy of the store in force; files that do not change are shared, not copied."""
        with _hold(self._folder / former["store"]):
            Store.read_only(str(self._folder / former["store"] / "data")).backup(str(self.path / "data"))
        return self.begin()

    def commit(self, description: dict[str, Any]) -> None:
        """Put this state in force."""
        content = {"format": _FORMAT, "store": self.name, **description}
        temporary = self._folder / f".{_MARK}.{os.getpid()}"
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, indent=1)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._folder / _MARK)


def describe(folder: Path) -> dict[str, Any]:
    """Return what is known about a warehouse, or refuse a folder that is none."""
    try:
        description = json.loads((folder / _MARK).read_bytes())
    except FileNotFoundError:
        raise SchemaError(
            f"{folder} is not a warehouse.",
            hint=Message(
                "Build one: ",
                call(
                    f"sfumato.ontologies.building.build('warehouse.toml', {str(folder)!r})",
                    f"sfumato warehouse build warehouse.toml --out {folder}",
                ),
            ),
        ) from None
    except (OSError, ValueError):
        raise SchemaError(f"{folder / _MARK} cannot be read.", hint="Build the warehouse again.") from None
    if (
        not isinstance(description, dict)
        or description.get("format") != _FORMAT
        or not isinstance(description.get("store"), str)
    ):
        raise SchemaError(f"{folder / _MARK} is of another version.", hint="Build the warehouse again.")
    if Path(description["store"]).name != description["store"] or not description["store"].startswith("store-"):
        raise SchemaError(f"{folder / _MARK} names no store of this folder.", hint="Build the warehouse again.")
    return description


@contextlib.contextmanager
def write_next(folder: Path) -> Iterator[Next]:
    """Make a new state alone: who comes second is refused at once, and what fails leaves nothing."""
    is_new = not folder.exists()
    if not is_new and (not folder.is_dir() or (any(folder.iterdir()) and not _is_ours(folder))):
        raise SchemaError(
            f"{folder} already exists and is not a warehouse.", option="out", hint="Choose another folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SfumatoError(
                f"{folder}: another process is writing this warehouse.", hint="Wait until it ends; reading is possible."
            ) from None
        _clear(folder)
        state = Next(folder, _next_number(folder))
        try:
            yield state
        finally:
            _clear(folder)
            if is_new and not (folder / _MARK).exists():
                _remove(folder)
    finally:
        os.close(handle)


def open_to_read(folder: Path) -> tuple[dict[str, Any], Store, Callable[[], None]]:
    """Return what is known about a warehouse, its store, and what lets go of it; writers do not disturb it."""
    for _ in range(100):
        description = describe(folder)
        path = folder / description["store"]
        held = contextlib.ExitStack()
        try:
            held.enter_context(_hold(path))
            return description, Store.read_only(str(path / "data")), held.close
        except FileNotFoundError:  # a writer came between
            held.close()
        except OSError:
            held.close()
            if describe(folder)["store"] == description["store"]:
                break
    raise SchemaError(f"{folder}: the store is missing or damaged.", hint="Build the warehouse again.")


@contextlib.contextmanager
def _hold(store: Path) -> Iterator[None]:
    """Keep a store from being cleared away."""
    handle = os.open(store / "readers", os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _is_ours(folder: Path) -> bool:
    """Return whether a folder is a warehouse, or the rest of a first build that was killed."""
    return all(
        path.name in (_MARK, _LOCK) or path.name.startswith(("store-", f".{_MARK}.")) for path in folder.iterdir()
    )


def _next_number(folder: Path) -> int:
    numbers = [path.name.removeprefix("store-") for path in folder.glob("store-*")]
    return 1 + max((int(number) for number in numbers if number.isdecimal()), default=0)


def _clear(folder: Path) -> None:
    """Remove every store that is not in force and that nobody reads."""
    try:
        current = describe(folder)["store"]
    except SchemaError:
        current = None
    for path in [*folder.glob("store-*"), *folder.glob(f".{_MARK}.*")]:
        if path.name == current:
            continue
        if not path.is_dir():
            path.unlink(missing_ok=True)
        elif not _is_read(path):
            _remove(path)


def _remove(path: Path) -> None:
    """Remove a folder; a store that was given up may still be writing the last of its files."""
    for _ in range(100):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return
        time.sleep(0.02)


def _is_read(store: Path) -> bool:
    try:
        handle = os.open(store / "readers", os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
