"""The work of one cell: anonymise, write, verify from the files, attack, measure."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sfumato import plugins
from sfumato.api import calls
from sfumato.data.dataset import Dataset
from sfumato.data.secret import Secret
from sfumato.exceptions import InfeasibleError, ReleaseWarning, SfumatoError
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.query_certainty import QueryCertainty
from sfumato.metrics.time_series import compute_time_series
from sfumato.params import build
from sfumato.release import storage
from sfumato.release.release import Release, Result
from sfumato.release.run import Run
from sfumato.reports.text import fill_in
from sfumato.studies.trials import PHASES, Job, Trial, TrialResult

__all__ = ["TrialRunner", "describe_fault"]

_USUAL_M = 2
_SUCCESSES = ("mean_success", "largest_relative_frequency")
"""What an attacker's success is called, by the kinds of findings there are."""
_QUICK = 10.0
"""Seconds up to which a cell is run a second time, so that loading compiled code is not timed."""


class TrialRunner:
    """A place of work: the data of a study, read once, and what was found out about them already.

    Nothing that is made here is published: releases are written to be verified, measured and thrown away. So their
    secrets may follow from the seed of the study.

    Examples
    --------
    >>> from sfumato.studies.source import HeldSource
    >>> data = Dataset.of("table", [(20, "f"), (20, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> runner = TrialRunner(data, Job(HeldSource(data), measures=("ncp",)))
    >>> outcome = runner.run(Trial("mondrian", {"k": 2}))
    >>> outcome.status, outcome.risk["before"]["unique"], outcome.risk["after"]["unique"]
    ('done', 0.5, 0.0)
    >>> runner.run(Trial("mondrian", {"k": 5})).status
    'refused'
    """

    def __init__(self, dataset: Dataset, job: Job, folder: Path | None = None, quick: float = _QUICK) -> None:
        self.dataset, self.job, self.folder, self.quick = dataset, job, folder, quick
        self._before: dict[int, dict[str, Any]] = {}
        self._met: set[str] = set()

    def run(self, trial: Trial) -> TrialResult:
        """Run a cell; whatever goes wrong is an outcome, too."""
        began = time.perf_counter()
        outcome = self._try(trial)
        if trial.method not in self._met and time.perf_counter() - began < self.quick:
            outcome = self._try(trial)
        self._met.add(trial.method)
        return outcome

    def _try(self, trial: Trial) -> TrialResult:
        try:
            with _measured_memory() as memory:
                outcome = self._work(trial)
            return dataclasses.replace(outcome, peak_memory=memory.peak)
        except InfeasibleError as error:
            return TrialResult("infeasible", str(error))
        except MemoryError:
            return TrialResult("out of memory", "there was not enough memory for it.")
        except SfumatoError as error:
            return TrialResult("refused", str(error))
        except Exception as error:
            return TrialResult("crashed", describe_fault(error))

    def _work(self, trial: Trial) -> TrialResult:
        job, dataset = self.job, self.dataset
        method = build(plugins.find_method(trial.method, dataset.kind), trial.parameters)
        folder = Path(tempfile.mkdtemp(prefix="cell-", dir=self.folder))
        try:
            run = Run(_make_secret(job.seed, trial.repetition))
            limit = job.max_suppressed_records
            result = calls.anonymize(dataset, method, run=run, protect=job.protect, max_suppressed_records=limit)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ReleaseWarning)
                calls.write(result, folder, reports=False)
            release = storage.read_release(folder)
            timer = Run()
            with timer.phase("attack"):
                after = _sum_up(self._attack(release, result).to_dict())
            with timer.phase("measure"):
                comparison = self._compare(release, result, trial.repetition)
                scores, answers = self._measure(comparison), self._follow(comparison)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        spent = {name: result.owner_record.seconds.get(name, 0.0) + timer.seconds.get(name, 0.0) for name in PHASES}
        return TrialResult(
            "done",
            scores=tuple(scores),
            seconds={name: round(seconds, 6) for name, seconds in spent.items()},
            risk={"before": self._find_before(release), "after": after},
            records=release.records_in,
            published=len(release),
            withheld=sum(release.suppressed_records.values()),
            guarantee=str(release.guarantee),
            warnings=tuple(str(warning.message) for warning in caught if issubclass(warning.category, ReleaseWarning)),
            answers=answers,
        )

    def _attack(self, release: Release, result: Result) -> Any:
        """Attack a release with the knowledge that its guarantee, or the study, is about."""
        attacker = plugins.find_attacker(release.guarantee)
        if self.job.m is not None and hasattr(release.guarantee, "m"):
            guarantee: Any = release.guarantee
            release = dataclasses.replace(release, guarantee=dataclasses.replace(guarantee, m=self.job.m))
        return attacker.attack(release, self.dataset, result.owner_record.rows)

    def _find_before(self, release: Release) -> dict[str, Any]:
        """Return what the same attacker reaches with the data as they stand."""
        m = int(self.job.m or getattr(release.guarantee, "m", None) or _USUAL_M)
        if m not in self._before:
            attacker = plugins.find_original_attacker(self.dataset.kind)
            self._before[m] = _sum_up(attacker.attack_original(self.dataset, m)[-1].to_dict())
        return self._before[m]

    def _compare(self, release: Release, result: Result, repetition: int) -> Comparison:
        seed = self.job.seed + repetition - 1
        return Comparison(self.dataset, release, result.owner_record.rows, seed, self.job.workload)

    def _follow(self, comparison: Comparison) -> dict[str, Any]:
        """Ask the release over time where the study measures what its answers leave open."""
        if self.job.measures and QueryCertainty.name not in self.job.measures:
            return {}
        time_series = compute_time_series(comparison)
        return {} if time_series is None else time_series.to_plain()

    def _measure(self, comparison: Comparison) -> list[dict[str, Any]]:
        job, release = self.job, comparison.release
        parameters = set(job.measure_parameters)
        scores = []
        for metric in plugins.metrics_for(self.dataset.kind, job.measure_parameters):
            wanted = not job.measures or metric.name in job.measures
            if wanted and (metric.applies(comparison) or parameters & metric.parameters().keys()):
                score = metric.measure(comparison)
                scores.append(
                    {
                        "measure": score.name,
                        "value": score.value,
                        "better": score.better,
                        "unit": score.unit,
                        "title": score.title,
                        "explanation": fill_in(score.explanation, release.unit),
                    }
                )
        return scores


