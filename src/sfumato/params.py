"""Parameters and options declared once: validation, command line, files, forms and docs read the same lines.

Options of reading and publishing are fields of plain frozen dataclasses, which pydantic takes as they are: the section
``[release]`` of a policy is a :class:`~sfumato.release.options.ReleaseOptions`. Help needs options, too, and is printed
in less time than importing pydantic takes.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from sfumato.exceptions import ParameterError
from sfumato.messages import Message, MethodName, Part, Setting, Settings

if TYPE_CHECKING:
    from sfumato.data.kind import Lazy

__all__ = ["Option", "Param", "Parameter", "Parameterised", "build", "declared", "find_option", "list_options"]

T = TypeVar("T", bound="Parameterised")


@dataclasses.dataclass(frozen=True)
class Param:
    """What a parameter means and which values it takes.

    Examples
    --------
    >>> Param("Smallest group of records.", ge=2).range_text()
    'at least 2'
    """

    help: str
    ge: float | None = None
    le: float | None = None
    choices: tuple[str, ...] = ()

    def range_text(self) -> str:
        """Return the allowed values in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        bounds = []
        if self.ge is not None:
            bounds.append(f"at least {self.ge:g}")
        if self.le is not None:
            bounds.append(f"at most {self.le:g}")
        return ", ".join(bounds)


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One declared parameter of a class, as forms and help texts need it.

    Examples
    --------
    >>> Parameter("k", int, Param("Group size.", ge=2), dataclasses.MISSING, False).required
    True
    """

    name: str
    type: type
    param: Param
    default: Any
    optional: bool

    @property
    def required(self) -> bool:
        """Whether a value must be given."""
        return self.default is dataclasses.MISSING

    def parse(self, owner: Part, text: str) -> Any:
        """Turn the text of a command line or policy file into a value of the declared type."""
        if self.optional and text.lower() in {"", "none"}:
            return None
        try:
            if self.type is bool:
                return {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}[text.lower()]
            return self.type(text)
        except (ValueError, KeyError):
            kind = {int: "a whole number", float: "a number", bool: "true or false"}[self.type]
            raise self._refuse(owner, f"{kind}, got {text!r}.") from None

    def check(self, owner: Part, value: Any) -> Any:
        """Return the value as declared, or raise :class:`ParameterError`."""
        if value is None and self.optional:
            return None
        if self.type is float and type(value) is int:
            value = float(value)
        if type(value) is not self.type:
            names = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
            raise self._refuse(owner, f"{names[self.type]}, got {type(value).__name__} {value!r}.")
        if self.param.choices and value not in self.param.choices:
            near = difflib.get_close_matches(str(value), self.param.choices, n=1)
            hint = Message("Did you mean ", self.mention(near[0]), "?") if near else ""
            raise self._refuse(owner, f"{self.param.range_text()}, got {value!r}.", hint)
        self._check_bounds(owner, value)
        return value

    def _check_bounds(self, owner: Part, value: Any) -> None:
        if self.param.ge is not None and not value >= self.param.ge:
            raise self._refuse(owner, f"at least {self.param.ge:g}, got {value!r}.")
        if self.param.le is not None and not value <= self.param.le:
            raise self._refuse(owner, f"at most {self.param.le:g}, got {value!r}.")

    def _refuse(self, owner: Part, rule: str, hint: str = "") -> ParameterError:
        return ParameterError(Message(owner, ": ", self.mention(), f" must be {rule}"), hint=hint)

    def mention(self, value: object = None) -> Setting:
        """Return it as a part of a message, with a value if it is to be given one."""
        return Setting(self.name, value, of_method=True)

    def find_example(self) -> Any:
        """Return a value that is allowed; None where only the caller knows one.

        Examples
        --------
        >>> Parameter("k", int, Param("Group size.", ge=2), dataclasses.MISSING, False).find_example()
        2
        """
        if self.param.choices:
            return self.param.choices[0]
        bounds = [bound for bound in (self.param.ge, self.param.le) if bound is not None]
        return self.type(bounds[0]) if bounds and self.type in {int, float} else None


class Parameterised:
    """Base of frozen dataclasses whose fields are ``Annotated[type, Param(...)]``.

    Values are checked on construction, so an object that exists is valid.

    Examples
    --------
    >>> @dataclasses.dataclass(frozen=True)
    ... class Group(Parameterised):
    ...     k: Annotated[int, Param("Group size.", ge=2)]
    >>> Group(1)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Group: k must be at least 2, got 1.
    """

    def __post_init__(self) -> None:
        for parameter in declared(type(self)):
            value = parameter.check(_name_class(type(self)), getattr(self, parameter.name))
            object.__setattr__(self, parameter.name, value)

    @property
    def message_name(self) -> MethodName:
        """What messages call it, which each way in writes its own way."""
        name = type(self).__name__
        return MethodName(name, getattr(self, "name", name))

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as plain values."""
        return {parameter.name: getattr(self, parameter.name) for parameter in declared(type(self))}


