"""Golden files on disk: readable, a line for what is compared as one, and without digits that no test looks at."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
BASELINE = FOLDER / "baseline.json"
SECTIONS = ("releases", "answers")
CHECKS = "checks"
"""The part of answers that has a file of its own: one new check changes a line of every case."""
DIGITS = 13
"""Significant digits of stored numbers: one more than are compared."""
CUT_DIGITS = 10
"""Significant digits of numbers in a digest: so few that no machine rounds one of them otherwise."""
NOISE = 1e-12
"""Smaller numbers are what rounding leaves of equal ones."""
_LINE = 118


def find_file(section: str, kind: str, folder: Path = FOLDER) -> Path:
    return folder / section / f"{kind}.json"


def load(path: Path) -> dict[str, Any]:
    """Return what a golden file holds; nothing if there is none yet."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def load_golden(section: str, kind: str, folder: Path = FOLDER) -> dict[str, Any]:
    """Return the goldens of a kind by their cases, answers with the number of checks that passed."""
    golden, checks = load(find_file(section, kind, folder)), load(find_file(CHECKS, kind, folder))
    if section != "answers":
        return golden
    return {name: {**found, CHECKS: checks[name]} if name in checks else found for name, found in golden.items()}


def save_golden(section: str, kind: str, golden: Mapping[str, Any], folder: Path = FOLDER) -> None:
    """Write the goldens of a kind, of answers the number of checks that passed apart."""
    checks = {name: found[CHECKS] for name, found in golden.items() if CHECKS in found}
    if section == "answers":
        save(find_file(CHECKS, kind, folder), checks)
        golden = {name: {key: found[key] for key in found if key != CHECKS} for name, found in golden.items()}
    save(find_file(section, kind, folder), golden)


def save(path: Path, golden: Mapping[str, Any]) -> None:
    """Write a golden file in the order of its names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(format_json(dict(sorted(golden.items()))) + "\n", encoding="utf-8")


def format_json(value: Any, indent: int = 0) -> str:
    """Return JSON that fills lines: what fits into one stands in one."""
    flat = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if not isinstance(value, dict) or not value or (indent and indent + len(flat) <= _LINE):
        return flat
    if indent and not any(isinstance(each, dict) for each in value.values()):
        return flat
    before = " " * (indent + 1)
    inner = (
        f"{before}{json.dumps(key, ensure_ascii=False)}:{format_json(each, indent + 1)}" for key, each in value.items()
    )
    return "{\n" + ",\n".join(inner) + f"\n{' ' * indent}}}"


def round_numbers(value: Any, digits: int = DIGITS, *, whole: bool = False) -> Any:
    """Return a JSON value whose fractions have so many significant digits; if asked for, 2.0 is a whole number too.

    What rounding leaves of a difference of equal numbers varies with the processor: it counts as none.
    """
    if isinstance(value, float):
        value = 0.0 if abs(value) < NOISE else value
        rounded = float(f"{value:.{digits}g}") if math.isfinite(value) else str(value)
        return int(rounded) if whole and isinstance(rounded, float) and rounded.is_integer() else rounded
    if isinstance(value, dict):
        return {key: round_numbers(each, digits, whole=whole) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [round_numbers(each, digits, whole=whole) for each in value]
    return value


def combine(digests: Mapping[str, Any]) -> str:
    """Return one short digest of all digests of a release, for the baseline."""
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()[:12]


def load_all(section: str, kinds: Iterable[str], folder: Path = FOLDER) -> dict[str, Any]:
    """Return all goldens of a section by the names of their cases."""
    return {name: golden for kind in kinds for name, golden in load_golden(section, kind, folder).items()}
