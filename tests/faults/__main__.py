"""List the faults that are planted in checking code, or run them: ``python -m tests.faults list``."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from tests.faults.plant import COUNT, SEED, arrange, choose, exclude, find_faults, load_equivalents
from tests.faults.run import Options, run_faults
from tests.faults.sandbox import find_default_place


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--tree", type=Path, default=Path(), help="folder with src and tests (default: this one)")
    shared.add_argument("--count", type=int, default=COUNT, help="number of faults (default: %(default)s)")
    shared.add_argument("--seed", type=int, default=SEED, help="what they are drawn with (default: %(default)s)")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", parents=[shared], help="print the faults")
    run = commands.add_parser("run", parents=[shared], help="plant each fault and run tests")
    run.add_argument("--out", type=Path, required=True, help="results (JSON); a run goes on where it was stopped")
    run.add_argument("--only", default="", help="numbers of faults, such as 3,17")
    run.add_argument("--tests", nargs="+", default=[], help="tests to run for every fault, instead of the likely ones")
    run.add_argument("--marker", default="", help='which tests, such as "not slow"')
    run.add_argument("-n", "--workers", type=int, default=2, help="processes; 0 for none (default: %(default)s)")
    run.add_argument("--limit", type=float, default=3600, help="seconds per stage (default: %(default)s)")
    run.add_argument("--copy", type=Path, help="folder for the copy (default: a fixed one among temporary files)")
    run.add_argument("--whole-suite-for-survivors", action="store_true", help="run all tests for what survives")
    return parser


def main() -> None:
    """Do what the command line asks for."""
    given = build_parser().parse_args()
    if given.command == "list":
        arranged = arrange(find_faults(given.tree), given.seed)
        for number, fault in choose(arranged, exclude(load_equivalents()), given.count).items():
            print(number, fault)
        return
    options = Options(
        tree=given.tree,
        out=given.out,
        copy=given.copy or find_default_place(given.tree),
        count=given.count,
        seed=given.seed,
        only=tuple(int(number) for number in given.only.split(",") if number),
        tests=tuple(given.tests),
        marker=given.marker,
        workers=given.workers,
        limit=given.limit,
        whole_suite=given.whole_suite_for_survivors,
    )
    # Asked to end, the run takes the fault back and ends its tests.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    run_faults(options)


if __name__ == "__main__":
    main()
