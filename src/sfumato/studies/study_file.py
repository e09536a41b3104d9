"""A study file: data, methods with what varies, and how often, in one text that can be versioned and run again."""

from __future__ import annotations

import difflib
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato import plugins
from sfumato.base.guarantee import COUNTS
from sfumato.base.method import Method
from sfumato.exceptions import ParameterError
from sfumato.formats.json_text import read_bounded, read_toml
from sfumato.messages import Message, option, parameter
from sfumato.old_names import rename_options
from sfumato.params import build
from sfumato.policy import ReadingSection, locate_files
from sfumato.release.options import ReleaseOptions
from sfumato.release.suppression import read_limit
from sfumato.studies.places import Places
from sfumato.studies.source import GeneratedSource
from sfumato.studies.trials import Trial

__all__ = ["Study", "list_trials", "read_study", "spread"]

_MOST_TRIALS = 100_000
_BYTES = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DataSection(ReadingSection):
    """Where the data are and how to read them; other keys are reading options, as in policy files."""

    path: str | None = None
    generate: dict[str, Any] | None = None


class MethodSection(BaseModel):
    """Which method, what it is called and what varies; other keys are its parameters."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str
    label: str = ""
    vary: dict[str, Any] = {}


class StudySection(_Section):
    """How often, how far and by whom."""

    repetitions: Annotated[int, Field(ge=1, le=10_000)] = 1
    seed: Annotated[int, Field(ge=0)] = 0
    measures: tuple[str, ...] = ()
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    memory: Annotated[int, Field(gt=0)] | str | None = None
    m: Annotated[int, Field(ge=1)] | None = None
    workload: str | None = None
    workers: Annotated[int, Field(ge=1, le=1024)] | None = None
    max_suppressed_records: float = ReleaseOptions.max_suppressed_records
    protect: str = ReleaseOptions.protect

    @property
    def memory_bytes(self) -> int | None:
        """The bound on memory in bytes."""
        return self.memory if self.memory is None or isinstance(self.memory, int) else _read_bytes(self.memory)


class Study(_Section):
    """A whole study file, checked: what it names exists, and every method takes what it is given.

    Examples
    --------
    >>> study = Study(data={"kind": "table", "generate": {"size": 100, "seed": 1}},
    ...               method=[{"name": "mondrian", "vary": {"k": [2, 5]}}, {"name": "cluster", "k": 5}])
    >>> [(trial.name, trial.parameters["k"]) for trial in list_trials(study)]
    [('mondrian', 2), ('mondrian', 5), ('cluster', 5)]
    """

    title: str = ""
    data: DataSection
    method: tuple[MethodSection, ...] = Field(min_length=1)
    vary: dict[str, Any] = {}
    measure: dict[str, Any] = {}
    study: StudySection = StudySection()

    @property
    def read_options(self) -> dict[str, Any]:
        """Options for reading the data."""
        return self.data.read_options


def read_study(path: Path) -> Study:
    """Read a study file and check all of it before anything runs; paths in it are relative to the file."""
    content = read_toml(path)
    places = Places(path, read_bounded(path, 1 << 20).decode("utf-8"))
    if isinstance(content.get("study"), dict):
        content["study"] = rename_options(content["study"], f"{path}: [study]")
    if isinstance(content.get("method"), dict):
        content["method"] = [content["method"]]
    try:
        study = Study.model_validate(content)
    except ValidationError as error:
        raise _describe_error(error, places) from None
    _check(study, places)
    folder = path.parent
    located: dict[str, Any] = locate_files(folder, study.read_options)
    if study.data.path is not None:
        located["path"] = str(folder / study.data.path)
    rest = study.study
    if rest.workload is not None:
        rest = rest.model_copy(update={"workload": str(folder / rest.workload)})
    return study.model_copy(update={"data": study.data.model_copy(update=located), "study": rest})


def list_trials(study: Study) -> list[Trial]:
    """Return every method with every combination of its values, as often as it is repeated.

    Methods come in the order of the file, then values, then repetitions.
    """
    return [trial for number in range(len(study.method)) for trial in _trials_of(study, number)]


def _trials_of(study: Study, number: int) -> list[Trial]:
    section = study.method[number]
    fixed = dict(section.model_extra or {})
    shared = {name: values for name, values in study.vary.items() if name not in fixed}
    given = {**shared, **section.vary}
    for name in section.vary:
        if name in fixed:
            raise ParameterError(
                Message(parameter(name), " is both fixed and varied."), hint="Remove it here or from vary."
            )
    varying = {name: spread(name, values) for name, values in given.items()}
    method = _find_method(section.name, study.data.kind)
    times = study.study.repetitions
    if times * math.prod(map(len, varying.values())) > _MOST_TRIALS:
        raise ParameterError(f"The study has more than {_MOST_TRIALS:,} trials.", hint="Vary fewer values.")
    trials = []
    for values in itertools.product(*varying.values()):
        chosen = dict(zip(varying, values, strict=True))
        parameters = build(method, {**fixed, **chosen}).parameters()
        trials += [Trial(section.name, parameters, turn + 1, section.label, tuple(varying)) for turn in range(times)]
    return trials


def _find_method(name: str, kind: str) -> type[Method]:
    """Return a method of a kind of data; refuse others with the nearest name."""
    methods = plugins.methods_for(kind)
    if name not in methods:
        raise ParameterError(
            f"There is no method {name!r} for {kind}.",
            option="name",
            hint=f"{_suggest(name, list(methods))}Methods: {', '.join(methods)}.",
        )
    return methods[name]


def spread(name: str, given: Any) -> list[Any]:
    """Return the values of a varying parameter: a list as it is, or from a start to an end by steps, both included.

    Examples
    --------
    >>> spread("k", [2, 5]), spread("t", {"start": 0.1, "end": 0.3, "step": 0.1})
    ([2, 5], [0.1, 0.2, 0.3])
    >>> spread("k", {"start": 2, "end": 9})
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: vary: k must be a list of values, or have start, end and step.
    """
    shape = ParameterError(
        Message("vary: ", parameter(name), " must be a list of values, or have start, end and step.")
    )
    if isinstance(given, Mapping):
        if set(given) != {"start", "end", "step"} or not all(map(_is_number, given.values())):
            raise shape
        start, end, step = (given[part] for part in ("start", "end", "step"))
        count = math.floor((end - start) / step + 1e-9) + 1 if step else 0
        if not 0 < count <= _MOST_TRIALS:
            raise ParameterError(
                Message("vary: ", parameter(name), f" has no values from {start} to {end} in steps of {step}.")
            )
        whole = all(isinstance(number, int) for number in given.values())
        return [start + turn * step if whole else round(start + turn * step, 12) for turn in range(count)]
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise shape
    values = list(given)
    if any(isinstance(value, list | dict) for value in values):
        raise shape
    if len({repr(value) for value in values}) < len(values):
        raise ParameterError(Message("vary: ", parameter(name), " lists a value twice."), hint="Remove one of them.")
    return values


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _read_bytes(text: str) -> int:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", text)
    if match is None or match[2].lower() not in _BYTES or float(match[1]) <= 0:
        raise ParameterError(
            Message(option("memory"), f" must be a number of bytes such as 2GB or 500MB, got {text!r}.")
        )
    return int(float(match[1]) * _BYTES[match[2].lower()])


def _check(study: Study, places: Places) -> None:
    """Check all that can be checked without the data; errors name the line of the file."""
    kind = study.data.kind
    with places.at("data", "kind"):
        plugins.find_kind(kind)
    with places.at("data"):
        if (study.data.path is None) == (study.data.generate is None):
            raise ParameterError(
                "The data need either path or generate.",
                option="path",
                hint='For example: path = "data.csv", or generate = { size = 1000, seed = 1 }',
            )
        study.data.check()
        if study.data.generate is not None:
            GeneratedSource(kind, study.data.generate).check()
    for number, section in enumerate(study.method):
        with places.at("method", "name", number=number, method=section.name):
            _find_method(section.name, kind)
        with places.at("method", number=number, method=section.name):
            _trials_of(study, number)
    names = [(section.label or section.name) for section in study.method]
    for number, name in enumerate(names):
        if name in names[:number]:
            with places.at("method", number=number, method=name):
                raise ParameterError(
                    f"Two methods have the name {name!r}.", option="name", hint='Add a label to one: label = "other"'
                )
    with places.at("study"):
        _check_study(study.study)
    with places.at("measure"):
        measures = [metric.name for metric in plugins.metrics_for(kind, study.measure)]
    with places.at("study", "measures"):
        for name in study.study.measures:
            if name not in measures:
                raise ParameterError(
                    f"There is no measure {name!r} for {kind}.",
                    option="measures",
                    hint=f"{_suggest(name, measures)}Measures: {', '.join(measures)}.",
                )


def _check_study(section: StudySection) -> None:
    read_limit(section.max_suppressed_records)
    if section.protect not in COUNTS:
        raise ParameterError(
            Message(option("protect"), f" must be one of {', '.join(COUNTS)}, got {section.protect!r}.")
        )
    _ = section.memory_bytes


def _suggest(name: str, choices: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, choices, n=1)
    return f"Did you mean {near[0]!r}? " if near else ""


def _describe_error(error: ValidationError, places: Places) -> ParameterError:
    first = error.errors()[0]
    parts = [part for part in first["loc"] if not str(part).startswith(("constrained-", "function-"))]
    section, rest = str(parts[0]), parts[1:]
    number = next((part for part in rest if isinstance(part, int)), None)
    keys = [str(part) for part in rest if isinstance(part, str)]
    key = keys[0] if keys else None
    if first["type"] == "extra_forbidden":
        names = list((StudySection if section == "study" else Study).model_fields)
        name = key or section
        message, hint = f"There is no key {name!r}.", f"{_suggest(name, names)}Keys: {', '.join(names)}."
    else:
        message, hint = f"{first['msg'].removesuffix('.')}.", ""
    place = places.name(section, key, number=number if section == "method" else None)
    return ParameterError(f"{place}: {message}", option=key or section, hint=hint)
