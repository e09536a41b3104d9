"""Verdicts on releases: claimed against measured."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.base.guarantee import NOTE_LABEL
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.base.tabular import Tabular, align, list_remaining, name_in_words, show_value, wrap
from sfumato.escape import escape_html, make_visible, tabulate
from sfumato.old_names import with_old_names

__all__ = ["EXIT_CODES", "SHOWN_ROWS", "Verdict"]

SHOWN_ROWS = 10
"""How many rows a counterexample names at most."""

EXIT_CODES = {"holds": 0, "broken": 1, "unsettled": 2, "undeclared": 3}
"""How the command line answers."""

_SIDES = ("claimed", "measured")

_SENTENCES = {
    "holds": "Verified: the guarantee holds and every file is declared.",
    "broken": "Broken: the release does not keep its guarantee. Do not publish it.",
    "unsettled": "Inconclusive: the guarantee cannot be verified from these files.",
    "undeclared": "Incomplete: the guarantee holds for the declared data, but the folder has undeclared content. "
    "Do not publish it.",
}
_KEYS = {"counterexample": "witness"}
"""Keys of the JSON output that are called otherwise than the field."""


@with_old_names
@dataclasses.dataclass(frozen=True, repr=False)
class Verdict(Tabular):
    """Claimed against measured, and a counterexample where the guarantee is broken.

    Parameters
    ----------
    holds
        Whether the release keeps its guarantee.
    claimed, measured
        Parameters of the guarantee as stated, and as found in the files.
    counterexample
        What breaks the guarantee, in terms of published values and published rows only.
    checks
        Outcome of every check by name.
    unsettled
        Why the files leave the guarantee open, a sentence each. A guarantee that is left open does not hold.
    undeclared
        What the folder contains and does not declare: it was not verified.
    warnings
        What a reader should know besides, a sentence or two each. The outcome does not depend on it.
    method_note
        What the release says of its method, if it is what releases by that method say. It is not verified.
    remaining
        What the release leaves possible, however well its guarantee holds.

    Examples
    --------
    >>> Verdict(True, {"k": 5, "m": 2}, {"k": 7, "m": 2})
    Verified: the guarantee holds and every file is declared.
      parameter  claimed  measured
      k          5        7
      m          2        2
    >>> found = Verdict(True, {"k": 5}, {"k": 5}, undeclared=("notes.txt",))
    >>> found.outcome, bool(found), EXIT_CODES[found.outcome]
    ('undeclared', False, 3)
    """

    holds: bool
    claimed: dict[str, Any]
    measured: dict[str, Any]
    counterexample: dict[str, Any] | None = None
    checks: dict[str, bool] = dataclasses.field(default_factory=dict)
    unsettled: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    method_note: str = ""
    remaining: Remaining = NOTHING

    @property
    def outcome(self) -> str:
        """The outcome in a word: ``holds``, ``broken``, ``unsettled`` or ``undeclared``."""
        if not self.holds:
            return "broken"
        if self.unsettled:
            return "unsettled"
        return "undeclared" if self.undeclared else "holds"

    @property
    def sentence(self) -> str:
        """The outcome in a sentence.

        Examples
        --------
        >>> Verdict(False, {"k": 5}, {"k": 2}).sentence
        'Broken: the release does not keep its guarantee. Do not publish it.'
        """
        return _SENTENCES[self.outcome]

    def __bool__(self) -> bool:
        return self.outcome == "holds"

    def __and__(self, other: Verdict) -> Verdict:
        """Combine two checks of the same release; what one of them finds wrong is wrong."""
        both = {name: self.checks[name] and passed for name, passed in other.checks.items() if name in self.checks}
        return Verdict(
            self.holds and other.holds,
            {**self.claimed, **other.claimed},
            {**self.measured, **other.measured},
            self.counterexample or other.counterexample,
            {**self.checks, **other.checks, **both},
            self.unsettled + other.unsettled,
            self.undeclared + other.undeclared,
            self.warnings + other.warnings,
            self.method_note or other.method_note,
            self.remaining.refine(other.remaining),
        )

    @classmethod
    def unite(cls, parts: Mapping[str, Verdict]) -> Verdict:
        """Combine checks of the partitions of a release by their names: what is wrong in one partition is wrong.

        A measured number is listed once where all partitions have the same, else from the least to the most.

        Examples
        --------
        >>> Verdict.unite({"part-00000": Verdict(True, {"k": 5}, {"k": 7}), "part-00001": Verdict(True, {}, {"k": 6})})
        Verified: the guarantee holds and every file is declared.
          parameter  claimed  measured
          k          5        least: 6, most: 7
        """
        both = functools.reduce(Verdict.__and__, parts.values())
        names = dict.fromkeys(name for part in parts.values() for name in part.measured)
        measured = {
            name: _range([part.measured[name] for part in parts.values() if name in part.measured]) for name in names
        }
        broken = next(((name, part) for name, part in parts.items() if not part.holds), None)
        return dataclasses.replace(
            both,
            measured=measured,
            counterexample=None if broken is None else {"part": broken[0], **(broken[1].counterexample or {})},
            unsettled=tuple(dict.fromkeys(both.unsettled)),
            undeclared=tuple(f"{name}/{what}" for name, part in parts.items() for what in part.undeclared),
            warnings=tuple(dict.fromkeys(both.warnings)),
            remaining=Remaining.unite(part.remaining for part in parts.values()),
        )

    @property
    def in_short(self) -> str:
        """What is claimed and what was measured, on one line.

        Examples
        --------
        >>> Verdict(False, {"k": 5, "l": None}, {"k": 2}).in_short
        'claimed k=5, measured k=2'
        """
        claimed, measured = (
            ", ".join(f"{name}={show_value(value)}" for name, value in numbers.items() if value is not None)
            for numbers in (self.claimed, self.measured)
        )
        return make_visible(f"claimed {claimed}, measured {measured}")

    def _lines(self) -> Iterator[str]:
        yield from self._wrap(self.sentence, *self.unsettled, *(f"Not declared: {what}." for what in self.undeclared))
        yield from align(
            [
                (name_in_words(row["name"]), *("" if row[side] is None else show_value(row[side]) for side in _SIDES))
                for row in self._rows()
                if row["passed"] is None
            ],
            ("parameter", *_SIDES),
        )
        failed = [name for name, passed in self.checks.items() if not passed]
        yield from self._wrap(
            *([f"Failed: {', '.join(failed)}"] if failed else []),
            *([f"Counterexample: {show_value(self.counterexample)}"] if self.counterexample else []),
            *(f"Warning: {text}" for text in self.warnings),
            *([f"{NOTE_LABEL}: {self.method_note}"] if self.method_note else []),
        )
        yield from list_remaining(self.remaining)

    @staticmethod
    def _wrap(*sentences: str) -> Iterator[str]:
        for sentence in sentences:
            yield from wrap(sentence)

    def _rows(self) -> list[dict[str, Any]]:
        """Return a row for each parameter, and one for each check."""
        names = [name for name in dict.fromkeys([*self.claimed, *self.measured]) if not self._is_empty(name)]
        parameters = [
            {"name": name, "claimed": self.claimed.get(name), "measured": self.measured.get(name), "passed": None}
            for name in names
        ]
        checks = [
            {"name": name, "claimed": None, "measured": None, "passed": passed} for name, passed in self.checks.items()
        ]
        return parameters + checks

    def _is_empty(self, name: str) -> bool:
        return self.claimed.get(name) is None and self.measured.get(name) is None

    def _repr_html_(self) -> str:
        sentences = [self.sentence, *self.unsettled, *(f"Not declared: {what}." for what in self.undeclared)]
        sentences += [f"Warning: {text}" for text in self.warnings]
        sentences += [f"{NOTE_LABEL}: {self.method_note}"] if self.method_note else []
        names = dict.fromkeys([*self.claimed, *self.measured])
        rows = [(name.replace("_", " "), self.claimed.get(name, ""), self.measured.get(name, "")) for name in names]
        tables = tabulate("Claimed and measured", ["what", "claimed", "measured"], rows) if rows else ""
        if self.counterexample:
            tables += tabulate("Counterexample", ["what", "found"], list(self.counterexample.items()))
        passed = [(name, "passed" if outcome else "FAILED") for name, outcome in self.checks.items()]
        tables += tabulate("Checks", ["check", "outcome"], passed) if passed else ""
        first, *others = map(escape_html, sentences)
        lines = "".join(f"<p>{text}</p>" for text in others)
        return f"<p><b>{first}</b></p>{lines}{self.remaining._repr_html_()}{tables}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        plain = {_KEYS.get(field.name, field.name): getattr(self, field.name) for field in dataclasses.fields(self)}
        derived = {"holds": self.outcome in {"holds", "undeclared"}, "remaining": self.remaining.to_dict()}
        return {"outcome": self.outcome, "sentence": self.sentence, **plain, **derived}


def _range(values: list[Any]) -> Any:
    """Return what all partitions have, or the least and the most; where there is no such thing, what the first has."""
    if all(value == values[0] for value in values):
        return values[0]
    if all(isinstance(value, int | float) for value in values):
        return {"least": min(values), "most": max(values)}
    return values[0]
