"""(k,l)^m-anonymity, counted anew: short enough to read in one sitting.

Records are counted by the sequences of published values they hold. For k that is never too high: someone who knows
places is faced at least with the records that hold one sequence of values for them. For l it is right as long as no
record holds two different values with a place in common: then the records that match what is known fall into parts, one
for every sequence of values that can stand for it, and where every part keeps 1 in l, so do all of them together. Where
a record holds such values, parts overlap, and who is in none of the shares may be counted in several. Then every
sequence of places that such a record can stand for is counted on its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import SHOWN_ROWS, Verdict
from sfumato.checks.records import Records
from sfumato.checks.subsequences import countable_sizes, decode_key, lookup, support
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.trajectories.decode import leave_out
from sfumato.kinds.trajectories.guarantees import KlmAnonymity
from sfumato.kinds.trajectories.knowledge import anonymity_sets, matching_rows
from sfumato.kinds.trajectories.verify.km_anonymity import judge_matches
from sfumato.kinds.trajectories.verify.places import verify_coordinates
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]

MOST_READINGS = 2_000_000
"""Sequences of places that are counted for records whose values overlap."""


class _Sequence(NamedTuple):
    """A sequence of ordinary values, the records that contain it, and those of them that visit a place."""

    labels: tuple[str, ...]
    support: int
    visitors: int = 0
    place: str = ""


def verify(release: Release) -> Verdict:
    """Check a release on its own: k records for every ordinary sequence, and no sensitive place above 1 in l.

    Sensitive places are not part of sequences, and must be published unchanged. ``base_share`` of what is
    measured is the share of all records that visit each sensitive place, in the order of the claim: what an
    attacker knows who knows nothing. It is no part of the claim.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.select_organize_anonymize import LmAnon
    >>> where = {"a": (0, 0), "b": (1, 0), "f": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "f"], ["b"]], where, sensitive=("f",))
    >>> release = LmAnon(k=2, m=2, l=2).anonymize(data, Run(bytes(32))).release
    >>> verify(release).measured
    {'k': 2, 'm': 2, 'l': 2, 'size': 1, 'sequences': 1, 'base_share': [0.5]}

    References
    ----------
    Poulis et al., Select-Organize-Anonymize, Definition 3, read by the guarantee stated below it.
    """
    claimed, structure, unreadable = read_claimed(release, KlmAnonymity)
    if unreadable is not None:
        return unreadable
    histories = release.history()
    visits = {place: _rows_visiting(histories, place) for place in claimed.sensitive}
    ordinary = leave_out(histories, claimed.sensitive)
    rarest, revealing, sequences = _extremes(ordinary, visits, claimed.m)
    by_places, unsettled = _most_revealing_places(release, claimed)
    if _is_worse(by_places, revealing):
        revealing = by_places
    base_share = [len(rows) / max(len(release), 1) for rows in visits.values()]
    measured = {
        "k": rarest.support,
        "m": claimed.m,
        "l": revealing.support // revealing.visitors if revealing.visitors else None,
        "size": len(rarest.labels),
        "sequences": sequences,
        "base_share": base_share,
    }
    generalised = _generalised_sensitive(release, claimed)
    frequent = rarest.support >= claimed.k
    diverse = claimed.l * revealing.visitors <= revealing.support
    counterexample: dict[str, Any] | None = None
    if generalised is not None:
        counterexample = {"value": generalised}
    elif not frequent:
        counterexample = _describe_sequence(rarest)
    elif not diverse:
        counterexample = {**_describe_sequence(revealing), "place": revealing.place, "visitors": revealing.visitors}
    checks = {
        "sensitive places are published as they are": generalised is None,
        "every ordinary sequence occurs k times": frequent,
        "no sensitive place is visited by more than 1 in l": diverse,
    }
    return structure & Verdict(
        counterexample is None, claimed.parameters(), measured, counterexample, checks, unsettled
    )


def _is_worse(sequence: _Sequence, other: _Sequence) -> bool:
    return sequence.visitors * other.support > other.visitors * sequence.support


def _most_revealing_places(release: Release, claimed: KlmAnonymity) -> tuple[_Sequence, tuple[str, ...]]:
    """Return what reveals most of all that may be known of records whose values overlap, and what is left open."""
    ordinary = {place for places in release.meanings().values() for place in places} - set(claimed.sensitive)
    labels = sorted(ordinary)
    records = Records.of(release, labels)
    revealing = _Sequence((), 1)
    if not records.overlapping.any():
        return revealing, ()
    for size in countable_sizes(records.histories, claimed.m):
        wanted = records.readings(records.overlapping, size, MOST_READINGS)
        if wanted is None:
            return revealing, (
                f"{int(records.overlapping.sum()):,} records have overlapping values and stand for too "
                f"many sequences of {size} places to count, so the share of a sensitive place among "
                "matching records is unknown.",
            )
        matches = records.count(wanted, size)
        for place, visited in zip(dict.fromkeys(claimed.sensitive), records.visits, strict=True):
            visitors = records.count(wanted, size, visited)
            at = int(np.argmax(visitors / matches)) if len(wanted) else -1
            candidate = _Sequence((), int(matches[at]), int(visitors[at]), place) if at >= 0 else revealing
            if _is_worse(candidate, revealing):
                kinds = [int(wanted[at]) // records.base**power % records.base for power in range(size - 1, -1, -1)]
                revealing = candidate._replace(labels=tuple(labels[int(np.argmax(records.kind == k))] for k in kinds))
    return revealing, ()


def _describe_sequence(sequence: _Sequence) -> dict[str, Any]:
    return {"sequence": list(sequence.labels), "support": sequence.support, "size": len(sequence.labels)}


def _rows_visiting(histories: ListColumn, place: str) -> Ints:
    at = np.array([label == place for label in histories.labels], dtype=bool)
    return np.unique(histories.row_of_token[at[histories.codes]])


def _generalised_sensitive(release: Release, claimed: KlmAnonymity) -> str | None:
    """Return a generalised value that contains, or is called like, a sensitive place."""
    for value, members in release.members().items():
        if not set(claimed.sensitive).isdisjoint((value, *members)):
            return value
    return None


def _extremes(ordinary: ListColumn, visits: dict[str, Ints], m: int) -> tuple[_Sequence, _Sequence, int]:
    """Return the rarest sequence, the one that reveals most, and how many there are."""
    # Without any ordinary place the records can only be distinguished by their number.
    rarest, revealing, sequences = _Sequence((), len(ordinary)), _Sequence((), 1), 0
    for size in countable_sizes(ordinary, m):
        keys, supports = support(ordinary, size)
        sequences += len(keys)
        at = int(np.argmin(supports))
        if supports[at] < rarest.support or not rarest.labels:
            rarest = _Sequence(decode_key(int(keys[at]), size, ordinary.labels), int(supports[at]))
        for place, at, visitors in _most_visited(ordinary, visits, size, keys, supports):
            candidate = _Sequence((), int(supports[at]), visitors, place)
            if _is_worse(candidate, revealing):
                revealing = candidate._replace(labels=decode_key(int(keys[at]), size, ordinary.labels))
    return rarest, revealing, sequences


def _most_visited(
    ordinary: ListColumn, visits: dict[str, Ints], size: int, keys: Ints, supports: Ints
) -> Iterator[tuple[str, int, int]]:
    """Yield, for each sensitive place, the sequence whose supporters visit it most, and how many do."""
    for place, rows in visits.items():
        visitors = lookup(*support(ordinary.take(rows), size), keys)
        at = int(np.argmax(visitors / supports))
        yield place, at, int(visitors[at])


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original: 0 or k records match, and no sensitive place above 1 in l.

    Published coordinates are checked too (:mod:`sfumato.kinds.trajectories.verify.places`).

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row of every published row, where it is known.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.select_organize_anonymize import LmAnon
    >>> where = {"a": (0, 0), "b": (1, 0), "f": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "f"], ["b"]], where, sensitive=("f",))
    >>> release = LmAnon(k=2, m=2, l=2).anonymize(data, Run(bytes(32))).release
    >>> verify_against(release, data).measured
    {'matches': 2, 'knowledges': 1, 'share': 0.5}
    """
    claimed, _, unreadable = read_claimed(release, KlmAnonymity)
    if unreadable is not None:
        return unreadable
    matches = anonymity_sets(release, original, claimed.m, rows)
    worst = matches.most_revealing
    diverse = worst is None or claimed.l * worst.visitors <= worst.matches
    counterexample: dict[str, Any] | None = None
    if worst is not None and not diverse:
        matched = matching_rows(release, worst.places)
        shown = [row + 1 for row in matched[:SHOWN_ROWS]]
        counterexample = {"size": worst.size, "matches": worst.matches, "visitors": worst.visitors, "rows": shown}
    share = 0.0 if worst is None else worst.visitors / worst.matches
    inferred = Verdict(
        diverse, {}, {"share": share}, counterexample, {"no sensitive place is likelier than 1 in l": diverse}
    )
    return judge_matches(release, matches, claimed.k) & inferred & verify_coordinates(release, original, claimed.k)
