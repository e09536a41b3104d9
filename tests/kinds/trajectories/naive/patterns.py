"""Sequential patterns by listing every way of deleting items from every row."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

Pattern = tuple[int, ...]


def count_patterns(rows: Sequence[Sequence[int]], max_length: int = 0) -> Counter[Pattern]:
    """Count the rows that contain each pattern."""
    supports: Counter[Pattern] = Counter()
    for row in rows:
        longest = min(len(row), max_length) if max_length else len(row)
        supports.update({kept for length in range(1, longest + 1) for kept in combinations(row, length)})
    return supports


def frequent_patterns(
    rows: Sequence[Sequence[int]], min_support: int, max_length: int = 0
) -> list[tuple[Pattern, int]]:
    """List the patterns of enough support in the order of their codes."""
    supports = count_patterns(rows, max_length)
    return sorted((pattern, support) for pattern, support in supports.items() if support >= min_support)


def top_patterns(rows: Sequence[Sequence[int]], count: int, max_length: int = 0) -> list[tuple[Pattern, int]]:
    """List the most frequent patterns; ties: shorter first, then by the codes."""
    supports = count_patterns(rows, max_length)
    return sorted(supports.items(), key=lambda entry: (-entry[1], len(entry[0]), entry[0]))[:count]


def contains(rows: Sequence[Sequence[int]], patterns: Sequence[Sequence[int]]) -> list[list[int]]:
    """Mark which row contains which pattern."""
    return [
        [int(any(kept == tuple(pattern) for kept in combinations(row, len(pattern)))) for pattern in patterns]
        for row in rows
    ]
