"""What a study found: one tidy table, and what can be seen in it."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.escape import escape_html as escape
from sfumato.exceptions import SchemaError
from sfumato.metrics.time_series import TimeSeries
from sfumato.reports.numbers import show_number
from sfumato.studies.folder import describe_folder, replace_file, write_mark
from sfumato.studies.trials import PHASES, Trial, TrialResult

if TYPE_CHECKING:
    import polars as pl

__all__ = ["StudyResult", "mark_results", "read_results"]

_NAMES = ("method", "label", "parameters", "repetition")
_FIGURES: dict[str, pa.DataType] = {
    "measure": pa.string(),
    "value": pa.float64(),
    "better": pa.string(),
    "status": pa.string(),
    "reason": pa.string(),
    "risk_before": pa.float64(),
    "risk_after": pa.float64(),
    "unique_before": pa.float64(),
    "unique_after": pa.float64(),
    "smallest_before": pa.int64(),
    "smallest_after": pa.int64(),
    "records": pa.int64(),
    "published": pa.int64(),
    "withheld": pa.int64(),
    "guarantee": pa.string(),
    "seconds": pa.float64(),
    **{f"seconds_{name}": pa.float64() for name in PHASES},
    "peak_memory": pa.int64(),
}
_ANSWERS: dict[str, pa.DataType | None] = {
    "counted": pa.string(),
    "value": pa.string(),
    "from": None,
    "before": None,
    "certain": pa.int64(),
    "possible": pa.int64(),
    "expected": pa.float64(),
    "truth": pa.int64(),
}
"""Times are texts where they are dates, and numbers elsewhere."""
_SHOWN = ("repetition", "measure", "value", "better", "risk_before", "risk_after", "seconds", "status")
_MOST_SHOWN = 60


@dataclasses.dataclass(frozen=True, eq=False)
class StudyResult:
    """The cells of a study with what became of them, as one tidy table and as pictures of it.

    Parameters
    ----------
    trials
        Cells with their outcomes, in the order of the study.
    facts
        What the study is about: ``title``, ``kind``, ``data``, ``planned`` (number of cells).

    Examples
    --------
    >>> score = {"measure": "ncp", "value": 0.25, "better": "lower", "unit": "", "title": "", "explanation": ""}
    >>> done = (Trial("mondrian", {"k": 5}, varying=("k",)), TrialResult("done", scores=(score,)))
    >>> failed = (Trial("mondrian", {"k": 9}, varying=("k",)), TrialResult("infeasible", "there is no way."))
    >>> result = StudyResult((done, failed), {})
    >>> result.table.select(["method", "k", "measure", "value", "status"]).to_pylist()
    [{'method': 'mondrian', 'k': 5, 'measure': 'ncp', 'value': 0.25, 'status': 'done'},
     {'method': 'mondrian', 'k': 9, 'measure': None, 'value': None, 'status': 'infeasible'}]
    """

    trials: tuple[tuple[Trial, TrialResult], ...]
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def varying(self) -> tuple[str, ...]:
        """Names of the parameters that vary."""
        return tuple(dict.fromkeys(name for trial, _ in self.trials for name in trial.varying))

    @property
    def unit(self) -> RecordUnit:
        """What one record is."""
        fields = self.facts.get("data", {}).get("unit")
        return PERSON if fields is None else RecordUnit(**fields)

    @property
    def table(self) -> pa.Table:
        """One row per cell and measure; a cell without anything measured has one row with its reason."""
        named = {name: _name_column(name, _FIGURES) for name in self.varying}
        rows = [_make_row(trial, outcome, score, named) for trial, outcome in self.trials for score in _scores(outcome)]
        columns: dict[str, pa.Array] = {name: pa.array([row[name] for row in rows]) for name in _NAMES}
        columns |= {column: _unify([row[column] for row in rows]) for column in named.values()}
        columns |= {name: pa.array([row[name] for row in rows], kind) for name, kind in _FIGURES.items()}
        return pa.table(columns)

    @property
    def answers(self) -> pa.Table:
        """What releases answer over time: one row per cell and stretch of time, none where nothing was asked so."""
        named = {name: _name_column(name, _ANSWERS) for name in self.varying}
        rows = [
            _describe_trial(trial)
            | {column: trial.parameters.get(name) for name, column in named.items()}
            | {"counted": time_series.counted, "value": time_series.value, **entry}
            for trial, time_series in self._list_time_series()
            for entry in time_series.list_rows()
        ]
        columns: dict[str, pa.Array] = {name: pa.array([row[name] for row in rows]) for name in _NAMES}
        columns |= {column: _unify([row[column] for row in rows]) for column in named.values()}
        columns |= {name: pa.array([row[name] for row in rows], kind) for name, kind in _ANSWERS.items()}
        return pa.table(columns)

    def _list_time_series(self) -> list[tuple[Trial, TimeSeries]]:
        return [(trial, TimeSeries.from_plain(outcome.answers)) for trial, outcome in self.trials if outcome.answers]

    def to_polars(self) -> pl.DataFrame:
        """Return the table for Polars."""
        import polars as pl

        frame = pl.from_arrow(self.table)
        assert isinstance(frame, pl.DataFrame)
        return frame

    def to_pandas(self) -> Any:
        """Return the table for pandas, which must be installed."""
        return self.table.to_pandas()

    def write(self, folder: str | Path) -> None:
        """Write the table as ``results.parquet`` and ``results.csv``, each whole or not at all.

        What releases answer over time is written beside it, as ``answers.parquet`` and ``answers.csv``.
        """
        target, answers = Path(folder), self.answers
        _write_table(self.table, target / "results")
        if answers.num_rows:
            _write_table(answers, target / "answers")
        else:
            for ending in (".parquet", ".csv"):
                (target / "answers").with_suffix(ending).unlink(missing_ok=True)

    def write_page(self, path: str | Path) -> None:
        """Write the page of the study: one HTML file with all plots, for people."""
        from sfumato.studies.page import write_page

        replace_file(Path(path), write_page(self).encode())

    @property
    def plots(self) -> dict[str, Any]:
        """The plots by name, as Altair charts."""
        from sfumato.studies.plots import list_figures

        return {figure.name: figure.chart() for figure in list_figures(self)}

    def count(self) -> dict[str, int]:
        """Return how many cells ended in which way.

        Examples
        --------
        >>> StudyResult(((Trial("mondrian", {"k": 5}), TrialResult("overlong", "took too long.")),)).count()
        {'overlong': 1}
        """
        counts: dict[str, int] = {}
        for _, outcome in self.trials:
            counts[outcome.status] = counts.get(outcome.status, 0) + 1
        return counts

    def failures(self) -> list[tuple[Trial, TrialResult]]:
        """Return the cells that have nothing measured, with their reasons."""
        return [(trial, outcome) for trial, outcome in self.trials if not outcome.is_done]

    def __repr__(self) -> str:
        names = list(dict.fromkeys(trial.name for trial, _ in self.trials))
        ended = ", ".join(f"{count} {status}" for status, count in self.count().items())
        return f"StudyResult({', '.join(names)}: {ended or 'no trials'})"

    def _repr_html_(self) -> str:
        shown = self.table.select([*(n for n in ("label", *self.varying) if n in self.table.column_names), *_SHOWN])
        head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in shown.column_names)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(_show(value))}</td>" for value in row.values()) + "</tr>"
            for row in shown.slice(0, _MOST_SHOWN).to_pylist()
        )
        more = shown.num_rows - _MOST_SHOWN
        left = f"<p>and {more:,} more rows</p>" if more > 0 else ""
        return f"<p>{escape(repr(self))}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{left}"


def _show(value: Any) -> str:
    return "" if value is None else show_number(value)


def read_results(folder: str | Path) -> StudyResult:
    """Read what the folder of a study holds.

    Examples
    --------
    >>> read_results("nowhere")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: nowhere does not exist. Give the folder of a study.
    """
    path = Path(folder)
    if not path.is_dir():
        raise SchemaError(f"{path} does not exist.", hint="Give the folder of a study.")
    description = describe_folder(path)
    trials = []
    for listed in description.get("cells", ()):
        try:
            plain = json.loads((path / "cells" / f"{listed['key']}.json").read_bytes())
            now = {"label": listed["label"], "varying": tuple(listed["varying"])}
            trials.append((Trial(**{**plain["cell"], **now}), TrialResult.from_json(json.dumps(plain["outcome"]))))
        except (OSError, ValueError, TypeError, KeyError):
            continue
    return StudyResult(tuple(trials), description.get("facts", {}))


def _scores(outcome: TrialResult) -> Sequence[Mapping[str, Any]]:
    return outcome.scores or ({},)


def _name_column(name: str, figures: Iterable[str]) -> str:
    """Name the column of a parameter: like the parameter, unless a column is called so already."""
    return f"parameter_{name}" if name in (*_NAMES, *figures) else name


def _describe_trial(trial: Trial) -> dict[str, Any]:
    parameters = json.dumps(dict(trial.parameters), ensure_ascii=False)
    return {"method": trial.method, "label": trial.name, "parameters": parameters, "repetition": trial.repetition}


def _make_row(trial: Trial, outcome: TrialResult, score: Mapping[str, Any], named: Mapping[str, str]) -> dict[str, Any]:
    before, after = outcome.risk.get("before", {}), outcome.risk.get("after", {})
    row: dict[str, Any] = _describe_trial(trial) | {
        "measure": score.get("measure"),
        "value": score.get("value"),
        "better": score.get("better"),
        "status": outcome.status,
        "reason": outcome.reason or None,
        "risk_before": before.get("success"),
        "risk_after": after.get("success"),
        "unique_before": before.get("unique"),
        "unique_after": after.get("unique"),
        "smallest_before": before.get("smallest"),
        "smallest_after": after.get("smallest"),
        "records": outcome.records,
        "published": outcome.published,
        "withheld": outcome.withheld,
        "guarantee": outcome.guarantee or None,
        "seconds": sum(outcome.seconds.values()) if outcome.seconds else None,
        "peak_memory": outcome.peak_memory,
    }
    row |= {f"seconds_{name}": outcome.seconds.get(name) for name in PHASES}
    return row | {column: trial.parameters.get(name) for name, column in named.items()}


def _write_table(table: pa.Table, path: Path) -> None:
    """Write a table as Parquet and as CSV beside it, each whole or not at all."""
    packed, text = io.BytesIO(), io.StringIO()
    pq.write_table(table, packed, compression="zstd")
    replace_file(path.with_suffix(".parquet"), packed.getvalue())
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    replace_file(path.with_suffix(".csv"), text.getvalue().encode())


def _unify(values: Iterable[Any]) -> pa.Array:
    """Return values of one type: numbers if all are, texts otherwise."""
    listed = list(values)
    try:
        return pa.array(listed)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        pass
    if all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in listed):
        return pa.array([None if value is None else float(value) for value in listed], pa.float64())
    return pa.array([None if value is None else str(value) for value in listed], pa.string())


def mark_results(
    folder: Path, identity: Mapping[str, str], trials: Sequence[tuple[str, Trial]], facts: Mapping[str, Any]
) -> None:
    """Write into the folder of a study which trials it has, by key and in order, and its data."""
    listed = [{"key": key, "label": trial.label, "varying": list(trial.varying)} for key, trial in trials]
    write_mark(folder, {"identity": dict(identity), "cells": listed, "facts": dict(facts)})