def declared(cls: type[Parameterised]) -> tuple[Parameter, ...]:
    """List the parameters a class declares, in order.

    Examples
    --------
    >>> @dataclasses.dataclass(frozen=True)
    ... class Group(Parameterised):
    ...     k: Annotated[int, Param("Group size.", ge=2)] = 5
    >>> [(p.name, p.type.__name__, p.default) for p in declared(Group)]
    [('k', 'int', 5)]
    """
    return _find_parameters(typing.cast(Any, cls))


@functools.cache
def _find_parameters(cls: Any) -> tuple[Parameter, ...]:
    hints = get_type_hints(cls, include_extras=True)
    parameters = []
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        if get_origin(hint) is not Annotated:
            continue
        base, *extras = get_args(hint)
        param = next(extra for extra in extras if isinstance(extra, Param))
        optional = get_origin(base) in {types.UnionType, typing.Union} and type(None) in get_args(base)
        if optional:
            base = next(a for a in get_args(base) if a is not type(None))
        parameters.append(Parameter(field.name, base, param, field.default, optional))
    return tuple(parameters)


def build(cls: type[T], values: Mapping[str, object], suggest: Callable[[list[Parameter]], str] | None = None) -> T:
    """Make an object from named values; text is parsed, unknown names are refused with the nearest one.

    Parameters
    ----------
    cls
        Of the object.
    values
        By name.
    suggest
        Returns a sentence with values for the parameters that are missing; by default one with values they allow.

    Examples
    --------
    >>> @dataclasses.dataclass(frozen=True)
    ... class Group(Parameterised):
    ...     k: Annotated[int, Param("Group size.", ge=2)]
    >>> build(Group, {"k": "5"})
    Group(k=5)
    >>> build(Group, {"kk": "5"})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Group: there is no parameter 'kk'. Did you mean 'k'? Known: k.
    >>> build(Group, {})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Group: k must be given. k: Group size. For example: k=2
    """
    owner = _name_class(cls)
    by_name = {parameter.name: parameter for parameter in declared(cls)}
    chosen: dict[str, Any] = {}
    for name, value in values.items():
        if name not in by_name:
            near = difflib.get_close_matches(name.lower(), by_name, n=1)
            hint = f"Did you mean {near[0]!r}? " if near else ""
            raise ParameterError(
                Message(owner, f": there is no parameter {name!r}."),
                option=name,
                hint=f"{hint}Known: {', '.join(by_name)}.",
            )
        parameter = by_name[name]
        parse = isinstance(value, str) and parameter.type is not str
        chosen[name] = parameter.parse(owner, typing.cast(str, value)) if parse else value
    missing = [parameter for name, parameter in by_name.items() if parameter.required and name not in chosen]
    if missing:
        raise _refuse_missing(owner, missing, (suggest or _suggest_allowed)(missing))
    return cls(**chosen)


def _name_class(cls: type[Parameterised]) -> Part:
    """Return what a class is called: by its ``name`` where commands and files take that."""
    name = getattr(cls, "name", None)
    return MethodName(cls.__name__, name) if isinstance(name, str) else cls.__name__


