"""Plots of single values before and after: how frequent they are, how far off that is, and how long histories are."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.metrics.comparison import Comparison
from sfumato.reports.numbers import show_bin, show_count, show_share
from sfumato.reports.plots import BEFORE_AND_AFTER, Figure, choose_edges, draw_bars, draw_twin_bars

__all__ = ["choose_ranks", "draw_frequencies", "draw_lengths", "expect_counts"]

_SHOWN = 12

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def expect_counts(comparison: Comparison) -> Floats:
    """Count how often each original value is to be expected when generalised ones are divided among their members."""
    members = comparison.members
    uses = np.bincount(comparison.published.codes, minlength=len(members))
    share = uses[members.row_of_token] / np.maximum(members.lengths, 1)[members.row_of_token]
    expected = np.bincount(members.codes, share, minlength=len(comparison.places))
    return np.asarray(expected[: len(comparison.history.labels)], dtype=np.float64)


def choose_ranks(counts: Ints | Floats, number: int = _SHOWN) -> Ints:
    """Choose values from the most to the least frequent, more of the frequent ones.

    Examples
    --------
    >>> choose_ranks(np.array([1, 9, 4]), 2).tolist()
    [1, 0]
    """
    order = np.argsort(-counts, kind="stable")[: int((counts > 0).sum())]
    ranks = np.unique(np.geomspace(1, max(len(order), 1), number).astype(np.int64)) - 1
    return np.asarray(order[ranks[ranks < len(order)]], dtype=np.int64)


def draw_frequencies(
    labels: Sequence[str],
    before: Ints | Floats,
    after: Ints | Floats,
    what: str,
    *,
    counted: str,
    divided: bool = True,
) -> Figure:
    """Draw how often some values occur before and after, and how far off the release is for each.

    Parameters
    ----------
    labels, before, after
        The values, how often they occur, and how often that is to be expected from the release.
    what
        What a value is, such as ``places``.
    counted
        What is counted, such as ``visits``.
    divided
        Whether there are generalised values, which were divided among what they stand for.

    Examples
    --------
    >>> draw_frequencies(["a", "b"], np.array([4, 1]), np.array([3, 2]), "places", counted="visits").rows
    [['a', '4', '3', '25.0 %'], ['b', '1', '2', '100 %']]
    """
    chosen = choose_ranks(before)
    rows = [(labels[at], float(before[at]), float(after[at])) for at in chosen.tolist()]
    errors = [(name, abs(now - was) / was) for name, was, now in rows]
    selection = f"{show_count(len(rows))} of {show_count(int((np.asarray(before) > 0).sum()))} {what}, by their ranks"
    how = " Generalised values are divided evenly among their members." if divided else ""
    return Figure(
        title=f"Occurrences of {what}, before and after",
        description=f"Bars with the number of {counted} before and after, and the relative error, for some {what}.",
        panels=[
            draw_twin_bars(rows, f"{counted.capitalize()}", None, shares=False),
            draw_bars(
                # Beyond the whole of it an error is written, and not drawn: one of them would make all others
                # invisible.
                [(name, min(error, 1.0), show_share(error)) for name, error in errors],
                "Relative error",
                "",
            ),
        ],
        legend=BEFORE_AND_AFTER,
        notes=[f"{selection}.{how}"],
        head=[what.capitalize(), f"{counted.capitalize()} before", "Expected after", "Relative error"],
        rows=[
            [name, show_count(round(was)), show_count(round(now)), show_share(error)]
            for (name, was, now), (_, error) in zip(rows, errors, strict=True)
        ],
    )


def draw_lengths(before: Ints, after: Ints | None, title: str, axis: str) -> Any:
    """Draw how many records have how many entries, before and after, or before only where it is not published.

    Examples
    --------
    >>> draw_lengths(np.array([1, 4]), None, "Records", "Items").title
    'Records'
    """
    sides = [before] if after is None else [before, after]
    edges = [0, *choose_edges(max(int(side.max(initial=1)) for side in sides), None)]
    counts = [np.histogram(side, edges)[0] / max(len(side), 1) for side in sides]
    used = [at for at in range(len(edges) - 1) if any(count[at] for count in counts)]
    bins = range(used[0], used[-1] + 1) if used else range(1)
    names = [show_bin(first, end) for first, end in itertools.pairwise(edges)]
    if after is None:
        bars = [(names[at], float(counts[0][at]), show_share(float(counts[0][at]))) for at in bins]
        return draw_bars(bars, title, axis)
    return draw_twin_bars(
        [(names[at], float(counts[0][at]), float(counts[1][at])) for at in bins], title, axis, shares=True
    )
