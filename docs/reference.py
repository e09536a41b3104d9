"""Write the reference pages from the registry, so that they cannot disagree with the program."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

from sfumato import registry
from sfumato.cli.listing import describe_methods
from sfumato.core.guarantee import list_guarantees

COMMANDS = (
    "demo", "methods", "inspect", "anonymize", "apply", "verify", "attack", "measure", "plot", "run", "generate",
)  # fmt: skip


def methods_page() -> str:
    """Return the page of methods."""
    lines = ["# Methods", ""]
    for method in describe_methods():
        lines += [
            f"## {method['name']}",
            "",
            method["summary"],
            "",
            f"`sf.methods.{method['class']}` | for {', '.join(method['kinds'])}",
            f"| promises {', '.join(method['guarantees'])} | optimises {method['optimises']}",
            f"| needs {', '.join(method['needs']) or 'nothing else'}",
            "",
            f"After {method['paper']}.",
            "",
            "| parameter | type | default | range | meaning |",
            "| --- | --- | --- | --- | --- |",
        ]
        for p in method["parameters"]:
            default = "required" if p["required"] else f"`{p['default']}`"
            lines.append(f"| `{p['name']}` | {p['type']} | {default} | {p['range']} | {p['help']} |")
        file = inspect.getfile(registry.find(method["name"]))
        notes = Path(file).with_suffix(".md").read_text(encoding="utf-8")
        body = notes.split("\n", 1)[1].strip()
        lines += ["", '??? note "Where the paper is wrong or silent"', ""]
        lines += [f"    {line}" if line else "" for line in body.splitlines()] + [""]
    return "\n".join(lines)


def guarantees_page() -> str:
    """Return the page of guarantees."""
    lines = ["# Guarantees", ""]
    for guarantee in [found for kind in registry.all_kinds() for found in list_guarantees(kind).values()]:
        doc = (guarantee.__doc__ or "").split("Examples")[0].strip()
        lines += [f"## {guarantee.title}", "", " ".join(doc.split()), ""]
    return "\n".join(lines)


def measures_page() -> str:
    """Return the page of measures."""
    lines = ["# Measures", "", "| measure | for | better | meaning |", "| --- | --- | --- | --- |"]
    for kind in registry.all_kinds():
        for metric in registry.metrics_for(kind):
            lines.append(f"| `{metric.name}` | {kind} | {metric.better} | {metric.title} |")
    return "\n".join(lines) + "\n"


def commands_page() -> str:
    """Return the page of commands, from their own help."""
    lines = ["# Commands", ""]
    for command in COMMANDS:
        text = subprocess.run(
            [sys.executable, "-c", "from sfumato.cli import main; main()", command, "--help"],
            capture_output=True,
            text=True,
            check=True,
            env={"TERM": "dumb", "COLUMNS": "110", "PATH": ""},
        ).stdout
        lines += [f"## sfumato {command}", "", "```text", text.strip().replace("-c ", "sfumato "), "```", ""]
    return "\n".join(lines)


def main() -> None:
    """Write all pages."""
    folder = Path(__file__).parent / "reference"
    folder.mkdir(exist_ok=True)
    for name, page in {
        "methods": methods_page,
        "guarantees": guarantees_page,
        "measures": measures_page,
        "commands": commands_page,
    }.items():
        (folder / f"{name}.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
