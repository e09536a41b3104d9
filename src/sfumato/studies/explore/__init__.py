"""Exploring data: what is the risk, what does each guarantee cost, and what to choose.

``sf.explore("checkins.csv", kind="trajectories", out="explored")`` tries the methods for such data on
as much of them as is quick, and answers.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.data.dataset import Dataset
    from sfumato.studies.explore.answer import Exploration
    from sfumato.studies.trials import Job, Trial, TrialResult

__all__ = ["explore"]

_SECONDS = 150.0
_M = 2
_FEW = 60
"""Records on which every method is run first, so that nothing has to be compiled while candidates are timed."""


def explore(
    data: str | Path | Dataset,
    kind: str = "",
    *,
    out: str | Path | None = None,
    seconds: float = _SECONDS,
    people: int | None = None,
    methods: Sequence[str] = (),
    measure: str = "",
    workers: int | None = None,
    seed: int = 0,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
    **read_options: Any,
) -> Exploration:
    """Measure the risk of data and the loss of guarantees, and choose three candidates.

    Parameters
    ----------
    data, kind
        A file and what one row of it is, or a dataset.
    out
        Folder for ``explore.html``, ``policy.toml`` and the table of results with its plots (``study.html``). Nothing
        is kept without it.
    seconds
        Time to spend on trying, without what is compiled on a new machine; what is at work then is stopped.
    people
        Records to try on; as many as are quick if not given.
    methods
        Methods to try; all that fit the data if not given.
    measure
        Measure of loss; that of the kind of data if not given.
    workers
        Processes at work at a time; as many as cores if not given.
    seed
        Draws the sample, and everything random in the candidates.
    force
        Whether to replace an exploration that is in the folder.
    progress
        Called with the number of candidates that are finished and the number there are.
    read_options
        Options for reading a file, as of :func:`sfumato.read`.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20 + n % 7, "fm"[n % 2]) for n in range(40)], ("age", "sex"))
    >>> sf.explore(data, methods=["mondrian"], workers=1).picked.to_dict()["method"]
    'mondrian'
    """
    from sfumato.api import calls
    from sfumato.data.dataset import Dataset
    from sfumato.exceptions import ParameterError
    from sfumato.messages import Message, option

    if isinstance(data, Dataset):
        dataset, where = data, None
        if read_options:
            raise ParameterError(
                Message(option(next(iter(read_options), "kind")), " does not apply to data in memory."),
                hint="Leave reading options out.",
            )
    else:
        if not kind:
            raise ParameterError(
                Message(option("kind"), " is missing."), hint=Message("For example: ", option("kind", "table"))
            )
        where = Path(data)
        dataset = calls.read(where, kind, **read_options)
    if seconds <= 0:
        raise ParameterError(Message(option("seconds"), f" must be more than 0, got {seconds}."))
    request = _Request(seconds, people, tuple(methods), measure, workers, seed, progress)
    source = {} if where is None else _describe_source(where, dataset.kind, read_options)
    if out is None:
        with tempfile.TemporaryDirectory(prefix="sfumato-explore-") as folder:
            return request.run(dataset, Path(folder), source, force=True)
    return request.run(dataset, Path(out), source, force=force)


def _describe_source(path: Path, kind: str, read_options: dict[str, Any]) -> dict[str, Any]:
    """Return the data section of a policy: files by their whole paths, so that the policy runs from anywhere."""
    from sfumato.params import list_options
    from sfumato.readers.options import ReadOptions

    files = [option.name for option in list_options(ReadOptions) if option.files]
    section: dict[str, Any] = {"path": str(path.resolve()), "kind": kind}
    for name, value in read_options.items():
        if name in files:
            section[name] = {k: _resolve(v) for k, v in value.items()} if isinstance(value, dict) else _resolve(value)
        elif isinstance(value, list | tuple):
            section[name] = [f"@{_resolve(v[1:])}" if str(v).startswith("@") else v for v in value]
        else:
            section[name] = value
    return section


def _resolve(name: str) -> str:
    return str(Path(name).resolve()) if Path(name).is_file() else name


class _Request:
    """What was asked for, and how it is found out."""

    def __init__(
        self,
        seconds: float,
        people: int | None,
        methods: tuple[str, ...],
        measure: str,
        workers: int | None,
        seed: int,
        progress: Callable[[int, int], None],
    ) -> None:
        self.seconds, self.people, self.methods, self.measure = seconds, people, methods, measure
        self.workers, self.seed, self.progress = workers, seed, progress

    def run(self, dataset: Dataset, folder: Path, source: dict[str, Any], *, force: bool) -> Exploration:
        """Look at the data, try candidates and answer; leave everything in the folder."""
        from sfumato.api import calls
        from sfumato.studies.compilation import run_samples
        from sfumato.studies.explore.answer import Exploration
        from sfumato.studies.explore.choice import choose_three, format_policy, list_tried
        from sfumato.studies.explore.page import render
        from sfumato.studies.explore.sample import draw_sample
        from sfumato.studies.folder import open_folder, remove_trials, replace_file
        from sfumato.studies.results import StudyResult, mark_results
        from sfumato.studies.source import HeldSource
        from sfumato.studies.trials import Job

        first, rest, lacking = self._choose(dataset)
        measures, title = self._choose_measures(dataset)
        sample = draw_sample(dataset, self.people, self.seed)
        # Where something has to be compiled, no candidate is to lose its time to that.
        few = draw_sample(sample, _FEW, self.seed)
        run_samples([(few, trial) for trial in first])
        began = time.monotonic()
        job = Job(HeldSource(sample), seed=self.seed, measures=measures)
        identity = {"kind": dataset.kind, "data": job.data}
        open_folder(folder, identity, resume=False, force=force)
        if force:
            remove_trials(folder)
        risk = calls.inspect(dataset, _M)
        done: list[tuple[Trial, TrialResult]] = []
        unrun = self._try(first, job, folder, began, done, len(first) + len(rest))
        alive = {trial.method for trial, outcome in done if outcome.is_done}
        unrun += self._try(
            [trial for trial in rest if trial.method in alive], job, folder, began, done, len(first) + len(rest)
        )
        order = {trial.key(job.digest): number for number, trial in enumerate([*first, *rest])}
        done.sort(key=lambda entry: order[entry[0].key(job.digest)])
        summary = {"records": len(sample), "unit": sample.unit.to_dict(), "summary": repr(sample), "notes": []}
        facts = {"title": "Exploration", "kind": dataset.kind, "planned": len(order), "data": summary}
        result = StudyResult(tuple(done), facts)
        tried = list_tried(done, measures[0])
        recommended = self._kind(dataset).recommended
        choices = choose_three(tried, recommended)
        policy = format_policy(choices[0], source, job.max_suppressed_records) if choices and source else ""
        exploration = Exploration(
            risk["risk"],
            risk["in_words"],
            len(dataset),
            len(sample),
            dataset.unit,
            (measures[0], title),
            tried,
            choices,
            result,
            lacking,
            unrun,
            policy,
        )
        mark_results(folder, identity, [(trial.key(job.digest), trial) for trial, _ in done], facts)
        result.write(folder)
        result.write_page(folder / "study.html")
        if policy:
            replace_file(folder / "policy.toml", policy.encode())
        name = Path(source["path"]).name if source else "the data"
        replace_file(folder / "explore.html", render(exploration, name).encode())
        return exploration

    def _kind(self, dataset: Dataset) -> Any:
        from sfumato import plugins

        return plugins.find_kind(dataset.kind)

    def _choose(self, dataset: Dataset) -> tuple[list[Trial], list[Trial], dict[str, str]]:
        """Return the candidates, of the methods that were asked for, and refuse where there are none."""
        from sfumato import plugins
        from sfumato.exceptions import ParameterError
        from sfumato.studies.explore.candidates import list_candidates

        for name in self.methods:
            if dataset.kind not in plugins.find_method(name, dataset.kind).kinds:
                available = ", ".join(sorted(plugins.methods_for(dataset.kind)))
                raise ParameterError(
                    f"{name} is not a method for {dataset.kind}.", option="method", hint=f"Methods: {available}."
                )
        candidates = list_candidates(dataset)
        wanted = set(self.methods)
        first = [trial for trial in candidates.first if not wanted or trial.method in wanted]
        rest = [trial for trial in candidates.rest if not wanted or trial.method in wanted]
        lacking = {name: need for name, need in candidates.lacking.items() if not wanted or name in wanted}
        if not first:
            needs = ", ".join(dict.fromkeys(lacking.values()))
            raise ParameterError(
                f"No method for {dataset.kind} can be tried on these data.",
                option="method",
                hint=f"They need {needs or 'other values'}.",
            )
        return first, rest, lacking

    def _choose_measures(self, dataset: Dataset) -> tuple[tuple[str, ...], str]:
        """Return the measures to take, that of the loss first, and what that one is called."""
        from sfumato import plugins
        from sfumato.exceptions import ParameterError

        titles = {metric.name: metric.title for metric in plugins.metrics_for(dataset.kind)}
        if self.measure and self.measure not in titles:
            raise ParameterError(
                f"There is no measure {self.measure!r} for {dataset.kind}.",
                option="measure",
                hint=f"Measures: {', '.join(titles)}.",
            )
        names = dict.fromkeys([*([self.measure] if self.measure else []), *self._kind(dataset).primary_metrics])
        measures = tuple(name for name in names if name in titles) or tuple(titles)
        return measures, titles[measures[0]]

    def _try(
        self,
        trials: Sequence[Trial],
        job: Job,
        folder: Path,
        began: float,
        done: list[tuple[Trial, TrialResult]],
        total: int,
    ) -> list[Trial]:
        """Run candidates as long as there is time; return those for which there was none."""
        from sfumato.studies.run import Limits, run_trials

        left = self.seconds - (time.monotonic() - began)
        if left <= 1 or not trials:
            return list(trials)
        finished: set[str] = set()
        # Half of what is left for one candidate: one that is slow must not take the time of all others.
        limits, until = Limits(left / 2), began + self.seconds
        for trial, outcome in run_trials(trials, job, folder, workers=self.workers, limits=limits, until=until):
            done.append((trial, outcome))
            finished.add(trial.key(job.digest))
            self.progress(len(done), total)
        return [trial for trial in trials if trial.key(job.digest) not in finished]
