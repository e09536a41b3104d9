"""What checkers say of a release: verdicts, risks, scores, answers to questions, and digests of exports."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.golden import interface
from tests.golden.cases import FILE_IN_PARTITIONS, IN_PARTITIONS, Case, Original, Workplace, find_catalogue, is_exported
from tests.golden.digests import digest, digest_table
from tests.golden.storage import CUT_DIGITS, round_numbers

RISING = 2
"""How many pieces of everybody the attackers know who know ever more."""
SLOW = ("prediction",)
"""Measures that are taken of a few releases only."""
FEW_QUESTIONS = {"questions": 12, "queries": 40}
"""Parameters of measures that ask: a net needs fewer questions than a user."""
WORDS = frozenset(
    {"sentence", "note", "notes", "warnings", "sampling", "query", "counted", "witness", "better", "scale"}
)
"""Keys of answers whose values are words for people, or are told elsewhere."""
SIZES = ("set_sizes", "set_size_quantiles")
VARYING = ("smallest_anonymity_set", "mean_success", "unique_share", "max_sensitive_share")
_LONGEST = 14
"""Entries of a list or an object that are kept as they are; of longer ones a digest is."""
_SHORT = 80
"""Characters of a table of an answer that is kept as it is."""


def collect_answers(case: Case, workplace: Workplace, out: Path, data: Any) -> dict[str, Any]:
    """Return all that is said of a release, in sections that are compared one by one."""
    in_partitions = case.way in (IN_PARTITIONS, FILE_IN_PARTITIONS)
    scores = interface.measure_all(out, data) if case.thorough else _measure(out, data, in_partitions)
    verdicts = {"verdict": interface.verify(out), "verdict with original": interface.verify(out, data)}
    found = {
        **compare_verdicts(*map(summarise_verdict, verdicts.values())),
        "checks": {name: sum(verdict["checks"].values()) for name, verdict in verdicts.items()},
        **_attack(out, data),
        "scores": {score["metric"]: summarise_score(score, in_partitions) for score in scores},
    }
    source = out if in_partitions else interface.read_back(out)
    found["answers"] = ask(source, case.kind, case.later or case.data, data)
    found["exports"] = digest_exports(source, case, workplace.folder, in_partitions=in_partitions)
    if case.beside is not None:
        found["attack together"] = summarise(interface.attack_together(out, data, case.kind, *case.beside))
    if case.reconstructed:
        found["reconstruction"] = digest("\n".join(map(repr, interface.reconstruct(out))))
    return found


def compare_verdicts(alone: dict[str, Any], beside: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict on a release alone, and what is otherwise beside the original."""
    measured = {name: value for name, value in beside["measured"].items() if value != alone["measured"].get(name)}
    more = {name: value for name, value in beside.items() if name not in ("claimed", "measured")}
    return {"verdict": alone, "verdict with original": {**more, "measured": measured}}


def _attack(out: Path, data: Any) -> dict[str, Any]:
    """Return what attackers reach; the last one who knows ever more is often the one that the promise is about."""
    risk = interface.attack(out, data)
    steps = [summarise_step(step) for step in interface.attack_rising(out, data, RISING)]
    return {
        "attack": summarise_risk(risk),
        "attack beyond": by_name(interface.attack_beyond(out, data), "knowledge"),
        "attack rising": steps[:-1] if steps[-1] == summarise_step(risk) else steps,
    }


def _measure(out: Path, data: Any, in_partitions: bool) -> list[dict[str, Any]]:
    return interface.measure(out, data, SLOW, FEW_QUESTIONS, in_partitions=in_partitions)


def describe_original(original: Original, workplace: Workplace) -> dict[str, Any]:
    """Return what is read, how identifying it is as it stands, and what it answers."""
    data = workplace.find_data(original.kind, original.data)
    said = interface.inspect_data(data, RISING)
    risks = {name: said.pop(name) for name in ("risk", "beyond")}
    said = {name: value for name, value in said.items() if name not in ("in_words", "identifiers", "notes")}
    return {
        "cells": digest("\n".join(map(repr, interface.list_records(data)))),
        "facts": summarise(said),
        "attack": [summarise_risk(risk) for risk in risks["risk"]],
        "attack beyond": by_name(risks["beyond"], "knowledge"),
        "answers": ask(data, original.kind, original.data, data),
    }


