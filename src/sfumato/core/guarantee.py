"""What a release promises."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any, ClassVar

from sfumato.core.params import Parameterised
from sfumato.core.unit import PERSON, Unit

__all__ = ["Guarantee"]


@dataclasses.dataclass(frozen=True)
class Guarantee(Parameterised, abc.ABC):
    """A promise with frozen parameters: the claim that goes into ``release.json``.

    Examples
    --------
    >>> from sfumato.guarantees.km_anonymity import KmAnonymity
    >>> str(KmAnonymity(k=5, m=2))
    'km-anonymity (k=5, m=2)'
    """

    name: ClassVar[str]
    title: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]
    knowledge: ClassVar[str]

    @abc.abstractmethod
    def statement(self, unit: Unit = PERSON) -> str:
        """State the promise in one sentence that a reader of the release understands; a record is one unit."""

    def __str__(self) -> str:
        shown = ", ".join(f"{n}={v}" for n, v in self.parameters().items() if v is not None)
        return f"{self.name} ({shown})"

    def to_dict(self, unit: Unit = PERSON) -> dict[str, Any]:
        """Return name, parameters and statement as plain values."""
        return {
            "name": self.name,
            "parameters": dataclasses.asdict(self),
            "statement": self.statement(unit),
        }
