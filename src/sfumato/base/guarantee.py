"""Guarantees of releases, and how they are read back from what was published."""

from __future__ import annotations

import abc
import dataclasses
import functools
from collections.abc import Mapping
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from sfumato.data.kind import OfKind, all_kinds, find_kind
from sfumato.data.record_unit import PERSON, RecordUnit, plural
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message
from sfumato.params import Parameterised

__all__ = ["COUNTS", "NOTE_LABEL", "Guarantee", "list_guarantees", "read_guarantee"]

_LARGEST = 1 << 48
"""More than any release has records or time has seconds; sums and products of such numbers still fit."""
COUNTS = ("records", "people")
"""What the smallest group of a guarantee can be counted in."""
NOTE_LABEL = "About the method (cannot be verified from the files)"
"""What is before a note that is true of the method and no part of the guarantee."""


@dataclasses.dataclass(frozen=True)
class Guarantee(OfKind, Parameterised, abc.ABC):
    """A guarantee with frozen parameters: the claim that goes into ``release.json``.

    Parameters
    ----------
    count
        What the smallest group is counted in: ``records``, or different ``people``, who may have several records.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees import KmAnonymity
    >>> str(KmAnonymity(k=5, m=2)), str(KmAnonymity(k=5, m=2, count="people"))
    ('5^2-anonymity of places', '5^2-anonymity of places, counting people')
    """

    name: ClassVar[str]
    title: ClassVar[str]
    knowledge: ClassVar[str]
    composes: ClassVar[bool]
    """Whether the guarantee holds for the whole release where it holds for every partition of its people."""
    observed: ClassVar[tuple[str, ...]] = ()
    """Parameters that say what a release happens to hold; of several partitions, what one holds all of them do."""

    count: str = dataclasses.field(default="records", kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if self.count not in COUNTS:
            rule = f": count must be one of {', '.join(COUNTS)}, got {self.count!r}."
            raise ParameterError(Message(self.message_name, rule), option="count")
        super().__post_init__()
        for field in dataclasses.fields(self):
            names = getattr(self, field.name)
            # The same names make the same claim in any order.
            if isinstance(names, tuple) and all(isinstance(name, str) for name in names):
                object.__setattr__(self, field.name, tuple(sorted(set(names))))

    @property
    def smallest_group(self) -> int | None:
        """The fewest records, or people, that match anything known; None where the guarantee has no such number."""
        k = getattr(self, "k", None)
        return k if isinstance(k, int) and k > 1 else None

    @property
    def largest_share(self) -> float | None:
        """The largest share of matching records with one sensitive value; None where the guarantee bounds no share."""
        diversity = getattr(self, "l", None)
        return 1 / diversity if diversity else None

    @property
    def bound_to_whole(self) -> str:
        """Say why this guarantee cannot be kept partition by partition; nothing where it can.

        Examples
        --------
        >>> from sfumato.kinds.trajectories.guarantees import KmAnonymity
        >>> KmAnonymity.composes, KmAnonymity(k=5, m=2).bound_to_whole
        (True, '')
        """
        return "" if self.composes else "it is about all data in their order, not about single people"

    def join(self, other: Guarantee) -> Guarantee:
        """Return what two partitions that make these promises promise together; refuse promises that differ.

        Examples
        --------
        >>> from sfumato.kinds.sequences.guarantees import GroupAnonymity
        >>> some, none = GroupAnonymity(k=5, suppressing=True), GroupAnonymity(k=5)
        >>> some.join(none) == some
        True
        """
        if type(self) is type(other):
            seen = {name: getattr(self, name) or getattr(other, name) for name in self.observed}
            agreed = all(not getattr(other, name) or getattr(other, name) == value for name, value in seen.items())
            both = dataclasses.replace(self, **seen)
            if agreed and both == dataclasses.replace(other, **seen):
                return both
        raise SchemaError(f"{self.name}: partitions of the release have different guarantees.")

    @abc.abstractmethod
    def statement(self, unit: RecordUnit = PERSON) -> str:
        """State the guarantee in one sentence that a reader of the release understands; a record is one unit."""

    def describe_count(self, unit: RecordUnit) -> str:
        """Say what is counted, as a sentence to add to the statement; nothing where a record is a person."""
        if not unit.owner:
            return ""
        if self.count == "records":
            return f" {unit.explain()}"
        return (
            f" {unit.explain().partition(': ')[0]}: wherever the guarantee counts at least {self.smallest_group} "
            f"{unit.records}, "
            f"they are those of at least {self.smallest_group} different {plural(unit.owner)}."
        )

    @property
    def label(self) -> str:
        """The guarantee with its numbers, as people write it: without parameters that guarantee nothing.

        Examples
        --------
        >>> from sfumato.kinds.trajectories.guarantees import KmAnonymity
        >>> KmAnonymity(k=5, m=2).label
        '5^2-anonymity of places'
        """
        shown = ", ".join(f"{name}={value}" for name, value in self.parameters().items() if value is not None)
        return f"{self.title} ({shown})" if shown else self.title

    def __str__(self) -> str:
        return f"{self.label}{', counting people' * (self.count == 'people')}"

    def to_dict(self, unit: RecordUnit = PERSON) -> dict[str, Any]:
        """Return name, parameters, what is counted and the statement as plain values."""
        parameters = dataclasses.asdict(self)
        return {
            "name": self.name,
            "parameters": {name: value for name, value in parameters.items() if name != "count"},
            "count": self.count,
            "statement": self.statement(unit),
        }


@functools.cache
def list_guarantees(kind: str) -> dict[str, type[Guarantee]]:
    """Return what releases of a kind of data can promise, by name.

    Examples
    --------
    >>> sorted(list_guarantees("trajectories"))
    ['klm-anonymity', 'km-anonymity']
    """
    return {name: spec.guarantee.load() for name, spec in find_kind(kind).guarantees.items()}


def read_guarantee(kind: str, data: Mapping[str, Any]) -> Guarantee:
    """Read a guarantee from the manifest of a release of a kind of data.

    One that is about another kind is read too, so that a verifier can say what is wrong with the release.

    Examples
    --------
    >>> read_guarantee("trajectories", {"name": "km-anonymity", "parameters": {"k": 5, "m": 2}})
    KmAnonymity(k=5, m=2)
    """
    guarantees = list_guarantees(kind)
    if data.get("name") not in guarantees:
        guarantees = {name: guarantee for other in all_kinds() for name, guarantee in list_guarantees(other).items()}
    if data.get("name") not in guarantees:
        raise SchemaError(f"release.json: the guarantee is unknown. Known: {', '.join(sorted(guarantees))}.")
    parameters = {
        name: tuple(value) if isinstance(value, list | tuple) else value for name, value in data["parameters"].items()
    }
    guarantee_class = guarantees[data["name"]]
    hints = get_type_hints(guarantee_class)
    fields = {field.name for field in dataclasses.fields(guarantee_class)} - {"count"}
    if set(parameters) != fields or not all(_fits(value, hints[name]) for name, value in parameters.items()):
        raise SchemaError("release.json: the parameters do not fit the guarantee.")
    return guarantee_class(**parameters, count=data.get("count", "records"))


def _fits(value: Any, hint: Any) -> bool:
    """Tell whether a value read from a file has the declared type; lists of names were made tuples."""
    if get_origin(hint) is tuple:
        inside = get_args(hint)[0]
        return isinstance(value, tuple | list) and all(_fits(entry, inside) for entry in value)
    if type(value) is int and abs(value) > _LARGEST:
        return False
    allowed = get_args(hint) or (hint,)
    return any(type(value) is kind for kind in allowed)
