"""What the report says in plain words about promises, attackers and measures."""

from __future__ import annotations

from sfumato.core.guarantee import Guarantee
from sfumato.core.unit import PERSON, Unit, plural
from sfumato.report.numerals import show_amount

__all__ = ["describe_attacker", "explain_measure", "explain_share", "list_limits", "name_share"]

_MEASURES = {
    "activity-correlations": "How far off correlations between the times spent on two activities are.",
    "activity-durations": "How far off the average time spent on an activity is when the release is asked.",
    "activity-transitions": "How far off the chances are that one activity follows another, an interval later.",
    "average-relative-error": "How far off a count is when it is asked of the release instead of the original.",
    "count-queries": "How many of the {many} that the release counts for an event in a period do not have it.",
    "deleted-share": "How many of all occurrences of events were deleted.",
    "distance": "How far, on average, a visit's true place is from the places it may be according to the release.",
    "event-context": "How much what the release tells about the time around a monitored event differs from the "
    "original.",
    "event-counts": "How far off the number of monitored events in a period is when the release is asked.",
    "frequent-events": "How many of the events that are frequent before or after are so both times.",
    "ghost-events": "How many events became frequent in some prefix only because others were deleted.",
    "information-loss": "What moving records to later snapshots and leaving some out costs, by the costs chosen.",
    "interval-loss": "How long the interval is that stands for a monitored event, as a share of the time the data "
    "span; and how large its category.",
    "item-loss": "How large the group is that an item is published as, as a share of all items.",
    "item-queries": "How far off the number of {many} with some items is when the release is asked.",
    "multilevel-itemsets": "How many of the most frequent combinations of items and groups of items an "
    "analyst no longer finds.",
    "pair-support": "How far off the number of {many} with two not very frequent items is when the release is asked.",
    "pair-support-certain": "How far off the same numbers are when only what is certain is counted.",
    "pattern-preservation": "How many of the frequent sequences of places an analyst of the release still finds.",
    "place-counts": "How many places appear in the release under their own name.",
    "place-distance": "How far apart the members of a generalised place are, on average.",
    "publication-delay": "How many snapshots later than it happened a record is published, on average.",
    "relative-difference": "How far the time spent on an activity in a day is, {one} by {one}, from what is published "
    "of the class.",
    "sanitisation-error": "How much the deletions changed the chances of events, summed over the time points.",
    "segment-boundaries": "How many of the times at which the mix of events changes an analyst still finds.",
    "semantic-penalty": "How many kinds of place a generalised place mixes, according to the hierarchy.",
    "suppressed-people": "How many {many} fit into no class and are not in the release.",
    "separated-items": "How many items are published only as present in a cluster, without anything they occur with.",
    "support-divergence": "How much the popularity of places in the release differs from the original.",
    "top-itemsets": "How many of the most frequent combinations of items an analyst of the release no longer finds.",
    "top-itemsets-certain": "How many of them the release does not show for certain to be among the most frequent.",
    "time-of-day": "How much of an hour of the day is spent on other activities according to the release.",
    "untouched-time-points": "How many time points are published as they were.",
    "utility-loss": "How much the sets of items that a record may stand for leave open, as a share of all there is.",
    "window-queries": "How far off the number of records with a value in some snapshots is when the release is asked.",
}

_ALWAYS = (
    (
        "Being in the data.",
        "The release does not hide that somebody took part, and a place published exactly was really visited.",
    ),
    (
        "Two releases together.",
        "Each release keeps its promise on its own. Somebody who has two separately made releases about the same "
        "people can intersect them.",
    ),
)


_PLAIN_SHARE = (
    "Largest share of fitting records with one sensitive value",
    "A sensitive value is in {found} of fitting records; at most {allowed} are promised.",
    "No sensitive value is in more than {found} of fitting records ({allowed} promised).",
)
_SHARES = {
    "ordered-places": (
        "Largest share of fitting records with one sensitive place",
        "A sensitive place is in {found} of fitting records; at most {allowed} are promised.",
        "No sensitive place is in more than {found} of fitting records ({allowed} promised).",
    ),
    "known-slots": (
        "Largest share of a class that does a sensitive activity throughout",
        "A sensitive activity is done throughout by {found} of a class; at most {allowed} are promised.",
        "No sensitive activity is done throughout by more than {found} of a class ({allowed} promised).",
    ),
    "monitored-events": (
        "Highest chance of predicting another event within the window",
        "Another event is predicted with a chance of {found}; at most {allowed} are promised.",
        "No other event is predicted within the window with a chance above {found} ({allowed} promised).",
    ),
}

