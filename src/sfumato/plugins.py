"""What there is: kinds of data, methods, verifiers, attackers and measures, as the kinds specify them.

``python -m sfumato.plugins`` lists what every kind offers.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.kind import AttackerSpec, GuaranteeSpec, KindSpec, Lazy, all_kinds, find_kind
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, MethodName, Settings, parameter
from sfumato.metrics.metric import Metric
from sfumato.params import Parameter, build, declared

if TYPE_CHECKING:
    from sfumato.base.components import Attacker, StrongerAttacker, Verifier

__all__ = [
    "all_kinds",
    "all_methods",
    "find_attacker",
    "find_kind",
    "find_method",
    "find_original_attacker",
    "find_stronger_attackers",
    "find_verifier",
    "list_components",
    "make_method",
    "methods_for",
    "metrics_for",
]


@functools.cache
def methods_for(kind: str) -> dict[str, type[Method]]:
    """Return the methods for a kind of data by name.

    Examples
    --------
    >>> sorted(methods_for("timeline"))
    ['essa', 'essa-joint', 'odesa']
    """
    return {name: method.load() for name, method in find_kind(kind).methods.items()}


@functools.cache
def all_methods() -> dict[str, type[Method]]:
    """Return every method by name; where kinds of data share a name, the others' are called ``kind/name``.

    Examples
    --------
    >>> "seqanon" in all_methods()
    True
    """
    return {name: method.load() for name, method in _name_methods().items()}


@functools.cache
def _name_methods() -> dict[str, Lazy[type[Method]]]:
    methods: dict[str, Lazy[type[Method]]] = {}
    for kind in all_kinds():
        for name, method in find_kind(kind).methods.items():
            methods[f"{kind}/{name}" if name in methods else name] = method
    return dict(sorted(methods.items()))


def find_method(name: str, kind: str | None = None) -> type[Method]:
    """Return a method by its name, or refuse with the nearest one; methods for the given kind come first.

    Examples
    --------
    >>> find_method("seqanom")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: there is no method 'seqanom'. Did you mean 'seqanon'? ...
    >>> find_method("mondrain", "table")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: there is no method 'mondrain'. Did you mean 'mondrian'? Known for table: ...
    """
    for candidate_kind in all_kinds() if kind is None else (kind, *all_kinds()):
        if name in find_kind(candidate_kind).methods:
            return find_kind(candidate_kind).methods[name].load()
    names = list(_name_methods() if kind is None else find_kind(kind).methods)
    near = difflib.get_close_matches(name, names, n=1) or difflib.get_close_matches(name, _name_methods(), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    where = "" if kind is None else f" for {kind}"
    raise ParameterError(f"there is no method {name!r}.{hint} Known{where}: {', '.join(names)}.", option="method")


def make_method(
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
    >>> make_method("mondrian", "table", {"k": "5"}).k
    5
    >>> make_method("seqanon", "trajectories", {})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: SeqAnon: k and m must be given. k: Smallest number of records that match what an
    attacker knows. m: Largest number of places an attacker knows, in order. For example: k=5, m=2
    >>> make_method("mondrian", "sets", {"k": 5})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Mondrian does not apply to sets data, only to table. Methods for sets: ...
    """
    default_grid = find_kind(kind).default_grid
    method_class = find_method(name, kind)
    if kind not in method_class.kinds:
        raise ParameterError(
            Message(
                MethodName(method_class.__name__, method_class.name),
                f" does not apply to {kind} data, only to {', '.join(method_class.kinds)}.",
            ),
            option="method",
            hint=f"Methods for {kind}: {', '.join(sorted(methods_for(kind)))}.",
        )

    def suggest_usual(missing: list[Parameter]) -> str:
        examples = {
            parameter.name: default_grid[parameter.name] for parameter in missing if parameter.name in default_grid
        }
        return (suggest or _suggest_usual)({name: tried[len(tried) // 2] for name, tried in examples.items()})

    return build(method_class, values, suggest_usual)


def _suggest_usual(parameters: dict[str, Any]) -> str:
    settings = tuple(parameter(name, value) for name, value in parameters.items())
    return Message("For example: ", Settings(settings)) if settings else ""


def find_verifier(guarantee: Guarantee) -> Verifier:
    """Return the verifier of a guarantee.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees import KmAnonymity
    >>> find_verifier(KmAnonymity(k=2, m=2)).__name__
    'sfumato.kinds.trajectories.verify.km_anonymity'
    """
    return _specify(guarantee).verifier.load()


def _specify(guarantee: Guarantee) -> GuaranteeSpec:
    return find_kind(guarantee.kinds[0]).guarantees[guarantee.name]


def find_attacker(guarantee: Guarantee) -> Attacker:
    """Return the attacker whose knowledge a guarantee is about.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees import KmAnonymity
    >>> find_attacker(KmAnonymity(k=2, m=2)).__name__
    'sfumato.kinds.trajectories.attacks'
    """
    return find_kind(guarantee.kinds[0]).attackers[guarantee.knowledge].attacker.load()


def find_stronger_attackers(kind: str, knowledge: str) -> list[StrongerAttacker]:
    """Return the attackers who do more with a knowledge than guarantees about it assume.

    Examples
    --------
    >>> [module.__name__ for module in find_stronger_attackers("sequences", "monitored-events")]
    ['sfumato.kinds.sequences.attacks.neighbours']
    """
    return [attacker.load() for attacker in find_kind(kind).attackers[knowledge].stronger]


def find_original_attacker(kind: str) -> Attacker:
    """Return the attacker who judges how identifying data of a kind are as they stand.

    Examples
    --------
    >>> find_original_attacker("trajectories").__name__
    'sfumato.kinds.trajectories.attacks'
    """
    return next(iter(find_kind(kind).attackers.values())).attacker.load()


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
    classes = [metric.load() for metric in find_kind(kind).metrics]
    allowed = {parameter.name for measure in classes for parameter in declared(measure)}
    for name in chosen:
        if name not in allowed:
            near = difflib.get_close_matches(name, allowed, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ParameterError(
                f"no measure of {kind} has a parameter {name!r}.{hint} Known: {', '.join(sorted(allowed))}."
            )
    names = [{parameter.name for parameter in declared(measure)} for measure in classes]
    made = [
        build(measure, {n: chosen[n] for n in chosen if n in of}) for measure, of in zip(classes, names, strict=True)
    ]
    return sorted(made, key=lambda metric: metric.name)


def list_components(kind: str) -> Iterator[tuple[str, str]]:
    """Yield what a kind of data offers, and where it is defined.

    Examples
    --------
    >>> dict(list_components("timeline"))["methods: odesa"]
    'sfumato.kinds.timeline.methods.sanitisation:Odesa'
    """
    spec = find_kind(kind)
    for field in dataclasses.fields(KindSpec):
        yield from _list_targets(field.name.replace("_", " "), getattr(spec, field.name))


def _list_targets(name: str, value: object) -> Iterator[tuple[str, str]]:
    match value:
        case Lazy():
            yield name, value.target
        case GuaranteeSpec():
            yield name, value.guarantee.target
            yield f"{name}, verifier", value.verifier.target
        case AttackerSpec():
            yield name, value.attacker.target
            for stronger in value.stronger:
                yield f"{name}, stronger", stronger.target
        case Mapping():
            for key, entry in value.items():
                yield from _list_targets(f"{name}: {key}", entry)
        case tuple():
            for entry in value:
                yield from _list_targets(name, entry)


def main() -> None:
    """Print what every kind of data offers."""
    for kind in all_kinds():
        print(f"{kind}: a row is {find_kind(kind).row}")
        for name, target in list_components(kind):
            print(f"  {name}: {target}")


if __name__ == "__main__":
    main()
