"""Options that several commands share: how data are read, and parameters of methods."""

from __future__ import annotations

import contextlib
import functools
import inspect
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.exceptions import ParameterError

__all__ = ["Json", "parse_pairs", "with_read_options"]

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
            raise ParameterError(f"{option}: write name=value, got {text!r}.")
        if name.strip() in pairs:
            raise ParameterError(f"{option}: {name.strip()} is given twice.")
        pairs[name.strip()] = value.strip()
    return pairs


def _collect_options(
    column: Annotated[list[str], typer.Option(help="Which column plays a part: place=venue. Repeatable.")] = [],  # noqa: B006
    drop: Annotated[list[str], typer.Option(help="Column to leave out; '*' for all without a part. Repeatable.")] = [],  # noqa: B006
    delimiter: Annotated[str, typer.Option(help="Delimiter of a CSV file; detected if not given.")] = "",
    format: Annotated[str, typer.Option(help="File format; told by the name if not given.")] = "",
    encoding: Annotated[str, typer.Option(help="Encoding of a text file, if it is not UTF-8.")] = "",
    header: Annotated[str, typer.Option(help="Column names of a CSV file without a header, comma-separated.")] = "",
    separator: Annotated[
        str,
        typer.Option(
            help="What separates items in one cell or line: a character, space, tab, comma, semicolon or pipe."
        ),
    ] = "",
    zone: Annotated[str, typer.Option(help="Time zone in which days begin, for --split.")] = "",
    places: Annotated[str, typer.Option(help="Derive places: grid:500m, quadtree:500, h3:8 or regions:FILE.")] = "",
    places_file: Annotated[str, typer.Option(help="File with coordinates of the places.")] = "",
    coordinates: Annotated[str, typer.Option(help="What x and y are: auto, lonlat or plane.")] = "auto",
    split: Annotated[str, typer.Option(help="One record per person and day or week.")] = "",
    identifier: Annotated[
        list[str], typer.Option(help="Column that names people, left out: name,ssn. Repeatable.")
    ] = [],  # noqa: B006
    quasi: Annotated[list[str], typer.Option(help="Column that others may know: age,sex. Repeatable.")] = [],  # noqa: B006
    sensitive: Annotated[
        list[str],
        typer.Option(help="Sensitive value, or @FILE with one per line; in tables, a sensitive column. Repeatable."),
    ] = [],  # noqa: B006
    plain: Annotated[list[str], typer.Option(help="Column of a table to publish as it is. Repeatable.")] = [],  # noqa: B006
    scale: Annotated[
        list[str],
        typer.Option(help="What a column holds: age=numeric, born=date, zip=categorical, pain=low<mid<high."),
    ] = [],  # noqa: B006
    plain_anyway: Annotated[
        list[str],
        typer.Option(help="Column to publish as it is although it looks like names or numbers of people. Repeatable."),
    ] = [],  # noqa: B006
    missing: Annotated[
        str,
        typer.Option(help="Empty cells: error, drop (leave their rows out), a value to put in, or, in tables, keep."),
    ] = "",
    sheet: Annotated[str, typer.Option(help="Sheet of a workbook; the first if not given.")] = "",
    empty: Annotated[list[str], typer.Option(help="Text that means no value, such as ? or NA. Repeatable.")] = [],  # noqa: B006
    population: Annotated[str, typer.Option(help="File with the people that a table was drawn from.")] = "",
    items: Annotated[str, typer.Option(help="Column of a table that holds the items of a person.")] = "",
    item_file: Annotated[
        str, typer.Option(help="File with the items of the people of a table, by an identifier column.")
    ] = "",
    sensitive_items: Annotated[
        list[str],
        typer.Option(help="Sensitive item of a table with sets, several with commas, or @FILE. Repeatable."),
    ] = [],  # noqa: B006
    monitored: Annotated[
        list[str],
        typer.Option(help="Event a receiver monitors, several with commas, @FILE, or '*' for all. Repeatable."),
    ] = [],  # noqa: B006
    resolution: Annotated[str, typer.Option(help="Cut times to the second, minute, hour, day, month or quarter.")] = "",
    user_key: Annotated[str, typer.Option(help="Who a person is in a web log: host, user or host+agent.")] = "",
    query: Annotated[str, typer.Option(help="Query strings of a web log: drop or keep.")] = "",
    start: Annotated[
        str, typer.Option(help="When the first slot begins: a date, a time of day such as 04:00, or both.")
    ] = "",
    gap: Annotated[str, typer.Option(help="What time nothing is known about is called; (gap) if not given.")] = "",
    slots: Annotated[str, typer.Option(help="First and last of the columns that are slots: t1:t144.")] = "",
    faults: Annotated[str, typer.Option(help="Overlapping or reversed episodes: error or mend.")] = "",
    hierarchy: Annotated[
        list[str],
        typer.Option(
            help="Hierarchy: place=FILE, or derived: place=quadtree:8 or grid:4, item or event=fanout:10, "
            "item=popular:2, age=width:8 or frequency:8, born=calendar, zip=mask, sex=flat, place=h3."
        ),
    ] = [],  # noqa: B006
    hierarchy_root: Annotated[
        str, typer.Option(help="Label to put above hierarchies that have several roots, such as '*'.")
    ] = "",
    unit: Annotated[
        str, typer.Option(help="What one record is, if the file does not tell: basket, or 'stay of patient'.")
    ] = "",
    owner_column: Annotated[
        str, typer.Option(help="Column that says whose the records are, where people have several.")
    ] = "",
    weight: Annotated[
        str,
        typer.Option(help="Column with survey weights: counted in measures; not published unless it is --quasi too."),
    ] = "",
    step: Annotated[
        list[str],
        typer.Option(help="Change to the table first: 'rename a=b', 'drop c', 'filter age=20..29'. Repeatable."),
    ] = [],  # noqa: B006
    constraints: Annotated[
        list[str],
        typer.Option(help="utility=FILE (or FILE), one group per line; privacy=FILE, one itemset per line."),
    ] = [],  # noqa: B006
) -> dict[str, Any]:
    """Collect reading options that were given."""
    given: dict[str, Any] = {
        "steps": tuple(step),
        "columns": parse_pairs([*column, *([f"owner={owner_column}"] if owner_column else [])], "--column"),
        "unit": unit or None,
        "weight": weight or None,
        "drop": tuple(drop),
        "delimiter": {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter) or None,
        "format": format or None,
        "encoding": encoding or None,
        "header": tuple(name.strip() for name in header.split(",")) if header else (),
        "separator": separator or None,
        "zone": zone or None,
        "places": places or None,
        "places_file": places_file or None,
        "coordinates": coordinates,
        "split": split or None,
        "identifier": tuple(identifier),
        "quasi": tuple(quasi),
        "sensitive": tuple(sensitive),
        "plain": tuple(plain),
        "scales": parse_pairs(scale, "--scale"),
        "plain_anyway": tuple(plain_anyway),
        "missing": missing or None,
        "sheet": sheet or None,
        "hierarchy_root": hierarchy_root or None,
        "empty": tuple(empty),
        "population": population or None,
        "items": items or None,
        "item_file": item_file or None,
        "sensitive_items": tuple(item.strip() for text in sensitive_items for item in _listed(text)),
        "monitored": tuple(event.strip() for text in monitored for event in _listed(text)),
        "resolution": resolution or None,
        "user_key": user_key or None,
        "query": query or None,
        "start": start or None,
        "gap": gap or None,
        "slots": slots or None,
        "faults": faults or None,
        "hierarchies": parse_pairs(hierarchy, "--hierarchy"),
        "constraints": parse_pairs([c if "=" in c else f"utility={c}" for c in constraints], "--constraints"),
    }
    return {name: value for name, value in given.items() if value and value != "auto"}


