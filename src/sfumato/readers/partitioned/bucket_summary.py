"""Summaries of buckets: their values and places, and the frequency of these."""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.data.sort_key import Survey
from sfumato.readers.partitioned.passes import BucketFacts
from sfumato.readers.partitioned.reading import ReadWhole
from sfumato.readers.partitioned.records import list_labels, strip

__all__ = ["BucketSummary"]


class BucketSummary:
    """The values and places of all buckets that were read so far."""

    def __init__(self) -> None:
        self.codes: dict[str, dict[str, int]] = {}
        self.survey: Survey | None = None
        self.places: pa.Table | None = None

    def add(self, facts: BucketFacts) -> BucketFacts:
        """Add the values and places of a bucket; return the bucket without them."""
        labels = list_labels(facts.dataset.table)
        for name, texts in labels.items():
            codes = self.codes.setdefault(name, {})
            for text in texts:
                codes.setdefault(text, len(codes))
        column = next((field.name for field in facts.dataset.schema.columns if field.role == "history"), None)
        if column is not None and facts.survey is not None:
            self._count(facts.survey, [self.codes[column][text] for text in labels[column]], len(self.codes[column]))
        if facts.dataset.places is not None:
            self._place(facts.dataset.places)
        bare = dataclasses.replace(strip(facts.dataset, dict.fromkeys(labels, ())), places=None)
        return dataclasses.replace(facts, dataset=bare, description=_describe_schema(facts.dataset), survey=None)

    def _count(self, bucket_survey: Survey, at: list[int], size: int) -> None:
        limits, timed = np.iinfo(np.int64), len(bucket_survey.first) > 0
        counts, first, last = (
            np.full(size if timed or not edge else 0, edge, np.int64) for edge in (0, limits.max, limits.min)
        )
        before = slice(0, 0 if self.survey is None else len(self.survey.counts))
        for survey, where in ((self.survey, before), (bucket_survey, at)):
            if survey is None:
                continue
            counts[where] += survey.counts
            if timed:
                first[where] = np.minimum(first[where], survey.first)
                last[where] = np.maximum(last[where], survey.last)
        self.survey = Survey(counts, first, last)

    def _place(self, places: pa.Table) -> None:
        """Add new places; refuse places with other coordinates than before."""
        if self.places is None:
            self.places = places
            return
        at = pc.index_in(places.column("place"), value_set=self.places.column("place").combine_chunks())
        axes = ("lon", "lat") if "lon" in places.column_names else ("x", "y")
        again = at.is_valid()
        seen = self.places.take(at.drop_null())
        if any(not places.column(axis).filter(again).equals(seen.column(axis)) for axis in axes):
            raise ReadWhole("coordinates of places vary, and their means need all rows")
        self.places = pa.concat_tables([self.places, places.filter(pc.invert(again))]).combine_chunks()

    def labels(self) -> dict[str, list[str]]:
        """Return all values by column, in alphabetical order."""
        return {name: sorted(codes) for name, codes in self.codes.items()}

    def sort_survey(self, column: str | None) -> Survey:
        """Return the counts in the order of :meth:`labels`."""
        if self.survey is None or column is None:
            nothing = np.zeros(0, np.int64)
            return Survey(nothing, nothing, nothing)
        order = np.array([self.codes[column][text] for text in sorted(self.codes[column])], dtype=np.int64)
        timed = len(self.survey.first) > 0
        return Survey(self.survey.counts[order], *(moments[order] if timed else moments for moments in self.survey[1:]))


def _describe_schema(dataset: Dataset) -> str:
    """Return a description of all that must be the same in all buckets."""
    types = [field.type for field in dataset.table.schema]
    about = (dataset.schema, dataset.time_unit, dataset.unit, dataset.place_origin, dataset.people is None, types)
    columns = None if dataset.places is None else dataset.places.column_names
    return repr((about, columns, sorted(dataset.hierarchies), sorted(dataset.read_options.items())))
