"""What a release of a table can promise."""

from __future__ import annotations

import dataclasses
from typing import Annotated, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.exceptions import ParameterError
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
    5-anonymity (l=3)

    References
    ----------
    Samarati, Sweeney (1998); Machanavajjhala et al., l-diversity (2006); Li et al., t-closeness (2007); Nergiz et al.,
    Hiding the presence of individuals from shared databases (2007).
    """

    name: ClassVar[str] = "k-anonymity"
    title: ClassVar[str] = "k-anonymity of tables"
    notation: ClassVar[str] = "{k}-anonymity"
    knowledge: ClassVar[str] = "attributes"
    composes: ClassVar[bool] = True

    k: Annotated[int, Param("Smallest number of records that are the same in all quasi-identifiers.", ge=2)]
    l: Annotated[int, Param("How diverse the sensitive values of these records are; 1 for not at all.", ge=1)] = 1
    diversity: Annotated[str, Param("How diversity is counted.", choices=DIVERSITIES)] = "distinct"
    c: Annotated[float | None, Param("Bound of recursive diversity.", ge=0)] = None
    t: Annotated[float | None, Param("Largest distance from the distribution of all records.", ge=0, le=1)] = None
    distance: Annotated[str, Param("How far sensitive values are apart, for t.", choices=DISTANCES)] = "equal"
    presence: Annotated[float | None, Param("Largest share of a population that is in the data.", ge=0, le=1)] = None
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = type(self).__name__
        if (self.l > 1 or self.t is not None) and not self.sensitive:
            raise ParameterError(f"{owner}: l and t are about sensitive values; name a sensitive column (sensitive).")
        if (self.l > 1 and self.diversity == "recursive") != (self.c is not None):
            raise ParameterError(f"{owner}: c must be given for recursive diversity (l above 1), and only for that.")

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

    def _list_further(self) -> list[tuple[str, object]]:
        shown: dict[str, object] = {}
        if self.l > 1:
            shown["l"] = self.l
            if self.diversity != "distinct":
                shown["diversity"] = self.diversity
        shown |= {name: value for name in ("c", "t", "presence") if (value := getattr(self, name)) is not None}
        if self.t is not None:
            shown["distance"] = self.distance
        return list(shown.items())

    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the promise."""
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
                f" Of the people of the population who fit a group at most {100 * self.presence:.3g} % have a "
                f"{unit.record} in it."
            )
        return text + self.describe_count(unit)

    def describe_sensitive(self) -> str:
        """State what is promised of sensitive values."""
        named = _join(self.sensitive)
        subject = f"the values of {named}" if len(self.sensitive) == 1 else f"the values of each of {named}, by itself,"
        sentences = []
        if self.l > 1:
            sentences.append(
                {
                    "distinct": f"are at least {self.l} different ones",
                    "entropy": f"are at least as mixed as {self.l} equally frequent ones (entropy)",
                    "recursive": f"are mixed: the most frequent is rarer than {self.c:g} times all from the {self.l}th "
                    "most frequent on together"
                    if self.c is not None
                    else "",
                }[self.diversity]
            )
        if self.t is not None:
            apart = {"equal": "", "ordered": " in their order", "hierarchical": " in their hierarchy"}[self.distance]
            sentences.append(f"are distributed as in the whole release to within {self.t:g}{apart}")
        return f"In every group {subject} {' and '.join(sentences)}."


def _join(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
