"""Studies: methods side by side over parameters that vary, with what each costs and what it protects from.

``sf.study("study.toml", out="results")`` runs a study file; ``sf.study(dataset, [method, ...], vary={"k": [2, 5]})``
does the same from Python.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.old_names import with_old_keywords

if TYPE_CHECKING:
    from sfumato.base.method import Method
    from sfumato.data.dataset import Dataset
    from sfumato.studies.plan import Plan
    from sfumato.studies.results import StudyResult
    from sfumato.studies.study_file import Study
    from sfumato.studies.trials import TrialResult

__all__ = ["run_plan", "run_study"]


@with_old_keywords("study")
def run_study(
    what: str | Path | Study | Dataset,
    methods: Iterable[Method] = (),
    *,
    out: str | Path | None = None,
    resume: bool = False,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
    **options: Any,
) -> StudyResult:
    """Run a study: every method with every value, each in a process of its own, and return what was found.

    Parameters
    ----------
    what
        A study file, or a dataset.
    methods
        With a dataset: methods with their parameters.
    out
        Folder of the study. What is finished there is not run again. Without it nothing is kept.
    resume, force
        Whether to go on in a folder that holds a study of other data, and whether to begin anew.
    progress
        Called with the number of cells that are finished and the number there are.
    options
        With a dataset: ``vary``, ``repetitions``, ``timeout``, ``memory``, ``workers``, ``title``, ``seed``, ``m``,
        ``measures``, ``measure_parameters``, ``workload``, ``max_suppressed_records``, ``protect``. With a study file:
        ``workers`` and ``retry``.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (20, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> result = sf.study(data, [sf.methods.Mondrian(k=2)], vary={"k": [2, 9]}, measures=["ncp"], workers=1)
    >>> result
    StudyResult(mondrian: 1 done, 1 refused)
    """
    from sfumato.data.dataset import Dataset
    from sfumato.exceptions import ParameterError
    from sfumato.studies.plan import plan_methods, plan_study
    from sfumato.studies.study_file import Study, read_study

    chosen = list(methods)
    retry, workers = bool(options.pop("retry", False)), options.pop("workers", None)
    if isinstance(what, Dataset):
        plan = plan_methods(what, chosen, workers=workers, **options)
    else:
        if chosen or options:
            raise ParameterError(
                "study takes no methods or options beside a study file.",
                hint="Leave them out, or write them into the file.",
            )
        plan = plan_study(what if isinstance(what, Study) else read_study(Path(what)))
    if out is not None:
        return run_plan(plan, Path(out), resume=resume, force=force, retry=retry, workers=workers, progress=progress)
    with tempfile.TemporaryDirectory(prefix="sfumato-study-") as folder:
        return run_plan(plan, Path(folder), workers=workers, progress=progress)


def run_plan(
    plan: Plan,
    folder: Path,
    *,
    resume: bool = False,
    force: bool = False,
    retry: bool = False,
    workers: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> StudyResult:
    """Run what is planned into a folder; whatever ends it early leaves there what is finished, as tables and page."""
    from sfumato.exceptions import SfumatoError
    from sfumato.studies.folder import close_unused, open_folder, remove_trials
    from sfumato.studies.run import run_trials

    digest = plan.job.digest
    description = open_folder(folder, _identify(plan), resume=resume, force=force)
    facts: dict[str, Any] = {**description.get("facts", {}), "title": plan.title, "kind": plan.kind}
    facts |= {"planned": len(plan.trials), "measures": list(plan.job.measures)}
    announced: list[Mapping[str, Any]] = []

    def begin(data: Mapping[str, Any]) -> None:
        # Only now is it sure that there is something to put in the place of what was found earlier.
        if force and not announced:
            remove_trials(folder)
        announced.append(data)
        facts["data"] = dict(data)

    outcomes: dict[str, TrialResult] = {}
    running = run_trials(
        plan.trials,
        plan.job,
        folder,
        workers=workers or plan.workers,
        limits=plan.limits,
        retry=retry,
        afresh=force,
        on_facts=begin,
    )
    try:
        for done, (trial, outcome) in enumerate(running, start=1):
            outcomes[trial.key(digest)] = outcome
            progress(done, len(plan.trials))
    except SfumatoError:
        # The data cannot be read: nothing was run.
        close_unused(folder)
        raise
    except KeyboardInterrupt:
        running.close()
        _finish(folder, plan, outcomes, facts)
        raise
    return _finish(folder, plan, outcomes, facts)


def _identify(plan: Plan) -> dict[str, str]:
    """Describe what makes a study the same: its data."""
    return {"kind": plan.kind, "data": plan.job.data}


def _finish(folder: Path, plan: Plan, outcomes: Mapping[str, TrialResult], facts: Mapping[str, Any]) -> StudyResult:
    """Put everything that is finished into tables, and on a page."""
    from sfumato.studies.results import StudyResult, mark_results

    digest = plan.job.digest
    finished = [(key, trial) for trial in plan.trials if (key := trial.key(digest)) in outcomes]
    result = StudyResult(tuple((trial, outcomes[key]) for key, trial in finished), facts)
    mark_results(folder, _identify(plan), finished, facts)
    result.write(folder)
    result.write_page(folder / "study.html")
    return result
