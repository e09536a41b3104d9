"""Loads Numba ahead, in a thread, while something else waits for a file; what only compiling needs is left out."""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["load_ahead"]

_UNUSED = ("scipy", "yaml")
"""What Numba looks for and works without: linear algebra, and files that configure it."""


def load_ahead() -> Callable[[], None]:
    """Begin to load what kernels run on, and return what waits until it is there.

    For processes of our own. Kernels that were compiled earlier are taken from disk as they are: all that Numba knows
    about typing and compiling, which takes half its time, is loaded when a kernel has to be compiled. If Numba cannot
    be loaded so, the first kernel loads it as ever.

    Examples
    --------
    >>> wait = load_ahead()
    >>> wait()
    """
    thread = threading.Thread(target=_load, name="kernels", daemon=True)
    thread.start()
    return thread.join


def _load() -> None:
    try:
        _import_numba()
        _take_kernels_as_they_are()
    except (ImportError, AttributeError):  # another Numba: the first kernel tells what is the matter
        return


def _import_numba() -> None:
    """Import Numba, and what looks for linear algebra, while it is said that there is nothing of what is not used."""
    absent: dict[str, Any] = {name: None for name in _UNUSED if name not in sys.modules}
    sys.modules.update(absent)
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        for name in absent:
            sys.modules.pop(name, None)


def _take_kernels_as_they_are() -> None:
    """Load kept kernels without what compiles; but for it, what they call is there."""
    from numba.core.caching import Cache
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import cpu_target
    from numba.core.runtime import rtsys

    # Tells the linker of the numbers that hashes begin with.
    importlib.import_module("numba.cpython.hashing")
    with global_compiler_lock:
        rtsys.initialize(cpu_target.target_context)
    usual = Cache.load_overload
    if hasattr(usual, "__wrapped__") or not hasattr(Cache, "_load_overload"):
        return

    @functools.wraps(usual)
    def load_overload(self: Any, sig: Any, target_context: Any) -> Any:
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    Cache.load_overload = load_overload
