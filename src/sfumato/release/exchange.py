"""Two names exchanged in one step, where the file system can."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

__all__ = ["can_exchange", "exchange"]

_HERE = -100  # AT_FDCWD: paths are relative to the current directory
_LINUX_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2
_DARWIN_SWAP = 2  # RENAME_SWAP of renamex_np


def exchange(first: Path, two: Path) -> None:
    """Let two names change places at once: nobody ever sees one of them missing.

    Raises OSError where the system or the file system has no such step.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a").write_text("first"), (folder / "b").write_text("second")
    >>> if can_exchange(folder):
    ...     exchange(folder / "a", folder / "b")
    ... else:
    ...     _ = (folder / "a").write_text("second")
    >>> (folder / "a").read_text()
    'second'
    """
    library = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(first), os.fsencode(two)
    try:
        if sys.platform == "darwin":
            failed = library.renamex_np(*names, ctypes.c_uint(_DARWIN_SWAP))
        else:
            failed = library.renameat2(_HERE, names[0], _HERE, names[1], ctypes.c_uint(_LINUX_EXCHANGE))
    except AttributeError:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), str(first)) from None
    if failed:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(first), None, str(two))


def can_exchange(folder: Path) -> bool:
    """Tell whether a folder's file system exchanges a directory and a symbolic link, by trying it."""
    directory, link = folder / "try-directory", folder / "try-link"
    try:
        directory.mkdir()
        link.symlink_to("nowhere")
        exchange(directory, link)
        link.rmdir()
        directory.unlink()
    except OSError:
        for left in (directory, link):
            if left.is_symlink():
                left.unlink()
            elif left.exists():
                left.rmdir()
        return False
    return True