_SLOT_LIMITS = (
    (
        "What a whole class does.",
        "Whoever finds the class of {whose} learns what all in it have in common: that all sleep at three, say. "
        "Only the sensitive activities are limited, and only where they go on for the whole time that is promised.",
    ),
    (
        "Sensitive activities that are short or interrupted.",
        "Whoever does something else in between, be it for a slot, or who does it for a shorter time than is "
        "promised, is not counted.",
    ),
    (
        "Following somebody from one interval to the next.",
        "Somebody who knows when nobody else of a class did what somebody did may be able to go on from there where "
        "published intervals are short: hardly anybody changes from one to the next. How far this gets is measured.",
    ),
    (
        "When somebody was observed.",
        "How much time of a class is unknown is published. Who knows when others were not observed knows when it can "
        "be theirs.",
    ),
    (
        "Knowing who is in the same class.",
        "Somebody who knows what all others in a class did can subtract them from what is published.",
    ),
)

_ITEM_LIMITS = (
    (
        "Items that are not there.",
        "The promise is about items that {whose} has. Somebody who also knows what is not there, or everything about "
        "many "
        "others, knows more than it covers.",
    ),
    (
        "Being in the data.",
        "The release does not hide that somebody took part, and an item published under its own name was really there.",
    ),
    _ALWAYS[1],
)

_NO_PLACES = (
    (
        "Who took part.",
        "The release does not hide that somebody is in the data, nor, where a receiver finds {whose} in a group, that "
        "something happened in each of the group’s intervals.",
    ),
    _ALWAYS[1],
)


def name_share(knowledge: str) -> str:
    """Name the share of fitting records that gives something else away.

    Examples
    --------
    >>> name_share("monitored-events")
    'Highest chance of predicting another event within the window'
    """
    return _SHARES.get(knowledge, _PLAIN_SHARE)[0]


def explain_share(knowledge: str, found: str, allowed: str, *, holds: bool) -> str:
    """Say that the share is as promised, or that it is larger.

    Examples
    --------
    >>> explain_share("ordered-places", "90 %", "50 %", holds=False)
    'A sensitive place is in 90 % of fitting records; at most 50 % are promised.'
    """
    return _SHARES.get(knowledge, _PLAIN_SHARE)[2 if holds else 1].format(found=found, allowed=allowed)


def describe_attacker(knowledge: str, m: int | None, unit: Unit = PERSON) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker("ordered-places", 1)
    'somebody who knows 1 place that a person visited'
    >>> describe_attacker("monitored-events", None)
    'a receiver who knows all monitored events of a person and exactly when each happened'
    """
    if knowledge == "monitored-events":
        return f"a receiver who knows all monitored events of {unit.whose} and exactly when each happened"
    if knowledge == "known-slots":
        times = show_amount(m, "time", "times") if m else "some times"
        what = "a person did" if unit == PERSON else f"{unit.whose} was spent on"
        return f"somebody who knows what {what} at {'up to ' * bool(m)}{times}"
    if knowledge == "items" and m:
        return f"somebody who knows {'up to ' * (m > 1)}{show_amount(m, 'item', 'items')} of {unit.whose}"
    if knowledge != "ordered-places" or m is None:
        return f"somebody with the knowledge “{knowledge}”"
    of = "that a person visited" if unit == PERSON else f"of {unit.whose}"
    places = show_amount(m, f"place {of}", f"places {of}, and their order")
    return f"somebody who knows {'up to ' * (m > 1)}{places}"


def list_limits(guarantee: Guarantee, unit: Unit = PERSON) -> list[tuple[str, str]]:
    """List what a promise does not cover: what it is about in a few words, then a sentence or two.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees.km_anonymity import KmAnonymity
    >>> list_limits(KmAnonymity(k=5, m=2))[0][0]
    'More than 2 places.'
    """
    found = [(_fill(lead, unit), _fill(text, unit)) for lead, text in _list_limits(guarantee)]
    if unit.owner and guarantee.count == "records":
        of = plural(unit.owner)
        found.insert(
            0,
            (
                f"Several {unit.many} of one {unit.owner}.",
                f"The promise counts {unit.many}. Those that hide each other may be of one {unit.owner}, and what they "
                f"have in common is then known of that {unit.owner}. With count=people it counts {of}.",
            ),
        )
    return found


def _fill(text: str, unit: Unit) -> str:
    """Put what a record is into a sentence."""
    return text.format(one=unit.one, many=unit.many, whose=unit.whose, Many=unit.many.capitalize())


def _list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:
    m = getattr(guarantee, "m", None)
    if getattr(guarantee, "knowledge", "") == "known-slots":
        return [*_SLOT_LIMITS, ("Being in the data.", "The release does not hide that somebody took part."), _ALWAYS[1]]
    if getattr(guarantee, "knowledge", "") == "items":
        return [*_limit_items(guarantee), *_ITEM_LIMITS]
    if getattr(guarantee, "knowledge", "") == "monitored-events":
        return [*_limit_receiver(guarantee), *_NO_PLACES]
    if getattr(guarantee, "knowledge", "") != "ordered-places" or m is None:
        return list(_ALWAYS)
    places = show_amount(m, "place", "places")
    return [
        (
            f"More than {places}.",
            f"Somebody who knows more than {places} of {{whose}} may find a single record that fits.",
        ),
        (
            "Exactly these places and no others.",
            "The promise is about places that were visited. Somebody who also knows which ones were not, or how many "
            "visits there are in all, knows more than it covers.",
        ),
        (
            "Times.",
            "No times are published, only the order of visits. Somebody who knows the times of visits can use "
            "their order, which the promise covers, and nothing beyond.",
        ),
        _limit_inference(guarantee),
        *_ALWAYS,
    ]


def _limit_items(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a promise about known items does not cover."""
    m, sensitive = getattr(guarantee, "m", None), getattr(guarantee, "sensitive", ())
    if m is None:
        more = (
            "Other items.",
            "The promise names combinations of items. Whoever knows another one may find a single record that fits.",
        )
    else:
        items = show_amount(m, "item", "items")
        more = (
            f"More than {items}.",
            f"Somebody who knows more than {items} of {{whose}} may find a single record that fits.",
        )
    if sensitive:
        return [more]
    shared = (
        "What all candidates share.",
        "If every record that fits has the same other item, somebody learns that the {one} has it without telling the "
        "records apart.",
    )
    return [more, shared]


