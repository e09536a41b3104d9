"""Reader of trajectories: places of people in the order of their visits."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.schema import Schema
from sfumato.formats.memory import Readable, as_place
from sfumato.kinds.trajectories import KIND
from sfumato.kinds.trajectories.reader.places import find_places
from sfumato.kinds.trajectories.reader.values import find_hierarchies, read_constraints
from sfumato.kinds.trajectories.reader.visits import Visits
from sfumato.readers.constraints import resolve_sensitive
from sfumato.readers.options import ReadOptions
from sfumato.readers.visits import arrange_visits, renumber

__all__ = ["read"]


def read(path: Readable, read_options: ReadOptions) -> Dataset:
    """Read trajectories: one row per person, with the places in the order of the visits.

    Columns are ``person, time, place, x, y``, or other names given by ``read_options.columns``, or names that
    scikit-mobility, check-in files and event logs use. SPMF sequences and the files of Foursquare (TSMC),
    Gowalla and Brightkite, which have no header, are recognised. A place visited several times in a row
    counts once. Places of a record at the same moment are in the order of their names; without times, visits stay in
    the order of the file. The notes of the dataset say what was done.

    Parameters
    ----------
    path
        The file: CSV, Parquet, JSON lines or SPMF text, possibly packed as ``.gz`` or ``.xz``.
    read_options
        How to read it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "visits.csv"
    >>> _ = file.write_text("uid,time,place\\n7,2,park\\n8,1,home\\n7,1,home\\n7,3,park\\n")
    >>> visits = read(file, ReadOptions("trajectories"))
    >>> visits.table.column("person").to_pylist(), visits.history().lists()
    (['7', '8'], [['home', 'park'], ['home']])
    >>> for note in visits.notes:
    ...     print(note)
    Read 4 rows of visits.csv.
    Reading `uid` as person.
    Joined 1 visit with the one before at the same place.
    Found 2 people, 3 visits and 2 places.
    """
    visits = Visits.of(as_place(path), read_options)
    times = visits.times()
    records = visits.records(times)
    person = visits.people()
    places = find_places(visits, person)
    moments = None if times is None else times.order
    rows, sharing = arrange_visits(records.codes, moments, places.codes, places.labels)
    codes, old, first = renumber(places.codes[rows])
    labels = [places.labels[code] for code in old]
    who, starts = np.unique(records.codes[rows], return_index=True)
    offsets = np.append(starts, len(rows)).astype(np.int64)
    record_people = visits.find_people(records, who, rows[starts])
    visits.report(int((places.codes < 0).sum()), len(rows), sharing, record_people.unit, len(who), len(labels))
    visits.notes.extend(record_people.note(len(who)))
    people = records.labels.take(pa.array(who))
    table = places.tabulate(old)
    return Dataset(
        Schema(
            "trajectories",
            KIND.columns,
            resolve_sensitive(read_options.sensitive, labels, visits.name),
        ),
        pa.table({"person": people, "places": ListColumn(offsets, codes, tuple(labels)).to_arrow()}),
        table,
        find_hierarchies(read_options, visits.name, labels, (rows[first] + 1).tolist(), table),
        read_constraints(read_options, labels, visits.notes),
        tuple(visits.notes),
        read_options.to_dict(),
        unit=record_people.unit,
        people=record_people.people,
        place_origin=places.origin,
        observations=places.observations(person, old),
    )
