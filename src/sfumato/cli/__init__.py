"""The command line: one command per step, drawn from the registry."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

__all__ = ["main"]

_STOPPED = 130


def main() -> NoReturn:
    """Run the command line; errors people can act on end with code 2, broken releases with code 1."""
    from sfumato.cli.app import app
    from sfumato.cli.output import fail
    from sfumato.core.errors import SfumatoError, VerificationError

    # A terminated run cleans up like one stopped by Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = app(standalone_mode=False)
    except KeyboardInterrupt:
        code = _STOPPED
    except VerificationError as error:
        fail(str(error), 1)
    except SfumatoError as error:
        fail(str(error), 2)
    except OSError as error:
        fail(f"{error.filename or 'a file'}: {error.strerror or type(error).__name__}.", 2)
    except Exception as error:
        _fail_unexpectedly(error)
    if code == _STOPPED:
        fail("stopped; nothing was published.", _STOPPED)
    sys.exit(code if isinstance(code, int) else 0)


def _fail_unexpectedly(error: Exception) -> NoReturn:
    """Report usage errors as such, and anything else without its message: that could hold personal data."""
    from typer import Abort

    from sfumato.cli.output import fail

    show, code = getattr(error, "show", None), getattr(error, "exit_code", None)
    if show is not None and isinstance(code, int):
        show()
        sys.exit(code)
    if isinstance(error, Abort):
        fail("stopped; nothing was published.", _STOPPED)
    if os.environ.get("SFUMATO_DEBUG"):
        raise error
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f"{frame.tb_frame.f_code.co_name}, line {frame.tb_lineno}" if frame else "unknown place"
    fail(
        f"unexpected {type(error).__name__} in {where}. The message is not shown because it may hold personal "
        "data; set SFUMATO_DEBUG=1 to see it, and please report the fault.",
        70,
    )
