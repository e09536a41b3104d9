"""What is special to the releases of one kind of data, one file per kind.

A file says which roles the columns have (``ROLES``: role to the numbers of columns allowed; a column of any other role
is none of a release) and how they must fit together (``check_columns``), which further tables there may be (``PARTS``,
none if it does not say), whether a published history may be empty (``EMPTY_HISTORIES``), and what else must hold:
``SHAPE_CHECKS`` before anything is read, ``CONTENT_CHECKS`` afterwards. A check returns None, or a witness of what is
wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sfumato.core.release import Release

__all__ = ["Check", "Witness"]

Witness = dict[str, Any] | None
Check = tuple[str, Callable[[Release], Witness]]
