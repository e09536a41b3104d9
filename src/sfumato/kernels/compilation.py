"""Whether kernels still have to be compiled."""

from pathlib import Path
from typing import Any

__all__ = ["is_compiled"]


def is_compiled(kernel: Any) -> bool:
    """Tell whether a kernel has been compiled and cached before, so that its first call is quick.

    Examples
    --------
    >>> is_compiled(len)
    True
    """
    stats = getattr(kernel, "stats", None)
    if stats is None or stats.cache_path is None:
        return True
    module = kernel.py_func.__module__.rsplit(".", 1)[-1]
    return any(Path(stats.cache_path).glob(f"{module}.{kernel.py_func.__name__}-*.nbi"))
