"""Places that people visited, in order."""

from __future__ import annotations

from sfumato.core.kind import TABLES, Kind
from sfumato.core.schema import Column

__all__ = ["KIND"]

KIND = Kind(
    "the places that a person visited, in order",
    (Column("person", "identifier"), Column("places", "history")),
    options=(
        "sensitive",
        "hierarchies",
        "hierarchy_root",
        "constraints",
        "places",
        "places_file",
        "split",
        "zone",
        "coordinates",
        "unit",
    ),
    formats=(*TABLES, "spmf"),
    told={
        "row": "the places that one record visited, in the order of the visits",
        "history": "the places in the order of the visits, each as itself or as a value that stands for several places",
    },
    entries={"places": "place"},
    position="visit",
    exports=("geojson", "spmf"),
    reasons=("no place left after suppression", "more places than enough others have"),
    advised=("local-km", "seqanon"),
    headline=("average-relative-error", "distance"),
    usual={"k": (3, 5, 10), "m": (2,), "infeasible": ("suppress",)},
)
