"""Options of generators: name, type, default, range and help."""

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from sfumato.exceptions import ParameterError
from sfumato.messages import Message, parameter

__all__ = ["Option", "choose_model", "nearest_name", "resolve_options"]

_TYPE_WORDS = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    date: "a date like 2024-01-31",
    Path: "a file path",
}


@dataclass(frozen=True)
class Option:
    """One option, as the command line, forms and reference pages show it.

    Parameters
    ----------
    name
        Keyword under which the option is given.
    type
        One of int, float, str, datetime.date and pathlib.Path.
    default
        Value used when the option is not given; None means "no file".
    help
        One sentence for the reader.
    at_least, at_most
        Closed range for numbers; None leaves that side open.
    choices
        The allowed texts; empty allows any.

    Examples
    --------
    >>> places = Option("places", int, 662, "Number of places in the city.", at_least=2)
    >>> places.check("700", "generate trajectories")
    700
    >>> places.check(1, "generate trajectories")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: generate trajectories: places must be at least 2, got 1.
    """

    name: str
    type: type
    default: Any
    help: str
    at_least: float | None = None
    at_most: float | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: Any, owner: str) -> Any:
        """Convert a value or its text to the type of the option, and check its range."""
        converted = self._convert(value)
        if converted is None:
            raise self._refuse(owner, f"{_TYPE_WORDS[self.type]}, got {value!r}.")
        if self.at_least is not None and converted < self.at_least:
            raise self._refuse(owner, f"at least {self.at_least}, got {converted}.")
        if self.at_most is not None and converted > self.at_most:
            raise self._refuse(owner, f"at most {self.at_most}, got {converted}.")
        if self.choices and converted not in self.choices:
            choices = " or ".join(self.choices)
            raise self._refuse(owner, f"{choices}, got {converted!r}.")
        return converted

    def _refuse(self, owner: str, rule: str) -> ParameterError:
        return ParameterError(Message(f"{owner}: ", parameter(self.name), f" must be {rule}"))

    def _convert(self, value: Any) -> Any:
        if isinstance(value, bool) or (self.type in (int, str, date) and isinstance(value, float)):
            return None
        try:
            if self.type is date:
                return date.fromisoformat(str(value))
            converted = self.type(value)
        except (TypeError, ValueError, OverflowError):
            return None
        return None if self.type is float and not math.isfinite(converted) else converted


def nearest_name(name: str, names: Iterable[str]) -> str:
    """Return the known name that is most similar to the given one.

    Examples
    --------
    >>> nearest_name("placs", ["days", "places", "skew"])
    'places'
    """
    return difflib.get_close_matches(name, list(names), n=1, cutoff=0.0)[0]


def resolve_options(owner: str, model: str, options: tuple[Option, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in defaults and check given options; unknown names are refused with the nearest known one.

    Examples
    --------
    >>> days = Option("days", int, 7, "Days covered.", at_least=1)
    >>> resolve_options("generate trajectories", "checkins", (days,), {})
    {'days': 7}
    >>> resolve_options("generate trajectories", "checkins", (days,), {"day": 3})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: generate trajectories: model checkins has no option 'day'. Did you mean 'days'?
    """
    names = [option.name for option in options]
    for name in given:
        if name not in names:
            raise ParameterError(
                f"{owner}: model {model} has no option {name!r}.",
                option=name,
                hint=f"Did you mean {nearest_name(name, names)!r}?",
            )
    return {
        option.name: option.check(given[option.name], owner) if given.get(option.name) is not None else option.default
        for option in options
    }


def choose_model(
    kind: str, size: Any, seed: Any, model: str, models: Mapping[str, tuple[Option, ...]], given: Mapping[str, Any]
) -> tuple[int, int, dict[str, Any]]:
    """Check size, seed and settings of a model, and return them.

    Examples
    --------
    >>> models = {"visits": (Option("days", int, 7, "Days covered.", at_least=1),)}
    >>> choose_model("trajectories", "100", 1, "visits", models, {"days": 3})
    (100, 1, {'days': 3})
    >>> choose_model("trajectories", 100, 1, "visit", models, {})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: generate trajectories: there is no model 'visit'. Did you mean 'visits'?
    """
    owner = f"generate {kind}"
    size, seed = _SIZE.check(size, owner), _SEED.check(seed, owner)
    if model not in models:
        raise ParameterError(
            f"{owner}: there is no model {model!r}.",
            option="model",
            hint=f"Did you mean {nearest_name(model, models)!r}?",
        )
    return size, seed, resolve_options(owner, model, models[model], given)


_SIZE = Option("size", int, 1000, "Number of records.", at_least=1, at_most=100_000_000)
_SEED = Option("seed", int, 1, "Seed of random numbers.", at_least=0)
