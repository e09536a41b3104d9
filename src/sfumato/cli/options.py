"""Options that several commands share, made from the classes of options."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from sfumato.exceptions import ParameterError
from sfumato.old_names import OLD_NAMES
from sfumato.params import Option, list_options
from sfumato.readers.options import ReadOptions
from sfumato.release.options import BatchOptions, ReleaseOptions

__all__ = ["RELEASE_FLAGS", "Json", "existing", "parse_pairs", "with_read_options"]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def parse_pairs(texts: list[str], option: str) -> dict[str, str]:
    """Read ``name=value`` options.

    Examples
    --------
    >>> parse_pairs(["k=5", "m=2"], "-p")
    {'k': '5', 'm': '2'}
    """
    pairs = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ParameterError(f"{option} must be name=value, got {text!r}.", option=option)
        if name.strip() in pairs:
            raise ParameterError(f"{option} gives {name.strip()} twice.", option=option, hint="Keep one of them.")
        pairs[name.strip()] = value.strip()
    return pairs


def _declare(option: Option) -> inspect.Parameter:
    """Return the parameter of a command that takes an option; without a default it is text, or empty."""
    repeated = option.shape != "value" and not option.once
    text = f"{option.summary} Repeatable." if repeated else option.summary
    kind, default = option.type, option.default
    if repeated:
        inside = get_args(kind)[0]
        kind, default = list[inside], []  # type: ignore[valid-type]
    elif option.panel:
        kind, default = str, ""
    names = () if kind is bool and default else (option.flag,)
    info: Any = typer.Option(*names, help=text, min=option.least, rich_help_panel=option.panel)
    needed = default is dataclasses.MISSING
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if needed else default,
        annotation=Annotated[kind, info],
    )


def _collect(option: Option, value: Any) -> Any:
    """Return what was typed as the option takes it."""
    texts = [value] if option.once and value else value
    if option.commas:
        # The name of a file stays whole.
        texts = [part.strip() for text in texts for part in ([text] if text.startswith("@") else text.split(","))]
    if option.shape == "mapping":
        return parse_pairs(
            [text if "=" in text or not option.key else f"{option.key}={text}" for text in texts], option.flag
        )
    return tuple(texts) if option.shape == "list" else value


class _Absent:
    """Finds no pandas."""

    @staticmethod
    def find_spec(name: str, *_: Any) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextlib.contextmanager
def _without_pandas() -> Iterator[None]:
    """Hide pandas from Arrow: only Spark needs it, and loading it takes longer than all else."""
    if "pandas" in sys.modules:
        yield
        return
    sys.meta_path.insert(0, _Absent)
    try:
        yield
    finally:
        sys.meta_path.remove(_Absent)


RELEASE_FLAGS = {option.name: _declare(option).annotation.__metadata__[0] for option in list_options(ReleaseOptions)}
"""How the command line takes options of publishing, for commands that have only some."""
_OWNER = "owner_column"
_OWNER_HELP = "Column that links records to people who have several."


def with_read_options(command: Callable[..., Any], read_options: type[ReadOptions] = ReadOptions) -> Callable[..., Any]:
    """Give a command the reading options, and those of publishing where it has a parameter for them.

    It receives the reading options that were given as ``read_options``. A parameter of type
    :class:`~sfumato.release.options.BatchOptions`, or of one derived from it, stands for all options of that type;
    those that the command declares itself are taken from there.
    """
    own = inspect.signature(command, eval_str=True).parameters
    of_files = [option for option in list_options(read_options) if option.name != "kind"]
    released = next(
        (p for p in own.values() if isinstance(p.annotation, type) and issubclass(p.annotation, BatchOptions)), None
    )
    of_releases = [] if released is None else list_options(released.annotation)
    by_name = {option.name: option for option in of_releases}
    old_names = {old: name for old, name in OLD_NAMES["ReleaseOptions"].items() if name in by_name}
    flags = {old: f"--{old.replace('_', '-')}" for old in old_names}
    parameters: list[inspect.Parameter] = []
    for parameter in own.values():
        if parameter is released:
            parameters += [_declare(option) for option in of_releases if option.name not in own]
            for old, name in old_names.items():
                # Names of version 0.2 are taken, and not shown.
                hidden: Any = typer.Option(flags[old], min=by_name[name].least, hidden=True)
                kind: Any = by_name[name].type
                parameters.append(
                    inspect.Parameter(
                        old, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, hidden]
                    )
                )
        elif parameter.name != "read_options":
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    parameters += map(_declare, of_files)
    info: Any = typer.Option(help=_OWNER_HELP, rich_help_panel=next(o.panel for o in of_files if o.name == "unit"))
    parameters.append(
        inspect.Parameter(_OWNER, inspect.Parameter.KEYWORD_ONLY, default="", annotation=Annotated[str, info])
    )

    @functools.wraps(command)
    def wrapper(**values: Any) -> Any:
        owner = values.pop(_OWNER)
        for old, name in old_names.items():
            given_by_old_name = values.pop(old)
            if given_by_old_name is not None:
                flag = by_name[name].flag
                typer.echo(f"sfumato: {flags[old]} is now {flag}; the old name goes after version 0.3.", err=True)
                values[name] = given_by_old_name
        if owner:
            values["columns"] = [*values["columns"], f"{_OWNER.removesuffix('_column')}={owner}"]
        given = [(option, values.pop(option.name)) for option in of_files]
        chosen: dict[str, Any] = {
            "read_options": {option.name: _collect(option, value) for option, value in given if value}
        }
        if released is not None:
            named = {
                option.name: values[option.name] if option.name in own else values.pop(option.name)
                for option in of_releases
            }
            chosen[released.name] = released.annotation(**named)
        with contextlib.nullcontext() if getattr(chosen.get("release"), "engine", "") == "spark" else _without_pandas():
            return command(**values, **chosen)

    setattr(wrapper, "__signature__", inspect.Signature(parameters))  # noqa: B010
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapper


def existing(path: Path) -> Path:
    """Return the path of a release directory; refuse others, and name a release that the path is in."""
    if path.is_dir():
        return path
    if not path.exists():
        raise ParameterError(
            f"{path} does not exist.", option="directory", hint="Give the directory that anonymize wrote with --out."
        )
    from sfumato.release.storage import is_release

    release_folder = next((folder for folder in path.parents if is_release(folder)), None)
    if release_folder is None:
        raise ParameterError(
            f"{path} is not the directory of a release.",
            option="directory",
            hint=f"To publish the file: {shlex.join(['sfumato', 'start', str(path)])}",
        )
    whole = release_folder.parent if release_folder.name == "release" else release_folder
    words = (str(whole) if word == str(path) else word for word in sys.argv[1:])
    raise ParameterError(
        f"{path} is one file of a release.",
        option="directory",
        hint=f"Give its directory: {shlex.join(['sfumato', *words])}",
    )
