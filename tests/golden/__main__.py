"""Write golden releases and answers: ``python -m tests.golden``, ``--only PATTERN`` or ``--baseline``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tests.golden.cases import KINDS
from tests.golden.comparison import compare_answers, compare_release
from tests.golden.production import Golden, Item, choose_items, list_items, make_goldens
from tests.golden.storage import BASELINE, FOLDER, SECTIONS, combine, load_all, load_golden, save, save_golden


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--only", metavar="PATTERN", default="*", help="names such as 'sets/*' or 'table/mondrian *'")
    parser.add_argument("--baseline", action="store_true", help="take the stored releases as those of the last version")
    parser.add_argument("--out", type=Path, default=FOLDER, help="where to write; beside this file if not given")
    chosen = parser.parse_args(arguments)
    if chosen.baseline:
        write_baseline(chosen.out)
        return 0
    items = choose_items(chosen.only)
    if not items:
        print(f"No case is called like {chosen.only!r}.", file=sys.stderr)
        return 2
    write_goldens(items, chosen.out, everything=chosen.only == "*")
    return 0


def write_goldens(items: list[Item], folder: Path, *, everything: bool) -> None:
    """Write the goldens of some items beside those of others; with everything, what no item has any more goes."""
    known = {item.name for item in list_items()}
    stored = {(section, kind): load_golden(section, kind, folder) for section in SECTIONS for kind in KINDS}
    for item, golden in make_goldens(items):
        releases, answers = stored["releases", item.kind], stored["answers", item.kind]
        report(item, golden, releases.get(item.name), answers.get(item.name))
        if golden.release is not None:
            releases[item.name] = golden.release
        answers[item.name] = golden.answers
    for (section, kind), goldens in stored.items():
        kept = {name: golden for name, golden in goldens.items() if name in known or not everything}
        save_golden(section, kind, kept, folder)


def report(item: Item, golden: Golden, release: dict[str, Any] | None, answers: dict[str, Any] | None) -> None:
    """Print how a golden differs from the stored one."""
    found = [] if golden.release is None else compare_release(item.name, release, golden.release)
    found += compare_answers(item.name, answers, golden.answers)
    print("\n".join([f"{item.name}: {'written' if found else 'as stored'}", *(f"  {sentence}" for sentence in found)]))


def write_baseline(folder: Path) -> None:
    """Store one digest of every golden release as that of the last version."""
    digests = {name: combine(golden) for name, golden in load_all("releases", KINDS, folder).items()}
    save(folder / BASELINE.name, digests)
    print(f"{len(digests)} releases are those of the last version now.")


if __name__ == "__main__":
    sys.exit(main())
