"""Which choices lie on the front of risk and loss, which three to look at, and why."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sfumato.studies.trials import Trial, TrialResult

__all__ = ["Choice", "Tried", "choose_three", "find_front", "format_policy", "list_tried"]


class Tried(NamedTuple):
    """One candidate with the two numbers that are weighed against each other: less is better in both.

    Examples
    --------
    >>> Tried(Trial("mondrian", {"k": 5}), TrialResult("done"), risk=0.1, loss=0.3).risk
    0.1
    """

    trial: Trial
    outcome: TrialResult
    risk: float
    loss: float

    @property
    def name(self) -> str:
        """The method with the parameters that vary."""
        settings = ", ".join(f"{name}={self.trial.parameters[name]}" for name in self.trial.varying)
        return f"{self.trial.method} ({settings})" if settings else self.trial.method


@dataclasses.dataclass(frozen=True)
class Choice:
    """A candidate worth choosing, and why.

    Parameters
    ----------
    role
        ``balanced``, ``safest`` or ``most useful``.
    tried
        The candidate.
    reason
        A sentence.
    """

    role: str
    tried: Tried
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "role": self.role,
            "method": self.tried.trial.method,
            "parameters": dict(self.tried.trial.parameters),
            "promise": self.tried.outcome.guarantee,
            "risk": self.tried.risk,
            "loss": self.tried.loss,
            "withheld": self.tried.outcome.withheld,
            "reason": self.reason,
        }


def list_tried(trials: Sequence[tuple[Trial, TrialResult]], measure: str) -> list[Tried]:
    """Return the candidates that were done and measured, with risk and loss.

    Examples
    --------
    >>> score = {"measure": "precision", "value": 0.9, "better": "higher"}
    >>> done = TrialResult("done", scores=(score,), risk={"after": {"success": 0.2}})
    >>> [(found.risk, round(found.loss, 3)) for found in list_tried([(Trial("optimal", {"k": 5}), done)], "precision")]
    [(0.2, 0.1)]
    """
    candidates = []
    for trial, outcome in trials:
        score = next((score for score in outcome.scores if score["measure"] == measure), None)
        risk = outcome.risk.get("after", {}).get("success")
        if outcome.is_done and score is not None and risk is not None:
            value = float(score["value"])
            # Measures of which more is better are shares of what could be.
            candidates.append(Tried(trial, outcome, float(risk), 1.0 - value if score["better"] == "higher" else value))
    return candidates


def find_front(tried: Sequence[Tried]) -> list[Tried]:
    """Return the candidates that no other one beats in risk and loss, the safest first.

    Examples
    --------
    >>> points = [Tried(Trial(name, {}), TrialResult("done"), risk, loss) for name, risk, loss in
    ...           [("a", 0.1, 0.5), ("b", 0.2, 0.6), ("c", 0.3, 0.1)]]
    >>> [point.trial.method for point in find_front(points)]
    ['a', 'c']
    """
    front: list[Tried] = []
    for point in sorted(tried, key=lambda point: (point.risk, point.loss)):
        if not front or point.loss < front[-1].loss:
            front.append(point)
    return front


def choose_three(tried: Sequence[Tried], recommended: Sequence[str] = ()) -> list[Choice]:
    """Choose the safest, the most useful and the most balanced candidate of the front, the balanced one first.

    Where the front has fewer than three candidates there are fewer choices.

    Parameters
    ----------
    tried
        All candidates.
    recommended
        Methods to prefer among candidates that are equally good.

    Examples
    --------
    >>> points = [Tried(Trial(name, {}), TrialResult("done"), risk, loss) for name, risk, loss in
    ...           [("a", 0.1, 0.9), ("b", 0.2, 0.2), ("c", 0.4, 0.1)]]
    >>> [(choice.role, choice.tried.trial.method) for choice in choose_three(points)]
    [('balanced', 'b'), ('safest', 'a'), ('most useful', 'c')]
    """
    rank = {name: number for number, name in enumerate(recommended)}
    # Of equally good candidates, one of an advised method with the strongest guarantee: values of a
    # parameter are tried from the mildest on.
    strongest_first = tried[::-1]
    front = find_front(sorted(strongest_first, key=lambda point: rank.get(point.trial.method, len(rank))))
    if not front:
        return []
    safest, useful = front[0], front[-1]
    risk_span = max(useful.risk - safest.risk, 1e-12)
    loss_span = max(safest.loss - useful.loss, 1e-12)

    def apart(point: Tried) -> float:
        return ((point.risk - safest.risk) / risk_span) ** 2 + ((point.loss - useful.loss) / loss_span) ** 2

    balanced = min(front, key=apart)
    reasons = {
        "balanced": f"of the {len(front)} on the front it is nearest to having the least risk and the least loss of "
        f"all: risk {balanced.risk:.2%}, loss {balanced.loss:.3g}",
        "safest": f"nothing that was tried has less risk ({safest.risk:.2%}), and what is as safe loses more "
        f"(loss {safest.loss:.3g})",
        "most useful": f"nothing that was tried loses less ({useful.loss:.3g}), and what loses as little has "
        f"more risk ({useful.risk:.2%})",
    }
    choices: list[Choice] = []
    for role, point in (("balanced", balanced), ("safest", safest), ("most useful", useful)):
        if all(point is not choice.tried for choice in choices):
            choices.append(Choice(role, point, f"{point.name}: {reasons[role]}."))
    return choices


def format_policy(choice: Choice, data: Mapping[str, Any], max_suppressed_records: float) -> str:
    """Write the policy file of a choice.

    Examples
    --------
    >>> point = Tried(Trial("mondrian", {"k": 5, "t": None}), TrialResult("done"), 0.1, 0.2)
    >>> choice = Choice("balanced", point, "why")
    >>> print(format_policy(choice, {"path": "a.csv", "kind": "table", "quasi": ["age"]}, 0.1))
    # balanced: why
    [data]
    path = "a.csv"
    kind = "table"
    quasi = ["age"]
    <BLANKLINE>
    [method]
    name = "mondrian"
    k = 5
    <BLANKLINE>
    [release]
    out = "published"
    max_suppressed_records = 0.1
    <BLANKLINE>
    """
    sections: dict[str, Mapping[str, Any]] = {
        "data": data,
        "method": {"name": choice.tried.trial.method, **choice.tried.trial.parameters},
        "release": {"out": "published", "max_suppressed_records": max_suppressed_records},
    }
    lines = [f"# {choice.role}: {' '.join(choice.reason.split())}"]
    for name, section in sections.items():
        lines += [
            f"[{name}]",
            *(f"{key} = {_format_toml(value)}" for key, value in section.items() if value is not None),
            "",
        ]
    return "\n".join(lines)


def _format_toml(value: Any) -> str:
    """Spell a plain value in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return (
            "{ "
            + ", ".join(f"{_format_toml(str(name))} = {_format_toml(entry)}" for name, entry in value.items())
            + " }"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_format_toml, value)) + "]"
    text = str(value)
    escaped = "".join(
        {'"': '\\"', "\\": "\\\\"}.get(letter, letter if letter.isprintable() else f"\\U{ord(letter):08x}")
        for letter in text
    )
    return f'"{escaped}"'
