"""What a release of a table can guarantee."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option, parameter
from sfumato.params import Param

__all__ = ["DISTANCES", "DIVERSITIES", "KAnonymity"]

DIVERSITIES = ("distinct", "entropy", "recursive")
DISTANCES = ("equal", "ordered", "hierarchical")


@dataclasses.dataclass(frozen=True)
class KAnonymity(Guarantee):
    """Records with the same quasi-identifiers are at least k, and their sensitive values differ if that is asked for.

    Records that are published with equal quasi-identifiers are a *class*. Every class has at least k records. On top
    of that, of every sensitive column by itself:

    - ``l`` with ``diversity="distinct"``: a class has at least l different values;
    - ``"entropy"``: the entropy of its values is at least that of l equally frequent ones;
    - ``"recursive"``: its most frequent value is rarer than c times the values from the l-th most frequent on;
    - ``t``: the distribution of its values is at most t away from that of the whole release. The distance of values is
      1 between any two (``equal``), their distance in their order (``ordered``) or in their tree (``hierarchical``);
    - ``presence``: of the people of the population who fit a class at most this share has a record in it.

    Examples
    --------
    >>> print(KAnonymity(k=5, quasi=("age", "sex")).statement())
    Records with the same age and sex form groups of at least 5. Someone who knows these of a person matches no record
    or at least 5 records.
    >>> print(KAnonymity(k=5, l=3, quasi=("age",), sensitive=("ill",)))
    5-anonymity, 3-diversity

    References
    ----------
    Samarati, Sweeney (1998); Machanavajjhala et al., l-diversity (2006); Li et al., t-closeness (2007); Nergiz et al.,
    Hiding the presence of individuals from shared databases (2007).
    """

    name: ClassVar[str] = "k-anonymity"
    title: ClassVar[str] = "k-anonymity of tables"
    knowledge: ClassVar[str] = "attributes"
    composes: ClassVar[bool] = True

    k: Annotated[int, Param("Smallest number of records that are equal in all quasi-identifiers.", ge=2)]
    l: Annotated[int, Param("Diversity of the sensitive values of these records; 1 for no requirement.", ge=1)] = 1
    diversity: Annotated[str, Param("Kind of diversity.", choices=DIVERSITIES)] = "distinct"
    c: Annotated[float | None, Param("Constant c of recursive (c,l)-diversity.", ge=0)] = None
    t: Annotated[float | None, Param("Largest distance from the distribution in all records.", ge=0, le=1)] = None
    distance: Annotated[str, Param("Distance between sensitive values, for t.", choices=DISTANCES)] = "equal"
    presence: Annotated[float | None, Param("Largest share of a population that is in the data.", ge=0, le=1)] = None
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.l > 1 or self.t is not None) and not self.sensitive:
            raise ParameterError(
                Message(self.message_name, ": ", parameter("l" if self.l > 1 else "t"), " needs a sensitive column."),
                hint=Message("Name it: ", option("sensitive", ["COLUMN"]), "."),
            )
        if (self.l > 1 and self.diversity == "recursive") != (self.c is not None):
            raise ParameterError(
                Message(
                    self.message_name,
                    ": ",
                    parameter("c"),
                    " goes with ",
                    parameter("diversity", "recursive"),
                    " and l above 1, and with nothing else.",
                )
            )

    @property
    def largest_share(self) -> float | None:
        """Only recursive diversity bounds the share of the most frequent value: it is rarer than c times the others."""
        return None if self.c is None or self.l < 2 else self.c / (1 + self.c)

    @property
    def bound_to_whole(self) -> str:
        """Closeness compares with the whole release, and a population is there once for all partitions.

        Examples
        --------
        >>> KAnonymity(k=2, t=0.2, sensitive=("ill",)).bound_to_whole
        't compares every class with the whole release'
        """
        if self.t is not None:
            return "t compares every class with the whole release"
        if self.presence is not None:
            return "presence counts people of one population, who would be counted again in every partition"
        return super().bound_to_whole

    @property
    def label(self) -> str:
        """The guarantee with its numbers.

        Examples
        --------
        >>> KAnonymity(k=5, t=0.3, distance="ordered", sensitive=("ill",)).label
        '5-anonymity, 0.3-closeness (ordered distance)'
        """
        kind = {"distinct": "", "entropy": "entropy ", "recursive": f"recursive (c={self.c}) "}[self.diversity]
        apart = "" if self.distance == "equal" else f" ({self.distance} distance)"
        guarantees = [
            f"{self.k}-anonymity",
            *([f"{kind}{self.l}-diversity"] if self.l > 1 else []),
            *([f"{self.t:g}-closeness{apart}"] if self.t is not None else []),
            *([f"presence of at most {100 * self.presence:.3g} %"] if self.presence is not None else []),
        ]
        return ", ".join(guarantees)

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee."""
        text = (
            f"{unit.records.capitalize()} with the same {_join(self.quasi) or 'quasi-identifiers'} form groups of at "
            f"least {self.k}. Someone who knows these of {unit.record_of_person} matches no {unit.record} or at "
            f"least {self.k} "
            f"{unit.records}."
        )
        if self.l > 1 or self.t is not None:
            text += " " + self.describe_sensitive()
        if self.presence is not None:
            text += (
                f" At most {100 * self.presence:.3g} % of the people of the population who match a group have a "
                f"{unit.record} in it."
            )
        return text + self.describe_count(unit)

    def describe_sensitive(self) -> str:
        """State what is guaranteed of sensitive values."""
        named = _join(self.sensitive) if len(self.sensitive) == 1 else f"each of {_join(self.sensitive)}"
        clauses = []
        if self.l > 1 and self.diversity == "distinct":
            clauses.append(f"{named} has at least {self.l} different values")
        if self.l > 1 and self.diversity == "entropy":
            clauses.append(f"the entropy of {named} is at least that of {self.l} equally frequent values")
        if self.l > 1 and self.c is not None:
            clauses.append(
                f"the most frequent value of {named} is rarer than {self.c:g} times all values from the "
                f"{_name_rank(self.l)} most frequent on together"
            )
        if self.t is not None:
            apart = {"equal": "", "ordered": ", by their order", "hierarchical": ", by their hierarchy"}[self.distance]
            clauses.append(f"the values of {named} are distributed as in the whole release to within {self.t:g}{apart}")
        return f"In every group {', and '.join(clauses)}."


def _name_rank(rank: int) -> str:
    """Write a rank from 2 on.

    Examples
    --------
    >>> [_name_rank(rank) for rank in (2, 3, 11, 12, 22, 113)]
    ['2nd', '3rd', '11th', '12th', '22nd', '113th']
    """
    last = 0 if rank % 100 in (11, 12, 13) else rank % 10
    return f"{rank}" + {1: "st", 2: "nd", 3: "rd"}.get(last, "th")


def _join(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
