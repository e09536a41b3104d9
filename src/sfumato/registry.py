"""Finds methods, verifiers, attackers, measures, readers and generators by scanning their folders."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from types import ModuleType

from sfumato.core.errors import ParameterError
from sfumato.core.guarantee import Guarantee
from sfumato.core.metric import Metric
from sfumato.core.schema import KINDS
from sfumato.methods import all_methods, find

__all__ = [
    "all_methods",
    "attacker",
    "attacker_of_kind",
    "attackers_beyond",
    "faithful_verifier",
    "find",
    "generator",
    "metrics_for",
    "reader",
    "verifier",
]


@functools.cache
def _modules(folder: str) -> tuple[ModuleType, ...]:
    package = importlib.import_module(f"sfumato.{folder}")
    return tuple(
        importlib.import_module(f"{package.__name__}.{module.name}")
        for module in pkgutil.iter_modules(package.__path__)
    )


def verifier(guarantee: Guarantee) -> ModuleType:
    """Return the verifier of a guarantee.

    Examples
    --------
    >>> from sfumato.guarantees.km_anonymity import KmAnonymity
    >>> verifier(KmAnonymity(k=2, m=2)).__name__
    'sfumato.verify.km_anonymity'
    """
    for module in _modules("verify"):
        if getattr(module, "GUARANTEE", None) is type(guarantee):
            return module
    raise ParameterError(f"there is no verifier for {guarantee.name}.")


def attacker(guarantee: Guarantee) -> ModuleType:
    """Return the attacker whose knowledge a guarantee is about.

    Examples
    --------
    >>> from sfumato.guarantees.km_anonymity import KmAnonymity
    >>> attacker(KmAnonymity(k=2, m=2)).__name__
    'sfumato.attack.ordered_places'
    """
    for module in _modules("attack"):
        if getattr(module, "KNOWLEDGE", None) == guarantee.knowledge:
            return module
    raise ParameterError(f"there is no attacker for {guarantee.name}.")


def attackers_beyond(knowledge: str) -> list[ModuleType]:
    """Return the attackers who do more with a knowledge than promises about it allow.

    Examples
    --------
    >>> [module.__name__ for module in attackers_beyond("monitored-events")]
    ['sfumato.attack.neighbours']
    """
    return [module for module in _modules("attack") if getattr(module, "BEYOND", None) == knowledge]


def attacker_of_kind(kind: str) -> ModuleType:
    """Return the attacker who judges how identifying data of a kind are as they stand.

    Examples
    --------
    >>> attacker_of_kind("trajectories").__name__
    'sfumato.attack.ordered_places'
    """
    return _for_kind("attack", kind, "attack_original")


def faithful_verifier(kind: str) -> ModuleType:
    """Return the check that published records of a kind are true to the original.

    Examples
    --------
    >>> faithful_verifier("trajectories").__name__
    'sfumato.verify.faithful'
    """
    return _for_kind("verify", kind, "verify_faithful")


def _for_kind(folder: str, kind: str, function: str) -> ModuleType:
    for module in _modules(folder):
        if kind in getattr(module, "KINDS", ()) and hasattr(module, function):
            return module
    raise ParameterError(f"{folder}: nothing here knows data of kind {kind!r}.")


def metrics_for(kind: str) -> list[Metric]:
    """Return the measures that apply to a kind of data.

    Examples
    --------
    >>> [metric.name for metric in metrics_for("trajectories")][:1]
    ['average-relative-error']
    """
    found = [module.METRIC() for module in _modules("metrics") if hasattr(module, "METRIC")]
    return sorted((metric for metric in found if kind in metric.kinds), key=lambda metric: metric.name)


def reader(kind: str) -> ModuleType:
    """Return the reader of a kind of data."""
    return _of_kind("io.readers", kind, "read")


def generator(kind: str) -> ModuleType:
    """Return the generator of a kind of data."""
    return _of_kind("generate", kind, "generated")


def _of_kind(folder: str, kind: str, verb: str) -> ModuleType:
    package = importlib.import_module(f"sfumato.{folder}")
    known = [module.name for module in pkgutil.iter_modules(package.__path__)]
    offered = [name for name in known if name in KINDS]
    if kind not in offered:
        raise ParameterError(f"kind {kind!r} cannot be {verb}; choose from {', '.join(offered)}.")
    return importlib.import_module(f"{package.__name__}.{kind}")
