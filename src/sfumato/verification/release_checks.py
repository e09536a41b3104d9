"""What is special to the releases of one kind of data: its verifiers declare it as one object, found by its type."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.kind import find_kind
from sfumato.release.release import Release

if TYPE_CHECKING:
    from sfumato.verification.people import GroupSize

__all__ = ["Check", "Counterexample", "Findings", "OrderCheck", "ReleaseChecks", "find_checks"]

Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None
Check = tuple[str, Callable[[Release], Counterexample]]
Findings = Iterator[tuple[str, str]]
OrderCheck = Callable[[Release], Findings]


def _accept(release: Release) -> Counterexample:  # noqa: ARG001
    return None


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReleaseChecks:
    """What must hold for every release of a kind of data. Its verifiers declare exactly one.

    A check returns None, or a witness of what is wrong.

    Parameters
    ----------
    roles
        Numbers of columns that may have each role; a column of another role is none of a release.
    extra_tables
        Names of the further tables that there may be.
    column_names
        What columns are called; as a file calls them if none is named.
    empty_histories
        Whether a published history may be empty.
    removes_values
        Whether ``values.csv`` lists values that were removed everywhere.
    has_places
        Whether there may be a table of places.
    needs_original
        Whether published files alone never show that a claim holds, so that releases are compared with the original
        before they are left on disk.
    check_columns
        How columns must fit together.
    shape_checks
        What must hold before anything is counted.
    content_checks
        What must hold besides.
    order_checks
        Where order and numbers could say something.
    group_noun, find_smallest_groups
        What a claim counts people in, and how to find all of these; None where a record is nobody's.

    Examples
    --------
    >>> wishes = ReleaseChecks(roles={"identifier": (1,), "history": (1,)})
    >>> wishes.extra_tables, wishes.removes_values
    ((), False)
    >>> ReleaseChecks(roles={}, remove_values=True)
    Traceback (most recent call last):
        ...
    TypeError: ...
    """

    roles: Mapping[str, Collection[int]]
    extra_tables: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()
    empty_histories: bool = False
    removes_values: bool = False
    has_places: bool = False
    needs_original: bool = False
    check_columns: Callable[[Release], Counterexample] = _accept
    shape_checks: tuple[Check, ...] = ()
    content_checks: tuple[Check, ...] = ()
    order_checks: tuple[OrderCheck, ...] = ()
    group_noun: str = "group"
    find_smallest_groups: Callable[[Release, Dataset, Ints, Ints], Iterator[GroupSize]] | None = None


@functools.cache
def find_checks(kind: str) -> ReleaseChecks:
    """Return what the verifiers of a kind declare of its releases.

    Examples
    --------
    >>> find_checks("sets").extra_tables
    ('clusters',)
    """
    return find_kind(kind).release_checks.load()
