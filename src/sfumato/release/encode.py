"""From recoded histories to a release: names of values, random order, numbers for people."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.secret import Secret
from sfumato.release.recoding import Recoding, name_values
from sfumato.release.release import OwnerRecord, PublishedColumn, Release, Result
from sfumato.release.run import Run
from sfumato.release.text import ValueFormat

__all__ = ["AT_LEAST_ONE", "Recoded", "number_names", "publish", "publishing_secret"]

AT_LEAST_ONE = "at least one of"


@dataclasses.dataclass(frozen=True, eq=False)
class Recoded:
    """Histories after a method has done its work, still in the owner's order.

    Parameters
    ----------
    rows
        Original row of each history that is left.
    offsets, codes
        The histories; codes point into ``groups``.
    groups
        Members of every published value.
    suppressed
        Values removed everywhere.
    suppressed_records
        Records left out, by reason.
    recoding
        The recoding, if it is the same for everybody.
    meaning
        How a generalised value is read; where it is ``at least one of``, a history holds every value once.

    Examples
    --------
    >>> Recoded(np.array([0]), np.array([0, 1]), np.array([0]), [("a", "b")]).groups
    [('a', 'b')]
    """

    rows: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int32]
    groups: Sequence[tuple[str, ...]]
    suppressed: tuple[str, ...] = ()
    suppressed_records: Mapping[str, int] = dataclasses.field(default_factory=dict)
    recoding: Recoding | None = None
    meaning: str = "one of"


def publishing_secret(dataset: Dataset, method: Method, run: Run) -> Secret:
    """Return the secret that orders one release: another one for other data, another method or other parameters.

    Two releases in the same order could be laid side by side, record by record.
    """
    return run.secret.for_data(dataset.table, repr(method))


def number_names(n: int) -> pa.Array:
    """Return the numbers from 1 as names; given after shuffling they say nothing about anyone.

    Examples
    --------
    >>> number_names(3).to_pylist()
    ['1', '2', '3']
    """
    return pa.array(np.arange(1, n + 1)).cast(pa.string())


def publish(
    dataset: Dataset,
    method: Method,
    guarantee: Guarantee,
    recoded: Recoded,
    run: Run,
    places: pa.Table | None = None,
) -> Result:
    """Make the release and its trace: shuffled, numbered, values in alphabetical order; with places, where those are.

    Nothing in the release depends on the order of the input: dictionaries are sorted, because the order
    in which values were first seen would tell who came first.
    """
    histories, groups = _sorted_values(recoded)
    order = publishing_secret(dataset, method, run).order(len(recoded.rows), "records")
    rows = np.asarray(recoded.rows, dtype=np.int64)[order]
    person, history = dataset.schema.identifier, dataset.schema.history
    table = pa.table({person: number_names(len(rows)), history: histories.take(order).to_arrow()})
    release = Release(
        kind=dataset.kind,
        method=method.name,
        method_note=method.note(guarantee),
        guarantee=guarantee,
        columns=(
            PublishedColumn(person, "identifier", ValueFormat("exact")),
            PublishedColumn(history, "history", ValueFormat("category", history=True, meaning=recoded.meaning)),
        ),
        table=table,
        values=_values_table(history, groups, recoded.suppressed),
        records_in=len(dataset),
        suppressed_records={reason: count for reason, count in recoded.suppressed_records.items() if count},
        places=places,
        unit=dataset.unit,
        place_origin=None if places is None or places.num_columns == 1 else dataset.place_origin,
    )
    owner_record = OwnerRecord(
        rows, run.secret, run.seconds, run.counters, method.parameters(), recoded.recoding, dataset
    )
    return Result(release, owner_record)


def _sorted_values(recoded: Recoded) -> tuple[ListColumn, dict[str, tuple[str, ...]]]:
    """Return the histories over alphabetically sorted names, and the members of the values that occur."""
    names = name_values(recoded.groups)
    used = np.zeros(len(names), dtype=bool)
    used[recoded.codes] = True
    labels = sorted({name for name, is_used in zip(names, used, strict=True) if is_used})
    position = {name: i for i, name in enumerate(labels)}
    recode = np.array([position.get(name, -1) for name in names], dtype=np.int32)
    codes = recode[recoded.codes] if len(names) else recoded.codes
    members = {name: tuple(sorted(g)) for name, g in zip(names, recoded.groups, strict=True) if name in position}
    histories = ListColumn(recoded.offsets, codes, tuple(labels))
    return histories.distinct() if recoded.meaning == AT_LEAST_ONE else histories, members


def _values_table(column: str, groups: Mapping[str, tuple[str, ...]], suppressed: tuple[str, ...]) -> pa.Table:
    listed: list[tuple[str | None, str]] = [
        (value, member) for value in sorted(groups) if len(groups[value]) > 1 for member in groups[value]
    ]
    listed += [(None, member) for member in sorted(suppressed)]
    return pa.table(
        {
            "column": pa.array([column] * len(listed), pa.string()),
            "value": pa.array([value for value, _ in listed], pa.string()),
            "member": pa.array([member for _, member in listed], pa.string()),
        }
    )
