"""Loads Numba ahead, in a thread, while something else waits for a file; what no kernel needs is left out."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable

__all__ = ["load_ahead"]


def load_ahead() -> Callable[[], None]:
    """Begin to load what kernels run on, and return what waits until it is there.

    For processes of our own: Numba is told that there is no linear algebra, which no kernel here uses, because SciPy's
    takes longer to load than all of Numba. If it cannot be loaded ahead, the first kernel loads it as ever.

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
        _leave_out_linear_algebra()
        _prepare()
    except (ImportError, AttributeError):  # another Numba: the first kernel tells what is the matter
        return


def _leave_out_linear_algebra() -> None:
    """Import what looks for linear algebra while it is said that there is none."""
    from numba.np import linalg

    found = linalg.ensure_blas

    def say_none() -> None:
        raise ImportError("no kernel needs linear algebra")

    linalg.ensure_blas = say_none
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = found


def _prepare() -> None:
    """Let Numba prepare what it otherwise prepares when the first kernel is called."""
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import cpu_target

    with global_compiler_lock:
        cpu_target.target_context.refresh()
