"""Messages in the words of the command line: options instead of names of Python, methods as they are called here.

Everywhere else messages are written for Python and policy files: an option stands in brackets by its name, ``(drop)``,
with a value after a colon, ``(columns: owner=NAME)``, or is given as one would give it, ``force=True``.
"""

from __future__ import annotations

import ast
import csv
import dataclasses
import io
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from sfumato.readers.options import ReadOptions

__all__ = ["translate"]

_OF_COMMANDS = (
    "cores",
    "force",
    "kind",
    "layout",
    "master",
    "outside",
    "parents",
    "partition_size",
    "protect",
    "resume",
    "seconds",
    "unknown",
    "max_suppressed_records",
)
"""Options that are not about reading."""
_OPTIONS = (
    {field.name: field.name.replace("_", "-") for field in dataclasses.fields(ReadOptions)}
    | {name: name.replace("_", "-") for name in _OF_COMMANDS}
    | {"columns": "column", "hierarchies": "hierarchy", "scales": "scale", "steps": "step"}
)
_OPTION_NAMES = {**_OPTIONS, **{name.replace("_", "-"): option for name, option in _OPTIONS.items()}}
_NAMED = "|".join(sorted({re.escape(name) for name in _OPTION_NAMES}, key=len, reverse=True))
_RULE = re.compile(rf"^(?:reading: )(?P<name>{_NAMED})\b(?=:? )")
_MUST = re.compile(rf"^(?P<name>{_NAMED}):? must\b")
_BRACKETS = re.compile(r"\((?P<inside>[^()]*)\)")
_OPTION_PATTERN = rf"(?:{_NAMED})(?:: \S+=\S+)?"
_SEVERAL = re.compile(
    rf"(?P<options>{_OPTION_PATTERN}(?:(?:, or |, | or | and ){_OPTION_PATTERN})*)(?P<rest>;.*)?", re.DOTALL
)
_LISTED_OPTION = re.compile(rf"(?<![\w=])(?P<name>{_NAMED})(?:: (?P<value>[^\s,]+=\S+?))?(?=$|,| or | and )")
_GIVEN = re.compile(
    r"(?<![-\w=])(?P<name>places|split|resolution|missing|faults|format|user_key|coordinates|empty|monitored|protect|"
    r"resume)=(?P<value>\*|[\w:.+*@-]+\w)"
)
_FLAG = re.compile(r"\b(?P<name>force|nested)=True\b")
_EXPANSION = re.compile(r"\ballow_expansion\((?P<times>[\d.]+)\)")
_SUGGESTION = re.compile(r"(?<=If this guess is right, add: )(?P<given>\w+=.*)", re.DOTALL)
_REPEATED = ("--drop", "--empty", "--monitored")
"""Options that are given once for every entry of a list; others take a list with commas."""
_METHOD = re.compile(r"^(?P<name>[A-Z]\w*): ")


def translate(text: str) -> str:
    """Return a message with options spelled as the command line takes them.

    Examples
    --------
    >>> translate("visits.csv: there is no column for the place. Derive places from the coordinates: places=grid:500m.")
    'visits.csv: there is no column for the place. Derive places from the coordinates: --places grid:500m.'
    >>> translate("visits.csv: column 'a' has no role. Give it one (columns), or leave it out (drop; * for all).")
    "visits.csv: column 'a' has no role. Give it one (--column), or leave it out (--drop; * for all)."
    >>> translate("Leave it out (identifier or drop), or say whose it is (columns: owner=NAME).")
    'Leave it out (--identifier or --drop), or say whose it is (--column owner=NAME).'
    >>> translate("partition_size: must be a whole number of at least 10, got 3.")
    '--partition-size must be a whole number of at least 10, got 3.'
    >>> translate("reading: split must be one of day, week, got 'hour'.")
    "--split must be one of day, week, got 'hour'."
    >>> translate("people.csv: ... If this guess is right, add: quasi=['age', 'sex'], sensitive=['illness']")
    'people.csv: ... If this guess is right, add: --quasi age,sex --sensitive illness'
    >>> translate("visits.csv: ... If this guess is right, add: columns={'person': 'taxi no'}, places='grid:500m'")
    "visits.csv: ... If this guess is right, add: --column 'person=taxi no' --places grid:500m"
    >>> translate("out: a release is there already; use force=True to replace it.")
    'out: a release is there already; use --force to replace it.'
    >>> translate("people.csv: this export is flat. Export it again with nested=True.")
    'people.csv: this export is flat. Export it again with --nested.'
    >>> translate("LmAnon: k must be at most 3.")
    'lm-anon: k must be at most 3.'
    """
    text = _RULE.sub(lambda match: f"--{_format_option_name(match['name'])}", text).removeprefix("reading: ")
    text = text.replace("allow_expansion: must", "--max-expansion must")
    text = _MUST.sub(lambda match: f"--{_format_option_name(match['name'])} must", text)
    text = _BRACKETS.sub(_format_brackets, text)
    text = _SUGGESTION.sub(_format_suggestion, text)
    text = _GIVEN.sub(lambda match: f"--{_format_option_name(match['name'])} {shlex.quote(match['value'])}", text)
    text = _FLAG.sub(lambda match: f"--{match['name']}", text)
    text = _EXPANSION.sub(lambda match: f"sfumato --max-expansion {match['times']} ...", text)
    return _METHOD.sub(_name_method, text)


def _format_option_name(name: str) -> str:
    return _OPTION_NAMES.get(name) or name


def _format_brackets(match: re.Match[str]) -> str:
    """Spell options that stand in brackets; brackets that hold anything else stay."""
    inside = _SEVERAL.fullmatch(match["inside"])
    if inside is None:
        return match[0]
    options = _LISTED_OPTION.sub(
        lambda item: f"--{_format_option_name(item['name'])}" + (f" {item['value']}" if item["value"] else ""),
        inside["options"],
    )
    return f"({options}{inside['rest'] or ''})"


def _format_suggestion(match: re.Match[str]) -> str:
    """Spell lists of columns so that they can be pasted behind a command."""
    try:
        call = ast.parse(f"dict({match['given']})", mode="eval").body
        assert isinstance(call, ast.Call)
        given = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError):
        return match[0]
    return " ".join(
        word for name, value in given.items() for word in _format_option(f"--{_format_option_name(str(name))}", value)
    )


def _format_option(option: str, value: str | Sequence[str] | Mapping[str, str]) -> Iterator[str]:
    """Yield an option as one would type it: once with a text or a list, and once for every entry of a mapping."""
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield f"{option} {shlex.quote(f'{name}={entry}')}"
    elif isinstance(value, str):
        yield f"{option} {shlex.quote(value)}"
    elif option in _REPEATED:
        yield from (f"{option} {shlex.quote(entry)}" for entry in value)
    else:
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow(value)
        yield f"{option} {shlex.quote(text.getvalue())}"


def _name_method(match: re.Match[str]) -> str:
    """Return the name of a method or guarantee whose class begins a message; other words stay."""
    from sfumato.data.kind import all_kinds, find_kind

    for kind in all_kinds():
        spec = find_kind(kind)
        classes = {method.name: name for name, method in spec.methods.items()}
        classes |= {guarantee.guarantee.name: name for name, guarantee in spec.guarantees.items()}
        if match["name"] in classes:
            return f"{classes[match['name']]}: "
    return match[0]
