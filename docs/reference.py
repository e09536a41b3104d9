"""Write the reference from the program itself, so that they cannot disagree: ``python docs/reference.py``."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

import sfumato
from sfumato import plugins
from sfumato.base.guarantee import list_guarantees
from sfumato.cli.app import app
from sfumato.cli.methods import describe_methods
from sfumato.params import Option, list_options
from sfumato.readers.options import ReadOptions
from sfumato.release.options import BatchOptions, ReleaseOptions

FOLDER = Path(__file__).parent / "reference"
PUBLIC = {
    "The flow": ("read", "anonymize", "write", "verify", "apply"),
    "What is at risk": ("inspect", "attack", "attack_beyond", "attack_rising", "attack_together"),
    "What is left": ("measure", "draw_workload", "plot", "query", "query_all", "reconstruct"),
    "Choosing": ("explore", "study"),
    "Many people": ("publish_in_partitions", "engines"),
    "Files": ("read_release", "export", "read_export", "allow_expansion"),
    "Things": ("Dataset", "Hierarchy", "RecordUnit", "Run", "Result", "Release", "Verdict", "Risk", "Workload"),
    "What goes wrong": (
        "SfumatoError",
        "SchemaError",
        "ParameterError",
        "InfeasibleError",
        "VerificationError",
        "ReleaseWarning",
    ),
}
"""Every public name but ``methods``, which has pages of its own."""

FUNCTIONS = {"study": "sfumato.studies.run_study", "query": "sfumato.api.query.query"}
"""Public names that are a function and a package at once."""

ROLE = re.compile(r":\w+:`~?([^`]+)`")


def list_commands(group: Any, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Return the words of every command that is shown, in the order of the help."""
    found = []
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            found += list_commands(command, (*above, name))
        elif not command.hidden:
            found.append((*above, name))
    return found


def split_docstring(thing: Any) -> dict[str, str]:
    """Return the sections of a docstring by their titles, the text before them under an empty one."""
    parts = re.split(r"^(\w+)\n-{3,}\n", inspect.getdoc(thing) or "", flags=re.MULTILINE)
    return {"": parts[0].strip()} | {title: body.strip() for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def format_markdown(text: str) -> str:
    """Return text of a docstring as Markdown."""
    return ROLE.sub(r"`\1`", text).replace("``", "`")


def format_example(thing: Any) -> list[str]:
    """Return the example of a docstring as a block of Markdown."""
    example = split_docstring(thing).get("Examples", "")
    return ["```pycon", *example.splitlines(), "```", ""] if example else []


def format_parameters(thing: Any) -> list[str]:
    """Return the parameters of a docstring as a list of Markdown."""
    lines = []
    for entry in re.split(r"\n(?=\S)", split_docstring(thing).get("Parameters", "")):
        name, _, meaning = entry.partition("\n")
        if name:
            lines.append(f"- `{name.split(' :')[0]}`: {format_markdown(' '.join(meaning.split()))}")
    return [*lines, ""] if lines else []


def python_page() -> str:
    """Return the page of the Python API: signatures and docstrings, which Sphinx reads from the source."""
    named = {name for names in PUBLIC.values() for name in names} | {"methods"}
    if named != set(sfumato.__all__):
        raise SystemExit(f"docs/reference.py: PUBLIC and sfumato differ in {sorted(named ^ set(sfumato.__all__))}.")
    lines = [
        "# Python",
        "",
        "`import sfumato as sf`. Methods have [pages of their own](methods.md); a [guide](../guide/frames.md) goes "
        "from a data frame to a data frame.",
        "",
    ]
    for title, names in PUBLIC.items():
        lines += [f"## {title}", ""]
        for name in names:
            lines += [f"### {name}", ""]
            if name in FUNCTIONS:
                lines += [f"`sf.{name}` is this function; `sfumato.{name}` is also a package.", ""]
            lines += ["```{eval-rst}", *direct(name), "```", ""]
            if name == "read":
                lines += ["All options have [a page of their own](options.md).", ""]
    return "\n".join(lines)


def direct(name: str) -> list[str]:
    """Return the directive that documents a public name."""
    if name in FUNCTIONS:
        return [f".. autofunction:: {FUNCTIONS[name]}"]
    if inspect.ismodule(getattr(sfumato, name)):
        return [
            line
            for inner in getattr(sfumato, name).__all__
            for line in (f".. autoclass:: sfumato.{name}.{inner}", "   :members:", "")
        ]
    if inspect.isclass(getattr(sfumato, name)):
        return [f".. autoclass:: sfumato.{name}", "   :members:"]
    return [f".. autofunction:: sfumato.{name}"]


def find_method(described: dict[str, Any]) -> type:
    """Return the class of a method that was described."""
    return plugins.find_method(described["name"], described["kinds"][0])


def name_notes(described: dict[str, Any]) -> str:
    """Return the name of the page on where the paper of a method is wrong or silent."""
    return f"deviations/{described['kinds'][0]}-{Path(inspect.getfile(find_method(described))).stem}"


def methods_page() -> str:
    """Return the page that lists all methods, with where to read on."""
    every = describe_methods()
    lines = [
        "# Methods",
        "",
        f"{len(every)} methods for {len(plugins.all_kinds())} kinds of data. Where a paper is wrong or silent, what "
        "was decided stands beside its source with the test that shows it: the *deviations*.",
        "",
        "| method | for | promises | what it does | paper |",
        "| --- | --- | --- | --- | --- |",
    ]
    for kind in plugins.all_kinds():
        for method in (method for method in every if kind in method["kinds"]):
            where = f"methods-{kind}.md#{method['name']}"
            guarantees = ", ".join(method["guarantees"])
            notes = f"[deviations]({name_notes(method)}.md)"
            lines.append(f"| [`{method['name']}`]({where}) | {kind} | {guarantees} | {method['summary']} | {notes} |")
    pages = [f"methods-{kind}" for kind in plugins.all_kinds()] + list(dict.fromkeys(map(name_notes, every)))
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *pages, "```", ""])


