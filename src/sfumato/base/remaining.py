"""What remains possible: the second light beside every guarantee.

That a guarantee holds is one thing. What a release still allows is another: to infer a sensitive value, to single out
people with more knowledge than the guarantee covers, or too little to an analyst. Verifiers, attackers and measures
each find some of it; here it is collected in one form for Python, the command line and the workbench.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from sfumato.escape import escape_html
from sfumato.messages import Message, Part, Setting, pack, unpack

__all__ = ["NOTHING", "TITLE", "Possibility", "Remaining", "Severity", "quote", "show_number"]

TITLE = "What remains possible"

Severity = Literal["note", "warning"]
Topic = Literal["inference", "uniqueness", "utility"]


@dataclasses.dataclass(frozen=True)
class Possibility:
    """One thing that a release leaves possible.

    Parameters
    ----------
    topic, about
        What it is: ``inference`` of a sensitive value, ``uniqueness`` with more knowledge, or ``utility``; and of which
        column, knowledge or measure. Two findings with the same topic and the same ``about`` are about the same thing.
    severity
        ``note``, or ``warning`` where somebody should decide whether to publish.
    wording
        A sentence or two with the names of numbers in braces. Where ``people`` of so many (``of``) are counted,
        ``{share}`` is theirs.
    remedy
        What would help, in the same way; parameters that are named in a message are written as callers give them.
    counts
        Numbers that add up over the partitions of a release.
    worst
        Numbers of which the largest is that of all partitions. A float is a share.

    Examples
    --------
    >>> found = Possibility("uniqueness", "zip", "warning", "{people} of {of} people ({share}) stand alone.",
    ...                     counts={"people": 3, "of": 1200})
    >>> found.sentence
    '3 of 1,200 people (0.2 %) stand alone.'
    """

    topic: Topic
    about: str
    severity: Severity
    wording: str
    remedy: str = ""
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)
    worst: Mapping[str, float] = dataclasses.field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """Say what is possible."""
        return self._fill(self.wording)

    @property
    def hint(self) -> str:
        """Say what would help; nothing where nothing is known to."""
        return self._fill(self.remedy)

    @property
    def is_warning(self) -> bool:
        """Tell whether nobody should overlook it."""
        return self.severity == "warning"

    def join(self, other: Possibility) -> Possibility:
        """Return the same of two partitions of a release: counts of both, the worse of what does not add up.

        Examples
        --------
        >>> one = Possibility("inference", "ill", "note", "up to {confidence}", worst={"confidence": 0.5})
        >>> two = Possibility("inference", "ill", "warning", "{people} of {of}", counts={"people": 2, "of": 9})
        >>> one.join(two).to_dict()["numbers"], one.join(two).sentence
        ({'people': 2, 'of': 9, 'confidence': 0.5}, '2 of 9')
        """
        counts = {n: self.counts.get(n, 0) + other.counts.get(n, 0) for n in {**self.counts, **other.counts}}
        worst = {
            n: max(values[n] for values in (self.worst, other.worst) if n in values)
            for n in {**self.worst, **other.worst}
        }
        worse = other if other.is_warning and not self.is_warning else self
        return dataclasses.replace(worse, counts=counts, worst=worst)

    def _fill(self, text: str) -> str:
        numbers: dict[str, float] = {**self.counts, **self.worst}
        if "of" in numbers:
            numbers["share"] = numbers["people"] / max(numbers["of"], 1)
        shown = {name: show_number(value) for name, value in numbers.items()}
        if not isinstance(text, Message):
            return text.format(**shown)
        return Message(*(self._fill_part(part, shown, numbers) for part in text.parts))

    @staticmethod
    def _fill_part(part: Part, shown: Mapping[str, str], numbers: Mapping[str, float]) -> Part:
        """Fill a part of a message; the value of a parameter is a number as people type it."""
        if isinstance(part, str):
            return part.format(**shown)
        if isinstance(part, Setting) and isinstance(part.value, str):
            return dataclasses.replace(part, value=numbers.get(part.value.strip("{}"), part.value))
        return part

    def __str__(self) -> str:
        return Message(self.sentence, " ", self.hint) if self.hint else self.sentence

    def pack(self) -> dict[str, Any]:
        """Return plain values that JSON can hold, of which :meth:`unpack` makes the same."""
        return {**vars(self), "wording": pack(self.wording), "remedy": pack(self.remedy)}

    @classmethod
    def unpack(cls, fields: Mapping[str, Any]) -> Possibility:
        """Make what plain values are of.

        Examples
        --------
        >>> rare = Possibility("uniqueness", "age", "note", "{people} of {of}", counts={"people": 1, "of": 9})
        >>> Possibility.unpack(rare.pack()) == rare
        True
        """
        return cls(**{**fields, "wording": unpack(fields["wording"]), "remedy": unpack(fields["remedy"])})

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "topic": self.topic,
            "about": self.about,
            "severity": self.severity,
            "sentence": self.sentence,
            "hint": self.hint,
            "numbers": {**self.counts, **self.worst},
        }


@dataclasses.dataclass(frozen=True)
class Remaining:
    """All that is known to remain possible, warnings first.

    Examples
    --------
    >>> some = Remaining((Possibility("utility", "ncp", "note", "An average cell covers {loss} of its column.",
    ...                               worst={"loss": 0.026}),))
    >>> some
    Remaining(An average cell covers 2.6 % of its column.)
    """

    possibilities: tuple[Possibility, ...] = ()

    @classmethod
    def of(cls, possibilities: Iterable[Possibility | None]) -> Remaining:
        """Put findings together."""
        return cls(tuple(possibility for possibility in possibilities if possibility is not None))

    @classmethod
    def collect(cls, findings: Iterable[Any]) -> Remaining:
        """Return what remains possible according to findings of attackers, those that say something about it."""
        return cls.of(possibility for finding in findings for possibility in getattr(finding, "remaining", ()))

    @classmethod
    def unite(cls, partitions: Iterable[Remaining]) -> Remaining:
        """Return what remains possible in a release from what does in its partitions.

        Examples
        --------
        >>> one = Remaining((Possibility("uniqueness", "", "note", "{people} of {of}", counts={"people": 1, "of": 9}),))
        >>> Remaining.unite([one, one])
        Remaining(2 of 18)
        """
        by_key: dict[tuple[str, str], list[Possibility]] = {}
        for possibility in (possibility for partition in partitions for possibility in partition):
            by_key.setdefault((possibility.topic, possibility.about), []).append(possibility)
        return cls(tuple(functools.reduce(Possibility.join, same) for same in by_key.values()))

    def refine(self, later: Remaining) -> Remaining:
        """Return what is known of one release after more was found out: what is about the same is replaced.

        Examples
        --------
        >>> rough, fine = (Remaining((Possibility("inference", "ill", "note", text),)) for text in ("Some.", "Two."))
        >>> rough.refine(fine)
        Remaining(Two.)
        """
        newer = {(possibility.topic, possibility.about) for possibility in later}
        return Remaining(
            (*(possibility for possibility in self if (possibility.topic, possibility.about) not in newer), *later)
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences of the warnings, each with what would help."""
        return tuple(str(possibility) for possibility in self if possibility.is_warning)

    def __iter__(self) -> Iterator[Possibility]:
        """Go through what was found, warnings first."""
        return iter(sorted(self.possibilities, key=lambda possibility: not possibility.is_warning))

    def __len__(self) -> int:
        return len(self.possibilities)

    def __repr__(self) -> str:
        return f"Remaining({' '.join(possibility.sentence for possibility in self)})"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return plain values for JSON."""
        return [possibility.to_dict() for possibility in self]

    def _repr_html_(self) -> str:
        """Show it in a notebook: a list of sentences, warnings in bold."""
        if not len(self):
            return ""
        lines = (
            f"<b>{escape_html(str(possibility))}</b>" if possibility.is_warning else escape_html(str(possibility))
            for possibility in self
        )
        return f"<p><b>{TITLE}</b></p><ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"


NOTHING = Remaining()
"""Where nothing is known."""


def quote(text: str) -> str:
    """Write a name into a wording, so that its braces are no names of numbers.

    Examples
    --------
    >>> Possibility("inference", "{x}", "note", f"Of {quote('{x}')}.").sentence
    'Of {x}.'
    """
    return text.replace("{", "{{").replace("}", "}}")


def show_number(value: float) -> str:
    """Write a number: a whole one as it is, a share in percent; neither all nor none where that is not so.

    Examples
    --------
    >>> show_number(1200), show_number(0.5), show_number(0.99999), show_number(1e-9)
    ('1,200', '50 %', 'more than 99.9 %', 'less than 0.1 %')
    """
    if isinstance(value, int):
        return f"{value:,}"
    text = f"{100 * value:,.1f}".removesuffix(".0")
    if text == "100" and value < 1:
        return "more than 99.9 %"
    return "less than 0.1 %" if text == "0" and value > 0 else f"{text} %"
