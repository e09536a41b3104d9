"""What one record of the data is: a person, or a day, a trip or a stay of a person."""

from __future__ import annotations

import dataclasses

__all__ = ["PERSON", "Unit"]


@dataclasses.dataclass(frozen=True)
class Unit:
    """What one record is, in the words of statements and reports.

    Parameters
    ----------
    one, many
        The noun for one record and for several.
    owner
        Whose the records are, where somebody may have several of them; empty where a record is a person.

    Examples
    --------
    >>> Unit("day", "days", "person").count(1), PERSON.count(2000)
    ('1 day', '2,000 people')
    """

    one: str
    many: str
    owner: str = ""

    @property
    def is_person(self) -> bool:
        """Tell whether a record is all there is of a person."""
        return not self.owner

    def count(self, n: int) -> str:
        """Say how many records there are.

        Examples
        --------
        >>> PERSON.count(1)
        '1 person'
        """
        return f"{n:,} {self.one if n == 1 else self.many}"


PERSON = Unit("person", "people")
