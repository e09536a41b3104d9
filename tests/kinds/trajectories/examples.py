"""The worked examples of the trajectory papers, as data."""

from sfumato.data.dataset import Dataset
from sfumato.hierarchies.hierarchy import Hierarchy

XY = {"a": (0, 0), "b": (1, 0), "c": (0.4, 1.2), "d": (2.6, 0.9), "e": (3.2, 2.4), "f": (1.5, 2.5), "g": (0.5, 2.5)}
# Part 5 prints another map: its Z-order is a, d, b, e, c and d is nearer to a and b than c is.
XY_PART_5 = {"a": (0, 0), "d": (1.2, 0), "b": (0, 1), "e": (3, 3), "c": (5, 5), "f": (6, 6), "g": (7, 7)}
PEOPLE = ["dace", "baec", "ade", "bdec", "dc", "de"]
WITH_SENSITIVE = ["dace", "baec", "adef", "bdec", "dgc", "de"]


def six(**options) -> Dataset:
    """The six trajectories of part 4, Figure 1a."""
    return Dataset.of("trajectories", [list(row) for row in PEOPLE], XY, **options)


def six_with_sensitive(rows: str = "123456") -> Dataset:
    """The six trajectories of part 5, Figure 1a; f and g are sensitive."""
    chosen = [list(WITH_SENSITIVE[int(number) - 1]) for number in rows]
    present = {place for row in chosen for place in row}
    return Dataset.of("trajectories", chosen, XY_PART_5, sensitive=tuple(p for p in ("f", "g") if p in present))


def shops() -> Hierarchy:
    """The taxonomy of Figure 2."""
    pairs = [(place, "Restaurants") for place in "ace"] + [(place, "Coffee shops") for place in "bd"]
    return Hierarchy.from_parents([*pairs, ("Restaurants", "*"), ("Coffee shops", "*")])


def in_original_order(result) -> list[list[str]]:
    """The published trajectories in the owner's order."""
    rows = dict(zip(result.owner_record.rows.tolist(), result.release.history().lists(), strict=True))
    return [rows[row] for row in sorted(rows)]
