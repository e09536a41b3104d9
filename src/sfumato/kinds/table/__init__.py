"""Tables of people: attributes, no history."""

from __future__ import annotations

from sfumato.core.kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    "a person with attributes",
    (),
    options=(
        *(
            "identifier",
            "quasi",
            "sensitive",
            "plain",
            "scales",
            "hierarchies",
            "hierarchy_root",
            "plain_anyway",
            "population",
            "weight",
        ),
        "unit",
    ),
    told={
        "row": "one record",
        "quasi-identifier": "an attribute, perhaps made coarser; an empty text says that there is no value",
        "count": "how many people of the population fit these cells",
        "mean": "the mean of the column over the records with these cells",
        "column": "the column that is told about",
        "value": "a value of it",
        "parent": "the value above it, if it has one",
        "means table": "the means of numeric columns over the records with the same cells",
        "population table": "how many people of a public population fit each combination of cells",
        "sensitive-order table": "the order, or the tree, in which values of sensitive columns are near to each other",
    },
    reasons=("too few records alike",),
    advised=("mondrian", "optimal"),
    headline=("attribute-queries", "ncp"),
    usual={"k": (3, 5, 10), "l": (1, 2)},
)
