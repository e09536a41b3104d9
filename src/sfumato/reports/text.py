"""What the report says in plain words about guarantees and attackers of any kind; kinds add their own words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from sfumato.base.guarantee import Guarantee
from sfumato.data.kind import find_kind
from sfumato.data.record_unit import PERSON, RecordUnit, plural
from sfumato.messages import Message, option

__all__ = [
    "ALWAYS",
    "ReportWords",
    "describe_attacker",
    "describe_counter",
    "explain_share",
    "fill_in",
    "find_words",
    "list_limits",
    "name_share",
]


Limits = Sequence[tuple[str, str]]

ALWAYS: Limits = (
    (
        "Presence in the data.",
        "The release does not hide that a person is in the data, and an exact place was really visited by someone.",
    ),
    (
        "Two releases together.",
        "Each release keeps the guarantee on its own. Someone who has two separate releases about the same "
        "people can intersect them.",
    ),
)


_PLAIN_SHARE = (
    "Largest share of matching records with one sensitive value",
    "{share} of matching records have the same sensitive value; at most {allowed} are guaranteed.",
    "At most {share} of matching records have the same sensitive value ({allowed} guaranteed).",
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReportWords:
    """What the report says of a kind of data.

    Parameters
    ----------
    share
        The name of the share of fitting records with a sensitive value; that it is too large; that it is not.
    describe_attacker
        Describes who the risk is computed for, by what they know and the unit; None for an attacker of any kind.
    list_limits
        Lists what a guarantee does not cover.
    counters
        What methods count, where names do not tell.

    Examples
    --------
    >>> ReportWords().share[0]
    'Largest share of matching records with one sensitive value'
    """

    share: tuple[str, str, str] = _PLAIN_SHARE
    describe_attacker: Callable[[int | None, RecordUnit], str] | None = None
    list_limits: Callable[[Guarantee], Limits] = lambda _guarantee: ALWAYS
    counters: Mapping[str, str] = dataclasses.field(default_factory=dict)


def fill_in(text: str, unit: RecordUnit) -> str:
    """Put what a record is into a sentence."""
    return text.format(one=unit.one, many=unit.many, whose=unit.record_of_person, Many=unit.many.capitalize())


def find_words(kind: str) -> ReportWords:
    """Return the words for a kind of data.

    Examples
    --------
    >>> find_words("snapshots").counters
    {}
    """
    words = find_kind(kind).report_words
    return ReportWords() if words is None else words.load()


def name_share(kind: str) -> str:
    """Name the share of fitting records that gives something else away.

    Examples
    --------
    >>> name_share("sequences")
    'Largest share of matching records with the same other event in a window'
    """
    return find_words(kind).share[0]


def explain_share(kind: str, share: str, allowed: str, *, holds: bool) -> str:
    """Say that the share is as guaranteed, or that it is larger.

    Examples
    --------
    >>> explain_share("trajectories", "90 %", "50 %", holds=False)
    '90 % of matching records visit the same sensitive place; at most 50 % are guaranteed.'
    """
    return find_words(kind).share[2 if holds else 1].format(share=share, allowed=allowed)


def describe_attacker(kind: str, knowledge: str, m: int | None, unit: RecordUnit = PERSON) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker("trajectories", "ordered-places", 1)
    'someone who knows 1 place that a person visited'
    >>> describe_attacker("snapshots", "attributes-and-time", None)
    'someone with the knowledge “attributes-and-time”'
    """
    describe = find_words(kind).describe_attacker
    return describe(m, unit) if describe else f"someone with the knowledge “{knowledge}”"


def describe_counter(kind: str, name: str) -> str:
    """Name a counter or a phase in plain words; a kind says what its methods count where the name does not tell.

    Examples
    --------
    >>> describe_counter("sets", "items_moved_by_lemma_2"), describe_counter("sets", "records_exchanged")
    ('Items moved to term chunks because there were too few subrecords', 'Records exchanged')
    """
    plain = find_words(kind).counters.get(name.replace(" ", "_"))
    return plain or name.replace("_", " ").capitalize()


def list_limits(guarantee: Guarantee, unit: RecordUnit = PERSON) -> list[tuple[str, str]]:
    """List what a guarantee does not cover: what it is about in a few words, then a sentence or two.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees import KmAnonymity
    >>> list_limits(KmAnonymity(k=5, m=2))[0][0]
    'More than 2 places.'
    """
    listed = find_words(guarantee.kinds[0]).list_limits(guarantee)
    limits = [(fill_in(lead, unit), fill_in(text, unit)) for lead, text in listed]
    if unit.owner and guarantee.count == "records":
        of = plural(unit.owner)
        limits.insert(
            0,
            (
                f"Several {unit.many} of one {unit.owner}.",
                Message(
                    f"The guarantee counts {unit.many}. Matching ones may all belong to one {unit.owner}, and "
                    f"what they have in common is then known of that {unit.owner}. To count {of}: ",
                    option("protect", "people"),
                    ".",
                ),
            ),
        )
    return limits
