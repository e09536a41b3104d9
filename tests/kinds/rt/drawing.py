"""Small tables with sets, drawn at random."""

from __future__ import annotations

from hypothesis import strategies as st

import sfumato as sf
from sfumato.hierarchies.derive import balanced
from sfumato.kinds.rt.generators import generate

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


def sample(size: int = 2000, sensitive: tuple[str, ...] = (), seed: int = 1) -> sf.Dataset:
    """Patients as they are made up, larger than what is drawn."""
    table = generate(size, seed=seed)
    names = [name for name in table.column_names if name not in {"person", "items"}]
    rows = list(zip(*(table[name].to_pylist() for name in names), strict=True))
    items = [text.split("|") for text in table["items"].to_pylist()]
    labels = sorted({item for row in items for item in row})
    return sf.Dataset.of("rt", rows, names, items, sensitive_items=sensitive, hierarchy=balanced(labels, 5))


RELATIONAL = ("cluster", "mondrian", "incognito", "top-down", "bottom-up", "optimal")
TRANSACTION = ("apriori", "lra", "vpa", "coat", "pcta")
