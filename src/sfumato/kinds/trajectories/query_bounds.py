"""What trajectories, original or published, say about who was where, and in which order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.queries.categories import list_categories
from sfumato.queries.events import MANY, Events
from sfumato.queries.published_view import Names, PublishedView, Values
from sfumato.release.release import Release

__all__ = ["of_dataset", "of_release"]

_APART = 1 << 20
"""So far apart are the numbers of two visits in a row: there is room for removed ones between them."""
_REMOVED = "places that were removed from all records may be anywhere in any record."


def of_dataset(dataset: Dataset) -> PublishedView:
    """Read an original: every visit is what it is.

    Examples
    --------
    >>> of_dataset(Dataset.of("trajectories", [["cafe", "clinic"], ["clinic"]])).history.names.labels
    ('cafe', 'clinic')
    """
    histories = dataset.view_history()
    names = Names(histories.labels, list_categories(dataset.hierarchies.get("place")))
    events = Events.of(
        len(histories),
        histories.row_of_token,
        histories.codes,
        Values.exact(len(histories.labels)),
        names,
        "position",
        lo=_number_visits(histories),
    )
    return PublishedView(dataset.unit, len(dataset), history=events, people=dataset.person_codes(), exact=True)


def of_release(release: Release) -> PublishedView:
    """Read what is published: visits in their order, each one of its members, and places that may have been removed.

    Examples
    --------
    >>> import sfumato as sf
    >>> where = {"cafe": (0, 0), "bar": (1, 0), "clinic": (9, 9)}
    >>> data = sf.Dataset.of("trajectories", [["cafe", "clinic"], ["bar", "clinic"], ["clinic"]], where)
    >>> release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32)).release
    >>> of_release(release).history.values.sizes.tolist()
    [1, 2]
    """
    histories, removed = release.history(), release.suppressed()
    members: Mapping[str, tuple[str, ...]] = release.members()
    meanings = [members.get(label, (label,)) for label in histories.labels]
    labels = tuple(sorted({*removed, *(member for meaning in meanings for member in meaning)}))
    code = {label: at for at, label in enumerate(labels)}
    values = [[code[member] for member in meaning] for meaning in meanings]
    record, value, at = histories.row_of_token, histories.codes.astype(np.int64), _number_visits(histories)
    last, least, most = at, np.ones(len(at), np.int64), np.ones(len(at), np.int64)
    if removed:
        # One more entry of every record: any number of visits to removed places, before, between and after the others.
        rows = len(histories)
        values.append([code[place] for place in removed])
        record = np.concatenate([record, np.arange(rows)])
        value = np.concatenate([value, np.full(rows, len(values) - 1)])
        at, last = np.concatenate([at, np.full(rows, -_APART)]), np.concatenate([at, histories.lengths * _APART])
        least = np.concatenate([least, np.zeros(rows, np.int64)])
        most = np.concatenate([most, np.full(rows, MANY)])
    events = Events.of(
        len(histories),
        record,
        value,
        Values.of(values),
        Names(labels, {name: places for name, places in members.items() if name not in code}),
        "position",
        lo=at,
        hi=last,
        least=least,
        most=most,
    )
    return PublishedView(
        release.unit,
        len(release),
        sum(release.suppressed_records.values()),
        events,
        notes=(_REMOVED,) if removed else (),
    )


def _number_visits(histories: ListColumn) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Number the visits of every record from 0 on, with room between them."""
    within = np.arange(len(histories.codes)) - np.repeat(histories.offsets[:-1], histories.lengths)
    return np.asarray(within * _APART, dtype=np.int64)
