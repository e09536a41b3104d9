"""Releases of sets that several tests read: the figures of the paper, and a small one with every kind of chunk."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.kinds.sets.naive.attack import Cluster, Row
from tests.kinds.sets.releases import disassociated

from sfumato.data.dataset import Dataset
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.release.release import Release

THREE = KmItems(k=3, m=2)


def chunk(cluster: str, number: int, *subrecords: str) -> list[Row]:
    """Subrecords written as 'a b' or '3 * a b'."""
    rows: list[Row] = []
    for text in subrecords:
        times, _, items = text.rpartition(" * ")
        rows += [(cluster, number, items.split())] * int(times or 1)
    return rows


QUERIES = [
    ["itunes", "flu", "madonna", "ikea", "ruby"],
    ["madonna", "flu", "viagra", "ruby", "audi", "sony"],
    ["itunes", "madonna", "audi", "ikea", "sony"],
    ["itunes", "flu", "viagra"],
    ["itunes", "flu", "madonna", "audi", "sony"],
    ["madonna", "camera", "panic", "playboy"],
    ["iphone", "madonna", "ikea", "ruby"],
    ["iphone", "camera", "madonna", "playboy"],
    ["iphone", "camera", "panic"],
    ["iphone", "camera", "madonna", "ikea", "ruby"],
]
RECORD_CHUNKS = [
    *chunk("p1", 1, "2 * itunes flu madonna", "madonna flu", "itunes madonna", "itunes flu"),
    *chunk("p1", 2, "3 * audi sony"),
    *chunk("p2", 1, "madonna camera", "iphone madonna", "2 * iphone camera madonna", "iphone camera"),
]


def figure_2(guarantee: Any = THREE, **changes: Any) -> Release:
    clusters: list[Cluster] = [("p1", None, 5), ("p2", None, 5)]
    rows = [*RECORD_CHUNKS, *chunk("p1", 0, "ikea viagra ruby"), *chunk("p2", 0, "panic playboy ikea ruby")]
    return disassociated(clusters, rows, guarantee, **changes)


def figure_3(guarantee: Any = THREE) -> Release:
    clusters: list[Cluster] = [("j", None, 10), ("p1", "j", 5), ("p2", "j", 5)]
    shared = chunk("j", 1, "3 * ikea ruby", "ikea", "ruby")
    return disassociated(
        clusters, [*RECORD_CHUNKS, *shared, *chunk("p1", 0, "viagra"), *chunk("p2", 0, "panic playboy")], guarantee
    )


def figure_4(*term_chunk: str) -> tuple[list[Cluster], list[Row]]:
    rows = [*chunk("p", 1, "3 * a"), *chunk("p", 2, "3 * b c"), *(chunk("p", 0, t)[0] for t in term_chunk)]
    return [("p", None, 5)], rows


def figure_5(*shared: str) -> tuple[list[Cluster], list[Row]]:
    clusters: list[Cluster] = [("j", None, 9), ("p", "j", 3), ("q", "j", 6)]
    return clusters, [
        *chunk("p", 1, "3 * a x"),
        *chunk("q", 1, "3 * b c"),
        *chunk("q", 0, "d"),
        *chunk("j", 1, *shared),
    ]


CLUSTERS: list[Cluster] = [("j", None, 12), ("i", "j", 6), ("p", "i", 3), ("q", "i", 3), ("r", "j", 6)]
CHUNKS: dict[tuple[str, int], list[Row]] = {
    ("p", 1): chunk("p", 1, "2 * a b"),
    ("p", 2): chunk("p", 2, "2 * c"),
    ("p", 0): chunk("p", 0, "z"),
    ("q", 1): chunk("q", 1, "2 * d"),
    ("q", 0): chunk("q", 0, "y z"),
    ("i", 1): chunk("i", 1, "2 * e f", "e"),
    ("r", 1): chunk("r", 1, "3 * g"),
    ("r", 0): chunk("r", 0, "w"),
    ("j", 1): chunk("j", 1, "2 * a o", "2 * o"),
}
PEOPLE = [
    ["a", "b", "e", "f", "z"],
    ["a", "b", "c", "o"],
    ["c", "z"],
    ["d", "e", "f", "a", "o"],
    ["d", "e", "y"],
    ["z"],
    ["g", "w", "a", "o"],
    ["g", "o"],
    ["g"],
    ["w"],
    ["w"],
    ["w"],
]
ROWS = np.arange(12)


def rows_of(chunks: dict[tuple[str, int], list[Row]]) -> list[Row]:
    return [row for rows in chunks.values() for row in rows]


def nested(*changed: list[Row], clusters: list[Cluster] = CLUSTERS, **changes: Any) -> Release:
    """The small release, with some chunks replaced."""
    chunks = {**CHUNKS, **{rows[0][:2]: rows for rows in changed}}
    return disassociated(clusters, rows_of(chunks), **changes)


def people(rows: list[list[str]] = PEOPLE) -> Dataset:
    return Dataset.of("sets", rows)
