"""A receiver who knows when each person did the monitored events."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.attacks.risk import Risk, draw_people
from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError
from sfumato.kinds.sequences.decode import count_steps
from sfumato.kinds.sequences.knowledge.class_matches import build_knowledge
from sfumato.kinds.sequences.knowledge.matches import count_matches
from sfumato.kinds.sequences.knowledge.parts import narrow_people, narrow_records
from sfumato.kinds.sequences.knowledge.windows import Windows
from sfumato.release.release import Release

__all__ = ["KNOWLEDGE", "attack", "attack_by_knowledge", "attack_original", "risk_of_original"]

KNOWLEDGE = "monitored-events"

Ints = npt.NDArray[np.int64]

_DRAWN = 1000
"""People that are attacked with parts of what is known, where there are more."""


def attack(release: Release, original: Dataset, rows: Ints | None = None) -> Risk:
    """Attack every person of the original with all their monitored events and times.

    Nothing less tells a receiver more: see :mod:`sfumato.kinds.sequences.knowledge.matches`. Where the claim is about
    windows of a length, ``max_sensitive_share`` is the largest probability with which the receiver predicts any
    other event of anyone inside such a window.

    Parameters
    ----------
    release, original
        What was published, and what the receiver's knowledge is drawn from.
    rows
        Original row of every published row, where the owner kept it: suppressed people then count as safe.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 1), ("news", 2)], [("mail", 3)]], monitored=("mail",))
    >>> attack(Hi(k=2, g=5, l=2).anonymize(data, Run(bytes(32))).release, data).to_dict()
    {'smallest_anonymity_set': 2, 'mean_success': 0.5, 'max_success': 0.5, 'knowledge': 'monitored-events',
     'people': 2, 'unique_share': 0.0, 'max_sensitive_share': 0.5, ...}
    """
    matches = count_matches(release, original, rows, _windows(release))
    return Risk.of(matches.sizes, KNOWLEDGE, published=matches.published, max_sensitive_share=matches.share)


def _windows(release: Release) -> Windows | None:
    """Return the windows the claim is about, in steps of the published times."""
    g = getattr(release.guarantee, "g", None)
    if g is None:
        return None
    length = count_steps(release, g)
    if length is None:
        raise ParameterError("The window of the guarantee must be in units of the published times.")
    return Windows(length, getattr(release.guarantee, "l", 1))


def risk_of_original(dataset: Dataset, monitored: Sequence[str] | None = None) -> Risk:
    """Measure the same receiver's success if the data were published unchanged, without names.

    A person match those who did exactly the same monitored events at exactly the same times.

    Parameters
    ----------
    dataset
        The data.
    monitored
        Events the receiver monitors; by default those of the dataset, and all events if it names none.

    Examples
    --------
    >>> data = Dataset.of("sequences", [[("mail", 1), ("news", 2)], [("mail", 1)], [("mail", 3)]])
    >>> risk_of_original(data, ["mail"]).set_sizes.tolist(), risk_of_original(data).set_sizes.tolist()
    ([2, 2, 1], [1, 1, 1])
    """
    wanted = dataset.schema.monitored if monitored is None else monitored
    number = build_knowledge(dataset, wanted or dataset.history().labels).of_person
    return Risk.of(np.bincount(number)[number], KNOWLEDGE)


def attack_by_knowledge(release: Release, original: Dataset, m: int, rows: Ints | None = None) -> list[Risk]:
    """Attack a release with one monitored event and its time known, two, and so on up to m, and at last with all.

    With fewer than all, of each person those are known that one by one leave fewest records; at most 1,000 people are
    attacked, drawn at random where there are more, and the sampling error is stated.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> people = [[("mail", 1), ("mail", 5)], [("mail", 2), ("mail", 6)]]
    >>> data = Dataset.of("sequences", people, monitored=("mail",))
    >>> release = Hi(k=2).anonymize(data, Run(bytes(32))).release
    >>> [(risk.m, risk.smallest_anonymity_set) for risk in attack_by_knowledge(release, data, 2)]
    [(1, 2), (2, 2), (None, 2)]
    """
    people, sizes = narrow_records(release, original, m, _DRAWN)
    published = None if rows is None else np.isin(people, rows)
    parts = [
        Risk.of(set_sizes, KNOWLEDGE, published=published, people=len(original), m=number)
        for number, set_sizes in enumerate(sizes, start=1)
    ]
    return [*parts, attack(release, original, rows)]


def attack_original(dataset: Dataset, m: int) -> list[Risk]:
    """Attack the data as they stand, with one monitored event and its time known, two, and so on up to m, and all.

    With fewer than all, of each person those are known that one by one leave fewest people; 1,000 people drawn at
    random are attacked, where there are more, and the sampling error is stated.

    Examples
    --------
    >>> data = Dataset.of("sequences", [[("mail", 1), ("mail", 4)], [("mail", 1)], [("mail", 1)]], monitored=("mail",))
    >>> [(risk.m, risk.set_sizes.tolist()) for risk in attack_original(data, 1)]
    [(1, [1, 3, 3]), (None, [1, 2, 2])]
    """
    knowledge = build_knowledge(dataset, dataset.schema.monitored or dataset.history().labels)
    people = draw_people(len(dataset), _DRAWN, 0)
    attacked = np.arange(len(dataset)) if people is None else people
    parts = [
        Risk.of(set_sizes, KNOWLEDGE, people=len(dataset), m=number)
        for number, set_sizes in enumerate(narrow_people(knowledge, attacked, m), start=1)
    ]
    return [*parts, risk_of_original(dataset)]
