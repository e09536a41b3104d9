"""Snapshots: records with a time, attributes and one sensitive value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.data.record_unit import RECORD
from sfumato.formats.memory import Readable, as_place
from sfumato.kinds.snapshots.reader.records import SnapshotRecords
from sfumato.readers.notes import SUMMARY
from sfumato.readers.options import ReadOptions
from sfumato.readers.sources import Source

__all__ = ["read"]

_SORTED = "{rows} {rows:row was|rows were} earlier than the one before; all rows were sorted by time."
_SUMMARY = (
    "Found {snapshots} {snapshots:snapshot|snapshots} with records, {span} from first to last, and {values} sensitive "
    "{values:value|values}."
)


def read(path: Readable, read_options: ReadOptions) -> Dataset:
    """Read records with their times, one row each, in the order of time and, at the same time, of the file.

    Dates are cut to the resolution, a day unless another is given: all records of a day are a snapshot. Whole numbers
    are snapshots as they are. Each column needs a role (``quasi-identifier``, ``plain``; the sensitive one by
    ``sensitive``) or is left out by ``drop``.

    Parameters
    ----------
    path
        The file: CSV, Parquet or JSON lines, possibly packed as ``.gz`` or ``.xz``.
    read_options
        How to read it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "cases.csv"
    >>> _ = file.write_text("date,age,disease\\n2024-01-02,30,flu\\n2024-01-02,40,cold\\n2024-01-05,50,flu\\n")
    >>> cases = read(file, ReadOptions("snapshots", columns={"qi": "age"}, sensitive=("disease",)))
    >>> cases.table.to_pydict()
    {'time': [19724, 19724, 19727], 'age': ['30', '40', '50'], 'disease': ['flu', 'cold', 'flu']}
    >>> for note in cases.notes:
    ...     print(note)
    Read 3 rows of cases.csv.
    Reading `date` as time.
    Reading `age` as quasi-identifier.
    Reading `disease` as sensitive.
    A snapshot is a day.
    Found 2 snapshots with records, 4 from first to last, and 2 sensitive values.
    """
    source = Source(as_place(path), read_options)
    table = source.table()
    records = SnapshotRecords(source.name, read_options)
    times, cells = records.read(table)
    order = np.argsort(times, kind="stable")
    late = int((np.diff(times) < 0).sum())
    order_notes = [Note("rows-sorted", _SORTED, {"rows": late})] if late else []
    times, cells = times[order], cells.take(pa.array(order)) if late else cells
    values = len(cells.column(records.shape.sensitive).unique())
    counts = {"snapshots": len(np.unique(times)), "span": int(times.max() - times.min()) + 1, "values": values}
    return Dataset(
        records.shape.schema(),
        cells.add_column(0, "time", pa.array(times, pa.int64())),
        notes=(*records.notes(), *source.notes, *order_notes, Note(SUMMARY, _SUMMARY, counts)),
        read_options=read_options.to_dict(),
        time_unit=records.time_unit,
        unit=RECORD,
    )
