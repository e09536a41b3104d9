"""The first step: what a file is, how identifying it is, and a policy to begin with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import typer

from sfumato import plugins
from sfumato.api import calls
from sfumato.api.detect import Guessed, guess_file
from sfumato.cli.inspect import show_inspection
from sfumato.cli.output import Output, show_work
from sfumato.escape import make_visible
from sfumato.exceptions import ParameterError
from sfumato.formats.toml_text import spell_toml
from sfumato.params import build, declared
from sfumato.readers.detect import Guess
from sfumato.release.partition_plan import has_many_parts

__all__ = ["spell_policy", "start"]

_ABOUT = {
    "columns": "which column plays which part",
    "drop": "columns that are left out; * for all that have no part",
    "places": "how places are made of coordinates",
    "hierarchies": "what values are put together by",
    "monitored": "events that a receiver watches; * for all",
    "missing": "what becomes of empty cells",
    "empty": "texts that mean no value",
    "identifier": "columns that name people: read only to be left out",
    "quasi": "what others may know of people: generalised",
    "sensitive": "what must not be learnt about anybody",
    "resolution": "times are cut to it",
    "weight": "survey weights: counted in measures, not in the promise, and not published",
    "split": "one record per person and day or week",
    "slots": "first and last column that is a slot of time",
    "separator": "between items",
    "header": "names of the columns, because the file has none",
    "faults": "what becomes of episodes that overlap",
}
_CANNOT_GUESS = {"timeline": "sensitive"}
"""Options without which a kind cannot be published, and that no file tells."""


def start(
    out: Output, path: Path, policy: Path, *, kind: str, sensitive: tuple[str, ...], yes: bool, force: bool
) -> None:
    """Look at a file, say what it is taken for and why, ask, inspect it and write a policy that runs."""
    if policy.exists() and not force:
        raise ParameterError(f"{policy}: the file is there already. Give another name (--policy), or --force.")
    if not policy.absolute().parent.is_dir():
        raise ParameterError(f"{policy.absolute().parent}: there is no such directory.")
    given = {"sensitive": list(sensitive)} if sensitive else {}
    with show_work("look at the file"):
        guessed = guess_file(path, kind or None, given)
    _show(out, guessed)
    if not yes:
        guessed = _ask(out, path, guessed, given)
    needed = _CANNOT_GUESS.get(guessed.guess.kind)
    if needed and not guessed.guess.options.get(needed):
        raise ParameterError(
            f"{guessed.guess.kind}: which values are sensitive cannot be guessed. Name them: --sensitive VALUE, or "
            "answer without --yes."
        )
    with show_work("inspect"):
        inspected = calls.inspect(guessed.dataset)
    for note in inspected["notes"]:
        out.say(note)
    show_inspection(out, inspected)
    policy.write_text(spell_policy(guessed, policy), encoding="utf-8")
    out.say(f"Wrote {policy}: read it, change what is wrong, and run it with: sfumato run {policy}")
    out.finish(_to_dict(guessed, policy) | {"inspect": inspected})


def _show(out: Output, guessed: Guessed) -> None:
    guess = guessed.guess
    facts = {
        "kind": f"{guess.kind}: a row is {plugins.find_kind(guess.kind).row}",
        "file": str(guessed.path),
        **{name: value for name, value in guess.options.items() if name != "header"},
        "could also be": ", ".join(guessed.others) or None,
    }
    out.facts("What the file looks like", facts)
    for reason in guess.reasons:
        out.say(f"- {reason}")
    for left in guess.open:
        out.say(f"To decide: {left}")
    out.warn(guess.warnings)


def _ask(out: Output, path: Path, guessed: Guessed, given: dict[str, Any]) -> Guessed:
    """Ask what cannot be guessed, with the guess as the answer to take."""
    kinds = ", ".join(plugins.all_kinds())
    kind = typer.prompt(f"Kind of data ({kinds})", default=guessed.guess.kind, err=True)
    if kind != guessed.guess.kind:
        guessed = guess_file(path, kind, given)
        _show(out, guessed)
    if _CANNOT_GUESS.get(guessed.guess.kind) and not guessed.guess.options.get("sensitive"):
        named = typer.prompt("Sensitive events, separated by commas", err=True)
        given = given | {"sensitive": [name.strip() for name in named.split(",") if name.strip()]}
        guessed = guess_file(path, kind, given)
    if "k" in guessed.guess.parameters:
        k = typer.prompt("Smallest group that a person hides in (k)", default=guessed.guess.parameters["k"], err=True)
        guessed = guessed._replace(guess=guessed.guess._replace(parameters={**guessed.guess.parameters, "k": int(k)}))
    build(plugins.find_method(guessed.guess.method, guessed.guess.kind), dict(guessed.guess.parameters))
    if not typer.confirm("Go on with this?", default=True, err=True):
        raise typer.Abort
    return guessed


def _to_dict(guessed: Guessed, policy: Path) -> dict[str, Any]:
    guess = guessed.guess
    return {
        "file": str(guessed.path),
        "kind": guess.kind,
        "score": guess.score,
        "options": guess.options,
        "reasons": guess.reasons,
        "open": list(guess.open),
        "warnings": list(guess.warnings),
        "could_also_be": list(guessed.others),
        "method": {"name": guess.method, **guess.parameters},
        "policy": str(policy),
    }


_IN_PARTS = "made in parts of those who are alike, on all cores. Without this line they are made all at once."


def spell_policy(guessed: Guessed, policy: Path) -> str:
    """Return the text of a policy file, with the reasons for what stands in it.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "b.dat").write_text("1 2\\n2\\n1 2 3\\n")
    >>> print(spell_policy(guess_file(folder / "b.dat"), folder / "policy.toml").split("[data]")[1])
    <BLANKLINE>
    path = "b.dat"
    kind = "sets"
    <BLANKLINE>
    [method]
    # ...
    name = "disassociation"
    # ...
    k = 5
    # ...
    m = 2
    <BLANKLINE>
    [release]
    out = "b-release"
    <BLANKLINE>
    """
    guess = guessed.guess
    lines = [
        "# A first policy, guessed by `sfumato start`. Change what is wrong, then: sfumato run " + policy.name,
        "#",
        "# Why it was guessed so:",
        *(f"# - {_comment(reason)}" for reason in guess.reasons),
        *(f"# To decide: {_comment(left)}" for left in guess.open),
        *(f"# WARNING: {_comment(text)}" for text in guess.warnings),
        "",
        "[data]",
        f"path = {spell_toml(_beside(guessed.path, policy))}",
        f"kind = {spell_toml(guess.kind)}",
    ]
    for name, value in guess.options.items():
        if name in _ABOUT:
            lines.append(f"# {_ABOUT[name]}")
        lines.append(f"{name} = {spell_toml(value)}")
    lines += ["", *_spell_method(guess), "", "[release]", f"out = {spell_toml(_name_release(guessed.path))}"]
    if has_many_parts(guessed.dataset):
        lines += [f"# {guessed.dataset.unit.count(len(guessed.dataset))}: {_IN_PARTS}", 'engine = "local"']
    lines.append("")
    return "\n".join(lines)


def _spell_method(guess: Guess) -> list[str]:
    method = plugins.find_method(guess.method, guess.kind)
    about = {parameter.name: parameter.param.help for parameter in declared(method)}
    lines = ["[method]", f"# {_comment(method.summary)}", f"name = {spell_toml(guess.method)}"]
    for name, value in guess.parameters.items():
        lines += [f"# {_comment(about[name])}", f"{name} = {spell_toml(value)}"]
    return lines


def _beside(path: Path, policy: Path) -> str:
    """Return the path of the data as a policy in its folder finds it."""
    folder = policy.absolute().parent
    whole = path.absolute()
    return os.path.relpath(whole, folder) if whole.is_relative_to(folder) else str(whole)


def _name_release(path: Path) -> str:
    return f"{path.name.split('.')[0] or 'data'}-release"


def _comment(text: str) -> str:
    return make_visible(" ".join(text.split()))
