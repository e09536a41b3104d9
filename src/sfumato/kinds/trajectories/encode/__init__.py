"""From recoded trajectories to a release: histories, and what may be published of where their places are."""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.places import CELLS
from sfumato.exceptions import SchemaError
from sfumato.kinds.trajectories.encode.places import note_hidden_places, publish_places
from sfumato.release.encode import Recoded, publish
from sfumato.release.release import Release, Result
from sfumato.release.run import Run

__all__ = ["publish_batch", "publish_trajectories"]


def publish_trajectories(dataset: Dataset, method: Method, guarantee: Guarantee, recoded: Recoded, run: Run) -> Result:
    """Make the release and its trace, with the places that published values stand for."""
    shown = {place for code in np.unique(recoded.codes).tolist() for place in recoded.groups[code]}
    places = publish_places(dataset, sorted(shown), getattr(guarantee, "k", 1))
    if hidden := note_hidden_places(places):
        run.notes.append(hidden)
    return publish(dataset, method, guarantee, recoded, run, places)


def publish_batch(dataset: Dataset, method: Method, recoded: Recoded, earlier: Release, run: Run) -> Result:
    """Make the release of a later batch, under the guarantee of the earlier one and with the places of both."""
    result = publish_trajectories(dataset, method, earlier.guarantee, recoded, run)
    return dataclasses.replace(result, release=_add_places(result.release, earlier))


def _add_places(release: Release, earlier: Release) -> Release:
    """Add the places that only the earlier batch visited: they are members of the same values.

    Where coordinates come from the visits, nobody of this batch was there, and none are published.
    """
    if release.places is None or earlier.places is None:
        return release
    if release.places.schema != earlier.places.schema or release.place_origin != earlier.place_origin:
        raise SchemaError("The places of the batch do not have the columns of the release's places.")
    shown = {m for members in release.members().values() for m in members} - set(release.places["place"].to_pylist())
    more = earlier.places.filter(pc.is_in(earlier.places["place"], pa.array(sorted(shown), pa.string())))
    if release.place_origin is not None and release.place_origin.source == CELLS:
        more = pa.table({field.name: _blank(more, field) for field in more.schema}, schema=more.schema)
    return dataclasses.replace(release, places=pa.concat_tables([release.places, more]).sort_by("place"))


def _blank(places: pa.Table, field: pa.Field) -> pa.Array:
    return places.column("place") if field.name == "place" else pa.nulls(places.num_rows, field.type)
