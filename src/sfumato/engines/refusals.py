"""Why files of a cluster cannot be read or written, in plain words."""

from __future__ import annotations

import re

__all__ = ["explain"]

_REASONS = {
    "AccessControlException|AccessDenied|Permission denied|403 Forbidden": "you have no permission for it",
    "UnsupportedFileSystemException|No FileSystem for scheme|DATA_SOURCE_NOT_FOUND": "Spark does not know this scheme",
    "PATH_NOT_FOUND|FileNotFoundException|NoSuchBucket": "there is no such place",
    "UnknownHostException|ConnectException|SocketTimeoutException": "its machine does not answer",
    "URISyntaxException|IllegalArgumentException": "this names no place",
}
"""What file systems say in their many ways."""


def explain(error: Exception) -> str:
    """Say why something failed; what Spark says may quote what it read, and stays in its log.

    Examples
    --------
    >>> explain(ValueError("java.io.FileNotFoundException: /data (Permission denied)"))
    'you have no permission for it'
    >>> explain(ValueError("ann was at the cafe"))
    'Spark failed (ValueError); its log says why'
    """
    message = str(error)
    explanation = next((reason for signs, reason in _REASONS.items() if re.search(signs, message)), "")
    return explanation or f"Spark failed ({type(error).__name__}); its log says why"
