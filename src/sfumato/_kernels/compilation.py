"""Notices when kernels are compiled, which takes a while and happens once on a machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["notice_compilation"]


@contextmanager
def notice_compilation(callback: Callable[[], None]) -> Iterator[None]:
    """Call back when the first kernel begins to be compiled, whoever runs it; not for kernels kept from earlier runs.

    Examples
    --------
    >>> from numba import njit
    >>> @njit
    ... def double(x):
    ...     return 2 * x
    >>> with notice_compilation(lambda: print("compiling")):
    ...     doubled = double(1), double(2)
    compiling
    >>> with notice_compilation(lambda: print("compiling")):
    ...     doubled = double(3)
    """
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]
        notified = False

        def on_start(self, _: event.Event) -> None:
            if not self.notified:
                self.notified = True
                callback()

        def on_end(self, _: event.Event) -> None:
            """What has ended was told when it began."""

    listener = Listener()
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)
