"""What exploring data found, in sentences, tables and a policy file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.data.record_unit import RecordUnit
from sfumato.escape import escape_html as escape
from sfumato.messages import Message, option
from sfumato.studies.explore.choice import Choice, Tried, find_front
from sfumato.studies.results import StudyResult
from sfumato.studies.trials import Trial

__all__ = ["Exploration"]


@dataclasses.dataclass(frozen=True, eq=False)
class Exploration:
    """Results: risk of the original, loss of each guarantee, three choices, and the policy of the chosen one.

    Parameters
    ----------
    before
        What attackers reach with the data as they stand, who know ever more: plain values.
    in_words
        The same in sentences.
    records, tried_on
        Records there are, and on how many of them was tried.
    unit
        What one record is.
    measure
        Name and title of the measure of loss.
    tried
        Candidates that were done.
    choices
        Up to three of them; the first one is picked.
    result
        The study behind it: its table has every measure of every candidate.
    lacking
        What data would have to have for methods that were left out.
    unrun
        Candidates for which there was no time.
    policy
        Text of the policy file; empty if nothing was done.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = [(20 + number % 7, "fm"[number % 2]) for number in range(60)]
    >>> found = sf.explore(sf.Dataset.of("table", people, ("age", "sex")), seconds=60, workers=1, methods=["mondrian"])
    >>> found.picked.tried.trial.method, found.table.num_rows > 0
    ('mondrian', True)
    """

    before: Sequence[Mapping[str, Any]]
    in_words: Sequence[str]
    records: int
    tried_on: int
    unit: RecordUnit
    measure: tuple[str, str]
    tried: Sequence[Tried]
    choices: Sequence[Choice]
    result: StudyResult
    lacking: Mapping[str, str]
    unrun: Sequence[Trial]
    policy: str

    @property
    def picked(self) -> Choice:
        """The choice that the policy file is about."""
        return self.choices[0]

    @property
    def table(self) -> Any:
        """The tidy table: one row per candidate and measure."""
        return self.result.table

    @property
    def warnings(self) -> tuple[str, ...]:
        """What nobody who publishes the one picked should overlook: what stronger attackers found in the trial."""
        return self.picked.tried.outcome.warnings if self.choices else ()

    def format_warnings(self) -> list[str]:
        """Return the warnings, each with its remedy."""
        return [f"Beware: {text}" for text in self.warnings]

    @property
    def front(self) -> list[Tried]:
        """Candidates that no other beats in risk and loss."""
        return find_front(self.tried)

    def costs(self) -> list[dict[str, Any]]:
        """Return, for every guarantee, the candidate that loses least, and what it costs."""
        cheapest: dict[str, Tried] = {}
        for point in sorted(self.tried, key=lambda point: point.loss):
            cheapest.setdefault(point.outcome.guarantee, point)
        return [
            {
                "promise": guarantee,
                "cheapest": point.trial.method,
                "loss": point.loss,
                "risk_before": point.outcome.risk.get("before", {}).get("success"),
                "risk_after": point.risk,
                "published": point.outcome.published,
                "withheld": point.outcome.withheld,
                "seconds": round(sum(point.outcome.seconds.values()), 2),
            }
            for guarantee, point in sorted(cheapest.items(), key=lambda entry: entry[1].loss)
        ]

    @property
    def sentences(self) -> list[str]:
        """The answers in plain sentences."""
        lines = [*self.in_words[-1:], self.describe_sample(), f"Loss is {self.measure[0]}: {self.measure[1]}."]
        for cost in self.costs():
            withheld = f", {cost['withheld']:,} records suppressed" if cost["withheld"] else ""
            lines.append(
                f"{cost['promise']}: loss {cost['loss']:.3g} with {cost['cheapest']}; {self._risk} "
                f"falls from {cost['risk_before'] or 0:.2%} to {cost['risk_after']:.2%}{withheld}."
            )
        lines += [f"{choice.role.capitalize()}: {choice.reason}" for choice in self.choices]
        lines += self.format_warnings()
        lines += [f"{name} was not tried: it needs {need}." for name, need in self.lacking.items()]
        lines += [
            f"{trial.name} is not among the choices ({outcome.status}): {outcome.reason}"
            for trial, outcome in self.result.failures()
        ]
        if self.unrun:
            lines.append(Message(f"{len(self.unrun)} candidates were not tried; increase ", option("seconds"), "."))
        return [sentence for sentence in lines if sentence]

    @property
    def _risk(self) -> str:
        """What the risk is: of people who are distinguished, or of events that become frequent."""
        if any("largest_relative_frequency" in risk for risk in self.before):
            return "the largest relative frequency of a sensitive event"
        return "an attacker's success" + ("" if self.tried_on == self.records else " in the sample")

    def describe_sample(self) -> str:
        """Describe on how much of the data candidates were tried."""
        if self.tried_on == self.records:
            return f"All candidates were tried on all of {self.unit.count(self.records)}."
        return (
            f"Candidates were tried on a sample of {self.tried_on:,} of {self.unit.count(self.records)}. On all data "
            "the same guarantee usually costs less."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "risk": [dict(risk) for risk in self.before],
            "records": self.records,
            "tried_on": self.tried_on,
            "measure": self.measure[0],
            "costs": self.costs(),
            "choices": [choice.to_dict() for choice in self.choices],
            "warnings": list(self.warnings),
            "lacking": dict(self.lacking),
            "failed": [
                {"method": trial.method, "parameters": dict(trial.parameters), "status": end.status, "why": end.reason}
                for trial, end in self.result.failures()
            ],
            "no_time_for": len(self.unrun),
            "sentences": self.sentences,
        }

    def __repr__(self) -> str:
        picked = self.picked.tried.name if self.choices else "nothing"
        return f"Exploration({len(self.tried)} candidates done, {len(self.front)} on the front; picked: {picked})"

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences)
        return f"<div><p><b>{escape(repr(self))}</b></p><ul>{lines}</ul></div>"
