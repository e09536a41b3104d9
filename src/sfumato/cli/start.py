"""Detect what a file is, how identifying it is, and a policy for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import typer

from sfumato import plugins
from sfumato.api import calls
from sfumato.api.detect import DetectedFile, detect_file
from sfumato.cli.output import Output, show_work
from sfumato.cli.risk import show_inspection
from sfumato.escape import make_visible
from sfumato.exceptions import ParameterError
from sfumato.formats.json_text import format_toml
from sfumato.messages import Message, option, write
from sfumato.params import build, declared
from sfumato.policy import POLICY
from sfumato.readers.detect import Detection
from sfumato.release.partition_plan import has_many_partitions

__all__ = ["format_policy", "start"]

_ABOUT = {
    "columns": "roles of columns",
    "drop": "columns to leave out; * for all without a role",
    "places": "how places are derived from coordinates",
    "hierarchies": "hierarchies that values are generalised by",
    "monitored": "events that a receiver monitors; * for all",
    "missing": "how empty cells are treated",
    "empty": "texts that mean no value",
    "identifier": "identifiers: columns that name people, left out",
    "quasi": "quasi-identifiers: what others may know of people, generalised",
    "sensitive": "sensitive: what must not be learnt about a person",
    "resolution": "times are cut to this unit",
    "weight": "survey weights: counted in measures, not in the guarantee, and not published",
    "split": "one record per person and day or week",
    "slots": "first and last column that is a time slot",
    "separator": "separator between items",
    "header": "column names, because the file has none",
    "faults": "how overlapping episodes are treated",
}
_ROLES = {"quasi": "quasi-identifiers", "identifier": "identifiers", "drop": "left out"}
"""How options are called in the table of what was detected."""
_UNDETECTABLE = {"timeline": "sensitive"}
"""Options that a kind needs and that cannot be detected."""


def start(
    out: Output, path: Path, policy: Path, *, kind: str, sensitive: tuple[str, ...], yes: bool, force: bool
) -> None:
    """Detect the kind and options of a file, ask, inspect it and write a policy that runs."""
    if policy.exists() and not force:
        raise ParameterError(
            f"{policy} already exists.",
            hint=Message("Replace it: ", option("force", True), ". Or choose another name: ", option("policy"), "."),
        )
    folder = policy.absolute().parent
    if not folder.is_dir():
        raise ParameterError(f"{folder} does not exist.", option="policy", hint=f"Create it: mkdir -p {folder}")
    given = {"sensitive": list(sensitive)} if sensitive else {}
    with show_work("detect"):
        detected = detect_file(path, kind or None, given)
    _show(out, detected)
    if not yes:
        detected = _prompt(out, path, detected, given)
    needed = _UNDETECTABLE.get(detected.detection.kind)
    if needed and not detected.detection.options.get(needed):
        raise ParameterError(
            f"Sensitive values of {detected.detection.kind} data cannot be detected.",
            option=needed,
            hint=Message("Name them: ", option(needed, "VALUE"), ", or answer the questions without --yes."),
        )
    with show_work("inspect"):
        inspected = calls.inspect(detected.dataset)
    for note in inspected["notes"]:
        out.print_line(note)
    show_inspection(out, inspected)
    policy.write_text(format_policy(detected, policy), encoding="utf-8")
    out.print_line(f"Wrote {policy}. Check it, correct it and run it: sfumato run {policy}")
    out.finish(_to_dict(detected, policy) | {"inspect": inspected})


def _show(out: Output, detected: DetectedFile) -> None:
    detection = detected.detection
    facts = {
        "kind": f"{detection.kind}: a row is {plugins.find_kind(detection.kind).row}",
        "file": str(detected.path),
        **{_ROLES.get(name, name): value for name, value in detection.options.items() if name != "header"},
        "could also be": ", ".join(detected.others) or None,
    }
    out.facts("Detected", facts)
    # What is written is a policy, and its keys are what people can change.
    for reason in detection.reasons:
        out.print_line(f"- {write(reason, POLICY)}")
    for left in detection.open:
        out.print_line(f"To decide: {write(left, POLICY)}")
    out.warn([write(text, POLICY) for text in detection.warnings])


def _prompt(out: Output, path: Path, detected: DetectedFile, given: dict[str, Any]) -> DetectedFile:
    """Ask what cannot be detected, with the detected value as the default."""
    kinds = ", ".join(plugins.all_kinds())
    kind = typer.prompt(f"Kind of data ({kinds})", default=detected.detection.kind, err=True)
    if kind != detected.detection.kind:
        detected = detect_file(path, kind, given)
        _show(out, detected)
    if _UNDETECTABLE.get(detected.detection.kind) and not detected.detection.options.get("sensitive"):
        named = typer.prompt("Sensitive events, separated by commas", err=True)
        given = given | {"sensitive": [name.strip() for name in named.split(",") if name.strip()]}
        detected = detect_file(path, kind, given)
    if "k" in detected.detection.parameters:
        k = typer.prompt("Smallest group size (k)", default=detected.detection.parameters["k"], err=True)
        detected = detected._replace(
            detection=detected.detection._replace(parameters={**detected.detection.parameters, "k": int(k)})
        )
    build(plugins.find_method(detected.detection.method, detected.detection.kind), dict(detected.detection.parameters))
    if not typer.confirm("Continue?", default=True, err=True):
        raise typer.Abort
    return detected


def _to_dict(detected: DetectedFile, policy: Path) -> dict[str, Any]:
    detection = detected.detection
    return {
        "file": str(detected.path),
        "kind": detection.kind,
        "score": detection.score,
        "options": detection.options,
        "reasons": detection.reasons,
        "open": list(detection.open),
        "warnings": list(detection.warnings),
        "could_also_be": list(detected.others),
        "method": {"name": detection.method, **detection.parameters},
        "policy": str(policy),
    }


_IN_PARTITIONS = "published in partitions of similar records, on all cores; without this line, all at once."


def format_policy(detected: DetectedFile, policy: Path) -> str:
    """Return the text of a policy file, with the reasons for its options.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "b.dat").write_text("1 2\\n2\\n1 2 3\\n")
    >>> print(format_policy(detect_file(folder / "b.dat"), folder / "policy.toml").split("[data]")[1])
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
    detection = detected.detection
    lines = [
        "# Policy detected by `sfumato start`. Check it, then run it: sfumato run " + policy.name,
        "#",
        "# Reasons:",
        *(f"# - {_comment(reason)}" for reason in detection.reasons),
        *(f"# To decide: {_comment(left)}" for left in detection.open),
        *(f"# WARNING: {_comment(text)}" for text in detection.warnings),
        "",
        "[data]",
        f"path = {format_toml(_beside(detected.path, policy))}",
        f"kind = {format_toml(detection.kind)}",
    ]
    for name, value in detection.options.items():
        if name in _ABOUT:
            lines.append(f"# {_ABOUT[name]}")
        lines.append(f"{name} = {format_toml(value)}")
    lines += ["", *_format_method(detection), "", "[release]", f"out = {format_toml(_name_release(detected.path))}"]
    if has_many_partitions(detected.dataset):
        lines += [f"# {detected.dataset.unit.count(len(detected.dataset))}: {_IN_PARTITIONS}", 'engine = "local"']
    lines.append("")
    return "\n".join(lines)


def _format_method(detection: Detection) -> list[str]:
    method = plugins.find_method(detection.method, detection.kind)
    about = {parameter.name: parameter.param.help for parameter in declared(method)}
    lines = ["[method]", f"# {_comment(method.summary)}", f"name = {format_toml(detection.method)}"]
    for name, value in detection.parameters.items():
        lines += [f"# {_comment(about[name])}", f"{name} = {format_toml(value)}"]
    return lines


def _beside(path: Path, policy: Path) -> str:
    """Return the path of the data as a policy in its folder finds it."""
    folder = policy.absolute().parent
    whole = path.absolute()
    return os.path.relpath(whole, folder) if whole.is_relative_to(folder) else str(whole)


def _name_release(path: Path) -> str:
    return f"{path.name.split('.')[0] or 'data'}-release"


def _comment(text: str) -> str:
    return make_visible(" ".join(write(text, POLICY).split()))