def methods_of_kind_page(kind: str) -> str:
    """Return the page of the methods for a kind of data."""
    lines = [f"# Methods for {kind}", "", f"How to choose among them: [guide](../guide/{kind}.md).", ""]
    for method in describe_methods(kind):
        found = find_method(method)
        required = ", ".join(f"{p['name']}=..." for p in method["parameters"] if p["required"])
        lines += [
            f"## {method['name']}",
            "",
            method["summary"],
            "",
            f"- In Python: `sf.methods.{method['class']}({required})`",
            f"- Promises: {', '.join(method['guarantees'])}",
            f"- Optimises: {method['optimises']}",
            f"- Needs: {', '.join(method['needs']) or 'nothing else'}",
            f"- After {method['paper']}. [Where it is wrong or silent, and what was decided]({name_notes(method)}.md).",
            "",
            "| parameter | type | default | range | meaning |",
            "| --- | --- | --- | --- | --- |",
        ]
        for p in method["parameters"]:
            default = "required" if p["required"] else f"`{p['default']}`"
            lines.append(f"| `{p['name']}` | {p['type']} | {default} | {p['range']} | {p['help']} |")
        lines += ["", *format_example(found)]
    return "\n".join(lines)


def guarantees_page() -> str:
    """Return the page of guarantees."""
    lines = ["# Guarantees", ""]
    for kind in plugins.all_kinds():
        lines += [f"## For {kind}", ""]
        for guarantee in list_guarantees(kind).values():
            lines += [f"### {guarantee.title}", "", format_markdown(split_docstring(guarantee)[""]), ""]
            lines += [*format_parameters(guarantee), *format_example(guarantee)]
    return "\n".join(lines)


def list_option_rows(options: Iterable[Option]) -> list[str]:
    """Return a table of options, one in a row."""
    kinds = plugins.all_kinds()
    forms = {"list": "list", "mapping": "values by name", "value": ""}
    types = {bool: "true or false", int | None: "whole number", float: "number", Path | None: "file"}
    lines = [
        "| option | on the command line | written | for | what it means | what others call it |",
        "|" + " --- |" * 6,
    ]
    for option in options:
        fitting = [kind for kind in kinds if option.name in plugins.find_kind(kind).options]
        written = forms[option.shape] or types.get(option.type, "text")
        meant = ", ".join(f"`{word}`" for word in option.words)
        meaning = option.describe().replace("|", "\\|")
        cells = [f"`{option.name}`", f"`{option.flag}`", written, ", ".join(fitting) or "all kinds", meaning, meant]
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def options_page(read: type[ReadOptions] = ReadOptions, release: type[BatchOptions] = ReleaseOptions) -> str:
    """Return the page of options, as their classes declare them."""
    options = [option for option in list_options(read) if option.name != "kind"]
    lines = [
        "# Options",
        "",
        "How data are read is written with the same names everywhere: as keywords of `sf.read`, in the section "
        "`[data]` of policies and studies, and in the form of the workbench. On the command line, an option that is "
        "a list, or values by name, is given once for every entry.",
        "",
    ]
    for panel in dict.fromkeys(option.panel for option in options):
        lines += [f"## {panel}", "", *list_option_rows(o for o in options if o.panel == panel)]
    lines += [
        "## How a release is published",
        "",
        "In the section `[release]` of policies, and on the command line.",
        "",
    ]
    return "\n".join([*lines, *list_option_rows(list_options(release))])


def measures_page() -> str:
    """Return the page of measures."""
    lines = ["# Measures", "", "| measure | for | better | meaning |", "| --- | --- | --- | --- |"]
    for kind in plugins.all_kinds():
        for metric in plugins.metrics_for(kind):
            lines.append(f"| `{metric.name}` | {kind} | {metric.better} | {metric.title} |")
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """Return the page of commands, from their own help."""
    lines = ["# Commands", ""]
    for command in list_commands(typer.main.get_command(app)):
        text = subprocess.run(
            [sys.executable, "-c", "from sfumato.cli import main; main()", *command, "--help"],
            capture_output=True,
            text=True,
            check=True,
            env={"TERM": "dumb", "COLUMNS": "110", "PATH": "", "PYTHONPATH": str(Path(sfumato.__file__).parents[1])},
        ).stdout
        lines += [f"## sfumato {' '.join(command)}", "", "```text", text.strip().replace("-c ", "sfumato "), "```", ""]
    return "\n".join(lines)


def list_pages() -> dict[str, str]:
    """Return every page of the reference but that of the commands, by name."""
    pages = {
        "python": python_page(),
        "methods": methods_page(),
        "guarantees": guarantees_page(),
        "measures": measures_page(),
        "options": options_page(),
    }
    pages |= {f"methods-{kind}": methods_of_kind_page(kind) for kind in plugins.all_kinds()}
    for method in describe_methods():
        notes = Path(inspect.getfile(find_method(method))).with_suffix(".md")
        pages[name_notes(method)] = notes.read_text(encoding="utf-8")
    return pages


def main() -> None:
    """Write all pages anew."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, page in (list_pages() | {"commands": commands_page()}).items():
        path = FOLDER / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
