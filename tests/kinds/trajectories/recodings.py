"""Random trajectories, and random ways to publish their places in groups."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

PLACES = "abcdef"
SENSITIVE = ("x", "y")

rows_of_places = st.lists(st.lists(st.sampled_from(PLACES), min_size=1, max_size=5), min_size=1, max_size=8)
rows_with_sensitive = st.lists(
    st.lists(st.sampled_from([*PLACES, *SENSITIVE]), min_size=1, max_size=5), min_size=1, max_size=8
)
sizes = st.integers(1, 3)


@st.composite
def groupings(draw: Any, tag: str = "") -> dict[str, list[str]]:
    """Cut the places into groups; groups of one are published as they are."""
    labels = draw(st.lists(st.integers(0, 3), min_size=len(PLACES), max_size=len(PLACES)))
    groups = [[p for p, g in zip(PLACES, labels, strict=True) if g == number] for number in range(4)]
    return {"{" + tag + "|".join(group) + "}": group for group in groups if len(group) > 1}