def _make_secret(seed: int, repetition: int) -> Secret:
    """Return the secret of a repetition: the same for all methods and values, whose difference is then no luck."""
    return Secret(bytes(32)).derive("study", seed, repetition)


def _sum_up(finding: Mapping[str, Any]) -> dict[str, Any]:
    """Return an attacker's success, the share of unique people and the smallest set, where the finding has them."""
    named = next((name for name in _SUCCESSES if name in finding), None)
    return {
        "of": named,
        "success": None if named is None else float(finding[named]),
        "unique": finding.get("unique_share"),
        "smallest": finding.get("smallest_anonymity_set"),
        "knowledge": finding.get("knowledge"),
        "m": finding.get("m"),
        "sampling": finding.get("sampling", ""),
    }


def describe_fault(error: BaseException) -> str:
    """Describe what went wrong without the message of the error, which could hold personal data.

    Examples
    --------
    >>> describe_fault(ValueError("Ann Smith"))
    'unexpected ValueError in unknown place.'
    """
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f"{frame.tb_frame.f_code.co_name}, line {frame.tb_lineno}" if frame else "unknown place"
    return f"unexpected {type(error).__name__} in {where}."


class _Memory:
    peak: int | None = None


@contextlib.contextmanager
def _measured_memory() -> Iterator[_Memory]:
    """Measure the highest resident memory of this process meanwhile; elsewhere than on Linux, since it began."""
    memory, status = _Memory(), Path("/proc/self/status")
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    try:
        yield memory
    finally:
        try:
            lines = dict(line.split(":", 1) for line in status.read_text(encoding="ascii").splitlines())
            memory.peak = int(lines["VmHWM"].split()[0]) * 1024
        except (OSError, KeyError, ValueError):
            memory.peak = _peak_of_process()


def _peak_of_process() -> int | None:
    try:
        import resource
    except ImportError:
        return None
    import sys

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
