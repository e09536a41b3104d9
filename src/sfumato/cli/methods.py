"""Methods as plain descriptions."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from sfumato.cli.output import Output
from sfumato.exceptions import ParameterError
from sfumato.params import declared
from sfumato.plugins import all_methods, find_kind

__all__ = ["describe_methods", "find_methods", "list_methods", "show_methods"]


def describe_methods(kind: str = "") -> list[dict[str, Any]]:
    """Describe every method, or those for a kind of data.

    Examples
    --------
    >>> [method["name"] for method in describe_methods("trajectories")]
    ['lm-anon', 'local-km', 'sd-seqanon', 'seqanon', 'sga', 'u-seqanon', 'zga']
    """
    if kind:
        find_kind(kind)
    return [
        {
            "name": method.name,
            "class": method.__name__,
            "summary": method.summary,
            "kinds": list(method.kinds),
            "guarantees": [guarantee.title for guarantee in method.guarantees],
            "optimises": method.optimises,
            "needs": list(method.needs),
            "paper": method.paper,
            "parameters": [
                {
                    "name": p.name,
                    "type": p.type.__name__,
                    "required": p.required,
                    "default": None if p.required else p.default,
                    "range": p.param.range_text(),
                    "help": p.param.help,
                }
                for p in declared(method)
            ],
        }
        for method in sorted(all_methods().values(), key=lambda method: (method.name, method.kinds))
        if not kind or kind in method.kinds
    ]


def find_methods(name: str, kind: str = "") -> list[dict[str, Any]]:
    """Describe the methods of a name, one for every kind of data that has it.

    Examples
    --------
    >>> [method["kinds"] for method in find_methods("local-km")]
    [['sets'], ['trajectories']]
    >>> find_methods("seqann")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: There is no method 'seqann'. Did you mean 'seqanon'?
    """
    descriptions = describe_methods(kind)
    matches = [method for method in descriptions if method["name"] == name]
    if not matches:
        near = difflib.get_close_matches(name, [method["name"] for method in descriptions], n=1)
        hint = f"Did you mean {near[0]!r}?" if near else "List all: sfumato methods"
        raise ParameterError(f"There is no method {name!r}.", option="name", hint=hint)
    return matches


def list_methods(out: Output, descriptions: list[dict[str, Any]], kinds: Iterable[str]) -> None:
    """List methods by kind of data."""
    for kind in kinds:
        rows = [
            (m["name"], " or ".join(m["guarantees"]), ", ".join(m["needs"]) or "-", m["optimises"])
            for m in descriptions
            if kind in m["kinds"]
        ]
        if rows:
            out.table(kind, ["method", "guarantee", "needs", "optimises"], rows)
    out.print_line("Show the parameters and the paper of a method: sfumato methods NAME")


def show_methods(out: Output, descriptions: list[dict[str, Any]]) -> None:
    """Show methods in full, one after another."""
    for method in descriptions:
        facts = {
            "summary": method["summary"],
            "kinds of data": method["kinds"],
            "guarantee": " or ".join(method["guarantees"]),
            "needs": ", ".join(method["needs"]) or "nothing else",
            "optimises": method["optimises"],
            "paper": method["paper"],
            "in Python": f"sf.methods.{method['class']}",
        }
        out.facts(method["name"], facts)
        rows = [
            (p["name"], p["type"], "required" if p["required"] else p["default"], p["range"] or "", p["help"])
            for p in method["parameters"]
        ]
        out.table("Parameters (-p NAME=VALUE)", ["parameter", "type", "default", "range", "meaning"], rows)
