"""Write the snapshots anew, measure the flow, or show it.

``python -m tests.contracts`` writes public names and sentences, ``--flow`` lowers the baseline of the flow, and
``--trace KIND`` lists where publishing and checking a kind of data go through the source.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.contracts import flow, public, statements, wrong_commands
from tests.contracts.published import list_file_names, publish_all
from tests.contracts.samples import SAMPLES


def write_snapshots() -> None:
    """Write the public names and all sentences."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for below in ("releases", "printed", "slow"):
            (folder / below).mkdir()
        releases = publish_all(folder / "releases")
        names = [
            *public.list_declared_names(),
            *public.list_printed_names(folder / "printed"),
            *public.list_slowly_printed_names(folder / "slow"),
            *list_file_names(releases),
        ]
        _write(public.SNAPSHOT, sorted(names))
        for file, lines in statements.list_sentences(releases).items():
            _write(statements.FOLDER / file, lines)
        (folder / "wrong").mkdir()
        _write(statements.FOLDER / wrong_commands.SNAPSHOT, wrong_commands.list_lines(folder / "wrong"))


def _write(path: Path, lines: Sequence[str]) -> None:
    text = "\n".join(lines) + "\n"
    changed = not path.exists() or path.read_text(encoding="utf-8") != text
    path.write_text(text, encoding="utf-8")
    print(f"{path.name}: {len(lines):,} lines, {'changed' if changed else 'as before'}.")


def write_flow(*, may_rise: bool) -> int:
    """Lower the baseline of the flow; return an exit code."""
    grown = flow.lower_baseline(may_rise=may_rise)
    for line in grown:
        print(line)
    if grown and not may_rise:
        print("The baseline was not written. To let it rise, add --raise.")
        return 1
    print(f"{flow.BASELINE.name} is written.")
    return 0


def show_flow(kind: str) -> None:
    """Print the areas that a kind of data goes through, with modules and numbers of functions."""
    for command, calls in flow.trace_kind(kind).items():
        figures = flow.count(calls)
        print(f"{kind}, {command}: {figures.modules} modules, {figures.functions} functions, {figures.changes} changes")
        print("\n".join(flow.describe_way(calls)))


def main() -> int:
    """Do what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.contracts", description=__doc__)
    parser.add_argument("--flow", action="store_true", help="measure the flow and lower its baseline")
    parser.add_argument("--raise", action="store_true", dest="may_rise", help="let the baseline of the flow rise")
    parser.add_argument("--trace", choices=list(SAMPLES), help="show the flow of one kind of data")
    given = parser.parse_args()
    if given.may_rise and not given.flow:
        parser.error("--raise goes with --flow.")
    if given.trace:
        show_flow(given.trace)
        return 0
    if given.flow:
        return write_flow(may_rise=given.may_rise)
    write_snapshots()
    return 0


if __name__ == "__main__":
    sys.exit(main())