def summarise_verdict(verdict: dict[str, Any]) -> dict[str, Any]:
    """Return outcome, claim and measures as they are, and which of the checks did not pass."""
    checks = list(verdict["checks"].values())
    found = {
        "outcome": verdict["outcome"],
        "claimed": summarise(verdict["claimed"]),
        "measured": summarise(drop_words(verdict["measured"])),
        "failed": [at for at, passed in enumerate(checks) if not passed],
        "unsettled": len(verdict["unsettled"]),
        "undeclared": len(verdict["undeclared"]),
    }
    return {name: value for name, value in found.items() if value}


def summarise(value: Any) -> Any:
    """Return a JSON value without words for people, and with digests of what is too long to be read."""
    if isinstance(value, dict):
        kept = {str(key): summarise(each) for key, each in value.items() if key not in WORDS}
        return kept if len(kept) <= _LONGEST or any(isinstance(each, dict) for each in kept.values()) else shorten(kept)
    if isinstance(value, list | tuple):
        entries = [summarise(each) for each in value]
        return entries if len(entries) <= _LONGEST else shorten(entries)
    return value


def summarise_risk(risk: dict[str, Any]) -> dict[str, Any]:
    """Return a risk with the sizes of sets as plain lists."""
    lists = {name: list(risk[name].values()) for name in SIZES if name in risk}
    return {**summarise(risk), **lists}


def summarise_step(risk: dict[str, Any]) -> dict[str, Any]:
    """Return the plain numbers of a risk that is one of several steps, or those that vary where they are known."""
    told = {key: value for key, value in summarise(risk).items() if not isinstance(value, dict | list)}
    return {key: told[key] for key in VARYING if key in told} if VARYING[0] in told else told


def summarise_score(score: dict[str, Any], in_partitions: bool) -> dict[str, Any]:
    """Return the value of a measure with its details; of partitions and where there are many, with a digest of them."""
    details = {name: value for name, value in score.items() if name not in ("metric", "value", *WORDS)}
    kept = {"details": shorten(details)} if in_partitions or len(details) > _LONGEST else details
    return {"value": score["value"], **summarise(kept)}


def drop_words(measured: dict[str, Any]) -> dict[str, Any]:
    """Leave out what was measured in words."""
    return {name: value for name, value in measured.items() if not (isinstance(value, str) and " " in value)}


def shorten(value: dict[str, Any] | list[Any]) -> dict[str, Any]:
    """Return the number of entries of what is too long to be read, and a digest of them, in which numbers are cut."""
    cut = round_numbers(value, CUT_DIGITS, whole=True)
    return {"entries": len(value), "digest": digest(json.dumps(cut, ensure_ascii=False, sort_keys=True))}


def by_name(found: Iterable[dict[str, Any]], key: str) -> dict[str, Any]:
    """Return findings by what they are called: a measure, or what an attacker knows."""
    return {each[key]: summarise({name: value for name, value in each.items() if name != key}) for each in found}


def ask(source: Any, kind: str, name: str, data: Any) -> dict[str, Any]:
    """Return the answer to every question about some data: of the data themselves, or of a release of them."""
    questions = find_catalogue(kind).questions[name]
    return dict(zip(questions, map(_summarise_answer, interface.query(source, questions, data)), strict=True))


def _summarise_answer(answer: dict[str, Any] | None) -> Any:
    if answer is None:
        return "refused"
    told = summarise({key: value for key, value in answer.items() if key != "table"})
    rows = [[*row.values()] for row in answer.get("table", ())]
    return told if not rows else {**told, "rows": rows if len(json.dumps(rows)) <= _SHORT else shorten(rows)}


def digest_exports(source: Any, case: Case, folder: Path, *, in_partitions: bool) -> dict[str, Any]:
    """Return digests of a release as other programs read it: of all layouts and formats, or of the usual one."""
    found: dict[str, Any] = {}
    offered = interface.list_exports(case.kind, in_partitions=in_partitions)
    for export in offered if is_exported(case) else offered[:1]:
        file = folder / f"export.{export[1]}"
        file.unlink(missing_ok=True)
        written = interface.export(source, file, *export)
        found[" ".join(export)] = _digest_export(file) if written else "refused"
    return found


def _digest_export(file: Path) -> str:
    if file.suffix != ".parquet":
        return digest(file.read_bytes())
    return digest("\n".join(f"{name} {text}" for name, text in digest_table(file).items()))
