"""Files of the owner's own beside a release, such as a licence: copied in, and declared with their digests."""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

from sfumato.exceptions import ParameterError
from sfumato.formats.memory import Place
from sfumato.release.release import Included

__all__ = ["copy_in", "digest_file", "is_plain_name"]

_BLOCK = 1 << 20


def copy_in(paths: Sequence[Path], folder: Place, taken: Iterable[str]) -> tuple[Included, ...]:
    """Copy files into a folder and describe them, in the order of their names.

    Links, folders and names that are taken or cannot be seen are refused: what is declared must be what is there.
    """
    names = {name.casefold() for name in taken}
    for path in paths:
        _check(path, names)
        names.add(path.name.casefold())
    return tuple(_copy(path, folder / path.name) for path in sorted(paths, key=lambda path: path.name))


def _check(path: Path, taken: set[str]) -> None:
    owner, name = f"include: {path}", path.name
    try:
        mode = os.lstat(path).st_mode
    except OSError as error:
        raise ParameterError(f"{owner}: cannot be read ({error.strerror}).") from None
    if stat.S_ISLNK(mode):
        raise ParameterError(f"{owner}: is a link. Name the file itself.")
    if not stat.S_ISREG(mode):
        raise ParameterError(f"{owner}: is not a plain file. Include files one by one.")
    if not is_plain_name(name):
        raise ParameterError(f"{owner}: the name must be visible: no leading dot, no control or odd characters.")
    if name.casefold() in taken:
        raise ParameterError(f"{owner}: the release has a file of this name already. Rename yours.")


def is_plain_name(name: str) -> bool:
    """Tell whether a reader of a listing sees the name as it is.

    Examples
    --------
    >>> is_plain_name("LICENSE"), is_plain_name(".hidden"), is_plain_name("LICENSE "), is_plain_name("a\u200b")
    (True, False, False, False)
    """
    shown = name.isprintable() and name == name.strip() and unicodedata.normalize("NFC", name) == name
    return bool(name) and shown and name[0] != "." and not set(name) & set('/\\:*?"<>|') and len(name.encode()) < 256


def _copy(path: Path, target: Place) -> Included:
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as file, target.open("xb") as copy:
            while block := file.read(_BLOCK):
                copy.write(block)
                digest.update(block)
                size += len(block)
    except OSError as error:
        raise ParameterError(f"include: {path}: cannot be copied ({error.strerror}).") from None
    return Included(path.name, size, digest.hexdigest())


def digest_file(path: Place) -> Included:
    """Describe a file as it is now."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    return Included(path.name, path.stat().st_size, digest.hexdigest())
