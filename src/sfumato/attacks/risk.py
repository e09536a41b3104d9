"""How likely an attacker is to be right about a person."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from sfumato.attacks.inference import describe_confidence
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.base.tabular import Tabular, align, list_remaining, list_values, show_value, wrap
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.escape import tabulate

__all__ = [
    "BANDS",
    "Finding",
    "Findings",
    "FindingsByKnowledge",
    "Risk",
    "draw_people",
    "margin_of",
    "name_knowledge",
    "share_sizes",
    "success",
    "unite_risks",
]

Ints = npt.NDArray[np.int64]

_LISTED = {
    "people": "people",
    "smallest_anonymity_set": "smallest set",
    "mean_success": "mean success",
    "unique_share": "alone",
}
"""What a table of several attackers shows of each."""

BANDS = {"1": (1, 1), "2-4": (2, 4), "5-9": (5, 9), "10-99": (10, 99), "100+": (100, None)}
"""Sizes of anonymity sets that are told apart: alone, too few for the usual promises, few, some, many."""
_QUANTILES = {"5 %": 0.05, "25 %": 0.25, "50 %": 0.5, "75 %": 0.75, "95 %": 0.95}


class Finding(Protocol):
    """What an attacker found. Where people are to be told apart it is a :class:`Risk`.

    Where people can be published in partitions it has ``join(other)``, which returns what is found in two partitions
    together.
    """

    @property
    def knowledge(self) -> str:
        """Name of what the attacker knows."""

    @property
    def remaining(self) -> Remaining:
        """What it leaves possible, as far as this attacker tells."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, the knowledge among them."""

    def to_frame(self) -> Any:
        """Return a data frame; :class:`sfumato.base.tabular.Tabular` has it."""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Risk(Tabular):
    """What an attacker reaches who knows, about each person, what gives the person away most.

    Parameters
    ----------
    smallest_anonymity_set
        Fewest records, but at least one, that anything known about anybody leads to; 0 if nothing does.
    mean_success
        Mean over people of one over their smallest set. People the release does not hold count as 0.
    max_success
        One over the smallest set of all.
    knowledge
        Name of what the attacker knows, such as ``ordered-places``.
    people
        Number of people attacked.
    unique_share
        Share of people whose smallest set is one record.
    set_sizes
        Smallest set of every person; 0 for people the release does not hold.
    max_sensitive_share
        Largest share of a person's matching records that visit one sensitive place; None without such places.
    m
        Largest number of places known.
    mean_success_random
        Mean success when the places known are drawn at random.
    measured
        Number of people measured, where that is not everybody: drawn at random. Then ``smallest_anonymity_set`` is the
        smallest found among them, and ``set_sizes`` has only theirs.
    margin
        Sampling error of ``mean_success`` and ``unique_share``: with 95 % confidence they are off by no more.
    unit
        What was attacked, where it is not people.

    Examples
    --------
    >>> Risk(2, 0.4, 0.5, "ordered-places", 3, 0.0, np.array([2, 2, 5])).to_dict()
    {'smallest_anonymity_set': 2, 'mean_success': 0.4, 'max_success': 0.5, 'knowledge': 'ordered-places',
     'people': 3, 'unique_share': 0.0,
     'set_sizes': {'1': 0.0, '2-4': 0.6667, '5-9': 0.3333, '10-99': 0.0, '100+': 0.0},
     'set_size_quantiles': {'5 %': 2, '25 %': 2, '50 %': 2, '75 %': 5, '95 %': 5}}
    """

    smallest_anonymity_set: int
    mean_success: float
    max_success: float
    knowledge: str
    people: int
    unique_share: float
    set_sizes: Ints
    max_sensitive_share: float | None = None
    m: int | None = None
    mean_success_random: float | None = None
    measured: int | None = None
    margin: float | None = None
    unit: RecordUnit = PERSON

    _shares: ClassVar[tuple[str, ...]] = (
        "mean_success",
        "max_success",
        "unique_share",
        "max_sensitive_share",
        "mean_success_random",
        "margin",
        "set_sizes",
        "prosecutor",
        "journalist",
        "marketer",
        "unique_by",
    )

    @classmethod
    def of(
        cls,
        smallest: Ints,
        knowledge: str,
        *,
        published: npt.NDArray[np.bool_] | None = None,
        people: int | None = None,
        **fields: Any,
    ) -> Self:
        """Sum up the smallest sets that what is known of somebody leads to.

        Parameters
        ----------
        smallest
            For every person attacked the fewest records, 0 where nothing known leads to any.
        knowledge
            Name of what the attacker knows.
        published
            Who is in the release: whoever is not cannot be found there, though others may be taken for them.
        people
            Number of people there are, where only some of them, drawn at random, were attacked.
        fields
            Further fields, such as ``m`` and ``max_sensitive_share``.

        Examples
        --------
        >>> Risk.of(np.array([2, 2, 5]), "items", published=np.array([True, True, False]), m=2).to_dict()
        {'smallest_anonymity_set': 2, 'mean_success': 0.3333333333333333, 'max_success': 0.5, 'knowledge': 'items',
         'people': 3, 'unique_share': 0.0, 'm': 2, ...}
        """
        sizes = smallest if published is None else smallest * published
        reached = smallest[smallest > 0]
        lowest = int(reached.min()) if len(reached) else 0
        sampled = people is not None and len(sizes) < people
        return cls(
            smallest_anonymity_set=lowest,
            # Sorted: the sum does not depend on the order in which people stand in a file.
            mean_success=float(success(np.sort(sizes)).mean()) if len(sizes) else 0.0,
            max_success=1.0 / lowest if lowest else 0.0,
            knowledge=knowledge,
            people=len(sizes) if people is None else people,
            unique_share=float((sizes == 1).mean()) if len(sizes) else 0.0,
            set_sizes=sizes,
            measured=len(sizes) if sampled else None,
            margin=margin_of(sizes, people) if sampled and people is not None else None,
            **fields,
        )

    def join(self, other: Risk) -> Risk:
        """Return what is reached in two partitions of a release together."""
        return unite_risks([self, other])

    @property
    def sampling(self) -> str:
        """Say on how many people this was measured and how far off it may be; nothing if on all of them."""
        if self.measured is None or self.margin is None:
            return ""
        return f"measured on {self.measured:,} of {self.unit.count(self.people)}, ±{100 * self.margin:.1f} points"

    @property
    def quantiles(self) -> dict[str, int]:
        """How large the sets are: so many of the people found have this many records or fewer to hide among."""
        sizes = np.sort(self.set_sizes[self.set_sizes > 0])
        if not len(sizes):
            return {}
        return {name: int(sizes[int(np.ceil(share * len(sizes))) - 1]) for name, share in _QUANTILES.items()}

    @property
    def sentence(self) -> str:
        """Say in plain words how many people are found.

        Examples
        --------
        >>> print(Risk.of(np.array([1, 1, 3, 9]), "items", m=2).sentence)
        Someone who knows 2 items can single out 50.0 % of 4 people. 75.0 % match fewer than five records; half of
        them match at most 1 record.
        """
        shares = share_sizes(self.set_sizes)
        if not self.quantiles:
            return f"Someone who knows {self._knowledge_text} finds nobody."
        middle = self.quantiles["50 %"]
        return (
            f"Someone who knows {self._knowledge_text} can single out {100 * shares['1']:.1f} % of "
            f"{self.unit.count(self.people)}. {100 * (shares['1'] + shares['2-4']):.1f} % match fewer than five "
            f"records; half of them match at most {middle:,} record{'s' * (middle != 1)}."
        )

    @property
    def remaining(self) -> Remaining:
        """How sure somebody with this knowledge can be of a sensitive value, where there are such values."""
        if self.max_sensitive_share is None:
            return NOTHING
        return Remaining((describe_confidence(self.max_sensitive_share, self._knowledge_text),))

    @property
    def _knowledge_text(self) -> str:
        return name_knowledge(self.knowledge, self.m)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, the sets by their sizes; the number attacked by the name of the unit."""
        fields = [field.name for field in dataclasses.fields(self) if field.name not in {"set_sizes", "unit"}]
        named = {"people": self.unit.many.replace(" ", "_")}
        values = {named.get(name, name): getattr(self, name) for name in fields if getattr(self, name) is not None}
        if len(self.set_sizes):
            values |= {"set_sizes": share_sizes(self.set_sizes), "set_size_quantiles": self.quantiles}
        return {**values, "sampling": self.sampling} if self.sampling else values

    def _lines(self) -> Iterator[str]:
        yield from wrap(self.sentence)
        yield from self._tabulate(self.to_dict(), ("m", "set_size_quantiles", "measured"))
        yield from list_remaining(self.remaining)

    def _repr_html_(self) -> str:
        return _tabulate_finding(self)


def unite_risks(risks: Sequence[Risk]) -> Risk:
    """Return what is reached in all partitions of a release, from the sets of everybody and not from means.

    Whoever attacks a partition knows that somebody is in it; whoever does not faces more records still.

    Examples
    --------
    >>> partitions = [Risk.of(np.array([2, 2]), "items", m=2), Risk.of(np.array([5]), "items", m=2)]
    >>> merged = unite_risks(partitions)
    >>> merged.people, round(merged.mean_success, 6), merged.set_sizes.tolist()
    (3, 0.4, [2, 2, 5])
    """
    people = sum(risk.people for risk in risks)
    shares = [risk.max_sensitive_share for risk in risks if risk.max_sensitive_share is not None]
    merged = Risk.of(
        np.concatenate([risk.set_sizes for risk in _thin(risks)]),
        risks[0].knowledge,
        people=people,
        max_sensitive_share=max(shares, default=None),
        m=risks[0].m,
        mean_success_random=_average(risks, "mean_success_random"),
        unit=risks[0].unit,
    )
    if any(risk.measured is not None for risk in risks):
        # Of some partitions everybody was attacked, of others a few: each partition counts by its people.
        margins = [risk.people * (risk.margin or 0.0) / max(people, 1) for risk in risks]
        merged = dataclasses.replace(
            merged,
            mean_success=_average(risks, "mean_success"),
            unique_share=_average(risks, "unique_share"),
            measured=sum(risk.people if risk.measured is None else risk.measured for risk in risks),
            margin=float(np.sqrt(np.square(margins).sum())),
        )
    # Somebody who is in no record may still be taken for others: such sets are in no list of sizes.
    lowest = min((risk.smallest_anonymity_set for risk in risks if risk.smallest_anonymity_set), default=0)
    return dataclasses.replace(merged, smallest_anonymity_set=lowest, max_success=1 / lowest if lowest else 0.0)


def _average(risks: Sequence[Risk], name: str) -> Any:
    """Return the mean over the people of all partitions; None where a partition does not say."""
    values = [getattr(risk, name) for risk in risks]
    if any(value is None for value in values):
        return None
    people = sum(risk.people for risk in risks)
    return sum(risk.people * value for risk, value in zip(risks, values, strict=True)) / max(people, 1)


def _thin(risks: Sequence[Risk]) -> list[Risk]:
    """Leave of every partition the sets of the same share of its people, so that they can be laid together."""
    rate = min((len(risk.set_sizes) / risk.people for risk in risks if risk.people), default=1.0)
    thinned = []
    for risk in risks:
        drawn = draw_people(len(risk.set_sizes), int(np.ceil(rate * risk.people)), 0)
        thinned.append(risk if drawn is None else dataclasses.replace(risk, set_sizes=risk.set_sizes[drawn]))
    return thinned


class Findings(Tabular, list[Finding]):
    """What several attackers found: a list, which shows itself as one table.

    Examples
    --------
    >>> Findings([Risk(2, 0.4, 0.5, "ordered-places", 3, 0.0, np.array([2, 2, 5]))])
      an attacker who knows  people  smallest set  mean success  alone
      ordered places         3       2             40 %          0 %
    >>> Findings()
    There is no attacker of this sort.
    """

    @property
    def remaining(self) -> Remaining:
        """What they leave possible, all together."""
        return Remaining.collect(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"findings": [finding.to_dict() for finding in self], "remaining": self.remaining.to_dict()}

    def _rows(self) -> list[dict[str, Any]]:
        return [list_values(finding.to_dict()) for finding in self]

    def _lines(self) -> Iterator[str]:
        risks = [finding for finding in self if isinstance(finding, Risk)]
        if not self:
            yield "There is no attacker of this sort."
        elif len(risks) == len(self):
            yield from align([_list_risk(risk) for risk in risks], ("an attacker who knows", *_LISTED.values()))
            yield from list_remaining(self.remaining)
        else:
            yield from "\n".join(map(repr, self)).split("\n")

    def _repr_html_(self) -> str:
        return "".join(map(_tabulate_finding, self)) or "<p>There is no attacker of this sort.</p>"


class FindingsByKnowledge(Tabular, dict[str, Findings]):
    """What attackers reach with ever more knowledge, ``before`` and ``after`` publication.

    Examples
    --------
    >>> risk = Risk(2, 0.4, 0.5, "items", 3, 0.0, np.array([2, 2, 5]), m=1)
    >>> findings = FindingsByKnowledge(before=Findings([risk]), after=Findings())
    >>> findings
    before:
      an attacker who knows  people  smallest set  mean success  alone
      1 item                 3       2             40 %          0 %
    after:
    There is no attacker of this sort.
    >>> findings.to_frame()["when"].to_list()
    ['before']
    """

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {when: findings.to_dict() for when, findings in self.items()}

    def _rows(self) -> list[dict[str, Any]]:
        return [{"when": when, **row} for when, findings in self.items() for row in findings._rows()]

    def _lines(self) -> Iterator[str]:
        for when, findings in self.items():
            yield f"{when}:"
            yield from findings._lines()

    def _repr_html_(self) -> str:
        return "".join(f"<p><b>{when}</b></p>{findings._repr_html_()}" for when, findings in self.items())


def _list_risk(risk: Risk) -> tuple[str, ...]:
    values = (getattr(risk, name) for name in _LISTED)
    return risk._knowledge_text, *(show_value(value, isinstance(value, float)) for value in values)


def _tabulate_finding(finding: Finding) -> str:
    shown = finding.to_dict()
    rows = [(name.replace("_", " "), value) for name, value in shown.items() if name not in {"knowledge", "warnings"}]
    table = tabulate(f"An attacker who knows {finding.knowledge}", ["what", "found"], rows)
    return f"{table}{finding.remaining._repr_html_()}"


def name_knowledge(knowledge: str, m: int | None) -> str:
    """Return what an attacker knows, in words: how many pieces, where that is a number.

    Examples
    --------
    >>> name_knowledge("ordered-places", 2), name_knowledge("items", 1), name_knowledge("attributes", None)
    ('2 ordered places', '1 item', 'attributes')
    >>> name_knowledge("attributes and items", 2)
    'attributes and 2 items'
    """
    words = knowledge.replace("-", " ").removeprefix("known ")
    if m is None:
        return words
    first, also, pieces = words.rpartition(" and ")
    return f"{first}{also}{m} {pieces.removesuffix('s') if m == 1 else pieces}"


def share_sizes(set_sizes: Ints) -> dict[str, float]:
    """Return which share of people has so many records to hide among; people who are in no record under ``none``.

    Examples
    --------
    >>> share_sizes(np.array([1, 3, 0, 250]))
    {'1': 0.25, '2-4': 0.25, '5-9': 0.0, '10-99': 0.0, '100+': 0.25, 'none': 0.25}
    """
    count = max(len(set_sizes), 1)
    shares = {
        name: round(float(((set_sizes >= low) & (set_sizes <= (high or np.inf))).sum()) / count, 4)
        for name, (low, high) in BANDS.items()
    }
    absent = int((set_sizes == 0).sum())
    return {**shares, "none": round(absent / count, 4)} if absent else shares


def success(set_sizes: Ints) -> npt.NDArray[np.float64]:
    """Return the chance of picking the right record in each set; 0 where there is none.

    Examples
    --------
    >>> success(np.array([4, 0, 1])).tolist()
    [0.25, 0.0, 1.0]
    """
    return np.where(set_sizes > 0, 1.0 / np.maximum(set_sizes, 1), 0.0)


def draw_people(count: int, most: int, seed: int) -> Ints | None:
    """Draw the rows of so many people at random; None where there are no more than that.

    Examples
    --------
    >>> draw_people(10, 3, seed=0).tolist(), draw_people(3, 3, seed=0)
    ([5, 6, 9], None)
    """
    if count <= most:
        return None
    return np.sort(np.random.default_rng(seed).choice(count, most, replace=False)).astype(np.int64)


def margin_of(set_sizes: Ints, people: int) -> float:
    """Return how far off mean success and share of unique people may be when only some people were measured.

    It is the larger of two 95 % half-widths, with what drawing without replacement takes off, and never less than
    what a share that nobody in the sample shows may still be (three in the number measured).

    Examples
    --------
    >>> sizes = np.array([1, 2] * 1000)
    >>> round(margin_of(sizes, 100_000), 4), margin_of(sizes, 2000)
    (0.0217, 0.0)
    """
    count = len(set_sizes)
    if count >= people or not count:
        return 0.0
    left = np.sqrt(1 - count / people)
    spread = max(float(success(set_sizes).std()), float((set_sizes == 1).std()))
    return float(max(1.96 * spread / np.sqrt(count), 3 / count) * left)
