"""Small tables with sets, drawn at random."""

from __future__ import annotations

from hypothesis import strategies as st

import sfumato as sf
from sfumato.core.hierarchy.derive import balanced

ITEMS = "abcdefgh"
CITIES = ("x", "y", "z")


@st.composite
def datasets(draw: st.DrawFn, sensitive: bool = False) -> sf.Dataset:
    """Numbers, labels with or without a hierarchy, missing values, empty sets."""
    size = draw(st.integers(4, 24))
    ages = st.one_of(st.none(), st.integers(0, 9))
    cities = st.one_of(st.none(), st.sampled_from(CITIES))
    rows = draw(st.lists(st.tuples(ages, cities), min_size=size, max_size=size))
    sets = st.lists(st.sampled_from(ITEMS), max_size=4, unique=True)
    items = draw(st.lists(sets, min_size=size, max_size=size))
    hidden = draw(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=2, unique=True)) if sensitive else []
    trees = {"city": balanced(list(CITIES), 2)} if draw(st.booleans()) else {}
    return sf.Dataset.of(
        "rt",
        rows,
        ("age", "city"),
        items,
        sensitive_items=tuple(hidden),
        hierarchy=balanced(list(ITEMS), 2),
        hierarchies=trees,
    )


RELATIONAL = ("cluster", "mondrian", "incognito", "top-down", "bottom-up", "optimal")
TRANSACTION = ("apriori", "lra", "vpa", "coat", "pcta")
