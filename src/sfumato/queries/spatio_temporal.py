"""How two periods lie in time that have their own times at every place: volumes of space and time.

A volume has one fuzzy interval per place. Two volumes that share no place are compared by their total times; two that
share some are compared there, place by place, and one relation is to stand for all of them. The note beside
(`volumes.md`) says where the paper's statements give none or several, and what is answered then.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final, Literal

from sfumato.exceptions import ParameterError
from sfumato.queries.intervals import FuzzyInterval, FuzzyIntervals
from sfumato.queries.relations import INVERSE, RELATIONS, relate, relate_columns

__all__ = ["PREVALENCE", "Volume", "VolumeRelation", "find_prevailing", "hold_over_places", "relate_volumes"]

PREVALENCE: Final = (("overlaps",), ("equals",), ("starts", "finishes"), ("meets",), ("before", "during"))
"""Relations of volumes from the strongest to the weakest; inverses stand beside their own."""

_SHARED_END: Final = frozenset({"starts", "started_by", "finishes", "finished_by"})
_APART: Final = frozenset({"before", "after", "meets", "met_by"})


@dataclasses.dataclass(frozen=True)
class Volume:
    """When something went on, place by place.

    Examples
    --------
    >>> fair = Volume({"harbour": FuzzyInterval(0, 1, 4, 5), "market": FuzzyInterval(3, 3, 8, 9)})
    >>> fair.total
    FuzzyInterval(possible_from=0, certain_from=1, certain_to=8, possible_to=9)
    """

    times: Mapping[str, FuzzyInterval]

    def __post_init__(self) -> None:
        if not self.times:
            raise ParameterError("volume: at least one place is needed.")
        object.__setattr__(self, "times", MappingProxyType(dict(self.times)))

    @property
    def total(self) -> FuzzyInterval:
        """When it went on anywhere: one period, from the first place to the last."""
        return FuzzyIntervals.of(self.times.values()).enclose()


@dataclasses.dataclass(frozen=True)
class VolumeRelation:
    """The relation of a volume to another one, and what it was found from.

    Parameters
    ----------
    relation
        The one relation that prevails; None if none holds, or if several of the same strength do: then `local` is
        the answer.
    basis
        ``places`` if it was found at the shared places, ``total`` if there are none.
    local
        Relation at every shared place.
    total
        Relation of the total times.
    holding
        All relations of volumes that hold, from the strongest.
    manner
        Of ``starts`` and ``finishes`` and their inverses: ``causal`` if it is so at every shared place, else
        ``incidental``.
    """

    relation: str | None
    basis: Literal["places", "total"]
    local: Mapping[str, str]
    total: str
    holding: tuple[str, ...]
    manner: Literal["causal", "incidental"] | None = None


def relate_volumes(volume: Volume, other: Volume) -> VolumeRelation:
    """Return how a volume lies in time to another one.

    Examples
    --------
    >>> from_west = Volume({"west": FuzzyInterval.crisp(0, 2), "east": FuzzyInterval.crisp(4, 6)})
    >>> follower = Volume({"west": FuzzyInterval.crisp(3, 5), "east": FuzzyInterval.crisp(7, 9)})
    >>> found = relate_volumes(from_west, follower)
    >>> found.relation, found.total
    ('before', 'overlaps')
    >>> mixed = Volume({"west": FuzzyInterval.crisp(3, 5), "east": FuzzyInterval.crisp(0, 9)})
    >>> found = relate_volumes(from_west, mixed)
    >>> found.relation, dict(found.local)
    (None, {'west': 'before', 'east': 'during'})

    References
    ----------
    Papadakis, Doerr and Plexousakis, Fuzzy Times on Space-time Volumes, Section 3.5.
    """
    total = relate(volume.total, other.total)
    shared = [place for place in volume.times if place in other.times]
    if not shared:
        return VolumeRelation(total, "total", MappingProxyType({}), total, (total,))
    here = FuzzyIntervals.of(volume.times[place] for place in shared)
    there = FuzzyIntervals.of(other.times[place] for place in shared)
    local = [RELATIONS[code] for code in relate_columns(here, there)]
    holding = hold_over_places(local)
    prevailing = find_prevailing(holding)
    manner: Literal["causal", "incidental"] | None = None
    if prevailing in _SHARED_END:
        manner = "causal" if set(local) == {prevailing} else "incidental"
    return VolumeRelation(
        prevailing, "places", MappingProxyType(dict(zip(shared, local, strict=True))), total, holding, manner
    )


def hold_over_places(local: Collection[str]) -> tuple[str, ...]:
    """Return all relations of volumes that hold, given those at the shared places, from the strongest.

    Examples
    --------
    >>> hold_over_places(["before", "meets"]), hold_over_places(["starts", "finishes"])
    (('meets',), ('equals',))
    >>> hold_over_places(["overlaps", "starts"]), hold_over_places(["before", "during"])
    (('overlaps', 'starts'), ())
    """
    swapped = {INVERSE[name] for name in local}
    relations = _find_statements(set(local)) | {INVERSE[name] for name in _find_statements(swapped)}
    return tuple(sorted(relations, key=lambda name: (_strength(name), RELATIONS.index(name))))


def find_prevailing(holding: Collection[str]) -> str | None:
    """Return the strongest of the relations that hold; None if there is none, or two are equally strong.

    Examples
    --------
    >>> find_prevailing(["overlaps", "starts"]), find_prevailing(["meets", "met_by"]), find_prevailing([])
    ('overlaps', None, None)
    """
    best = min((_strength(name) for name in holding), default=0)
    strongest = [name for name in holding if _strength(name) == best]
    return strongest[0] if len(strongest) == 1 else None


def _strength(name: str) -> int:
    return next(level for level, names in enumerate(PREVALENCE) if name in names or INVERSE[name] in names)


def _find_statements(local: set[str]) -> set[str]:
    """Return which of the seven statements hold of A and B, as they are printed for A and B."""
    equals = ("equals" in local or {"starts", "finishes"} <= local) and "overlaps" not in local
    statements = {
        "before": local == {"before"},
        "during": local == {"during"},
        "meets": "meets" in local and local <= _APART,
        "starts": "starts" in local and "finishes" not in local and not equals,
        "finishes": "finishes" in local and "starts" not in local and not equals,
        "equals": equals,
        "overlaps": "overlaps" in local,
    }
    return {name for name, holds in statements.items() if holds}
