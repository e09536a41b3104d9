"""Who is here: kinds, methods, verifiers, attackers, measures, readers and generators, found in the rooms of kinds."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from sfumato.core.errors import ParameterError
from sfumato.core.guarantee import Guarantee, list_guarantees
from sfumato.core.measuring.metric import Metric
from sfumato.core.method import Method
from sfumato.core.params import Parameter, build, declared
from sfumato.core.rooms import all_kinds, find_kind, find_room, has_room, list_modules

__all__ = [
    "all_kinds",
    "all_methods",
    "attacker",
    "attacker_of_kind",
    "attackers_beyond",
    "faithful_verifier",
    "find",
    "find_kind",
    "find_room",
    "generator",
    "has_room",
    "make",
    "methods_for",
    "metrics_for",
    "reader",
    "verifier",
]


@functools.cache
def methods_for(kind: str) -> dict[str, type[Method]]:
    """Return the methods for a kind of data by name: the classes that declare one, and not the bases beside them.

    Examples
    --------
    >>> sorted(methods_for("timeline"))
    ['essa', 'essa-joint', 'odesa']
    """
    return {
        value.name: value
        for module in list_modules(kind, "methods")
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Method)
        and value.__module__ == module.__name__
        and "name" in vars(value)
    }


@functools.cache
def all_methods() -> dict[str, type[Method]]:
    """Return every method by name; where kinds of data share a name, the others' are called ``kind/name``.

    Examples
    --------
    >>> "seqanon" in all_methods()
    True
    """
    found: dict[str, type[Method]] = {}
    for kind in all_kinds():
        for name, method in methods_for(kind).items():
            found[f"{kind}/{name}" if name in found else name] = method
    return dict(sorted(found.items()))


def find(name: str, kind: str | None = None) -> type[Method]:
    """Return a method by its name, or say which one is nearest; methods for the kind at hand are looked at first.

    Examples
    --------
    >>> find("seqanom")
    Traceback (most recent call last):
        ...
    sfumato.core.errors.ParameterError: there is no method 'seqanom'. Did you mean 'seqanon'? ...
    >>> find("mondrain", "table")
    Traceback (most recent call last):
        ...
    sfumato.core.errors.ParameterError: there is no method 'mondrain'. Did you mean 'mondrian'? Known for table: ...
    """
    for each in all_kinds() if kind is None else (kind, *all_kinds()):
        if name in methods_for(each):
            return methods_for(each)[name]
    known = list(all_methods() if kind is None else methods_for(kind))
    near = difflib.get_close_matches(name, known, n=1) or difflib.get_close_matches(name, all_methods(), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    where = "" if kind is None else f" for {kind}"
    raise ParameterError(f"there is no method {name!r}.{hint} Known{where}: {', '.join(known)}.")


def make(
    name: str, kind: str, values: Mapping[str, object], suggest: Callable[[dict[str, Any]], str] | None = None
) -> Method:
    """Return a method for a kind of data with its parameters; all that are missing are named at once.

    Parameters
    ----------
    name
        Of the method.
    kind
        Of data it is to work on.
    values
        Its parameters by name; text is parsed.
    suggest
        Says how to give parameters that are missing, with usual values; as in Python if not given.

    Examples
    --------
    >>> make("mondrian", "table", {"k": "5"}).k
    5
    >>> make("seqanon", "trajectories", {})
    Traceback (most recent call last):
        ...
    sfumato.core.errors.ParameterError: SeqAnon: k and m must be given. k: Smallest number of records that share what an
    attacker knows. m: Largest number of places an attacker knows, in order. For example: k=5, m=2
    >>> make("mondrian", "sets", {"k": 5})
    Traceback (most recent call last):
        ...
    sfumato.core.errors.ParameterError: Mondrian: works on table, not on sets. Methods for sets: apriori, ...
    """
    usual = find_kind(kind).usual
    found = find(name, kind)
    if kind not in found.kinds:
        raise ParameterError(
            f"{found.__name__}: works on {', '.join(found.kinds)}, not on {kind}. Methods for {kind}: "
            f"{', '.join(sorted(methods_for(kind)))}."
        )

    def suggest_usual(missing: list[Parameter]) -> str:
        examples = {parameter.name: usual[parameter.name] for parameter in missing if parameter.name in usual}
        return (suggest or _suggest_words)({name: tried[len(tried) // 2] for name, tried in examples.items()})

    return build(found, values, suggest_usual)


def _suggest_words(parameters: dict[str, Any]) -> str:
    return "For example: " + ", ".join(f"{name}={value!r}" for name, value in parameters.items())


def verifier(guarantee: Guarantee) -> ModuleType:
    """Return the verifier of a guarantee.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees.km_anonymity import KmAnonymity
    >>> verifier(KmAnonymity(k=2, m=2)).__name__
    'sfumato.kinds.trajectories.verifiers.km_anonymity'
    """
    for kind in guarantee.kinds:
        for module in list_modules(kind, "verifiers"):
            if getattr(module, "GUARANTEE", None) is type(guarantee):
                return module
    raise ParameterError(f"there is no verifier for {guarantee.name}.")


def attacker(guarantee: Guarantee) -> ModuleType:
    """Return the attacker whose knowledge a guarantee is about.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees.km_anonymity import KmAnonymity
    >>> attacker(KmAnonymity(k=2, m=2)).__name__
    'sfumato.kinds.trajectories.attacker'
    """
    for kind in guarantee.kinds:
        for module in _attackers(kind):
            if getattr(module, "KNOWLEDGE", None) == guarantee.knowledge:
                return module
    raise ParameterError(f"there is no attacker for {guarantee.name}.")


def attackers_beyond(kind: str, knowledge: str) -> list[ModuleType]:
    """Return the attackers who do more with a knowledge than promises about it allow.

    Examples
    --------
    >>> [module.__name__ for module in attackers_beyond("sequences", "monitored-events")]
    ['sfumato.kinds.sequences.attacker.neighbours']
    """
    return [module for module in _attackers(kind) if getattr(module, "BEYOND", None) == knowledge]


@functools.cache
def _attackers(kind: str) -> tuple[ModuleType, ...]:
    """Return the attackers of a kind: each has the knowledge of a promise, or goes beyond it."""
    found = [module for module in list_modules(kind, "attacker") if _own(module, "attack")]
    promised = {guarantee.knowledge for guarantee in list_guarantees(kind).values()}
    for module in found:
        if getattr(module, "BEYOND", getattr(module, "KNOWLEDGE", None)) not in promised:
            raise LookupError(
                f"{module.__name__}: KNOWLEDGE, or BEYOND, must be what a promise is about: {', '.join(promised)}."
            )
    return tuple(found)


def _own(module: ModuleType, name: str) -> bool:
    """Tell whether a module defines a function itself."""
    return getattr(vars(module).get(name), "__module__", None) == module.__name__


def attacker_of_kind(kind: str) -> ModuleType:
    """Return the attacker who judges how identifying data of a kind are as they stand.

    Examples
    --------
    >>> attacker_of_kind("trajectories").__name__
    'sfumato.kinds.trajectories.attacker'
    """
    for module in _attackers(kind):
        if hasattr(module, "attack_original") and not hasattr(module, "BEYOND"):
            return module
    raise ParameterError(f"attacker: nothing here knows data of kind {kind!r}.")


def faithful_verifier(kind: str) -> ModuleType:
    """Return the check that published records of a kind are true to the original.

    Examples
    --------
    >>> faithful_verifier("trajectories").__name__
    'sfumato.kinds.trajectories.verifiers.faithful'
    """
    for module in list_modules(kind, "verifiers"):
        if hasattr(module, "verify_faithful"):
            return module
    raise ParameterError(f"verifiers: nothing here knows data of kind {kind!r}.")


def metrics_for(kind: str, parameters: Mapping[str, object] | None = None) -> list[Metric]:
    """Return the measures that apply to a kind of data; parameters are those of every measure that declares them.

    Examples
    --------
    >>> [metric.name for metric in metrics_for("trajectories")][:1]
    ['average-relative-error']
    >>> metrics_for("trajectories", {"queries": "20"})[0]
    AverageRelativeError(queries=20, ...)
    """
    chosen = dict(parameters or {})
    classes = [module.METRIC for module in list_modules(kind, "metrics") if hasattr(module, "METRIC")]
    known = {parameter.name for found in classes for parameter in declared(found)}
    for name in chosen:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ParameterError(
                f"no measure of {kind} has a parameter {name!r}.{hint} Known: {', '.join(sorted(known))}."
            )
    names = [{parameter.name for parameter in declared(found)} for found in classes]
    made = [build(found, {n: chosen[n] for n in chosen if n in of}) for found, of in zip(classes, names, strict=True)]
    return sorted(made, key=lambda metric: metric.name)


def reader(kind: str) -> ModuleType:
    """Return the reader of a kind of data."""
    return _serving(kind, "reader", "read")


def generator(kind: str) -> ModuleType:
    """Return the generator of a kind of data."""
    return _serving(kind, "generator", "generated")


def _serving(kind: str, room: str, verb: str) -> ModuleType:
    offered = [name for name in all_kinds() if has_room(name, room)]
    if kind not in offered:
        raise ParameterError(f"kind {kind!r} cannot be {verb}; choose from {', '.join(offered)}.")
    return find_room(kind, room)
