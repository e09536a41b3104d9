"""Errors for columns that a kind of data needs: one that a file lacks, and times that are no dates."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.exceptions import SchemaError
from sfumato.messages import Message, option

__all__ = ["refuse_resolution", "refuse_without"]


def refuse_without(name: str, role: str, usual: Sequence[str] = ()) -> SchemaError:
    """Return the error for a file without a column of a role.

    Parameters
    ----------
    name
        Of the file.
    role
        The role that no column has.
    usual
        Names of columns that are known to have this role.

    Examples
    --------
    >>> print(refuse_without("visits.csv", "person", ("uid", "user")))
    visits.csv: there is no column for the person. Name it: columns={'person': 'NAME'}. Known names: person, uid, user.
    """
    names = f" Known names: {', '.join((role, *usual[:3]))}." if usual else ""
    return SchemaError(
        f"{name}: there is no column for the {role}.",
        option="columns",
        hint=Message("Name it: ", option("columns", {role: "NAME"}), ".", names),
    )


def refuse_resolution(name: str, column: str, resolution: str) -> SchemaError:
    """Return the error for a resolution of times that are numbers.

    Examples
    --------
    >>> print(refuse_resolution("visits.csv", "time", "day"))
    visits.csv: resolution='day' needs dates, but column 'time' holds numbers. Write dates as 2012-04-30T18:00:09Z, or
    leave the resolution out.
    """
    return SchemaError(
        Message(f"{name}: ", option("resolution", resolution), f" needs dates, but column {column!r} holds numbers."),
        column=column,
        hint="Write dates as 2012-04-30T18:00:09Z, or leave the resolution out.",
    )
