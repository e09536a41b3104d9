"""How sources are connected: what they have in common, before and after links, and what each one adds.

References
----------
Tzitzikas et al., section 4.6.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pyoxigraph import Literal, NamedNode

from sfumato.ontologies import graphs
from sfumato.ontologies.linking import SAME
from sfumato.ontologies.terms import COMMON
from sfumato.ontologies.warehouse import Warehouse

__all__ = ["Connectivity", "Contribution", "Shared", "measure_connectivity"]

_TYPE = NamedNode(COMMON["rdf"] + "type")
Codes = npt.NDArray[np.int64]


class Shared(NamedTuple):
    """What two sources have in common (``common``), and what only one of them has, of one sort of thing."""

    common: int
    only_a: int
    only_b: int

    @property
    def share(self) -> float:
        """Part of all that both have together which is common."""
        return self.common / max(self.common + self.only_a + self.only_b, 1)


class Contribution(NamedTuple):
    """What a source has, and what no other has: lost without it. Things count after links."""

    source: str
    things: int
    only_things: int
    statements: int
    only_statements: int
    properties: int
    only_properties: int
    links: int


class Connectivity(NamedTuple):
    """Pairs of sources before and after links, what each source adds, and what contradicts.

    ``before`` and ``after`` have, for two sources, what is shared of ``things``, ``statements`` and ``properties``;
    ``about_common`` counts the things that several sources have something to say about, by how many.
    """

    before: Mapping[tuple[str, str], Mapping[str, Shared]]
    after: Mapping[tuple[str, str], Mapping[str, Shared]]
    contributions: tuple[Contribution, ...]
    about_common: Mapping[int, int]


class _Content(NamedTuple):
    """A source as numbers: every term has one."""

    things: Codes
    statements: Codes
    properties: Codes
    subjects: Codes


class _Numbering:
    """Numbers of terms; those of things that are the same can be made one."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, term: object) -> int:
        return self.numbers.setdefault(str(term), len(self.numbers))


def measure_connectivity(warehouse: Warehouse) -> Connectivity:
    """Compare every two sources, before and after links, and every source with all others."""
    numbering = _Numbering()
    read = {source: _read(warehouse, source, numbering) for source in warehouse.sources}
    names = np.arange(len(numbering.numbers) + len(warehouse.classes.names))
    for thing, name in warehouse.classes.names.items():
        names[numbering.number(thing)] = numbering.number(name)
    before = {source: _count(*statements, np.arange(len(names))) for source, statements in read.items()}
    after = {source: _count(*statements, names) for source, statements in read.items()}
    links = dict.fromkeys(warehouse.sources, 0)
    for link in warehouse.links:
        for source in {link.a_source, link.b_source}:
            links[source] += 1
    return Connectivity(
        _compare(before),
        _compare(after),
        tuple(_contribute(source, after, links[source]) for source in warehouse.sources),
        _count_sources(after.values()),
    )


def _read(warehouse: Warehouse, source: str, numbering: _Numbering) -> tuple[Codes, Codes]:
    """Return the statements of a source as numbers, and which ends of them are things: IRIs that are no classes."""
    rows, things = [], []
    for graph in graphs.whole(source):
        for quad in warehouse.store.quads_for_pattern(None, None, None, graph):
            if quad.predicate == SAME:
                continue
            rows.append([numbering.number(term) for term in (quad.subject, quad.predicate, quad.object)])
            is_thing = not isinstance(quad.object, Literal) and quad.predicate != _TYPE
            things.append([isinstance(quad.subject, NamedNode), is_thing and isinstance(quad.object, NamedNode)])
    return np.array(rows, np.int64).reshape(-1, 3), np.array(things, np.int64).reshape(-1, 2)


def _count(rows: Codes, things: Codes, names: Codes) -> _Content:
    subjects, values = names[rows[:, 0]], names[rows[:, 2]]
    about = subjects[things[:, 0] == 1]
    statements = np.unique(np.stack([subjects, rows[:, 1], values], axis=1), axis=0)
    return _Content(
        np.unique(np.concatenate([about, values[things[:, 1] == 1]])),
        np.ascontiguousarray(statements).view([("", np.int64)] * 3).ravel(),
        np.unique(rows[:, 1]),
        np.unique(about),
    )


def _compare(contents: Mapping[str, _Content]) -> dict[tuple[str, str], dict[str, Shared]]:
    return {
        (a, b): {
            what: _share(getattr(contents[a], what), getattr(contents[b], what))
            for what in ("things", "statements", "properties")
        }
        for a, b in itertools.combinations(contents, 2)
    }


def _share(a: Codes, b: Codes) -> Shared:
    common = len(np.intersect1d(a, b, assume_unique=True))
    return Shared(common, len(a) - common, len(b) - common)


def _contribute(source: str, contents: Mapping[str, _Content], links: int) -> Contribution:
    own = contents[source]
    counts: list[Any] = []
    for what in ("things", "statements", "properties"):
        mine = getattr(own, what)
        others = [getattr(content, what) for name, content in contents.items() if name != source]
        rest = np.concatenate(others) if others else mine[:0]
        counts += [len(mine), int((~np.isin(mine, rest)).sum()) if what != "statements" else _only(mine, rest)]
    return Contribution._make([source, *counts, links])


def _only(mine: Codes, rest: Codes) -> int:
    """Count statements that only one has; tables of three numbers are compared as wholes."""
    return len(np.setdiff1d(mine, rest, assume_unique=False))


def _count_sources(contents: Iterable[_Content]) -> dict[int, int]:
    """Count things by the number of sources that say something about them."""
    every = [content.subjects for content in contents]
    _, times = np.unique(np.concatenate(every), return_counts=True)
    return {int(n): int((times == n).sum()) for n in range(1, len(every) + 1) if (times == n).any()}
