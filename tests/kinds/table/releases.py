"""Releases of small tables with classes of anybody's choosing, drawn by Hypothesis."""

from __future__ import annotations

import dataclasses

from hypothesis import strategies as st
from tests.kinds.table.drawn_tables import dataset_of, tables
from tests.kinds.table.given import publish

from sfumato.hierarchies.hierarchy import Hierarchy

ILL = {"flu": "lungs", "cold": "lungs", "ulcer": "belly", "gas": "belly", "lungs": "any", "belly": "any", "any": None}
LEAVES = ("flu", "cold", "ulcer", "gas")
ORDER = ("cold", "flu", "gas", "ulcer")


def members_of(release):
    """Members of generalised labels, column by column."""
    found: dict[str, dict[str, list[str]]] = {}
    for row in release.values.to_pylist():
        found.setdefault(row["column"], {}).setdefault(row["value"], []).append(row["member"])
    return found


def people_of(data):
    """The original records as Python values; None is missing."""
    scales = {column.name: column.scale for column in data.schema.columns}
    read = {"integer": int, "decimal": float}
    return [
        {name: None if text == "" else read.get(scales[name], str)(text) for name, text in row.items()}
        for row in data.table.to_pylist()
    ]


@st.composite
def drawn(draw, largest=14, **parameters):
    """Draw a table with a sensitive column and publish classes of it; nothing says that they are safe."""
    columns = draw(tables(largest))
    rows = len(columns[0].cells)
    ill = draw(st.lists(st.sampled_from(LEAVES), min_size=rows, max_size=rows))
    groups = draw(st.lists(st.integers(-1, 3), min_size=rows, max_size=rows))
    if all(group < 0 for group in groups):
        groups[0] = 0
    data = dataset_of(columns, ill=ill)
    known = [
        c if c.name != "ill" else dataclasses.replace(c, scale="ordered", order=ORDER) for c in data.schema.columns
    ]
    data = dataclasses.replace(
        data,
        schema=dataclasses.replace(data.schema, columns=tuple(known)),
        hierarchies={
            **data.hierarchies,
            **(
                {"ill": Hierarchy.from_parents({c: p for c, p in ILL.items() if p})}
                if parameters.get("distance") == "hierarchical"
                else {}
            ),
        },
    )
    return data, publish(data, groups, **parameters)
