"""The whole flow on one screen: read, anonymise, write, verify, measure."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato import plugins
from sfumato.api.aggregate import combine_attacks, describe_untested
from sfumato.api.attack import (
    attack,
    attack_beyond,
    attack_more,
    attack_rising,
    attack_together,
    draw_workload,
    inspect,
    measure,
    measure_release,
    plot,
    reconstruct,
    save_plots,
    sum_up_attacks,
    write_report,
)
from sfumato.api.edits import change_file, note_edited
from sfumato.api.protect import anonymize as run_method
from sfumato.api.verify import check_written, verify
from sfumato.base.method import Method
from sfumato.base.remaining import Remaining
from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note
from sfumato.data.secret import Secret
from sfumato.data.select import order_by_names
from sfumato.exceptions import ParameterError, ReleaseWarning, SchemaError, SfumatoError
from sfumato.formats import frames
from sfumato.messages import Message, Settings, option
from sfumato.metrics.retained_detail import find_retained, judge_retained
from sfumato.old_names import with_old_keywords
from sfumato.params import declared
from sfumato.progress import report_progress
from sfumato.readers.archives import name_place
from sfumato.readers.identifiers import refuse_identifiers
from sfumato.readers.options import ReadOptions, suggest_options
from sfumato.release import owner, partitioned, storage
from sfumato.release.batches import PublishedBatches, people_of, read_batches
from sfumato.release.folder import open_staging
from sfumato.release.locate import Source, find_release_in, is_divided, name_partitions
from sfumato.release.release import Result
from sfumato.release.run import Run
from sfumato.release.suppression import MAX_SUPPRESSED_RECORDS, read_limit, refuse_excess
from sfumato.verification import people

if TYPE_CHECKING:
    from sfumato.exports import Exported

__all__ = [
    "anonymize",
    "apply",
    "attack",
    "attack_beyond",
    "attack_rising",
    "attack_together",
    "draw_workload",
    "export",
    "inspect",
    "measure",
    "measure_release",
    "plot",
    "read",
    "reconstruct",
    "save_plots",
    "sum_up_attacks",
    "verify",
    "write",
    "write_report",
]

PathLike = str | Path
_MAX_DIAGNOSED_BYTES = 1 << 27
"""Bytes of a file up to which one that cannot be read is looked at again, to say how it can."""
_INDEX_DROPPED = Note("index-left-out", "Left out the index of the data frame, which has no name.")


def read(path: PathLike | Any, kind: str, **options: Any) -> Dataset:
    """Read data of a kind from CSV, Parquet, JSON lines or the formats of the neighbours, or from a data frame.

    Records come in the order of their names, where they have some: in whatever order the rows of a file are, the data
    are the same, unless there are no times and the order of the rows tells what came after what.

    Parameters
    ----------
    path
        The file, or a table of pandas, Polars, Arrow or another library that hands tables over (by
        ``__arrow_c_stream__`` or ``__dataframe__``).
    kind
        What one row is, such as ``trajectories``.
    options
        Fields of :class:`sfumato.readers.options.ReadOptions`: ``columns``, ``places``, ``split``, ``sensitive``,
        ``hierarchies``, ``constraints``, ``drop``, ``steps`` and others.

    Examples
    --------
    >>> import pyarrow as pa
    >>> read(pa.table({"person": ["ann", "ann", "bob"], "item": ["tea", "rye", "tea"]}), "sets").describe()["people"]
    2
    """
    foreign = [name for name in ("format", "delimiter", "encoding", "header") if options.get(name)]
    if frames.is_frame(path) and foreign:
        raise ParameterError(Message(option(foreign[0]), " does not apply to a data frame."), hint="Leave it out.")
    given = frames.make_file(path) if frames.is_frame(path) else name_place(Path(path))
    read_options = ReadOptions.of(kind, options)
    try:
        return _read_as(given, read_options)
    except (SchemaError, ParameterError) as error:
        if (
            not isinstance(given, Path)
            or not given.is_file()
            or any(isinstance(part, Settings) for part in getattr(error.hint, "parts", ()))
            or given.stat().st_size > _MAX_DIAGNOSED_BYTES
        ):
            raise
        fault = error
    return _read_completed(given, read_options, fault)


def _read_as(given: Path | frames.FrameFile, read_options: ReadOptions) -> Dataset:
    """Read data just as the options say."""
    file, rest, steps = change_file(given, read_options)
    dataset: Dataset = order_by_names(plugins.find_kind(read_options.kind).reader.load().read(file, rest))
    edited = [note_edited(step) for step in steps]
    frame = [_INDEX_DROPPED] if isinstance(given, frames.FrameFile) and given.index_dropped else []
    notes = (*frame, *edited, *dataset.notes)
    source = given.name if isinstance(given, Path) else ""
    options = {**dataset.read_options, **read_options.to_dict()} if steps else dataset.read_options
    return dataclasses.replace(dataset, notes=notes, read_options=options, source=source)


def _read_completed(path: Path, read_options: ReadOptions, fault: SfumatoError) -> Dataset:
    """Read data with what `start` detects of how the file is written; where more is to be decided, say what."""
    from sfumato.api.detect import complete_options, name_other_kind

    kind, usual = read_options.kind, ReadOptions(read_options.kind).to_dict()
    given = {name: value for name, value in read_options.to_dict().items() if value != usual[name]}
    completed = None if read_options.steps else complete_options(path, kind, given)
    if completed is None:
        raise fault.with_hint(name_other_kind(path, kind)) from None
    try:
        dataset = _read_as(path, ReadOptions.of(kind, completed.options))
    except (SchemaError, ParameterError):
        raise fault.with_hint(suggest_options(completed.left)) from None
    detected = "; ".join(f"{name} {_format_detected(value)}" for name, value in completed.detected.items())
    note = Note("options-detected", "Detected options of the file: {options}.", details={"options": detected})
    return dataclasses.replace(dataset, notes=(note, *dataset.notes))


def _format_detected(value: Any) -> str:
    """Return a detected option in words: marks in quotes, names as they are."""
    if isinstance(value, Mapping):
        return ", ".join(f"{role} `{column}`" for role, column in value.items())
    return repr(value) if len(value) == 1 and isinstance(value, str) else str(value)


@with_old_keywords("anonymize")
def anonymize(
    dataset: Dataset,
    method: Method | str,
    *,
    secret: Secret | bytes | None = None,
    protect: str = "records",
    run: Run | None = None,
    max_suppressed_records: float = MAX_SUPPRESSED_RECORDS,
    **parameters: Any,
) -> Result:
    """Make a release that keeps the method's guarantee, with the record that stays with the owner.

    Parameters
    ----------
    dataset
        The original.
    method
        A method with its parameters, such as ``sf.methods.SeqAnon(k=5, m=2)``, or its name, such as ``"seqanon"``,
        with the parameters behind it.
    secret
        The 32 bytes kept in ``owner/`` of an earlier release, to make it again. Drawn afresh if not given: a chosen
        secret could be guessed, and guessing it undoes the release.
    protect
        What k counts: ``records``, or different ``people``, where people have several records.
    run
        Progress and engine, where the defaults do not fit.
    max_suppressed_records
        Share of the records that may be left out; a release that leaves out more is refused, with the reasons counted.
    parameters
        Of a method that is given by its name.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20,), (21,)], ("age",))
    >>> anonymize(data, "mondrian", k=2).release.table.column("age").to_pylist()
    [{'lo': 20, 'hi': 21}, {'lo': 20, 'hi': 21}]
    >>> result = anonymize(sf.Dataset.of("table", [(20,), (21,)], ("age",)), sf.methods.Mondrian(k=2))
    >>> result.release.table.column("age").to_pylist()
    [{'lo': 20, 'hi': 21}, {'lo': 20, 'hi': 21}]
    """
    limit = read_limit(max_suppressed_records)
    method = _resolve_method(method, dataset.kind, parameters)
    run = run or Run(secret)
    run.max_suppressed_records = limit
    refuse_identifiers(dataset)
    with run.phase("anonymize"):
        result = run_method(dataset, method, run, protect)
    refuse_excess(result.release, limit)
    return result


def _resolve_method(method: Method | str, kind: str, parameters: dict[str, Any]) -> Method:
    """Return a method that is given as such, by its name or by its class, with its parameters."""
    if isinstance(method, type) and issubclass(method, Method):
        method = method.name
    if isinstance(method, str):
        return plugins.make_method(method, kind, parameters)
    if not isinstance(method, Method):
        raise ParameterError(
            f"anonymize: the method must be a name or a method, got {type(method).__name__}.",
            hint="For example: sf.methods.Mondrian(k=5)",
        )
    if parameters:
        name, owner = next(iter(parameters)), type(method).__name__
        if name in {parameter.name for parameter in declared(type(method))}:
            raise ParameterError(
                f"anonymize: {name} is a parameter of the method.", hint=f"Write: sf.methods.{owner}({name}=...)"
            )
        raise ParameterError(f"anonymize: {name!r} is neither an option nor a parameter of {owner}.", option=name)
    return method


def write(
    result: Result,
    out: PathLike,
    *,
    force: bool = False,
    reports: bool = True,
    include: Iterable[PathLike] = (),
) -> Verdict:
    """Publish a result: ``out/release`` for everybody, ``out/owner`` for its owner, or nothing.

    The files are written to a temporary folder and verified from there. A release that breaks its guarantee is not
    left on disk. What remains possible (inference of sensitive values, uniqueness with more knowledge, low utility) is
    in the verdict; its warnings are issued as :class:`ReleaseWarning`, too. So are values that look the same and count
    as different, and columns whose values are nearly all different.

    Parameters
    ----------
    result
        What :func:`anonymize` returned.
    out
        The directory for both parts.
    force
        Whether to replace a release that is there.
    reports
        Whether to write ``owner/report.html``.
    include
        Files to publish beside the release, such as a licence; they are declared in ``release.json``.

    Examples
    --------
    >>> import tempfile, sfumato as sf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(sf.anonymize(sf.Dataset.of("table", [[20], [21]], ["age"]), sf.methods.Mondrian(k=2)), f"{folder}/o")
    Verified: the guarantee holds and every file is declared.
      parameter  claimed  measured
      k          2        2
      classes             1
    About the method (cannot be verified from the files): Groups do not depend on sensitive values.
      Knowledge of the method does not distinguish the records of a group.
    What remains possible:
      Uniqueness for someone who knows more than the guarantee covers was not tested.
    """
    run_seconds, original = result.owner_record.seconds, result.owner_record.original
    timer = Run()
    with open_staging(Path(out), force=force) as staging:
        report_progress("write", 0, 0)
        with timer.phase("write"):
            storage.write_release(result.release, staging.release, [Path(path) for path in include])
        report_progress("verify", 0, 0)
        with timer.phase("verify"):
            verdict = check_written(result, staging.folder)
        counted = {name: verdict.measured[name] for name in people.COUNTED if name in verdict.measured}
        result.owner_record.counters.update(counted)
        report_progress("attack", 0, 0)
        with timer.phase("attack"):
            stronger = attack_more(result.release, original, result.owner_record.rows)
            remaining = verdict.remaining.refine(combine_attacks(None, stronger))
            remaining = remaining.refine(describe_untested(result.release, original, stronger))
        if reports and original is not None:
            report_progress("report", 0, 0)
            with timer.phase("report"):
                remaining = write_report(result, staging.owner / "report.html", remaining, stronger)
        elif original is not None:
            low_utility = judge_retained(find_retained(original, result.release))
            remaining = remaining.refine(Remaining.of([low_utility]))
        run_seconds.update(timer.seconds)
        owner.write_owner(result, staging.owner, version("sfumato"))
        if result.owner_record.recoding is not None:
            _record_batch(result, Path(out), staging.owner)
        staging.commit()
    doubts = () if original is None else tuple(map(str, original.doubts))
    for text in (*verdict.warnings, *remaining.warnings, *doubts):
        warnings.warn(text, ReleaseWarning, stacklevel=2)
    return dataclasses.replace(verdict, remaining=remaining)


def export(
    source: Source,
    out: PathLike,
    *,
    layout: str | None = None,
    format: str | None = None,
    nested: bool = False,
    force: bool = False,
) -> None:
    """Write the records of a release as other tools read them: a row per visit, event or item, or one per record.

    Tables are flat: a column of ranges becomes ``NAME_lo`` and ``NAME_hi``, both included, and a category or a set is
    its label; see :meth:`Release.to_arrow`. In CSV a suppressed number, date or time is an empty cell and a suppressed
    text is ``*``.

    Parameters
    ----------
    source
        The directory of a release, a release or a result. Of a release in partitions all are written into one file,
        with a column that names the partition.
    out
        The file.
    layout
        ``long`` or ``wide``; ``long`` where records have lists.
    format
        ``csv``, ``parquet``, ``jsonl``, ``geojson``, ``xes`` or ``spmf``; told by the extension if not given.
    nested
        Whether cells of ``csv``, ``parquet`` and ``jsonl`` are written as they are published, ranges in one column, so
        that :func:`read_export` can read them back.
    force
        Whether to replace a file that is there.

    Examples
    --------
    >>> import tempfile, sfumato as sf
    >>> result = sf.anonymize(sf.Dataset.of("table", [(20,), (21,)], ("age",)), sf.methods.Mondrian(k=2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export(result, f"{folder}/people.csv")
    ...     Path(folder, "people.csv").read_text().split()
    ['age_lo,age_hi', '20,21', '20,21']
    """
    export_source(source, Path(out), layout, format, nested=nested, force=force)


def export_source(
    source: Source,
    out: Path,
    layout: str | None = None,
    format: str | None = None,
    *,
    nested: bool = False,
    force: bool = False,
) -> Exported:
    """Write the records of a release, or of all its partitions, and return what was written."""
    from sfumato.exports import export_partitions, export_release

    if not is_divided(source):
        return export_release(find_release_in(source), out, layout, format, nested=nested, force=force)
    return export_partitions(lambda: name_partitions(source), out, layout, format, nested=nested, force=force)


@with_old_keywords("apply")
def apply(
    path: PathLike,
    dataset: Dataset,
    *,
    unknown: str = "error",
    run: Run | None = None,
    max_suppressed_records: float = MAX_SUPPRESSED_RECORDS,
) -> Result:
    """Publish a later batch with the recoding of an earlier release.

    ``unknown`` says what happens to values the recoding does not know: ``error`` or ``suppress``. The
    guarantee is claimed for the batch on its own and is checked when the result is written: a batch that breaks
    it is refused. So is one that leaves out more than ``max_suppressed_records`` of its records, and one that differs
    by fewer than k people from a batch already published with this recoding: the difference would show them.

    Examples
    --------
    >>> import tempfile, sfumato as sf
    >>> first, later = (sf.Dataset.of("trajectories", [["a"], ["b"]] * n, {"a": (0, 0), "b": (1, 0)}) for n in (1, 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sf.write(sf.anonymize(first, sf.methods.SeqAnon(k=2, m=1)), f"{folder}/out")
    ...     apply(f"{folder}/out", later).release.members()
    {'{a|b}': ('a', 'b')}
    """
    limit = read_limit(max_suppressed_records)
    partitioned.refuse_divided(path)
    earlier = storage.read_release(Path(path))
    recoding = owner.read_recoding(Path(path))
    refuse_identifiers(dataset)
    run = run or Run()
    run.max_suppressed_records = limit
    method = plugins.find_method(earlier.method)(**owner.read_owner_record(Path(path))["parameters"])
    with run.phase("apply"):
        result = method.apply(dataset, recoding, earlier, unknown, run)
        owner_record = dataclasses.replace(result.owner_record, recoding=recoding, earlier=Path(path))
    result = Result(result.release, owner_record)
    refuse_excess(result.release, limit)
    published = _find_published(result)
    published.refuse_near(published.mark(result.release, people_of(result)), result.release)
    return result


def _find_published(result: Result) -> PublishedBatches:
    """Return the batches already published with the recoding of a result."""
    owner_record, secret = result.owner_record, result.owner_record.secret or Secret.fresh()
    if owner_record.earlier is None:
        return PublishedBatches.begin(secret)
    return read_batches(owner_record.earlier) or owner.begin_batches(
        owner_record.earlier, storage.read_release(owner_record.earlier)
    )


def _record_batch(result: Result, out: Path, folder: Path) -> None:
    """Keep what is published by hashes, here and where the recoding comes from, before it appears."""
    published = _find_published(result)
    batch = published.mark(result.release, people_of(result))
    published.refuse_near(batch, result.release)
    here = str((out / "owner").resolve())
    published = published.add(batch)
    published = dataclasses.replace(published, folders=tuple(dict.fromkeys((*published.folders, here))))
    published.write(folder)
    published.write_everywhere()