def _limit_receiver(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a promise to one receiver does not cover."""
    l, g = getattr(guarantee, "l", None), getattr(guarantee, "g", None)
    unit, blur = getattr(guarantee, "unit", ""), getattr(guarantee, "blur", None)
    limits = [
        _limit_neighbours(blur, unit),
        (
            "Anybody else.",
            "Events that are not monitored are published with their exact times. Somebody who knows when one of "
            "them happened may find a single record that fits, and read the rest of it.",
        ),
        (
            "Receivers who put together what they know.",
            "The promise holds for those who know monitored events. If several receivers may talk to each other, the "
            "events of all of them must be monitored in one release.",
        ),
        (
            "{Many} without monitored events.",
            "They are published as they are. A receiver learns no more than that none of the monitored events "
            "happened, "
            "but anybody else may find them by what did happen.",
        ),
    ]
    if l is None:
        return [
            *limits,
            (
                "What all candidates share.",
                "If every record that fits holds the same other event at about the same time, the receiver learns it "
                "without telling the records apart. Use (g,l)-diversity to limit that.",
            ),
        ]
    window = f"{show_amount(g or 0, unit, f'{unit}s')}" if unit else f"{g}"
    return [
        *limits,
        (
            f"More than {window}.",
            "That an event happened at some time, within a window longer than that, may be predicted with a higher "
            "chance. So may several events together.",
        ),
    ]


def _limit_neighbours(blur: int | None, unit: str) -> tuple[str, str]:
    """Say what a receiver may do who looks at the events next to the monitored ones."""
    if blur is None:
        return (
            "Guessing by what stands next.",
            "Other events keep their exact times. A receiver who knows when a person did a monitored event, and "
            "guesses that something else followed soon, may pick the right one of the records that fit. Use blur to "
            "stop that.",
        )
    length = show_amount(blur, unit, f"{unit}s") if unit else f"{blur}"
    return (
        f"Guessing by events further than {length} away.",
        "Within that distance of monitored intervals records say nothing of their own. Events further away keep their "
        "exact times, and a receiver who can guess when they are due may use them.",
    )


def _limit_inference(guarantee: Guarantee) -> tuple[str, str]:
    limit = getattr(guarantee, "l", None)
    if limit is None:
        return (
            "What all candidates share.",
            "If every record that fits goes on to the same place, somebody learns of that visit "
            "without telling the records apart. Name sensitive places and use (k,l)^m-anonymity to limit that.",
        )
    return (
        "Known visits to sensitive places.",
        "Sensitive places are published as they are. The promise takes it that nobody knows beforehand who "
        "visited them; somebody who does may find a single record that fits. Places that are not named as "
        "sensitive may be learnt if every record that fits shares them.",
    )


def explain_measure(name: str, unit: Unit = PERSON) -> str:
    """Explain a measure in one line; nothing for one not known here.

    Examples
    --------
    >>> explain_measure("place-counts")
    'How many places appear in the release under their own name.'
    """
    return _fill(_MEASURES.get(name, ""), unit)
