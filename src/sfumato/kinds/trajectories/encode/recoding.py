"""From places that belong together to recoded trajectories, still in the owner's order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.kinds.trajectories import KIND
from sfumato.kinds.trajectories.dataset.histories import Trajectories
from sfumato.messages import Message, option
from sfumato.release.encode import Recoded
from sfumato.release.recoding import Recoding

__all__ = ["EMPTY", "apply_recoding", "recode_places", "recode_visits"]

EMPTY, _ = KIND.suppression_reasons
"""Why a record is suppressed whose places were all removed."""


def recode_places(rows: Trajectories, group: npt.NDArray[np.int32]) -> Recoded:
    """Recode rows, every ordinary place as its group; group -1 is removed.

    ``group`` holds, for each place, the smallest code of the group it belongs to. Rows that end empty
    are suppressed.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> rows = Trajectories.of(Dataset.of("trajectories", [["a", "b"], ["c"], ["b", "c"]]))
    >>> recoded = recode_places(rows, np.array([0, 0, -1], np.int32))
    >>> recoded.rows.tolist(), recoded.groups, recoded.suppressed, recoded.suppressed_records
    ([0, 2], (('a', 'b'),), ('c',), {'no place left after suppression': 1})
    """
    codes = rows.histories.codes
    published = np.where(rows.is_sensitive, np.arange(len(group)), group).astype(np.int32)
    image = published[codes]
    recoded = ListColumn(rows.histories.offsets, image, rows.histories.labels).keep(image >= 0)
    left = recoded.lengths > 0
    recoded = recoded.take(np.flatnonzero(left))
    occurring = np.zeros(len(group), dtype=bool)
    occurring[codes] = True
    members: dict[int, list[str]] = {}
    for code in np.flatnonzero(occurring & (published >= 0)):
        members.setdefault(int(published[code]), []).append(rows.histories.labels[code])
    position = np.full(len(group), -1, dtype=np.int32)
    position[list(members)] = np.arange(len(members))
    groups = tuple(tuple(sorted(names)) for names in members.values())
    suppressed = tuple(sorted(rows.histories.labels[c] for c in np.flatnonzero(occurring & (published < 0))))
    return Recoded(
        rows.rows[left],
        recoded.offsets,
        position[recoded.codes],
        groups,
        suppressed,
        {EMPTY: int((~left).sum())},
        Recoding(rows.dataset.schema.history, tuple(sorted(groups)), suppressed),
    )


def recode_visits(
    rows: Trajectories, value: npt.NDArray[np.int64], members: Sequence[npt.NDArray[np.int64]]
) -> Recoded:
    """Recode rows, every ordinary visit as a value of its own; sensitive places stay as they are.

    ``value`` holds a number for each ordinary visit, and ``members`` the places that each value stands for.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> rows = Trajectories.of(Dataset.of("trajectories", [["a", "f"], ["a", "b"]], sensitive=("f",)))
    >>> recoded = recode_visits(rows, np.array([0, 1, 1]), [np.array([0]), np.array([0, 2])])
    >>> recoded.codes.tolist(), recoded.groups
    ([0, 2, 1, 1], [('a',), ('a', 'b'), ('f',)])
    """
    labels, codes = rows.histories.labels, rows.histories.codes
    groups = [tuple(sorted(labels[place] for place in places.tolist())) for places in members]
    is_sensitive = rows.is_sensitive[codes]
    visited, which = np.unique(codes[is_sensitive], return_inverse=True)
    published = np.empty(len(codes), np.int32)
    published[~is_sensitive] = value
    published[is_sensitive] = which + len(groups)
    groups += [(labels[place],) for place in visited.tolist()]
    return Recoded(rows.rows, rows.histories.offsets, published, groups)


def apply_recoding(rows: Trajectories, recoding: Recoding, unknown: str) -> Recoded:
    """Recode rows as a recoding learnt elsewhere says.

    A place the recoding does not know is an error that names rows, or is removed (``unknown="suppress"``).

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> rows = Trajectories.of(Dataset.of("trajectories", [["a", "b"], ["c"]]))
    >>> apply_recoding(rows, Recoding("places", (("a", "b"),)), "suppress").suppressed
    ('c',)
    >>> apply_recoding(rows, Recoding("places", (("a", "b"),)), "error")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: 1 places are not in the recoding; 1 records have them, first rows 2. Remove
    these visits: unknown='suppress', or anonymise the batch anew.
    """
    if unknown not in {"error", "suppress"}:
        raise ParameterError(Message(option("unknown"), f" must be error or suppress, got {unknown!r}."))
    histories = rows.histories
    number = {place: i for i, group in enumerate(recoding.groups) for place in group}
    covered = set(recoding.suppressed) | set(number)
    strange = np.array([label not in covered for label in histories.labels], dtype=bool)
    records = np.unique(histories.row_of_token[strange[histories.codes]])
    if len(records) and unknown == "error":
        shown = ", ".join(str(row + 1) for row in records[:5])
        raise SchemaError(
            f"{int(strange.sum())} places are not in the recoding; {len(records)} records have them, first rows "
            f"{shown}.",
            rows=(records[:5] + 1).tolist(),
            hint=Message("Remove these visits: ", option("unknown", "suppress"), ", or anonymise the batch anew."),
        )
    position = np.array([number.get(label, -1) for label in histories.labels], dtype=np.int32)
    image = position[histories.codes]
    recoded = ListColumn(histories.offsets, image, histories.labels).keep(image >= 0)
    left = np.flatnonzero(recoded.lengths > 0)
    recoded = recoded.take(left)
    removed = {label for label, is_new in zip(histories.labels, strange, strict=True) if is_new}
    return Recoded(
        rows.rows[left],
        recoded.offsets,
        recoded.codes,
        recoding.groups,
        tuple(sorted({*recoding.suppressed, *removed})),
        {EMPTY: len(rows) - len(left)},
        recoding,
    )
