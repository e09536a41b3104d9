"""The cells of a study: one method with its parameters, once; and what became of it."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from sfumato.metrics.workload import Workload
from sfumato.release.suppression import MAX_SUPPRESSED_RECORDS
from sfumato.studies.source import Source, hash_plain

__all__ = ["PHASES", "Job", "Trial", "TrialResult"]

PHASES = ("anonymize", "write", "verify", "attack", "measure")
"""What is timed of a cell."""


@dataclasses.dataclass(frozen=True)
class Job:
    """What all cells of a study have in common.

    Parameters
    ----------
    source
        Where the data come from.
    seed
        Decides everything random: cells of the same repetition draw the same numbers.
    m
        Pieces of knowledge of the attacker whose success is measured; None for what each guarantee is about.
    measures
        Names of measures to take; none for all.
    measure_parameters
        Parameters of measures.
    workload
        Queries to count; without them measures draw their own.
    max_suppressed_records, protect
        As of a release.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.studies.source import HeldSource
    >>> job = Job(HeldSource(Dataset.of("sets", [["wine"], ["bread"]])))
    >>> job.digest == dataclasses.replace(job, seed=1).digest
    False
    """

    source: Source
    seed: int = 0
    m: int | None = None
    measures: tuple[str, ...] = ()
    measure_parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    workload: Workload | None = None
    max_suppressed_records: float = MAX_SUPPRESSED_RECORDS
    protect: str = "records"

    @functools.cached_property
    def data(self) -> str:
        """A hash of the data."""
        return self.source.digest()

    @functools.cached_property
    def digest(self) -> str:
        """A hash of everything that all cells depend on, this program's version included."""
        others = {
            "version": version("sfumato"),
            "data": self.data,
            "seed": self.seed,
            "m": self.m,
            "measures": sorted(self.measures),
            "measure_parameters": dict(self.measure_parameters),
            "workload": None if self.workload is None else self.workload.to_csv(),
            "max_suppressed_records": self.max_suppressed_records,
            "protect": self.protect,
        }
        return hash_plain(others)


@dataclasses.dataclass(frozen=True)
class Trial:
    """One method with all of its parameters, in one repetition.

    Parameters
    ----------
    method
        Name of the method.
    parameters
        All of its parameters, defaults too.
    repetition
        Number of the repetition, from 1.
    label
        What the method is called in tables and plots.
    varying
        Which of the parameters vary in the study.

    Examples
    --------
    >>> one, other = Trial("mondrian", {"k": 5}, 1), Trial("mondrian", {"k": 5}, 1, label="ours")
    >>> one.key("") == other.key(""), one.key("") == Trial("mondrian", {"k": 5}, 2).key("")
    (True, False)
    """

    method: str
    parameters: Mapping[str, Any]
    repetition: int = 1
    label: str = ""
    varying: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the method is called in tables and plots."""
        return self.label or self.method

    def key(self, digest: str) -> str:
        """Return the hash by which a finished cell is known again, given that of its job; labels do not count."""
        return hash_plain([digest, self.method, dict(self.parameters), self.repetition])


@dataclasses.dataclass(frozen=True)
class TrialResult:
    """What became of a cell.

    Parameters
    ----------
    status
        ``done``, ``infeasible`` (no release can keep the guarantee), ``refused`` (the method does not take such data or
        parameters), ``crashed``, ``overlong`` or ``out of memory``.
    reason
        Why, where it is not done.
    scores
        What was measured: ``measure``, ``value``, ``better``, ``unit``, ``title``, ``explanation``.
    seconds
        By phase.
    peak_memory
        Highest resident memory of the process at work, in bytes.
    risk
        ``before`` and ``after``: what an attacker reaches (``success``, ``unique``, ``smallest``), and what ``success``
        is of (``of``).
    records, published, withheld
        Numbers of records.
    guarantee
        The claim, in words.
    warnings
        What nobody who publishes this should overlook.
    limits
        Seconds and bytes that it was limited to.
    answers
        What the release answers over time, beside the truth: a :class:`~sfumato.metrics.time_series.TimeSeries`, plain.
        Nothing where data have no times, or where it was not asked for.

    Examples
    --------
    >>> TrialResult.from_json(TrialResult("infeasible", "k is too large.").to_json()).reason
    'k is too large.'
    """

    status: str
    reason: str = ""
    scores: tuple[Mapping[str, Any], ...] = ()
    seconds: Mapping[str, float] = dataclasses.field(default_factory=dict)
    peak_memory: int | None = None
    risk: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    records: int | None = None
    published: int | None = None
    withheld: int | None = None
    guarantee: str = ""
    warnings: tuple[str, ...] = ()
    limits: Mapping[str, float | None] = dataclasses.field(default_factory=dict)
    answers: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """Whether there is something measured."""
        return self.status == "done"

    def to_json(self) -> str:
        """Spell everything as one JSON object."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> TrialResult:
        """Read what :meth:`to_json` spelt; ValueError or TypeError if it is something else."""
        plain = json.loads(text)
        if not isinstance(plain, dict):
            raise TypeError("not an outcome")
        return cls(**{**plain, "scores": tuple(plain["scores"]), "warnings": tuple(plain["warnings"])})
