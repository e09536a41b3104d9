"""Releases of sets made by hand and at random, for tests that must not depend on any method."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from tests.kinds.sets.naive.attack import Cluster, Row

from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.dataset import CHUNK_COLUMNS, CLUSTER_COLUMNS
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.release.release import ExtraTable, PublishedColumn, Release
from sfumato.release.text import ValueFormat

COLUMNS = (
    PublishedColumn("person", "identifier", ValueFormat("exact")),
    PublishedColumn("items", "history", ValueFormat("category", history=True, meaning="at least one of")),
)
CLAIM = KmItems(k=2, m=2)


def values_table(groups: Mapping[str, Sequence[str]], suppressed: Sequence[str] = ()) -> pa.Table:
    listed: list[tuple[str | None, str]] = [(value, m) for value, members in groups.items() for m in members]
    listed += [(None, item) for item in suppressed]
    return pa.table(
        {
            "column": pa.array(["items"] * len(listed), pa.string()),
            "value": pa.array([value for value, _ in listed], pa.string()),
            "member": pa.array([member for _, member in listed], pa.string()),
        }
    )


def items_column(rows: list[list[str]]) -> pa.Array:
    return ListColumn.from_lists(rows).to_arrow()


def generalised(
    rows: list[list[str]],
    groups: Mapping[str, Sequence[str]] | None = None,
    guarantee: Any = CLAIM,
    suppressed: Sequence[str] = (),
    suppressed_records: int = 0,
    **changes: Any,
) -> Release:
    """A release of generalised records."""
    names = pa.array([f"x{i}" for i in range(len(rows))], pa.string())
    fields: dict[str, Any] = {
        "kind": "sets",
        "method": "by-hand",
        "guarantee": guarantee,
        "columns": COLUMNS,
        "table": pa.table({"person": names, "items": items_column(rows)}),
        "values": values_table(groups or {}, suppressed),
        "records_in": len(rows) + suppressed_records,
        "suppressed_records": {"nothing left": suppressed_records} if suppressed_records else {},
    }
    return Release(**{**fields, **changes})


def clusters_table(clusters: Sequence[Cluster]) -> pa.Table:
    return pa.table(
        {
            "cluster": pa.array([name for name, _, _ in clusters], pa.string()),
            "parent": pa.array([parent for _, parent, _ in clusters], pa.string()),
            "size": pa.array([size for _, _, size in clusters], pa.int64()),
        }
    )


def disassociated(clusters: Sequence[Cluster], rows: Sequence[Row], guarantee: Any = CLAIM, **changes: Any) -> Release:
    """A disassociated release."""
    table = pa.table(
        {
            "cluster": pa.array([cluster for cluster, _, _ in rows], pa.string()),
            "chunk": pa.array([number for _, number, _ in rows], pa.int64()),
            "items": items_column([items for _, _, items in rows]),
        }
    )
    total = sum(size for _, parent, size in clusters if parent is None)
    fields: dict[str, Any] = {
        "kind": "sets",
        "method": "by-hand",
        "guarantee": guarantee,
        "columns": CHUNK_COLUMNS,
        "table": table,
        "values": values_table({}),
        "records_in": total,
        "extra_tables": {"clusters": ExtraTable(CLUSTER_COLUMNS, clusters_table(clusters))},
        "published": total,
    }
    return Release(**{**fields, **changes})


SHAPES: tuple[dict[str, str | None], ...] = (
    {"p": None},
    {"j": None, "p": "j", "q": "j"},
    {"j": None, "p": "j", "q": "j", "r": "j"},
    {"j": None, "i": "j", "p": "i", "q": "i", "r": "j"},
    {"j": None, "i": "j", "p": "i", "q": "i", "h": "j", "r": "h", "s": "h"},
    {"j": None, "i": "j", "h": "i", "p": "h", "q": "h", "r": "i", "s": "j"},
    {"j": None, "i": "j", "p": "i", "q": "j"},
)


def random_chunks(rng: random.Random) -> tuple[int, int, list[Cluster], list[Row]]:
    """Draw k, m and chunks that often keep the conditions, and often only just: few records, many closed terms."""
    k, m = rng.choice([(2, 1), (2, 2), (2, 2), (2, 3), (3, 2)])
    shape = rng.choice(SHAPES)
    alphabet = list("abcdefg")[: rng.randint(3, 7)]
    leaves = [name for name in shape if name not in shape.values()]
    size = {leaf: k + rng.choice([0, 0, 1, 2, 3]) for leaf in leaves}
    below = {name: [leaf for leaf in leaves if name in path(shape, leaf)] for name in shape}
    total = {name: sum(size[leaf] for leaf in below[name]) for name in shape}
    apart = {leaf: set(rng.sample(["x", "y", *alphabet], rng.choice([0, 1, 1, 2]))) for leaf in leaves}
    having: dict[str, set[str]] = {leaf: set() for leaf in leaves}
    rows: list[Row] = []
    for name in reversed(shape):  # leaves before what joins them
        open_for = {t: sum(size[leaf] for leaf in below[name] if t not in having[leaf]) for t in alphabet}
        least = 1 if name in leaves else 2 * k if rng.random() < 0.8 else 0
        free = [t for t in alphabet if open_for[t] >= least and not (name in leaves and t in apart[name])]
        rng.shuffle(free)
        if rng.random() < 0.5:  # terms that some leaf has already: the last ones are taken first
            free.sort(key=lambda t: open_for[t] < total[name])
        for number in range(1, rng.choice([2, 2, 3] if name in leaves else [1, 2, 2, 3])):
            domain = [free.pop() for _ in range(min(len(free), rng.choice([1, 1, 2, 3])))]
            if domain:
                rows += [(name, number, s) for s in random_subrecords(rng, domain, k, total[name])]
                for leaf in below[name]:
                    having[leaf] |= set(domain)
                    apart[leaf] -= set(domain)
    rows += [(leaf, 0, sorted(terms)) for leaf, terms in apart.items() if terms]
    return k, m, [(name, parent, total[name]) for name, parent in shape.items()], rows


def path(shape: Mapping[str, str | None], name: str | None) -> list[str]:
    found = []
    while name is not None:
        found.append(name)
        name = shape[name]
    return found


def random_subrecords(rng: random.Random, domain: list[str], k: int, room: int) -> list[list[str]]:
    """A few different subrecords, k times each or a little more, sometimes as many as there is room for."""
    kinds = [sorted(rng.sample(domain, rng.randint(1, len(domain)))) for _ in range(rng.choice([0, 1, 1, 2]))]
    kinds = kinds if kinds and rng.random() < 0.2 else [sorted(domain), *kinds]
    made = [kind for kind in kinds for _ in range(k if rng.random() < 0.8 else rng.choice([k - 1, k + 1]))]
    made += [rng.choice(kinds) for _ in range(max(0, room - len(made)) * rng.choice([0, 0, 0, 0, 1]))]
    return made[:room]
