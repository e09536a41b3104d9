"""What a study is going to do, whether it was said in a file or in Python."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.metrics.workload import Workload
from sfumato.params import build
from sfumato.release.suppression import read_limit
from sfumato.studies.run import NO_LIMITS, Limits
from sfumato.studies.source import FileSource, GeneratedSource, HeldSource, Source
from sfumato.studies.study_file import Study, list_trials, spread
from sfumato.studies.trials import Job, Trial

__all__ = ["Plan", "plan_methods", "plan_study"]


@dataclasses.dataclass(frozen=True)
class Plan:
    """The cells of a study, what they have in common, and what each may take.

    Examples
    --------
    >>> from sfumato.kinds.table.methods.mondrian import Mondrian
    >>> data = Dataset.of("table", [(20, "f"), (30, "m")], ("age", "sex"))
    >>> plan = plan_methods(data, [Mondrian(k=2)], vary={"cut": ["strict", "relaxed"]})
    >>> [trial.parameters["cut"] for trial in plan.trials], plan.varying
    (['strict', 'relaxed'], ('cut',))
    """

    trials: tuple[Trial, ...]
    job: Job
    kind: str
    limits: Limits = NO_LIMITS
    workers: int | None = None
    title: str = ""

    @property
    def varying(self) -> tuple[str, ...]:
        """Names of the parameters that vary, in the order they are met."""
        return tuple(dict.fromkeys(name for trial in self.trials for name in trial.varying))


def plan_study(study: Study) -> Plan:
    """Plan what a study file says."""
    data, rest = study.data, study.study
    source: Source
    if data.generate is not None:
        source = GeneratedSource(data.kind, data.generate, study.read_options)
    elif data.path is not None and Path(data.path).exists():
        source = FileSource(data.path, data.kind, study.read_options)
    else:
        raise SchemaError(f"{data.path} does not exist.", option="path", hint="Check path in [data].")
    job = Job(
        source,
        seed=rest.seed,
        m=rest.m,
        measures=rest.measures,
        measure_parameters=study.measure,
        workload=None if rest.workload is None else read_workload(Path(rest.workload)),
        max_suppressed_records=rest.max_suppressed_records,
        protect=rest.protect,
    )
    limits = Limits(rest.timeout, rest.memory_bytes)
    return Plan(tuple(list_trials(study)), job, data.kind, limits, rest.workers, study.title)


def read_workload(path: Path) -> Workload:
    """Read count queries from a file."""
    try:
        return Workload.from_csv(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SchemaError(f"{path} cannot be read: {error.strerror}.", option="workload") from None
    except (UnicodeDecodeError, RecursionError):
        raise SchemaError(f"{path} is not a list of queries in UTF-8 text.", option="workload") from None


def plan_methods(
    dataset: Dataset,
    methods: Iterable[Method],
    *,
    vary: Mapping[str, Any] | None = None,
    repetitions: int = 1,
    timeout: float | None = None,
    memory: int | None = None,
    workers: int | None = None,
    title: str = "",
    **job: Any,
) -> Plan:
    """Plan to run methods on data that are in memory, each with every combination of the values that vary.

    Parameters
    ----------
    dataset, methods
        The data, and methods with their parameters.
    vary
        Values by parameter: a list, or ``{"start": 2, "end": 10, "step": 2}``. Methods that have no such parameter
        are refused.
    repetitions, timeout, memory, workers, title
        As in study files; memory in bytes.
    job
        Further fields of :class:`Job`: ``seed``, ``m``, ``measures``, ``measure_parameters``, ``workload``,
        ``max_suppressed_records``, ``protect``.
    """
    options = {field.name for field in dataclasses.fields(Job)} - {"source"}
    for name in job:
        if name not in options:
            raise ParameterError(
                f"study has no option {name!r}.", option=name, hint=f"Options: {', '.join(sorted(options))}."
            )
    read_limit(job.get("max_suppressed_records", 0.0))
    if "measures" in job:
        job["measures"] = tuple(job["measures"])
    varying = {name: spread(name, values) for name, values in (vary or {}).items()}
    chosen = list(methods)
    if not chosen:
        raise ParameterError(
            "study needs at least one method.", option="methods", hint="For example: [sf.methods.Mondrian(k=5)]."
        )
    trials = [
        trial for method, label in _label(chosen) for trial in _spread_method(method, label, varying, repetitions)
    ]
    return Plan(tuple(trials), Job(HeldSource(dataset), **job), dataset.kind, Limits(timeout, memory), workers, title)


def _label(methods: Sequence[Method]) -> list[tuple[Method, str]]:
    """Distinguish methods that are listed several times by all of their parameters that differ."""
    labelled = []
    for method in methods:
        same = [other.parameters() for other in methods if other.name == method.name]
        own = method.parameters()
        differing = [name for name in own if any(other[name] != own[name] for other in same)]
        settings = ", ".join(f"{name}={own[name]}" for name in differing)
        labelled.append((method, f"{method.name} ({settings})" if settings else ""))
    return labelled


def _spread_method(method: Method, label: str, varying: Mapping[str, list[Any]], repetitions: int) -> list[Trial]:
    trials = []
    for values in itertools.product(*varying.values()):
        given = {**method.parameters(), **dict(zip(varying, values, strict=True))}
        parameters = build(type(method), given).parameters()
        trials += [Trial(method.name, parameters, turn + 1, label, tuple(varying)) for turn in range(repetitions)]
    return trials
