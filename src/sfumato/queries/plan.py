"""What the words of a question mean for some evidence: names become values, words times, and conditions bounds."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Callable, Sequence

import numpy as np

from sfumato.data.record_unit import plural
from sfumato.escape import make_visible
from sfumato.queries.published_view import Attribute, AttributeCondition, History, Link, Names, PublishedView, Selection
from sfumato.queries.syntax import (
    Both,
    Comparison,
    Condition,
    Either,
    Neither,
    QueryError,
    Sequel,
    Step,
    Window,
    Word,
)
from sfumato.queries.three_valued import Truth
from sfumato.queries.times import Span, read_length, read_period, read_window

__all__ = ["Plan"]

_NUMBER = re.compile(r"[+-]?(\d{1,300}\.?\d{0,300}|\.\d{1,300})([eE][+-]?\d{1,3})?", re.ASCII)
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?", re.ASCII)
_DAY = 86_400_000_000
_NEAR = 5
"""So many similar values of an original are looked at to suggest one."""
_MANY = 10
"""A message shows a value of an original only if so many people have it."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """A question about some evidence: what its words mean there.

    Parameters
    ----------
    view
        What is asked.
    text
        The question, for messages.
    lenient
        Whether an unknown name is something that nobody is known to have, and no slip.
    span
        First and last moment to cut into stretches; those of the evidence if not given.
    strangers
        Names that were asked for and that nothing is known to have, noted as they are met.

    Examples
    --------
    >>> from sfumato.data.record_unit import PERSON
    >>> Plan(PublishedView(PERSON, 3), "count person").find_noun(Word("people", 6))
    'record'
    """

    view: PublishedView
    text: str
    lenient: bool = False
    span: Span | None = None
    strangers: list[str] = dataclasses.field(default_factory=list)

    def fail(self, fault: str, at: int, name: str | None = None) -> QueryError:
        """Make an error that points at a place of the question."""
        return QueryError(fault, self.text, at, name)

    def find_noun(self, noun: Word) -> str:
        """Return what is counted: ``record``, ``person`` where somebody may have several records, or ``event``."""
        unit, word = self.view.unit, noun.text.lower()
        owner = unit.owner or ""
        if owner and word in {owner, plural(owner), "person", "people"}:
            return "person"
        nobody = unit.one == "time point"
        if word in {"record", "records", unit.one, unit.many} or (word in {"person", "people"} and not nobody):
            return "record"
        if word in {"event", "events"}:
            return "event"
        nouns = [*([] if nobody else ["person"]), "record", "event", unit.one, *([owner] if owner else [])]
        if nobody and word in {"person", "people"}:
            raise self.fail("these data do not distinguish people: count records (time points) or events.", noun.at)
        offered = f" Count one of {', '.join(map(make_visible, dict.fromkeys(nouns)))}."
        raise self.fail(_unknown("nothing that can be counted", noun.text, nouns) + offered, noun.at)

    def history(self, at: int) -> History:
        """Return the events of the evidence, or say that there are none."""
        if self.view.history is None:
            names = ", ".join(map(make_visible, self.view.attributes))
            raise self.fail(f"these data have no events, only attributes: {names}.", at)
        return self.view.history

    def find_link(self, step: Step, *, follows: bool = False) -> Link:
        """Return what a step of the question asks for."""
        history = self.history(step.at)
        if follows and history.timing == "none":
            raise self.fail("these data have no order: nothing in them is before or after.", step.at)
        if follows and not self.view.ordered:
            raise self.fail("a record of these data is one moment: nothing in it comes after something else.", step.at)
        selection = Selection.everything(len(history.names.labels))
        if step.names:
            selection = self._select(history.names, step.names, lambda requested: history.judge([Link(requested)]))
        window, within = None, None
        for requested in step.windows:
            self._require_times(history, requested.first.at)
            window = _intersect(window, read_window(requested, self.text, dated=history.timing == "moment"))
        if step.within is not None:
            self._require_times(history, step.within.at)
            within = read_length(step.within, self.text, dated=history.timing == "moment")
        return Link(selection, window, within)

    def _require_times(self, history: History, at: int) -> None:
        if history.timing not in {"moment", "number"}:
            raise self.fail("these data have no times.", at)

    def _select(self, names: Names, words: Sequence[Word], count: Callable[[Selection], Truth]) -> Selection:
        """Return the values that one of some words stands for; ``count`` tells which records have some of them.

        A word in quotes may name what nobody is known to have; without quotes that is taken for a slip.
        """
        inside, unseen = np.zeros(len(names.labels), dtype=bool), False
        for word in words:
            selected = names.find(word.text)
            if selected is None and not word.quoted and not self.lenient:
                hint = " Write it in quotes to ask for it all the same."
                public_names = self._list_public(names, word.text, count)
                raise self.fail(_unknown("nothing here", word.text, public_names) + hint, word.at, word.text)
            if selected is None:
                self.strangers.append(word.text)
                unseen = True
            else:
                inside, unseen = inside | selected.inside, unseen or selected.unseen
        return Selection(inside, unseen)

    def _list_public(self, names: Names, name: str, count: Callable[[Selection], Truth]) -> Sequence[str]:
        """Return names like another one that a message may show: of an original no value that few people have."""
        if not self.view.exact:
            return names.all()
        near = _find_near(name, names.labels, _NEAR)
        return [*(label for label in near if self._count_holders(names, label, count) >= _MANY), *names.categories]

    def _count_holders(self, names: Names, label: str, count: Callable[[Selection], Truth]) -> int:
        selection = names.find(label)
        assert selection is not None
        having, people = count(selection).low > 0, self.view.people
        return int(having.sum()) if people is None else len(np.unique(people[having]))

    def find_links(self, sequel: Sequel) -> list[Link]:
        """Return what the steps of a question ask for, one after the other."""
        return [self.find_link(step, follows=place > 0) for place, step in enumerate(sequel.steps)]

    def as_comparison(self, part: Condition) -> Condition:
        """Read ``age in 20..29`` as a comparison where age is an attribute, and not as an event in a window."""
        if not isinstance(part, Sequel) or len(part.steps) != 1:
            return part
        step = part.steps[0]
        if len(step.names) != 1 or len(step.windows) != 1 or step.windows[0].relation != "in":
            return part
        window: Window = step.windows[0]
        if step.names[0].text not in self.view.attributes:
            return part
        return Comparison(step.names[0], "range", (window.first, window.last))

    def judge(self, condition: Condition) -> Truth:
        """Tell of how many records a condition holds."""
        condition = self.as_comparison(condition)
        if isinstance(condition, Neither):
            return ~self.judge(condition.part)
        if isinstance(condition, Either):
            truths = [self.judge(part) for part in condition.parts]
            return ~self.view.combine([~truth for truth in truths])
        if isinstance(condition, Comparison):
            return self._judge_comparison(condition)
        if isinstance(condition, Sequel):
            return self.history(condition.steps[0].at).judge(self.find_links(condition))
        parts = self.flatten(condition)
        sequels = [part for part in parts if isinstance(part, Sequel)]
        truths = [self.judge(part) for part in parts if not isinstance(part, Sequel)]
        if sequels:
            tests = [self.find_links(sequel) for sequel in sequels]
            truths.append(self.history(sequels[0].steps[0].at).judge_all(tests))
        return self.view.combine(truths)

    def _judge_comparison(self, comparison: Comparison) -> Truth:
        name = comparison.name
        attribute = self.view.attributes.get(name.text)
        if attribute is None:
            names = list(self.view.attributes)
            if not names:
                raise self.fail("these data have no attributes, only events.", name.at)
            raise self.fail(_unknown("no attribute", name.text, names), name.at)
        return attribute.judge(self._build_condition(attribute, comparison))

    def _build_condition(self, attribute: Attribute, comparison: Comparison) -> AttributeCondition:
        words, relation = comparison.values, comparison.relation
        # Labels that look like numbers are still labels where several of them are listed.
        if not attribute.numeric or (relation == "in" and attribute.names.labels):
            if relation not in {"=", "in"}:
                raise self.fail("the values of this attribute are names: compare them with = or in {...}.", words[0].at)
            return AttributeCondition(
                self._select(attribute.names, words, lambda selection: attribute.judge(AttributeCondition(selection)))
            )
        if relation == "in":
            raise self.fail("the values of this attribute are numbers: write a range, as in 20..29.", words[0].at)
        read = _read_days if attribute.dated else _read_number
        (first, first_end), (last_begin, last) = (read(word, self.text) for word in (words[0], words[-1]))
        if last_begin < first or last < first_end:
            raise self.fail("the range ends before it begins. Write the smaller one first.", words[0].at)
        spans: dict[str, tuple[float, float]] = {
            "=": (first, last),
            "<": (-np.inf, float(np.nextafter(first, -np.inf))),
            "<=": (-np.inf, last),
            ">": (float(np.nextafter(last, np.inf)), np.inf),
            ">=": (first, np.inf),
            "range": (first, last),
        }
        return AttributeCondition(span=spans[relation])

    def wanted(self, condition: Condition | None) -> Selection:
        """Return all the events that a condition speaks of."""
        labels = 0 if self.view.history is None else len(self.view.history.names.labels)
        union = Selection(np.zeros(labels, dtype=bool))
        for sequel in map(self.as_comparison, _list_parts(condition)):
            if isinstance(sequel, Sequel):
                for step in sequel.steps:
                    selection = self.find_link(dataclasses.replace(step, within=None)).selection
                    union = Selection(union.inside | selection.inside, union.unseen or selection.unseen)
        return union

    def list_not_published(self, condition: Condition | None) -> tuple[str, ...]:
        """Return the attributes and events of a condition of which no published record tells anything."""
        view, names = self.view, list[str]()
        for part in map(self.as_comparison, _list_parts(condition)):
            if isinstance(part, Comparison):
                if not view.attributes[part.name.text].is_published:
                    names.append(part.name.text)
            elif isinstance(part, Sequel) and view.history is not None:
                for step in part.steps:
                    if step.names and not view.history.publishes(self.find_link(step).selection):
                        names += [name.text for name in step.names]
        return tuple(dict.fromkeys(names))

    def flatten(self, condition: Condition | None) -> list[Condition]:
        """Return the conditions that all must hold, those about attributes as comparisons."""
        if isinstance(condition, Both):
            return [leaf for part in condition.parts for leaf in self.flatten(part)]
        return [] if condition is None else [self.as_comparison(condition)]


def _list_parts(condition: Condition | None) -> list[Condition]:
    """Return the conditions that a condition is made of, which are made of no others."""
    if isinstance(condition, Neither):
        return _list_parts(condition.part)
    if isinstance(condition, Both | Either):
        return [leaf for part in condition.parts for leaf in _list_parts(part)]
    return [] if condition is None else [condition]


def _intersect(left: Span | None, right: Span) -> Span:
    return right if left is None else (max(left[0], right[0]), min(left[1], right[1]))


def _unknown(what: str, name: str, names: Sequence[str]) -> str:
    near = _find_near(name, names, 1)
    hint = f" Did you mean {make_visible(near[0])!r}?" if near else ""
    return f"{what} is called {make_visible(name)!r}.{hint}"


def _find_near(name: str, names: Sequence[str], number: int) -> list[str]:
    """Return names like another one, the most similar first."""
    # Small and capital letters are mixed up most easily: those are looked for first.
    same_name = [other for other in names if other.casefold() == name.casefold()]
    return list(dict.fromkeys([*same_name, *difflib.get_close_matches(name, names, n=number)]))[:number]


def _read_number(word: Word, text: str) -> tuple[float, float]:
    """Read a number: the first and the last one that it means are the same."""
    if _NUMBER.fullmatch(word.text) is None:
        raise QueryError("the values of this attribute are numbers: expected one.", text, word.at)
    return float(word.text), float(word.text)


def _read_days(word: Word, text: str) -> tuple[float, float]:
    """Read a date as days since 1970: a month or a year is all of its days."""
    if _DATE.fullmatch(word.text) is None:
        raise QueryError("the values of this attribute are dates: expected one such as 2024-03-01.", text, word.at)
    first, last = read_period(word, text, dated=True)
    return float(first // _DAY), float(last // _DAY)
