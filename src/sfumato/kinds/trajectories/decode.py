"""Published trajectories as those who check them look at them."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from sfumato.data.lists import ListColumn
from sfumato.release.release import Release

__all__ = ["leave_out", "list_sensitive"]


def list_sensitive(release: Release) -> tuple[str, ...]:
    """Return the places that the claim of a release calls sensitive; none where it knows no such places.

    Nobody is taken to know that someone visited them.
    """
    return tuple(getattr(release.guarantee, "sensitive", ()))


def leave_out(histories: ListColumn, places: Collection[str]) -> ListColumn:
    """Return histories without the visits to some places.

    Examples
    --------
    >>> leave_out(ListColumn.from_lists([["a", "clinic", "b"], ["clinic"]]), ("clinic",)).lists()
    [['a', 'b'], []]
    """
    gone = set(places)
    retained = np.array([label not in gone for label in histories.labels], dtype=bool)
    return histories.keep(retained[histories.codes])
