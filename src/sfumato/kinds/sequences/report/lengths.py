"""How long published intervals are, and how many records a group has."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from sfumato.data.time_units import MONTHS, UNITS, TimeUnit
from sfumato.kinds.sequences.comparison import SequenceComparison
from sfumato.metrics.comparison import Comparison
from sfumato.reports.numbers import choose_edges, show_amount, show_bin, show_count, show_number, show_share
from sfumato.reports.plots import Figure, draw_bars

__all__ = ["count_lengths", "draw_lengths", "show_length"]

Ints = npt.NDArray[np.int64]

_MOST_BARS = 7
_STEPS = (("day", 86_400), ("h", 3600), ("min", 60), ("s", 1))


def show_length(length: float, time_unit: TimeUnit) -> str:
    """Write a length of time with its two largest units, or a plain number.

    Examples
    --------
    >>> show_length(7500, TimeUnit("second")), show_length(2, TimeUnit("day")), show_length(1500, TimeUnit())
    ('2 h 5 min', '2 days', '1,500')
    >>> show_length(1, TimeUnit("month")), show_length(2.5, TimeUnit("quarter"))
    ('1 month', '2.5 quarters')
    """
    if time_unit.unit in MONTHS:
        return f"{show_number(length)} {time_unit.unit if length == 1 else time_unit.unit + 's'}"
    if time_unit.unit is None:
        return show_number(length)
    left, parts = round(length * UNITS[time_unit.unit]), []
    for name, seconds in _STEPS:
        count, left = divmod(left, seconds)
        if count:
            parts.append(show_amount(count, name, "days" if name == "day" else name))
        elif parts:
            break
    return " ".join(parts[:2]) or f"0 {'days' if time_unit.unit == 'day' else 's'}"


def count_lengths(comparison: Comparison) -> list[tuple[str, int]]:
    """Count published intervals by length: a moment, up to a minute, an hour, and so on."""
    view = comparison.view(SequenceComparison)
    limits = list(view.durations.values())
    a = "" if comparison.original.time_unit.unit is None else "1 "
    names = ["a single time", *(f"≤ {a}{name}" for name in view.durations), "longer"]
    which = np.searchsorted([0, *limits], view.covers.lengths, side="left")
    counts = np.bincount(which, minlength=len(names)).tolist()
    used = [at for at, count in enumerate(counts) if count]
    shown = slice(used[0], used[-1] + 1) if used else slice(0, 1)
    return list(zip(names[shown], counts[shown], strict=True))


def _size_edges(sizes: Ints, k: int | None) -> list[int]:
    """Return where bins of group sizes begin, from the one with the smallest group on."""
    edges = choose_edges(int(sizes.max(initial=1)), k)
    begin = int(np.searchsorted(edges, sizes.min(initial=edges[-2]), side="right")) - 1
    edges = edges[begin:]
    # More bars than that would have no room for their names: keep the first, the last and powers of ten.
    if len(edges) > _MOST_BARS + 1:
        edges = [edges[0], *(edge for edge in edges[1:-1] if str(edge).strip("0") == "1"), edges[-1]]
    return edges


def draw_lengths(comparison: Comparison) -> Figure:
    """Draw sizes of groups and lengths of intervals."""
    view = comparison.view(SequenceComparison)
    sizes = view.group_sizes[np.diff(view.group_covers.offsets) > 0]
    edges = _size_edges(sizes, getattr(comparison.release.guarantee, "k", None))
    groups, _ = np.histogram(sizes, edges)
    people, _ = np.histogram(sizes, edges, weights=sizes)
    bins = [show_bin(first, end) for first, end in itertools.pairwise(edges)]
    lengths = count_lengths(comparison)
    total = max(sum(count for _, count in lengths), 1)
    by_size = [(bins[at], int(groups[at]), show_count(int(groups[at]))) for at in range(len(bins))]
    by_length = [(name, count / total, show_share(count / total)) for name, count in lengths]
    return Figure(
        title="Sizes of groups and lengths of intervals",
        description="Two bar charts: groups by the number of their records, and published intervals by length.",
        panels=[
            draw_bars(by_size, "Groups", "Records in a group"),
            draw_bars(by_length, "Published intervals", "Length"),
        ],
        head=["", "Number", "Records"],
        rows=[
            *(
                [f"Groups of {bins[at]}", show_count(int(groups[at])), show_count(int(people[at]))]
                for at in range(len(bins))
            ),
            *([f"Intervals: {name}", show_count(count), ""] for name, count in lengths),
        ],
    )
