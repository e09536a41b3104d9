"""What a release promises."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any, ClassVar

from sfumato.core.errors import ParameterError
from sfumato.core.kind import OfKind
from sfumato.core.params import Parameterised
from sfumato.core.unit import PERSON, Unit, plural

__all__ = ["COUNTS", "Guarantee"]

COUNTS = ("records", "people")
"""What the smallest crowd of a promise can be counted in."""


@dataclasses.dataclass(frozen=True)
class Guarantee(OfKind, Parameterised, abc.ABC):
    """A promise with frozen parameters: the claim that goes into ``release.json``.

    Parameters
    ----------
    count
        What the smallest crowd is counted in: ``records``, or different ``people``, who may have several records.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees.km_anonymity import KmAnonymity
    >>> str(KmAnonymity(k=5, m=2)), str(KmAnonymity(k=5, m=2, count="people"))
    ('km-anonymity (k=5, m=2)', 'km-anonymity (k=5, m=2, counting people)')
    """

    name: ClassVar[str]
    title: ClassVar[str]
    knowledge: ClassVar[str]

    count: str = dataclasses.field(default="records", kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if self.count not in COUNTS:
            raise ParameterError(
                f"{type(self).__name__}: count must be one of {', '.join(COUNTS)}, got {self.count!r}."
            )
        super().__post_init__()
        for field in dataclasses.fields(self):
            names = getattr(self, field.name)
            # The same names make the same claim in any order.
            if isinstance(names, tuple) and all(isinstance(name, str) for name in names):
                object.__setattr__(self, field.name, tuple(sorted(set(names))))

    @property
    def crowd(self) -> int | None:
        """The fewest records, or people, that anything known leads to; None where the promise has no such number."""
        found = getattr(self, "k", None)
        return found if isinstance(found, int) and found > 1 else None

    @abc.abstractmethod
    def statement(self, unit: Unit = PERSON) -> str:
        """State the promise in one sentence that a reader of the release understands; a record is one unit."""

    def say_count(self, unit: Unit) -> str:
        """Say what is counted, as a sentence to add to the statement; nothing where a record is a person."""
        if not unit.owner:
            return ""
        if self.count == "records":
            return f" {unit.explain()}"
        return (
            f" {unit.explain().partition(': ')[0]}: wherever the promise counts at least {self.crowd} {unit.records}, "
            f"they are those of at least {self.crowd} different {plural(unit.owner)}."
        )

    def __str__(self) -> str:
        shown = ", ".join(f"{n}={v}" for n, v in self.parameters().items() if v is not None)
        return f"{self.name} ({shown}{', counting people' * (self.count == 'people')})"

    def to_dict(self, unit: Unit = PERSON) -> dict[str, Any]:
        """Return name, parameters, what is counted and the statement as plain values."""
        parameters = dataclasses.asdict(self)
        return {
            "name": self.name,
            "parameters": {name: value for name, value in parameters.items() if name != "count"},
            "count": self.count,
            "statement": self.statement(unit),
        }