_PANELS = {
    "How the file is read": (
        *(
            "column",
            "drop",
            "delimiter",
            "format",
            "encoding",
            "header",
            "separator",
            "missing",
            "empty",
            "sheet",
            "step",
        ),
    ),
    "Records and their times": (
        *(
            "unit",
            "owner_column",
            "split",
            "zone",
            "resolution",
            "start",
            "gap",
            "slots",
            "faults",
            "user_key",
            "query",
        ),
    ),
    "Places and hierarchies": ("places", "places_file", "coordinates", "hierarchy", "hierarchy_root"),
    "What columns and values are": (
        *(
            "identifier",
            "quasi",
            "sensitive",
            "plain",
            "plain_anyway",
            "scale",
            "weight",
            "population",
            "items",
            "item_file",
        ),
        *("sensitive_items", "monitored", "constraints"),
    ),
}
"""Reading options as help shows them, by what they are about."""


def _group(parameter: inspect.Parameter) -> inspect.Parameter:
    """Put a reading option into the panel of its like."""
    panel = next(title for title, names in _PANELS.items() if parameter.name in names)
    parameter.annotation.__metadata__[0].rich_help_panel = panel
    return parameter


def _listed(text: str) -> list[str]:
    """Split a list at its commas; a file name stays whole."""
    return [text] if text.startswith("@") else text.split(",")


class _Absent:
    """Finds no pandas."""

    @staticmethod
    def find_spec(name: str, *_: Any) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextlib.contextmanager
def _without_pandas() -> Iterator[None]:
    """Let Arrow look for pandas in vain: only Spark needs it, and it takes longer to load than all else."""
    if "pandas" in sys.modules:
        yield
        return
    sys.meta_path.insert(0, _Absent)
    try:
        yield
    finally:
        sys.meta_path.remove(_Absent)


def with_read_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the reading options; it receives those that were given as ``read_options``."""
    shared = {name: _group(p) for name, p in inspect.signature(_collect_options, eval_str=True).parameters.items()}
    own = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def wrapper(**values: Any) -> Any:
        read_options = _collect_options(**{name: values.pop(name) for name in shared})
        with contextlib.nullcontext() if values.get("engine") == "spark" else _without_pandas():
            return command(**values, read_options=read_options)

    parameters = [p for name, p in own.parameters.items() if name != "read_options"]
    signature = inspect.Signature(
        [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*parameters, *shared.values())]
    )
    setattr(wrapper, "__signature__", signature)  # noqa: B010
    wrapper.__annotations__ = {p.name: p.annotation for p in (*parameters, *shared.values())}
    return wrapper


def existing(path: Path) -> Path:
    """Return the path of a release directory, or say that there is none, and where one is near."""
    if path.is_dir():
        return path
    if not path.exists():
        raise ParameterError(f"{path}: there is no such directory.")
    from sfumato.release.storage import is_release

    release_folder = next((folder for folder in path.parents if is_release(folder)), None)
    if release_folder is None:
        raise ParameterError(
            f"{path}: is a file, and no directory of a release. To make one of it: sfumato start {path}"
        )
    whole = release_folder.parent if release_folder.name == "release" else release_folder
    words = (str(whole) if word == str(path) else word for word in sys.argv[1:])
    raise ParameterError(f"{path}: is one file of a release. Give its directory: {shlex.join(['sfumato', *words])}")
