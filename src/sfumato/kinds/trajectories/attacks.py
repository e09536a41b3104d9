"""An attacker who knows some of a person's places, in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.attacks.risk import Risk, success
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError
from sfumato.kinds.trajectories.decode import leave_out, list_sensitive
from sfumato.kinds.trajectories.knowledge import Matches, anonymity_sets, count_matches, original_anonymity_sets
from sfumato.release.release import Release

__all__ = ["KNOWLEDGE", "attack", "attack_by_knowledge", "attack_original", "risk_of", "risk_of_original"]

KNOWLEDGE = "ordered-places"

Ints = npt.NDArray[np.int64]


def attack(release: Release, original: Dataset, rows: Ints | None = None, seed: int = 0) -> Risk:
    """Attack every person of the original with up to m of their places, m being that of the claim.

    Two attackers: one knows, of each person, the places that give the person away most; the other knows m
    places drawn at random, and its mean success is ``mean_success_random``. Neither knows sensitive places.

    Parameters
    ----------
    release, original
        What was published, and what the attacker's knowledge is drawn from.
    rows
        Original row of every published row, where the owner kept it: suppressed people then count as safe.
    seed
        Draws the places of the second attacker.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> where = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"]], where)
    >>> release = SeqAnon(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> risk = attack(release, data)
    >>> risk.smallest_anonymity_set, risk.mean_success, risk.mean_success_random
    (2, 0.5, 0.5)
    """
    m = getattr(release.guarantee, "m", None)
    if m is None:
        raise ParameterError(f"The guarantee {release.guarantee.name} does not state how many places are known.")
    matches = anonymity_sets(release, original, m, rows)
    drawn = _draw_places(leave_out(original.history(), list_sensitive(release)), m, seed)
    sizes = count_matches(release, drawn)
    if matches.published is not None:
        sizes = sizes * matches.published
    return risk_of(matches, m, float(success(sizes).mean()) if len(sizes) else 0.0)


def _draw_places(histories: ListColumn, m: int, seed: int) -> ListColumn:
    """Keep m visits of every person, drawn at random, in their order."""
    rows = histories.row_of_token
    order = np.lexsort((np.random.default_rng(seed).random(len(rows)), rows))
    rank = np.arange(len(rows)) - histories.offsets[rows]
    drawn = np.zeros(len(rows), dtype=bool)
    drawn[order[rank < m]] = True
    return histories.keep(drawn)


def attack_by_knowledge(release: Release, original: Dataset, m: int, rows: Ints | None = None) -> list[Risk]:
    """Attack a release with one place of everybody known, two, and so on up to m.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> where = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"]], where)
    >>> release = SeqAnon(k=2, m=2).anonymize(data, Run(bytes(32))).release
    >>> [(risk.m, risk.smallest_anonymity_set) for risk in attack_by_knowledge(release, data, 2)]
    [(1, 2), (2, 2)]
    """
    # What cannot be counted is refused at once, not after everything that can be.
    falling = [risk_of(anonymity_sets(release, original, size, rows), size) for size in range(m, 0, -1)]
    return falling[::-1]


def attack_original(dataset: Dataset, m: int) -> list[Risk]:
    """Attack the data as they stand, without names, with one place known, two, and so on up to m.

    Examples
    --------
    >>> data = Dataset.of("trajectories", [["a", "c"], ["b", "c"]])
    >>> [risk.smallest_anonymity_set for risk in attack_original(data, 2)]
    [1, 1]
    """
    return [risk_of_original(dataset, size) for size in range(m, 0, -1)][::-1]


def risk_of(matches: Matches, m: int, mean_success_random: float | None = None) -> Risk:
    """Sum up what the best knowledge of at most m ordered places leads to.

    Examples
    --------
    >>> data = Dataset.of("trajectories", [["a", "b"], ["a", "b"], ["b", "a"]])
    >>> risk_of(original_anonymity_sets(data, 1), 1).smallest_anonymity_set
    3
    """
    share = matches.sensitive_share
    return Risk.of(
        matches.smallest,
        KNOWLEDGE,
        published=matches.published,
        max_sensitive_share=None if share is None else float(share.max(initial=0.0)),
        m=m,
        mean_success_random=mean_success_random,
    )


def risk_of_original(dataset: Dataset, m: int, sensitive: Sequence[str] | None = None) -> Risk:
    """Measure the same attacker's success if the data were published unchanged, without names.

    Parameters
    ----------
    dataset
        The data.
    m
        Largest number of places the attacker knows of a person, in order.
    sensitive
        Places the attacker does not know but wants to; by default those of the dataset.

    Examples
    --------
    >>> data = Dataset.of("trajectories", [["a", "b"], ["a", "b"], ["b", "a"]])
    >>> risk = risk_of_original(data, m=2)
    >>> risk.smallest_anonymity_set, round(risk.mean_success, 3), risk.set_sizes.tolist()
    (1, 0.667, [2, 2, 1])
    """
    return risk_of(original_anonymity_sets(dataset, m, sensitive), m)
