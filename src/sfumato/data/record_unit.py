"""What one record of the data is: a person, or a day, a trip or a stay of a person."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message, option
from sfumato.old_names import with_old_names

__all__ = ["PERSON", "RECORD", "TIME_POINT", "RecordUnit", "parse_unit", "plural"]

_NOUN = re.compile(r"[A-Za-z][A-Za-z -]{0,38}[A-Za-z]")
_IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women"}
_BEINGS = frozenset(
    {
        *("person", "child", "man", "woman", "patient", "customer", "client", "user", "visitor", "member", "resident"),
        *("participant", "respondent", "household", "family", "home", "employee", "student", "passenger", "subject"),
    }
)
"""Nouns of those who have records; other nouns are records of a person."""


@with_old_names
@dataclasses.dataclass(frozen=True)
class RecordUnit:
    """What one record is, in the words of statements and reports.

    Parameters
    ----------
    one, many
        The noun for one record and for several.
    owner
        Noun of those who have the records, where they may have several; empty where a record is a person.

    Examples
    --------
    >>> day = RecordUnit("day", "days", "person")
    >>> day.count(1), PERSON.count(2000)
    ('1 day', '2,000 people')
    >>> day.record_of_person, PERSON.record_of_person
    ('a day of a person', 'a person')
    >>> day.owners(1), day.owners(3)
    ('1 person', '3 people')
    """

    one: str
    many: str
    owner: str = ""

    def __post_init__(self) -> None:
        for noun in (self.one, self.many, self.owner or "person"):
            if not isinstance(noun, str) or not _NOUN.fullmatch(noun):
                rule = " must be made of nouns of letters only, such as 'day' or 'stay of patient'."
                raise ParameterError(Message(option("unit"), rule))

    def fill_in(self, text: str) -> str:
        """Fill the nouns for records into a sentence.

        Examples
        --------
        >>> PERSON.fill_in("{Many} are {many}.")
        'People are people.'
        """
        return text.format(
            one=self.one, many=self.many, record_of_person=self.record_of_person, Many=self.many.capitalize()
        )

    @property
    def is_person(self) -> bool:
        """Whether a record is a person."""
        return not self.owner

    @property
    def record(self) -> str:
        """The noun for what is published of one unit: a person's record, but simply a day."""
        return "record" if self == PERSON else self.one

    @property
    def records(self) -> str:
        """The same for several."""
        return "records" if self == PERSON else self.many

    @property
    def record_of_person(self) -> str:
        """A record with its owner: ``a day of a person``."""
        return f"{_article(self.one)} of {_article(self.owner)}" if self.owner else _article(self.one)

    def count(self, n: int) -> str:
        """Return a number of records in words.

        Examples
        --------
        >>> PERSON.count(1)
        '1 person'
        """
        return f"{n:,} {self.one if n == 1 else self.many}"

    def owners(self, n: int) -> str:
        """Return a number of people, households or others who have the records in words."""
        noun = self.owner or self.one
        return f"{n:,} {noun if n == 1 else plural(noun)}"

    def explain(self) -> str:
        """Return a sentence on what a record is and what the guarantee counts; empty where a record is a person.

        Examples
        --------
        >>> RecordUnit("day", "days", "person").explain()
        'A record is a day of a person, and a person may have several: the guarantee counts days, not people.'
        """
        if not self.owner:
            return ""
        if self.one == "record":
            return (
                f"{_article(self.owner).capitalize()} may have several records: the guarantee counts records, not "
                f"{plural(self.owner)}."
            )
        return (
            f"A record is {self.record_of_person}, and {_article(self.owner)} may have several: the guarantee "
            f"counts {self.many}, not {plural(self.owner)}."
        )

    def to_dict(self) -> dict[str, str]:
        """Return plain values for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RecordUnit:
        """Read what :meth:`to_dict` wrote.

        Examples
        --------
        >>> RecordUnit.from_dict(PERSON.to_dict()) == PERSON
        True
        """
        try:
            return cls(**data)
        except (TypeError, ParameterError):
            raise SchemaError("release.json: the unit must have the texts one, many and owner.") from None


PERSON = RecordUnit("person", "people")
TIME_POINT = RecordUnit("time point", "time points")
RECORD = RecordUnit("record", "records", "person")
"""For files that do not link records to people."""


def plural(noun: str) -> str:
    """Return a noun for several.

    Examples
    --------
    >>> plural("person"), plural("diary"), plural("day"), plural("box")
    ('people', 'diaries', 'days', 'boxes')
    """
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if re.search(r"(s|x|ch|sh)$", noun) else "s")


def _article(noun: str) -> str:
    return f"{'an' if noun[0].lower() in 'aeio' else 'a'} {noun}"


def parse_unit(text: str) -> RecordUnit:
    """Parse what one record is: ``basket``, or ``stay of patient``.

    Without ``of``, a noun such as household means one record each; any other noun is a record of a person.

    Examples
    --------
    >>> parse_unit("stay of patient")
    RecordUnit(one='stay', many='stays', owner='patient')
    >>> parse_unit("household").owner, parse_unit("basket").owner
    ('', 'person')
    """
    words = [word for word in text.split() if word not in {"a", "an", "the"}]
    named = "of" in words
    at = len(words) - 1 - words[::-1].index("of") if named else len(words)
    noun, owner = " ".join(words[:at]), " ".join(words[at + 1 :])
    if not noun or (named and not owner):
        rule = f" must name a record and its owner, got {text!r}."
        raise ParameterError(
            Message(option("unit"), rule), hint=Message("For example: ", option("unit", "stay of patient"))
        )
    if not owner and noun not in _BEINGS:
        owner = "person"
    return RecordUnit(noun, plural(noun), owner)