def _refuse_missing(owner: Part, missing: Sequence[Parameter], hint: str) -> ParameterError:
    names: list[Part] = []
    for left, parameter in zip(range(len(missing), 0, -1), missing, strict=True):
        names += [parameter.mention(), {1: "", 2: " and "}.get(left, ", ")]
    about = " ".join(f"{parameter.name}: {parameter.param.help}" for parameter in missing)
    return ParameterError(Message(owner, ": ", *names, f" must be given. {about}"), hint=hint)


def _suggest_allowed(missing: Sequence[Parameter]) -> str:
    settings = tuple(parameter.mention(parameter.find_example()) for parameter in missing)
    return Message("For example: ", Settings(settings)) if all(one.value is not None for one in settings) else ""


@dataclasses.dataclass(frozen=True)
class Option:
    """What an option means, and how it is written; its class fills in what the declaration of its field says.

    Parameters
    ----------
    help
        What it means, in a sentence.
    example
        Values as they are typed.
    details
        Further sentences, where there is room for them: in forms and docs.
    choices
        Values it may have.
    check
        Returns the value that a text stands for, or refuses the text.
    least
        Smallest number.
    words
        What other tools and papers call it.
    flag, label
        What it is called on the command line and in forms, where that is not its name.
    panel
        Of the help of a command.
    role
        In forms: what becomes of a column with this role. Kinds with quasi-identifiers ask for the role of each column.
    form
        Where forms ask for it: ``first``, under ``more``, or ``never``.
    any_kind
        Whether it means something for files of any kind; others are named by the kinds that have them.
    files, value_files
        Whether its values are files, or something else such as a rule; whether an entry ``@FILE`` is a file of entries.
    commas, once
        Where it is typed: whether entries are divided by commas, and whether it is given only once.
    key
        Of entries that are typed without a key.
    name, shape, type, default
        As the field is declared; the shape is ``value``, ``list`` or ``mapping``.
    summary
        What it means, with the values to choose from or an example.
    """

    help: str
    example: str = ""
    details: str = ""
    choices: tuple[str, ...] = ()
    check: Lazy[Callable[[str], str]] | None = None
    least: int | None = None
    words: tuple[str, ...] = ()
    flag: str = ""
    label: str = ""
    panel: str | None = None
    role: str = ""
    form: str = "more"
    any_kind: bool = False
    files: bool = False
    value_files: bool = False
    commas: bool = False
    once: bool = False
    key: str = ""
    name: str = ""
    summary: str = ""
    shape: str = "value"
    type: Any = str
    default: Any = None

    def describe(self) -> str:
        """Return all that is to be known about it."""
        return f"{self.summary} {self.details}".rstrip()


def list_options(cls: type) -> tuple[Option, ...]:
    """Return the options that a class declares, in their order.

    Examples
    --------
    >>> @dataclasses.dataclass(frozen=True)
    ... class Cut:
    ...     mark: Annotated[str, Option("Where to cut.", choices=("line", "page"), words=("cut_at",))] = "line"
    >>> [(option.flag, option.summary) for option in list_options(Cut)]
    [('--mark', 'Where to cut: line or page.')]
    >>> find_option(Cut, "cut-at").name
    'mark'
    """
    return _find_options(typing.cast(Any, cls))


@functools.cache
def _find_options(cls: Any) -> tuple[Option, ...]:
    hints = get_type_hints(cls, include_extras=True)
    options = []
    for field in dataclasses.fields(cls):
        declared, option = get_args(hints[field.name])
        origin = get_origin(declared)
        *others, last = option.choices or (option.example,)
        values = f"{', '.join(others)} or {last}" if others else last
        shape = "list" if origin is tuple else "mapping" if origin is Mapping else "value"
        options.append(
            dataclasses.replace(
                option,
                name=field.name,
                summary=f"{option.help.removesuffix('.')}: {values}." if values else option.help,
                flag=f"--{option.flag or field.name.replace('_', '-')}",
                label=option.label or field.name.replace("_", " "),
                shape=shape,
                type=declared,
                default=field.default if field.default_factory is dataclasses.MISSING else field.default_factory(),
            )
        )
    return tuple(options)


def find_option(cls: type, word: str) -> Option | None:
    """Return the option that a word of other tools or papers means; None where it is unknown."""
    word = word.lower().replace("-", "_").replace(" ", "_")
    return next((option for option in list_options(cls) if word in option.words), None)
