"""Plant faults one after the other in a copy of a tree, and run the tests that are most likely to catch each."""

from __future__ import annotations

import dataclasses
import resource
import time
from pathlib import Path
from typing import Any

from tests.faults.plant import EQUIVALENT, Fault, arrange, choose, exclude, find_faults, load_equivalents, planted
from tests.faults.results import CAUGHT, ENDLESS, INVALID, SURVIVED, Record, Results, describe_survivor
from tests.faults.sandbox import NOT_SELECTED, Finished, Sandbox
from tests.faults.stages import WHOLE_SUITE, Stage, list_stages, select_whole_suite


@dataclasses.dataclass(frozen=True)
class Options:
    """What the command line asks for.

    Parameters
    ----------
    tree, out, copy
        Where the source is, where results go, and the folder that holds the copy.
    count, seed
        How many faults there are, and what they are drawn with.
    only
        Numbers of faults; all if there are none.
    tests, marker
        What is run for every fault, where it is not chosen by the fault.
    workers
        Processes that pytest starts; 0 runs the tests in one process.
    limit
        Seconds after which tests that have not ended are stopped.
    whole_suite
        Whether what survives is then met by all tests.
    equivalents
        The file of faults that were judged equivalent.
    """

    tree: Path
    out: Path
    copy: Path
    count: int
    seed: int
    only: tuple[int, ...] = ()
    tests: tuple[str, ...] = ()
    marker: str = ""
    workers: int = 2
    limit: float = 3600
    whole_suite: bool = False
    equivalents: Path = EQUIVALENT

    def settings(self) -> dict[str, Any]:
        """Return what must be the same for outcomes to be compared."""
        return {"seed": self.seed, "count": self.count, "tests": list(self.tests), "marker": self.marker}


def run_faults(options: Options) -> Results:
    """Run all faults that are asked for and have no outcome yet; print each outcome and every survivor."""
    results = Results(options.out, options.settings())
    sandbox = Sandbox(options.copy)
    with sandbox.lock():
        _prepare(sandbox, results, options)
        print(f"Faults are planted in {sandbox.tree}, a copy of {options.tree.resolve()}.", flush=True)
        run = _Run(options, sandbox, results)
        for whole_suite in (False, True) if options.whole_suite else (False,):
            run.run_all(whole_suite=whole_suite)
        run.print_summary()
    return results


def _prepare(sandbox: Sandbox, results: Results, options: Options) -> None:
    """Copy the tree, or go on with the copy that the results were made with."""
    if results.fingerprint and sandbox.fingerprint() == results.fingerprint:
        return
    fingerprint = sandbox.copy(options.tree)
    if results.fingerprint not in {"", fingerprint}:
        raise SystemExit(f"{options.tree} changed since {options.out} was begun. Use another --out.")
    results.fingerprint = fingerprint
    results.write()


class _Run:
    def __init__(self, options: Options, sandbox: Sandbox, results: Results) -> None:
        self.options, self.sandbox, self.results = options, sandbox, results
        self.arranged = arrange(find_faults(sandbox.tree), options.seed)
        self.equivalents = load_equivalents(options.equivalents)

    def choose(self) -> dict[int, Fault]:
        """Return the faults by their numbers; equivalent and invalid ones are replaced."""
        excluded = exclude(self.equivalents, self.results.invalid_keys())
        chosen = choose(self.arranged, excluded, self.options.count)
        return {number: fault for number, fault in chosen.items() if number in (self.options.only or {number})}

    def run_all(self, *, whole_suite: bool) -> None:
        """Run one fault after the other, until there is none without an outcome."""
        while waiting := [entry for entry in self.choose().items() if self._is_waiting(entry[1], whole_suite)]:
            number, fault = waiting[0]
            record = self.results.records.get(fault.key, Record(number, fault))
            record.number = number
            begin, processor = time.monotonic(), _measure_processor()
            self._judge(record, whole_suite=whole_suite)
            record.seconds = round(record.seconds + time.monotonic() - begin, 1)
            record.processor_seconds = round(record.processor_seconds + _measure_processor() - processor, 1)
            self.results.add(record)
            record.print_line()

    def _is_waiting(self, fault: Fault, whole_suite: bool) -> bool:
        record = self.results.records.get(fault.key)
        if record is None:
            return True
        met_all = any(stage["name"] == WHOLE_SUITE for stage in record.stages)
        return whole_suite and record.outcome == SURVIVED and not met_all

    def _judge(self, record: Record, *, whole_suite: bool) -> None:
        """Run the stages of a fault up to the first one that catches it."""
        if not whole_suite:
            with planted(self.sandbox.tree, record.fault):
                broken = self.sandbox.find_broken_import(record.fault.file, self.options.limit)
            if broken:
                record.outcome, record.message = INVALID, broken
                return
        for stage in self._list_stages(record.fault, whole_suite):
            self._run_stage(record, stage)
            if record.outcome != SURVIVED:
                return

    def _list_stages(self, fault: Fault, whole_suite: bool) -> list[Stage]:
        if whole_suite:
            return [select_whole_suite()]
        if self.options.tests:
            return [Stage("given tests", self.options.tests)]
        return list_stages(self.sandbox.tree, fault)

    def _run_stage(self, record: Record, stage: Stage) -> None:
        """Run a stage; tests that fail without the fault, too, are left out and the stage is run again."""
        begin = time.monotonic()
        while True:
            left_out = [f"--deselect={test}" for test in self.results.failing_anyway]
            with planted(self.sandbox.tree, record.fault):
                finished = self._run_tests([*stage.options(), *left_out])
            failure = finished.failures[0] if finished.failures else {}
            if not failure or not self._fails_anyway(failure["test"]):
                break
        seconds = round(time.monotonic() - begin, 1)
        record.stages.append({"name": stage.name, "tests": finished.tests, "seconds": seconds})
        print(f"    {record.number}: {stage.name}, {finished.tests} tests, {seconds} s", flush=True)
        if finished.answer is None:
            record.outcome, record.by = ENDLESS, stage.name
        elif failure:
            record.outcome, record.by, record.message = CAUGHT, failure["test"], failure["message"]
        elif finished.answer not in {0, NOT_SELECTED}:
            raise SystemExit(f"pytest answered {finished.answer} and names no test:\n{finished.output}")

    def _run_tests(self, arguments: list[str]) -> Finished:
        options = self.options
        return self.sandbox.run_tests(arguments, marker=options.marker, workers=options.workers, limit=options.limit)

    def _fails_anyway(self, test: str) -> bool:
        """Run a test without any fault; remember what came of it."""
        if test in self.results.sound:
            return False
        finished = self.sandbox.run_tests([test], limit=self.options.limit)
        if finished.failures:
            print(f"{test} fails without a fault, too, and is left out.", flush=True)
            self.results.failing_anyway.append(test)
            return True
        self.results.sound.add(test)
        return False

    def print_summary(self) -> None:
        """Print how many faults had each outcome, and what people need to judge those that survived."""
        records = [self.results.records.get(fault.key) for fault in self.choose().values()]
        present = [record for record in records if record is not None]
        for record in present:
            if record.outcome == SURVIVED:
                print(describe_survivor(self.sandbox.tree, record))
        caught = sum(record.outcome in {CAUGHT, ENDLESS} for record in present)
        print(f"\nCaught {caught} of {len(present)} faults; all outcomes: {self.results.count()}.")


def _measure_processor() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
